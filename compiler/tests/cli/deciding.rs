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
