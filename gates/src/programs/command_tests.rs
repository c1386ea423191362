//! Commands inside commands, in every spelling: wrappers, payloads, programs as arguments and from input.

use super::*;

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

/// Words with a `|` between them, so that a word may hold blanks.
fn parts(text: &str) -> Vec<&str> {
    text.split('|').collect()
}

fn inner(text: &str) -> Vec<String> {
    let all = words(text);
    let found = wrapped(&all).into_iter();
    let lines = found.map(|inside| {
        let words: Vec<&str> = inside.words.iter().map(|index| all[*index]).collect();
        words.join(" ")
    });
    lines.collect()
}

#[test]
fn wrappers_are_peeled_by_their_options() {
    for text in [
        "env - rm x",
        "env -u A -C d B=1 rm x",
        "env --chdir=d rm x",
        "sudo -n rm x",
        "sudo -u root A=1 rm x",
        "sudo --user root -- rm x",
        "systemd-run --user -t -p A=b rm x",
        "tmux new -d -s a rm x",
        "taskset -c 0 rm x",
        "chrt -f 10 rm x",
        "nsenter -t 1 -m -u rm x",
        "unshare -rn --mount-proc rm x",
        "setpriv --reuid 1 --clear-groups rm x",
        "strace -f -e trace=open -o f rm x",
        "script -q /dev/null rm x",
        "setarch x86_64 -R rm x",
        "setarch -R rm x",
        "time -p rm x",
        "timeout -s KILL 5 rm x",
        "timeout --sig=KILL 5s rm x",
        "nice -10 rm x",
        "nice --10 rm x",
        "ionice -c3 rm x",
        "prlimit --nofile=10 rm x",
        "flock -n f rm x",
        "watch -n 1 -d rm x",
        "stdbuf -oL -eL rm x",
        "runuser -u x rm x",
        "runuser -P -u x rm x",
        "command -p rm x",
        "exec -c rm x",
        "chroot --userspec=a d rm x",
        "ssh-agent rm x",
        "dbus-run-session -- rm x",
        "entr -r rm x",
        "xargs -0 -P4 -n1 rm x",
        "xargs -I {} rm x",
        "xargs -i rm x",
        "parallel -j4 --bar rm x ::: a",
        "sg g rm x",
        "pkexec --user u rm x",
        "screen -dmS a rm x",
        "fakeroot -u rm x",
        "choom -n 5 -- rm x",
        "nohup rm x",
    ] {
        assert_eq!(inner(text), ["rm x"], "{text}");
        assert!(is_indirection(&words(text)), "{text}");
    }
    assert_eq!(
        inner("find . -exec rm {} ; -exec ls {} +"),
        ["rm {}", "ls {}"]
    );
    assert_eq!(inner("find . -exec echo + {} ;"), ["echo + {}"]);
    assert_eq!(inner("fd . -x rm {} ; -x ls"), ["rm {}", "ls"]);
    assert_eq!(wrapped(&words("env A=1 B=2 ls"))[0].assignments, [1, 2]);
    // Unknown options, text, files to edit, nothing to run.
    for text in [
        "sudo --odd rm x",
        "sudo -e .env",
        "sudo -l",
        "env",
        "flock f -c x",
        "su u -c x",
        "timeout 5",
        "xargs -0",
        "tmux ls",
        "command",
        "nohup",
        "busybox --list",
        "script -c x",
        "runuser u",
        "ls x",
    ] {
        assert!(inner(text).is_empty(), "{text}: {:?}", inner(text));
    }
}

#[test]
fn payloads_in_every_spelling() {
    for text in [
        "fish|--command=rm x",
        "bash|-oc|errexit|rm x",
        "bash|-c|-x|rm x",
        "bash|-c|--|rm x",
        "env|-iS|rm x",
        "env|-S|rm|x",
        "env|--split-string=rm x",
        "su|u|-lc|rm x",
        "flock|f|-c|rm x",
        "sg|g|rm x",
        "parallel|:::|rm x",
        "parallel|rm|:::|x",
        "parallel|rm {}|:::|x",
        "rush|rm x",
        "watch|-n1|rm x",
        "hyperfine|-w|3|--prepare|rm x|ls",
        "fd|-xrm|x",
        "fd|--exec=rm|x",
        "entr|-s|rm x",
        "capsh|--|-c|rm x",
        "rsync|-ae|rm x|a",
        "git|rebase|-ix|rm x",
        "git|submodule|foreach|--recursive|rm x",
        "ssh|h|-p|22|rm|x",
        "make|--eval=$(shell rm x)",
        "nodemon|--exec|rm x",
        "socat|-|EXEC:rm x,pty",
        "expect|-c|spawn rm x; interact",
        "tmux|send-keys|rm x|Enter",
        "trap|--|rm x|EXIT",
        "cargo|watch|-s|rm x",
        "eval|--|rm|x",
        "concurrently|rm x|ls",
        "man|-Prm x|ls",
        "man|--pager|rm x|ls",
        "split|--filt=rm x|f",
        "git|clone|ext::rm x",
        "csh|-c|rm x",
        "screen|-X|stuff|rm x",
        "script|-qec|rm x|/dev/null",
        "runuser|-c|rm x|u",
        "vim|+r !rm x",
        "git|bisect|run|rm|x",
        "git|difftool|-yx|rm x",
        "mise|exec|-c|rm x",
    ] {
        let all = parts(text);
        let found: Vec<String> = payloads(&all)
            .into_iter()
            .map(|payload| payload.text)
            .collect();
        assert!(
            found.iter().any(|text| text.trim() == "rm x"),
            "{text}: {found:?}"
        );
    }
    let found = payloads(&parts("git|-c|alias.p=push|p"));
    assert!(found.iter().any(|payload| payload.text == "git push"));
    for text in [
        "ssh -o StrictHostKeyChecking=no h",
        "watch -x ls",
        "hyperfine --warmup 3",
        "fd -e rs",
        "env -u A ls",
        "git config user.name x",
        "npm run build",
        "rsync -a a b",
        "make -j8",
        "tmux ls",
        "sort -k2 f",
        "git rebase -i x",
    ] {
        assert!(
            payloads(&words(text)).is_empty(),
            "{text}: {:?}",
            payloads(&words(text))
        );
    }
    for text in [
        "fish --command=x",
        "csh -c x",
        "script -qec x",
        "flock f -c x",
        "runuser -lc x u",
    ] {
        assert!(opaque(&words(text)), "{text}");
    }
    for text in [
        "bash --norc t.sh",
        "flock f cc",
        "su - u",
        "script -q f",
        "bash -o errexit t.sh",
    ] {
        assert!(!opaque(&words(text)), "{text}");
    }
}

#[test]
fn programs_as_arguments_in_every_spelling() {
    for text in [
        "rsync|-ae|sh -c x|a|h:",
        "git|rebase|-ix|rm x|HEAD",
        "git|rebase|--exe=rm x",
        "git|config|-f|c|alias.x|!rm",
        "git|config|set|--global|core.pager|rm",
        "git|-c|alias.p=push|p",
        "git|-c|core.gitProxy=x|fetch",
        "git|clone|-u|x|r",
        "git|clone|ext::sh -c x",
        "git|send-email|--to-cmd=x",
        "git|filter-branch|--tree-filter|x",
        "git|grep|-Ox|y",
        "php|-recho 1;",
        "php|-nr|x",
        "perl|-Mstrict;print 5|-v",
        "perl|-lane|x",
        "sed|-e|p|-e|1e x|f",
        "sed|--expression=s/a/b/e|f",
        "awk|-e|BEGIN{}|-e|BEGIN{system(\"rm\")}",
        "scp|-oProxyCommand=x|a|h:",
        "scp|-S|x|a|h:",
        "tar|cIf|./x|o|a",
        "tar|xf|a|--to-comm=x",
        "hash|-p/bin/rm|z",
        "enable|-f/x|y",
        "powershell|-enc|x",
        "pwsh|-Com|x",
        "node|--import|data:text/javascript,x",
        "deno|-A|eval|x",
        "cargo|--config|alias.p=\"publish\"|p",
        "cargo|--config=build.rustc-wrapper='x'|build",
        "go|test|-exec|x|./...",
        "go|build|-toolexec=x|.",
        "emacs|--batch|--eval|x",
        "elixir|-e|x",
        "man|-Px|ls",
        "man|--pag=x|ls",
        "sort|--compress-prog=x|f",
        "split|--filt=x|f",
        "make|--ev=x",
        "ssh|h|-o|LocalCommand=x",
        "zip|-T|-TT|x|a|b",
        "R|-e|x",
        "python3|-Bc|x",
        "node|-pe|x",
        "sqlite3|x|.sh rm",
        "lua5.4|-e|x",
    ] {
        assert!(inline_program(&parts(text)).is_some(), "{text}");
    }
    for text in [
        "vim|-c|wq!|f",
        "ruby|-rbundler/setup|x.rb",
        "ruby|-rset|x.rb",
        "ssh|h|-p|22",
        "ssh|-o|StrictHostKeyChecking=no|h",
        "sed|-n|s/a/b/w /dev/stdout",
        "sed|/x/a\\\nexport X|f",
        "python3|-m|pytest|-c|pytest.ini",
        "python3|-m|http.server|-p|80",
        "python3|-X|dev|s.py|-c|x",
        "node|--test",
        "node|--env-file|.e|app.js|-p|3",
        "perl|-MPOSIX=floor|-v",
        "perl|-MList::Util qw(sum)|s.pl",
        "pwsh|-ExecutionPolicy|Bypass|-File|x.ps1",
        "git|config|--global|user.name|x",
        "git|config|--get|alias.x",
        "git|config|alias.x",
        "git|config|--unset|core.pager",
        "git|config|credential.helper|cache --timeout=60",
        "git|config|credential.useHttpPath|true",
        "git|config|gpg.program|gpg",
        "git|config|core.editor|code --wait",
        "git|-c|protocol.version=2|fetch",
        "git|rebase|-i|HEAD~2",
        "git|push|-u|origin|x",
        "git|clone|-b|u|r",
        "git|submodule|update|--init",
        "scp|-i|k|a|h:",
        "rsync|-avze|ssh -p 22|a|h:",
        "cargo|--config|net.offline=true|build",
        "cargo|run|--|--config|x",
        "go|test|./...|-run|x",
        "deno|run|-A|x.ts",
        "bun|run|x",
        "man|-P|less -R|ls",
        "hash|-r",
        "enable|-n|test",
        "emacs|f",
        "zip|-r|a|b",
        "php|artisan|migrate",
        "wget|-q|u",
        "rg|-p|x",
        "gdb|-ex|run|p",
        "tar|-I|zstd -T0|-cf|x|.",
        "less|+F|log",
        "awk|-F:|{print $1 > \"out\"}",
        "node|app.js|-e|x",
        "perl|s.pl|-e",
        "psql|-c|select 1",
    ] {
        assert_eq!(inline_program(&parts(text)), None, "{text}");
    }
    // A rule must spell out the option or the host, not its value.
    assert_eq!(inline_program(&parts("rsync|-a|-e|x|a")), Some(2));
    assert_eq!(inline_program(&parts("vim|+10|-c|:!x")), Some(2));
    assert_eq!(inline_program(&parts("ssh|-i|k|h|ls")), Some(3));
    assert_eq!(inline_program(&parts("git|rebase|-x|rm")), Some(2));
}

#[test]
fn programs_from_input_in_every_spelling() {
    for text in [
        "python3 -v",
        "python3 -X importtime",
        "python3 -W ignore -",
        "deno run -",
        "deno run -A -",
        "bun run -",
        "bun -",
        "ruby -v -",
        "tcsh",
        "node --input-type module",
        "batch",
        "at now",
        "source -- /dev/stdin",
        "bash -x -s a",
        "bash -o errexit",
        "perl -w",
        "lua -",
        "php",
        "R",
        "bash /proc/self/fd/0",
    ] {
        assert!(reads_program_from_stdin(&words(text)), "{text}");
    }
    for text in [
        "at -f x now",
        "at -l",
        "bash --version",
        "deno run x.ts",
        "deno",
        "bun test",
        "bun x y",
        "node --test",
        "node --run build",
        "ruby -v",
        "python3 -Im json.tool",
        "php -S localhost:80",
        "perl -pi.bak -e x f",
        "node -v",
        "deno fmt -x",
        "bash -c x -",
        "python3 -c x -",
        "python3 -m x -",
    ] {
        assert!(!reads_program_from_stdin(&words(text)), "{text}");
    }
    for (text, at) in [
        ("deno run -A x.ts", Some(3)),
        ("bun x.ts", Some(1)),
        ("bun run x.ts", Some(2)),
        ("bun test", None),
        ("deno lint", None),
        ("python3 -v s.py", Some(2)),
        ("bash -o errexit t.sh", Some(3)),
        ("bash -eo pipefail t.sh", Some(3)),
        ("ruby -r set x.rb", Some(3)),
        ("node --env-file .e app.js", Some(3)),
        ("php -f x", Some(2)),
        ("bash -", None),
        ("source -- x", Some(2)),
    ] {
        assert_eq!(script_operand(&words(text)), at, "{text}");
    }
}

#[test]
fn second_levels_and_workspaces() {
    let readings = |text: &'static str| {
        let all = words(text);
        let found = without_globals(&all).into_iter();
        let lines = found.map(|kept| {
            let words: Vec<&str> = kept.iter().map(|index| all[*index]).collect();
            words.join(" ")
        });
        lines.collect::<Vec<_>>()
    };
    for (text, expected) in [
        ("kubectl delete -n x pod p", "kubectl delete pod p"),
        ("gh pr -R o/r merge 1", "gh pr merge 1"),
        ("aws --profile p s3 --region r rm x", "aws s3 rm x"),
        (
            "gcloud --project p compute --zone z delete",
            "gcloud compute delete",
        ),
        ("yarn workspace w publish", "yarn publish"),
        ("npm run -s build", "npm run build"),
        ("helm -n x uninstall y", "helm uninstall y"),
        ("systemctl --user stop x", "systemctl stop x"),
    ] {
        assert!(
            readings(text).iter().any(|found| found == expected),
            "{text}: {:?}",
            readings(text)
        );
    }
    assert!(readings("kubectl get pods").is_empty() && readings("yarn workspace w").is_empty());
}

#[test]
fn names_that_builtins_evaluate() {
    for (text, expected) in [
        ("test ! -v x", [3].as_slice()),
        ("printf -vx y", &[1]),
        ("wait -p x", &[2]),
        ("mapfile -C x a", &[1, 2, 3]),
        ("getopts ab x", &[1, 2]),
        ("test x -eq 1", &[]),
        ("echo x", &[]),
    ] {
        assert_eq!(evaluates_text(&words(text)), expected, "{text}");
    }
}
