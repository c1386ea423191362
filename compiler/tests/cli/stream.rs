//! `query --stdin`: every form of a line, and lines that are wrong.

use super::query::{digest, id};
use super::support::{Folder, Ran};
use permc::cli::ExitStatus;
use serde_json::{Value, json};

fn stream(folder: &Folder, lines: &[&str]) -> Ran {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ran = folder.run_with(&["query", "policy.permc", "--stdin"], input.as_bytes());
    assert_eq!(
        ran.out.lines().count(),
        lines.len(),
        "one line out for each line in: {ran:?}"
    );
    ran
}

#[test]
fn every_form_is_answered() {
    let folder = Folder::compiled();
    let ran = stream(
        &folder,
        &[
            r#"{"surface": "bash", "values": ["git push"]}"#,
            r#"{"tool": " bash ", "input": {"command": "  git push\n# why", "timeout": 3, "deep": [{"a": null}]}}"#,
            r#"{"tool": "mcp", "input": {"server": "exa", "tool": "search"}}"#,
            r#"{"tool": "read", "input": {"path": "/x"}}"#,
            r#"{"toolPermission": "web_fetch"}"#,
            r#"{"toolExposed": "web_fetch"}"#,
            r#"{"toolExposed": "bash"}"#,
            r#"{"mcpTargets": {"tool": "exa:search"}}"#,
            r#"{"mcpTargets": {"tool": "search_exa"}}"#,
            r#"{"model": "m", "action": "read", "resource": "/x"}"#,
            r#"{"surface": "path", "values": ["a.env", "/home/dev/.ssh/id"]}"#,
        ],
    );
    assert_eq!((ran.status, ran.err.as_str()), (ExitStatus::Success, ""));
    let answers = ran.lines();
    let rule = json!({"id": id(["global", "", "bash", "git push*"]), "file": "policy.jsonc", "line": 7, "column": 7});
    let push = |command: &str| {
        json!({
            "state": "deny", "matchedPattern": "git push*", "source": "bash", "origin": "global",
            "reason": "by people only", "command": command, "rule": rule, "digest": digest(&folder),
        })
    };
    assert_eq!(answers[0], push("git push"));
    assert_eq!(answers[1], push("  git push\n# why"));
    assert_eq!(
        (&answers[2]["state"], &answers[2]["target"]),
        (&json!("allow"), &json!("exa_search"))
    );
    assert_eq!(
        (&answers[3]["state"], &answers[3]["matchedPattern"]),
        (&json!("ask"), &Value::Null)
    );
    assert_eq!(answers[4], json!({"state": "deny"}));
    assert_eq!(answers[5], json!({"exposed": false}));
    assert_eq!(answers[6], json!({"exposed": true}));
    assert_eq!(
        answers[7],
        json!({"targets": ["exa_search", "exa:search", "exa", "search", "mcp_call", "mcp"]})
    );
    assert_eq!(
        answers[8],
        json!({"targets": ["exa_search_exa", "exa:search_exa", "exa", "search_exa", "mcp_call", "mcp"]})
    );
    assert_eq!(
        answers[9],
        json!({"effect": null, "tier": null, "viaDefault": null, "pattern": null, "group": "read"})
    );
    assert_eq!(
        answers[10]["matchedPattern"], "*.env",
        "the last rule that matches any alias"
    );
}

#[test]
fn the_common_fields() {
    let folder = Folder::compiled();
    let ran = stream(
        &folder,
        &[
            r#"{"surface": "bash", "values": ["git push"], "session": [["bash", "git push*"]]}"#,
            r#"{"surface": "bash", "values": ["git push"], "session": []}"#,
            r#"{"surface": "bash", "values": ["git push"]}"#,
            r#"{"surface": "bash", "values": ["ls"], "yolo": true}"#,
            r#"{"surface": "bash", "values": ["ls"], "yolo": false}"#,
            r#"{"surface": "bash", "values": ["make all"], "agent": "reviewer"}"#,
            r#"{"surface": "bash", "values": ["make all"], "agent": "nobody", "cwd": "/x"}"#,
            r#"{"surface": "path", "values": ["/srv/.ssh/id"], "home": "/srv"}"#,
            r#"{"surface": "path", "values": ["/srv/.ssh/id"]}"#,
        ],
    );
    let states: Vec<Value> = ran
        .lines()
        .iter()
        .map(|answer| answer["state"].clone())
        .collect();
    assert_eq!(
        states,
        [
            "allow", "deny", "deny", "allow", "ask", "deny", "allow", "deny", "allow"
        ]
    );
}

#[test]
fn flags_are_the_defaults_of_lines() {
    let folder = Folder::compiled();
    folder.write("s.json", r#"[["bash", "ls"]]"#);
    let args = [
        "query",
        "policy.permc",
        "--stdin",
        "--agent",
        "reviewer",
        "--session",
        "s.json",
    ];
    let lines = concat!(
        r#"{"surface": "bash", "values": ["ls"]}"#,
        "\n",
        r#"{"surface": "bash", "values": ["make all"]}"#,
        "\n",
        r#"{"surface": "bash", "values": ["ls"], "session": []}"#,
        "\n",
        r#"{"surface": "bash", "values": ["make all"], "agent": "other"}"#,
    );
    let states: Vec<Value> = folder
        .run_with(&args, lines.as_bytes())
        .lines()
        .iter()
        .map(|answer| answer["state"].clone())
        .collect();
    assert_eq!(states, ["allow", "deny", "deny", "allow"]);
}

#[test]
fn bad_lines_are_answered_and_the_stream_goes_on() {
    let folder = Folder::compiled();
    let bad = [
        ("", "blank"),
        ("   ", "blank"),
        ("{", "EOF"),
        ("nonsense", "expected"),
        ("[]", "expected a JSON object"),
        ("{} {}", "trailing characters"),
        ("{}", "the line asks nothing"),
        (
            r#"{"surfce": "bash", "values": []}"#,
            "unknown field `surfce`",
        ),
        (r#"{"surface": "bash"}"#, "the field `values` is missing"),
        (r#"{"values": []}"#, "the field `surface` is missing"),
        (r#"{"tool": "bash"}"#, "the field `input` is missing"),
        (
            r#"{"model": "m", "action": "a"}"#,
            "the field `resource` is missing",
        ),
        (
            r#"{"surface": "bash", "values": [], "toolExposed": "x"}"#,
            "two things, `surface` and `toolExposed`",
        ),
        (
            r#"{"surface": "bash", "values": "git"}"#,
            "expected a sequence",
        ),
        (r#"{"surface": "bash", "values": [1]}"#, "expected a string"),
        (r#"{"surface": null, "values": []}"#, "expected a string"),
        (
            r#"{"surface": "bash", "values": [], "yolo": "yes"}"#,
            "expected a boolean",
        ),
        (
            r#"{"surface": "bash", "values": [], "agent": 1}"#,
            "expected a string",
        ),
        (
            r#"{"surface": "bash", "values": [], "cwd": 1}"#,
            "expected a string",
        ),
        (
            r#"{"surface": "bash", "values": [], "session": {}}"#,
            "expected a list of pairs",
        ),
        (
            r#"{"surface": "bash", "values": [], "session": [["a"]]}"#,
            "a session rule has two strings, not 1",
        ),
        (
            r#"{"surface": "bash", "values": [], "session": [["a", ""]]}"#,
            "is empty",
        ),
        (
            r#"{"surface": "bash", "surface": "bash", "values": []}"#,
            "the field `surface` stands twice",
        ),
        (
            r#"{"tool": "bash", "input": {"command": "a", "command": "b"}}"#,
            "the argument `command` stands twice",
        ),
        (
            r#"{"tool": "x", "input": {"a": [{"b": 1, "b": 2}]}}"#,
            "the argument `b` stands twice",
        ),
        (r#"{"tool": "bash", "input": []}"#, "expected an object"),
        (r#"{"surface": "\ud800", "values": []}"#, "hex escape"),
        (
            r#"{"surface": "bash", "values": [], // no comments"#,
            "key must be a string",
        ),
    ];
    let good = r#"{"toolPermission": "web_fetch"}"#;
    for (line, message) in bad {
        let ran = stream(&folder, &[line, good]);
        assert_eq!(
            (ran.status, ran.err.as_str()),
            (ExitStatus::Findings, ""),
            "{line}"
        );
        let answers = ran.lines();
        let found = answers[0]["error"]["message"].as_str().unwrap();
        assert!(
            found.contains(message) && !found.contains("at line"),
            "{line}: {found}"
        );
        assert_eq!(answers[1], json!({"state": "deny"}));
    }
}

#[test]
fn columns_count_characters() {
    let folder = Folder::compiled();
    let ran = stream(&folder, &[r#"{"surface": "ä", x}"#]);
    assert_eq!(ran.lines()[0]["error"]["column"], 18);
    let input = [b"{\"surface\": \"\xc3\xa4".as_slice(), b"\xff\"}\n"].concat();
    let ran = folder.run_with(&["query", "policy.permc", "--stdin"], &input);
    assert_eq!(
        ran.lines(),
        [json!({"error": {"message": "the line is not UTF-8", "column": 15}})]
    );
}

#[test]
fn lines_that_are_long_deep_or_without_an_end() {
    let folder = Folder::compiled();
    let value = "x".repeat(16 * 1024 * 1024);
    let deep = format!(
        r#"{{"tool": "x", "input": {{"a": {}}}}}"#,
        "[".repeat(100_000)
    );
    let input = format!(
        "{{\"surface\": \"bash\", \"values\": [\"{value}\"]}}\n{deep}\n{{\"toolPermission\": \"bash\"}}"
    );
    let ran = folder.run_with(&["query", "policy.permc", "--stdin"], input.as_bytes());
    let answers = ran.lines();
    assert_eq!(answers.len(), 3);
    assert_eq!(
        answers[0]["error"]["message"],
        "the line is longer than 16 MiB"
    );
    assert_eq!(answers[1]["error"]["message"], "recursion limit exceeded");
    assert_eq!(answers[2], json!({"state": "ask"}));
    let longest = "x".repeat(value.len() - 40);
    let input = format!("{{\"surface\": \"bash\", \"values\": [\"{longest}\"]}}\r\n");
    let ran = folder.run_with(&["query", "policy.permc", "--stdin"], input.as_bytes());
    assert_eq!(
        (ran.status, &ran.lines()[0]["state"]),
        (ExitStatus::Success, &json!("ask"))
    );
    assert_eq!(
        folder
            .run_with(&["query", "policy.permc", "--stdin"], b"")
            .out,
        "",
        "no line, no answer"
    );
}

#[test]
fn many_contexts_and_sessions_are_kept_apart() {
    let folder = Folder::compiled();
    let mut input = String::new();
    for round in 0..3 {
        for number in 0..50 {
            let line = json!({
                "surface": "path", "values": [format!("/h{number}/.ssh/id")], "home": format!("/h{number}"),
                "session": [["bash", format!("{round}-{number}")]],
            });
            let other = json!({"surface": "bash", "values": [format!("{round}-{number}")], "session": [["bash", format!("{round}-{number}")]]});
            input.push_str(&format!("{line}\n{other}\n"));
        }
    }
    let ran = folder.run_with(&["query", "policy.permc", "--stdin"], input.as_bytes());
    let answers = ran.lines();
    assert_eq!(answers.len(), 300);
    for pair in answers.chunks(2) {
        assert_eq!(
            (&pair[0]["state"], &pair[1]["state"]),
            (&json!("deny"), &json!("allow"))
        );
    }
}

#[test]
fn a_line_without_a_home_is_that_lines_error() {
    let mut folder = Folder::compiled();
    folder.home = None;
    let ran = stream(
        &folder,
        &[
            r#"{"surface": "bash", "values": ["ls"]}"#,
            r#"{"surface": "bash", "values": ["ls"], "home": "/h"}"#,
            r#"{"mcpTargets": {}}"#,
        ],
    );
    assert_eq!(ran.status, ExitStatus::Findings);
    let answers = ran.lines();
    assert!(
        answers[0]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no home directory is known")
    );
    assert_eq!(answers[1]["state"], "ask");
    assert_eq!(answers[2], json!({"targets": ["mcp_status", "mcp"]}));
}

#[test]
fn people_may_read_a_stream() {
    let folder = Folder::compiled();
    let lines = "{\"surface\": \"bash\", \"values\": [\"git push\"]}\n{\"toolExposed\": \"web_fetch\"}\nx\n";
    let ran = folder.run_with(
        &["query", "policy.permc", "--stdin", "--format", "human"],
        lines.as_bytes(),
    );
    assert_eq!(ran.status, ExitStatus::Findings);
    let shown: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        shown[0],
        "deny  `git push*`  global  policy.jsonc:7:7  by people only"
    );
    assert_eq!(shown[1], "hidden");
    assert!(shown[2].starts_with("error: "), "{}", shown[2]);
}
