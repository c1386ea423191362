//! `permc decide`: whole calls, one and as a stream.

use permc::cli::ExitStatus;

use crate::support::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write(
        "permc.jsonc",
        "{ \"global\": \"policy.jsonc\", \"output\": \"policy.permc\" }",
    );
    folder.write(
        "policy.jsonc",
        r#"{ "permission": { "*": "ask", "bash": { "*": "ask", "git *": "allow", "rm *": { "action": "deny", "reason": "ask a human" } },
            "path": { "*": "allow", "*.env": "deny" }, "read": "allow", "external_directory": "ask" } }"#,
    );
    folder
}

#[test]
fn one_call_with_its_gates_and_units() {
    let folder = folder();
    let call = br#"{"tool": "bash", "input": {"command": "git status && sudo rm x"}, "cwd": "/w"}"#;
    let ran = folder.run_with(
        &["decide", "--pure", "--format", "json", "--exit-code"],
        call,
    );
    assert_eq!(ran.status, ExitStatus::Deny, "{ran:?}");
    let answer = ran.json();
    assert_eq!(answer["state"], "deny");
    assert_eq!(answer["gates"][0]["gate"], "bash");
    assert_eq!(answer["gates"][0]["matchedPattern"], "rm *");
    assert_eq!(answer["gates"][0]["reason"], "ask a human");
    assert_eq!(answer["gates"][0]["rule"]["file"], "policy.jsonc");
    assert_eq!(answer["units"][1]["text"], "sudo rm x");
    assert_eq!(answer["units"][1]["floor"], "<indirection-bash-wrapper>");
    assert_eq!(answer["units"][1]["form"], "rm x");
    let human = folder.run_with(&["decide", "--pure"], call);
    assert_eq!(human.status, ExitStatus::Success);
    assert!(human.out.starts_with("deny\n"), "{human:?}");
}

#[test]
fn a_stream_answers_in_order_and_goes_on_after_a_bad_line() {
    let folder = folder();
    let calls = concat!(
        r#"{"tool": "read", "input": {"path": "a.env"}, "cwd": "/w"}"#,
        "\n",
        r#"{"tool": "read", "inputs": {}}"#,
        "\n",
        r#"{"tool": "read", "input": {"path": "/etc/hosts"}, "cwd": "/w"}"#,
        "\n",
        r#"{"tool": "bash", "input": {"command": "a", "command": "b"}}"#,
        "\n",
        r#"{"tool": "bash", "input": {"command": "ls"}, "session": [["bash", "ls *"]]}"#,
        "\n",
        r#"{"tool": "bash", "input": {}, "links": "real"}"#,
        "\n",
        r#"{"tool": "bash", "input": {}, "cwd": "relative"}"#,
        "\n",
    );
    let ran = folder.run_with(&["decide", "--stdin", "--pure"], calls.as_bytes());
    assert_eq!(ran.status, ExitStatus::Findings);
    let lines = ran.lines();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[0]["state"], "deny");
    assert!(
        lines[1]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("unknown field `inputs`"),
        "{ran:?}"
    );
    assert_eq!(lines[2]["state"], "ask");
    assert_eq!(lines[2]["gates"][0]["gate"], "external_directory");
    assert_eq!(
        lines[2]["suggestions"][0],
        serde_json::json!(["external_directory", "/etc/*"])
    );
    assert!(
        lines[3]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("stands twice"),
        "{ran:?}"
    );
    assert_eq!(lines[4]["state"], "allow");
    assert!(
        lines[5]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`links`"),
        "{ran:?}"
    );
    assert!(
        lines[6]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("absolute"),
        "{ran:?}"
    );
}

#[test]
fn a_bad_call_says_what_is_wrong_and_how_one_looks() {
    let folder = folder();
    folder
        .run_with(&["decide"], b"{\"tool\": \"bash\"}")
        .refused(
            ExitStatus::Usage,
            &["the field `input` is missing", "help:"],
        );
    folder
        .run_with(&["decide"], b"")
        .refused(ExitStatus::Usage, &["a JSON object is wanted"]);
}

#[test]
fn a_whole_command_is_explained_with_floors_forms_paths_and_the_deciding_rule() {
    let folder = folder();
    let command = "git status && sudo rm 'a b' && cat .env > \"$X\"";
    let ran = folder.run(&["explain", "--pure", "--cwd", "/w", "--command", command]);
    assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
    for line in [
        "deny  path  `.env`           `*.env` at policy.jsonc:2:37",
        "1. allow  `git status`",
        "     rules    allow by `git *`",
        "2. deny  `sudo rm 'a b'`",
        "     floor    <indirection-bash-wrapper>",
        "     also     `rm a b`: deny by `rm *`, which decides",
        "3. ask  `cat .env`",
        "  `.env`  looks like a path",
        "     as       `/w/.env`, `.env`",
        "     path     deny by `*.env`",
        "The check behind the gate that decides:",
    ] {
        assert!(ran.out.contains(line), "{line:?} in {}", ran.out);
    }
}

#[test]
fn the_check_behind_a_gate_is_the_one_that_the_gate_made() {
    let folder = folder();
    let explained = |call: &str| {
        let ran = folder.run_with(
            &["explain", "--stdin", "--pure", "--format", "json"],
            call.as_bytes(),
        );
        assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
        ran.json()
    };
    for (call, surface, value, pattern) in [
        // The spelling that turns back is no reason to let the file be read.
        (
            r#"{"tool":"read","input":{"path":"x/../.env"},"cwd":"/w"}"#,
            "path",
            "/w/.env",
            "*.env",
        ),
        (
            r#"{"tool":"bash","input":{"command":"env A=1 rm x"},"cwd":"/w"}"#,
            "bash",
            "rm x",
            "rm *",
        ),
        (
            r#"{"tool":"bash","input":{"command":"make"},"cwd":"/w"}"#,
            "bash",
            "make",
            "*",
        ),
    ] {
        let json = explained(call);
        assert_eq!(json["schema"], "permc/explain-call/1");
        assert_eq!(json["deciding"]["surface"], surface, "{json}");
        assert_eq!(json["deciding"]["value"], value, "{json}");
        assert_eq!(json["deciding"]["winner"]["pattern"], pattern, "{json}");
        let gates = json["decision"]["gates"].as_array().unwrap();
        let strictest = gates
            .iter()
            .find(|gate| gate["state"] == json["decision"]["state"]);
        assert_eq!(
            strictest.unwrap()["matchedPattern"],
            pattern,
            "the gate and its check agree: {json}"
        );
    }
}

#[test]
fn a_bad_way_to_ask_for_an_explanation_says_how_it_goes() {
    let folder = folder();
    for (args, words) in [
        (&["explain"][..], "a surface is missing"),
        (&["explain", "--pure", "bash", "ls"], "is for whole calls"),
        (
            &["explain", "--stdin", "a", "b"],
            "the only argument is the policy",
        ),
        (&["explain", "--stdin", "--policy", "a", "b"], "given twice"),
    ] {
        let ran = folder.run(args);
        assert_eq!(ran.status, ExitStatus::Usage, "{ran:?}");
        assert!(ran.err.contains(words), "{ran:?}");
    }
    let ran = folder.run_with(
        &["explain", "--stdin"],
        b"{\"tol\": 1}\n{\"tool\": \"ls\", \"input\": {}}\n",
    );
    assert_eq!(ran.status, ExitStatus::Findings, "{ran:?}");
    assert!(
        ran.out.contains("did you mean `tool`?") && ran.out.contains("Gates:"),
        "{ran:?}"
    );
}

#[cfg(unix)]
#[test]
fn links_and_globs_are_followed_on_real_files_and_not_with_pure() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    for file in [
        "conf/a.txt",
        "conf/b.env",
        "plain/a.txt",
        "keys.env",
        "../outside.txt",
    ] {
        folder.write(&format!("p/{file}"), "x");
    }
    let root = folder.path.join("p");
    symlink(root.join("keys.env"), root.join("plain.txt")).unwrap();
    symlink(root.join("../outside.txt"), root.join("out.txt")).unwrap();
    symlink(root.join("nowhere/x"), root.join("dangling")).unwrap();
    symlink(root.join("../gone.txt"), root.join("gone")).unwrap();
    let cwd = root.to_str().unwrap();
    let decided = |command: &str, more: &[&str]| {
        let call = serde_json::json!({ "tool": "bash", "input": { "command": command } });
        let args = [&["decide", "--cwd", cwd, "--format", "json"][..], more].concat();
        let json = folder.run_with(&args, call.to_string().as_bytes()).json();
        let gates: Vec<String> = json["gates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|gate| {
                format!(
                    "{} {}",
                    gate["gate"].as_str().unwrap(),
                    gate["state"].as_str().unwrap()
                )
            })
            .collect();
        gates.join(", ")
    };
    for (command, real, pure) in [
        // A link to a file that a rule denies. One that leads outside counts where the word looks like a path.
        ("git show plain.txt", "path deny, bash allow", "bash allow"),
        ("git add out.txt", "bash allow", "bash allow"),
        (
            "git add ./out.txt",
            "external_directory ask, bash allow",
            "bash allow",
        ),
        // What a link leads to counts even where there is nothing yet.
        ("git add ./dangling", "bash allow", "bash allow"),
        (
            "git add ./gone",
            "external_directory ask, bash allow",
            "bash allow",
        ),
        // A glob is what it hits.
        ("git add conf/*", "path deny, bash allow", "bash allow"),
        ("git add plain/*", "bash allow", "bash allow"),
        (
            "git add conf/b*",
            "path deny, bash allow",
            "path ask, bash allow",
        ),
        ("git add plain/a*", "bash allow", "path ask, bash allow"),
        ("cd conf && git add *", "path deny, bash ask", "bash ask"),
    ] {
        assert_eq!(decided(command, &[]), real, "{command}");
        assert_eq!(decided(command, &["--pure"]), pure, "{command} with --pure");
    }
}
