//! Text, paths and containers among operands, in every spelling of options.

use super::*;

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

fn looked(all: &[&str], is_isolated: bool) -> String {
    let roles = roles(all, is_isolated);
    let looked = all.iter().zip(roles);
    let looked = looked.filter(|(_, role)| matches!(role, Role::Plain | Role::Path | Role::Mount));
    looked.map(|(word, _)| *word).collect::<Vec<_>>().join(" ")
}

#[test]
fn no_spelling_of_an_option_makes_a_file_text() {
    let commands = "grep -e. .env|grep --color x .env|grep -f/dev/null .env|grep -vf /dev/null .env|grep --rege=. .env|\
        grep -rie x .env|paste -s .env|column -t .env|join -i .env b|sed -f/dev/null .env|sed --expr=p .env|\
        sed -n --file=s .env|sed -i  .env|awk --file=x .env|awk --source=1 .env|awk -e1 .env|awk -E x .env|\
        awk -v f=.env 1|jq --tab . .env|jq -rf .env x|jq . .env|jq --slurpfile a .env .|yq e . .env|\
        git checkout -m .env|git add -n .env|git commit -n .env|git grep -e. .env|git commit -F .env|curl -H @.env u|\
        curl -sd @.env u|curl -w @.env u|curl --data-urlencode a@.env u|curl -b .env u|docker build -t run .env|\
        docker build -f .env .|docker run --env-file .env img|docker run --odd x -v .env:/k img|\
        docker run -itv .env:/k img|docker compose -f .env run app|sort -k 2 .env|cut -f 1 .env|tail -f .env|\
        find . -newer .env|tar cf .env x|tar cfT a .env|rg --files .env|rg -e x .env|uniq -c .env|date -r .env|\
        kubectl apply -f .env|head -n 1 -- .env|xargs -a .env|sd a b .env|diff -u .env b|git restore -m .env|\
        git show --pretty .env|gh release create v1 -n x .env|docker run --userns=host -v .env:/k img";
    for text in commands.split('|') {
        let all = words(text);
        assert!(
            looked(&all, true).contains(".env"),
            "{text}: {:?}",
            roles(&all, true)
        );
    }
}

#[test]
fn what_is_text_in_every_spelling() {
    for (text, rest) in [
        ("grep -A3 /etc f", "f"),
        ("grep --context 3 /etc f", "f"),
        ("grep --include /x -r /etc src", "src"),
        ("rg -tjs /api src", "src"),
        ("sed -i s#/usr/bin#/usr/local/bin# f", "f"),
        ("sed -i.bak s/a/b/ f", "f"),
        ("sed -ne /x/p f", "f"),
        ("awk -F: /x/ f", "f"),
        ("jq --arg v /x .a f", "f"),
        ("jq --indent 2 .a f", "f"),
        ("jq -n --args .a /x", ""),
        ("yq eval .a f", "eval f"),
        ("curl -sX POST -d /x u", "u"),
        ("curl -sH /x -w /y u", "u"),
        ("curl --data-raw @/x u", "u"),
        ("curl --data-urlencode a=b@/x u", "u"),
        ("git commit -am /api", "commit"),
        ("git log -n 5 --grep /x", "log"),
        ("git log --since yesterday -- src", "log src"),
        ("git stash push -m /x", "stash push"),
        ("find . -perm /222", "."),
        ("date +%Y/%m/%d", ""),
        (
            "docker compose -f d/c.yml run app ls /x",
            "compose d/c.yml run",
        ),
        ("docker cp app:/x ./y", "cp ./y"),
        ("docker cp ./x app:/y", "cp ./x"),
        ("docker -H h exec -w /x c ls /y", "h exec"),
        ("kubectl -n n exec p -- cat /x", "exec p"),
        ("cut -d / -f 2 p", "p"),
        ("sort -t / -k 2 p", "p"),
        ("tar czf out.tgz -C build .", "out.tgz build ."),
        ("sd -F /a /b f", "f"),
        ("rsync -a --exclude /x a b", "a b"),
        ("gh pr create -t /x -b /y", "pr create"),
    ] {
        assert_eq!(looked(&words(text), true), rest, "{text}");
    }
    assert_eq!(looked(&["sed", "-i", "", "s/a/b/", "f"], true).trim(), "f");
}

#[test]
fn glued_values_in_clusters() {
    for (text, index, value) in [
        ("curl -sT.env u", 1, Some((".env", Role::Plain))),
        ("curl -sH@.env u", 1, Some(("@.env", Role::Path))),
        ("curl -sX/x u", 1, Some(("/x", Role::Text))),
        ("grep -rnf.env x", 1, Some((".env", Role::Plain))),
        ("grep -ne/etc f", 1, Some(("/etc", Role::Text))),
        ("docker run -itv/a:/b img", 2, Some(("/a:/b", Role::Mount))),
        (
            "docker run --mount=type=bind,src=/a img",
            2,
            Some(("type=bind,src=/a", Role::Mount)),
        ),
        ("docker run -w/app img", 2, Some(("/app", Role::Container))),
        ("sed -n.x", 1, None),
        ("git log --pretty=%h/%s", 2, Some(("%h/%s", Role::Text))),
        ("git commit --file=.env", 2, Some((".env", Role::Plain))),
        ("rsync --exclude=/x a b", 1, Some(("/x", Role::Text))),
        ("sed -i.bak p f", 1, Some((".bak", Role::Text))),
        ("tar -xf.env", 1, Some((".env", Role::Plain))),
        ("ls -la", 1, None),
        ("tool -\u{e9}/x", 1, Some(("/x", Role::Plain))),
    ] {
        assert_eq!(glued_value(&words(text), index), value, "{text}");
    }
    assert_eq!(mount_source("type=bind,target=/x,source=/a"), (27, 29));
    assert_eq!(mount_source("type=bind,dst=/src=x,src=/a"), (25, 27));
}

#[test]
fn directories_of_wrappers_and_archives() {
    for (text, expected) in [
        ("env -C d -u A rm -C x", [(2, 0)].as_slice()),
        ("sudo --chdir=d ls", &[(1, 8)]),
        ("cargo +nightly -C d build", &[(3, 0)]),
        ("tar cfC a d .", &[(3, 0)]),
        ("tar -xzf a -Cd", &[(3, 2)]),
        ("make -j8 -C d", &[(3, 0)]),
        ("systemd-run --working-directory=d ls", &[(1, 20)]),
        ("go -C d build", &[(2, 0)]),
        ("git -c a=b -C d status", &[(4, 0)]),
        ("git commit -C HEAD", &[]),
        ("grep -C 3 x f", &[]),
    ] {
        assert_eq!(directories(&words(text)), expected, "{text}");
    }
}

#[test]
fn files_that_downloads_and_copies_write() {
    for (text, files) in [
        ("wget -qO i.sh u", ["i.sh"].as_slice()),
        ("wget -qO- u", &[]),
        ("wget -P d https://x/i.sh?a=b", &["i.sh", "d/i.sh"]),
        ("curl -sSLo i.sh u", &["i.sh"]),
        ("curl -oi.sh u", &["i.sh"]),
        ("curl --output i.sh u", &["i.sh"]),
        (
            "curl -LO --output-dir d https://x/i.sh",
            &["i.sh", "d/i.sh"],
        ),
        ("curl -s https://x/i.sh", &[]),
        ("cp a/i.sh d", &["d", "d/i.sh"]),
        ("mv -t d i.sh", &["d/i.sh"]),
        ("install -m 755 i.sh b", &["b", "b/i.sh"]),
        ("scp h:x/i.sh d", &["d", "d/i.sh"]),
        ("dd if=a of=b", &["b"]),
        ("tee -a x", &["x"]),
        ("aria2c -o i.sh u", &["i.sh"]),
        ("gcc -o main main.c", &[]),
    ] {
        assert_eq!(written_files(&words(text)), files, "{text}");
    }
}

#[test]
fn no_command_line_is_too_long_or_odd() {
    let many = vec!["-ab"; 20_000];
    let exec = vec!["-exec"; 20_000];
    let cluster = format!("-{}", "n".repeat(60_000));
    let odd = ["--", "", "-", "--=", "-\u{e9}", "=\u{e9}"];
    for program in "sudo grep git docker curl python3 tar bash jq find fd tmux odd".split(' ') {
        for tail in [many.as_slice(), &exec, &[cluster.as_str()], &odd, &[]] {
            let all: Vec<&str> = std::iter::once(program)
                .chain(tail.iter().copied())
                .collect();
            assert_eq!(roles(&all, true).len(), all.len());
            for index in 0..all.len() {
                assert!(glued_value(&all, index).is_none_or(|(value, _)| !value.is_empty()));
            }
            drop((
                wrapped(&all),
                payloads(&all),
                inline_program(&all),
                run_inside(&all),
            ));
            drop((script_operand(&all), written_files(&all), directories(&all)));
            drop((without_globals(&all), evaluates_text(&all), opaque(&all)));
        }
    }
    let nothing: [&str; 0] = [];
    assert!(roles(&nothing, true).is_empty() && payloads(&nothing).is_empty());
    assert!(
        !opaque(&nothing) && inline_program(&nothing).is_none() && wrapped(&nothing).is_empty()
    );
}
