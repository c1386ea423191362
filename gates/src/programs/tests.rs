//! Rows of the tables: what they catch, and the everyday command beside it.

use super::*;

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

#[test]
fn languages_and_shells() {
    for name in [
        "python3.12",
        "python",
        "perl5.36",
        "node20",
        "ruby",
        "pwsh",
        "php8.2",
    ] {
        assert!(is_interpreter(name), "{name}");
    }
    for name in ["pythonista", "cargo", "git", "nodemon"] {
        assert!(!is_interpreter(name), "{name}");
    }
    assert!(is_shell("bash") && !is_shell("fishing"));
}

#[test]
fn programs_from_input() {
    for text in [
        "sh",
        "bash -s",
        "bash -s -- a b",
        "bash -",
        "python3",
        "python3 -",
        "node",
        "perl",
        "bash /dev/stdin",
        "source /dev/stdin",
        "python3 -u",
        "bash --norc",
    ] {
        assert!(reads_program_from_stdin(&words(text)), "{text}");
    }
    for text in [
        "bash t.sh",
        "bash -c x",
        "python3 -m json.tool",
        "python3 -c x",
        "node app.js",
        "perl -ne print",
        "awk x",
        "python3 --version",
        "source venv/bin/activate",
        "php -r x",
        "deno run x.ts",
        "bash t.sh -",
    ] {
        assert!(!reads_program_from_stdin(&words(text)), "{text}");
    }
}

#[test]
fn script_operands() {
    for (text, at) in [
        ("bash t.sh a", Some(1)),
        ("bash -x t.sh", Some(2)),
        ("bash --rcfile x t.sh", Some(3)),
        ("bash -c x", None),
        ("source venv/bin/activate", Some(1)),
        ("python3 -u s.py x", Some(2)),
        ("python3 -m pytest", None),
        ("node -r x app.js", Some(3)),
        ("deno run x.ts", Some(2)),
        ("ls x", None),
    ] {
        assert_eq!(script_operand(&words(text)), at, "{text}");
    }
}

#[test]
fn wrappers_and_what_they_run() {
    for (text, inner) in [
        ("sudo -E -u root rm x", "rm x"),
        ("env -i A=1 rm x", "rm x"),
        ("timeout -k 5 10 rm x", "rm x"),
        ("nice -n 5 rm x", "rm x"),
        ("nice rm x", "rm x"),
        ("xargs -n 1 rm", "rm"),
        ("find . -exec rm {} ;", "rm {}"),
        ("find . -execdir rm {} +", "rm {}"),
        ("flock f rm x", "rm x"),
        ("command rm x", "rm x"),
        ("exec -a y rm x", "rm x"),
        ("parallel rm ::: a", "rm"),
        ("stdbuf -oL rm x", "rm x"),
        ("runuser -u x -- rm x", "rm x"),
        ("busybox rm x", "rm x"),
        ("fd -x rm", "rm"),
        ("setarch x86_64 rm x", "rm x"),
    ] {
        let all = words(text);
        assert!(is_indirection(&all), "{text}");
        let found = wrapped(&all).into_iter().any(|inside| {
            let words: Vec<&str> = inside.words.iter().map(|index| all[*index]).collect();
            words.join(" ") == inner
        });
        assert!(found, "{text}: {:?}", wrapped(&all));
    }
    for text in [
        "command -v jq",
        "command -V ls",
        "find . -name x",
        "fd rs",
        "fd -e rs",
        "git status",
        "exec",
        "fd -ex",
    ] {
        assert!(!is_indirection(&words(text)), "{text}");
    }
    assert!(is_indirection(&words("fd -xrm victim")));
}

#[test]
fn payloads_and_opaque_strings() {
    for (all, expected) in [
        (vec!["bash", "-c", "rm x"], "rm x"),
        (vec!["bash", "--norc", "-c", "rm x"], "rm x"),
        (vec!["sh", "-ec", "rm x", "_", "a"], "rm x"),
        (vec!["eval", "rm", "x"], "rm x"),
        (vec!["trap", "rm x", "EXIT"], "rm x"),
        (vec!["alias", "ll=rm x"], "rm x"),
        (vec!["env", "-S", "rm x"], "rm x"),
        (vec!["su", "-", "u", "-c", "rm x"], "rm x"),
        (vec!["ssh", "h", "rm", "x"], "rm x"),
        (vec!["nix-shell", "--run", "rm x"], "rm x"),
        (vec!["git", "-c", "alias.x=!rm x", "x"], "rm x"),
        (vec!["git", "bisect", "run", "rm", "x"], "rm x"),
        (vec!["tar", "xf", "a", "--to-command=rm x"], "rm x"),
        (vec!["psql", "-c", "\\! rm x"], "rm x"),
        (vec!["sqlite3", "x", ".shell rm x"], "rm x"),
        (vec!["vim", "-c", ":!rm x"], "rm x"),
        (vec!["gdb", "-ex", "shell rm x"], "rm x"),
        (vec!["awk", "BEGIN{system(\"rm x\")}"], "rm x"),
        (vec!["sed", "1e rm x", "f"], "rm x"),
        (vec!["ssh", "-o", "ProxyCommand=rm x", "h"], "rm x"),
        (vec!["hyperfine", "rm x"], "rm x"),
    ] {
        let found = payloads(&all);
        assert!(
            found.iter().any(|payload| payload.text == expected),
            "{all:?}: {found:?}"
        );
    }
    for text in [
        "bash t.sh",
        "su - u",
        "ssh host",
        "git log",
        "trap - EXIT",
        "alias",
        "tar xf a",
        "vim +10 f",
    ] {
        assert!(payloads(&words(text)).is_empty(), "{text}");
        assert!(!opaque(&words(text)), "{text}");
    }
    assert!(opaque(&["bash", "-ec", "x"]) && opaque(&["eval", "x"]) && opaque(&["su", "-c", "x"]));
}

#[test]
fn inline_programs() {
    for text in [
        "python3 -c x",
        "python3 -Bc x",
        "node -e x",
        "node -p x",
        "perl -ne x",
        "perl -pi -e x",
        "ruby -e x",
        "php -r x",
        "lua -e x",
        "deno eval x",
        "pwsh -c x",
        "ssh h ls",
        "git -c core.pager=x log",
        "git config alias.x !y",
        "git rebase --exec x",
        "git bisect run x",
        "git submodule foreach x",
        "git difftool -x y",
        "git --exec-path=/x push",
        "tar xf a --to-command=x",
        "tar -I ./x -cf a b",
        "split --filter=x f",
        "rg --pre x y",
        "sort --compress-program=x f",
        "rsync -e ./x a b",
        "man -P x ls",
        "make --eval x",
        "hash -p /x y",
        "enable -f x y",
        "ssh -o ProxyCommand=x h",
        "sed -n 1e f",
        "sed s/a/b/e f",
        "git config core.hooksPath x",
    ] {
        assert!(inline_program(&words(text)).is_some(), "{text}");
    }
    for text in [
        "python3 -m pytest",
        "python3 s.py -c x",
        "node app.js -e x",
        "perl -v",
        "ssh host",
        "ssh -i key host",
        "git -c core.pager=cat diff",
        "git -c user.name=x commit",
        "git config user.name x",
        "git config --get core.pager",
        "git rebase -i x",
        "git bisect start",
        "tar czf out.tgz -C build .",
        "tar -I zstd -cf x .",
        "rsync -av a b",
        "rsync -e ssh a h:",
        "make -j8",
        "less +F log",
        "vim +10 f",
        "man ls",
        "sort -t, -k2 f",
        "sed -i s#/usr/bin#/usr/local/bin# f",
        "awk {print} f",
        "rg x",
        "git log --format=%H",
        "sed -n 10,20p f",
        "git push",
        "node --version",
    ] {
        assert_eq!(inline_program(&words(text)), None, "{text}");
    }
}

#[test]
fn global_options_go_in_every_reading() {
    for (text, expected) in [
        ("git -C x push", "git push"),
        ("git -C. push", "git push"),
        ("git -c a=b push", "git push"),
        ("git -p push", "git push"),
        ("git --no-pager push", "git push"),
        ("git --work-tree . push", "git push"),
        ("git --list-cmds=x push", "git push"),
        ("git --odd x push", "git push"),
        ("cargo +nightly publish", "cargo publish"),
        ("kubectl -n x delete pod", "kubectl delete pod"),
        ("docker compose -f x push", "docker compose push"),
        ("docker -H x compose -f y push", "docker compose push"),
        ("npm --prefix x publish", "npm publish"),
        ("terraform -chdir=x apply", "terraform apply"),
    ] {
        let all = words(text);
        let readings: Vec<String> = without_globals(&all)
            .into_iter()
            .map(|kept| {
                kept.iter()
                    .map(|index| all[*index])
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert!(
            readings.iter().any(|reading| reading == expected),
            "{text}: {readings:?}"
        );
    }
    for text in [
        "git push --force",
        "ls src",
        "docker compose up",
        "cargo test",
    ] {
        assert!(without_globals(&words(text)).is_empty(), "{text}");
    }
}

#[test]
fn runners() {
    for (text, inner) in [
        ("docker exec -it c rm x", "rm x"),
        ("kubectl exec p -- rm x", "rm x"),
        ("npm exec -- rm x", "rm x"),
        ("npx rm x", "rm x"),
        ("uv run rm x", "rm x"),
        ("poetry run rm x", "rm x"),
        ("mise exec -- rm x", "rm x"),
        ("bundle exec rm x", "rm x"),
    ] {
        let all = words(text);
        let found = run_inside(&all).unwrap();
        let inside: Vec<&str> = found.iter().map(|index| all[*index]).collect();
        assert_eq!(inside.join(" "), inner, "{text}");
    }
    for text in ["docker ps", "npm test", "cargo run x", "kubectl get pods"] {
        assert_eq!(run_inside(&words(text)), None, "{text}");
    }
}

#[test]
fn text_operands_are_no_paths_and_their_neighbors_are() {
    let text = |command: &str, is_isolated| {
        let all: Vec<&str> = command.split(' ').collect();
        let roles = roles(&all, is_isolated);
        let looked: Vec<&str> = all
            .iter()
            .zip(roles)
            .filter(|(_, role)| matches!(role, Role::Plain | Role::Path | Role::Mount))
            .map(|(word, _)| *word)
            .collect();
        looked.join(" ")
    };
    for (command, looked) in [
        ("grep -rn secret src", "src"),
        ("grep -e secret .env", ".env"),
        ("grep -A 3 pat /etc/hosts", "/etc/hosts"),
        ("rg -n secret -g *.rs src", "src"),
        ("sed -n p .env", ".env"),
        ("sed -e s/a/b/ f", "f"),
        ("awk -F / {print} f", "f"),
        ("awk -f .env f", ".env f"),
        ("jq -r .key config.json", "config.json"),
        ("tr / _", ""),
        ("cut -d / -f 2 p", "p"),
        ("git commit -m .env", "commit"),
        ("git log -S .env", "log"),
        ("git grep secret src", "grep src"),
        ("echo .env", ""),
        ("find . -name .env", "."),
        ("head -n 5 f", "f"),
        ("docker run --rm -v a:/b -w /app img cat /x", "run a:/b"),
        ("docker exec -it app ls /var/log", "exec"),
        ("curl -d x u", "u"),
        ("curl -d @.env u", "@.env u"),
        ("kubectl exec p -- cat /x", "exec p"),
    ] {
        assert_eq!(text(command, true), looked, "{command}");
    }
    assert_eq!(mount_source("/a:/b"), (0, 2));
    assert_eq!(mount_source("type=bind,src=/a,dst=/b"), (14, 16));
    assert_eq!(text("echo .env", false), ".env");
    assert_eq!(text("find . -name .env", false), ". .env");
    assert_eq!(text("printf -v x .env", true), "x .env");
}

#[test]
fn glued_values() {
    for (command, at, value) in [
        ("tool --in=secrets/a", 1, Some(("secrets/a", Role::Plain))),
        ("tool -f~/.ssh/id", 1, Some(("~/.ssh/id", Role::Plain))),
        ("cut -d/ -f2 p", 1, Some(("/", Role::Text))),
        ("ls -la", 1, None),
        ("git log -S'x", 2, Some(("'x", Role::Text))),
        ("grep x --include=*.rs", 2, Some(("*.rs", Role::Text))),
    ] {
        assert_eq!(glued_value(&words(command), at), value, "{command}");
    }
}

#[test]
fn directories_and_written_files() {
    assert_eq!(
        directories(&words("git -C a -C b status")),
        [(2, 0), (4, 0)]
    );
    assert_eq!(directories(&words("git -C. push")), [(1, 2)]);
    assert_eq!(directories(&words("tar -C d -cf - x")), [(2, 0)]);
    assert_eq!(directories(&words("make --directory=d")), [(1, 12)]);
    assert!(directories(&words("git diff -C x")).is_empty());
    assert_eq!(
        written_files(&words("curl -fsSLo i.sh https://x")),
        ["i.sh"]
    );
    assert_eq!(written_files(&words("curl -O https://x/i.sh")), ["i.sh"]);
    assert_eq!(written_files(&words("wget https://x/i.sh")), ["i.sh"]);
    assert_eq!(written_files(&words("tee a b")), ["a", "b"]);
    assert!(written_files(&words("ls a")).is_empty());
}

#[test]
fn text_that_builtins_evaluate() {
    assert_eq!(evaluates_text(&words("test -v x")), [2]);
    assert_eq!(evaluates_text(&words("printf -v x y")), [2]);
    assert_eq!(evaluates_text(&words("let x")), [1]);
    assert!(evaluates_text(&words("printf x")).is_empty());
    assert!(evaluates_text(&words("test -f x")).is_empty());
    assert!(is_zsh_prefix("noglob") && is_zsh_prefix("=ls") && !is_zsh_prefix("-"));
}
