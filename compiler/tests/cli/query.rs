//! `query` with arguments: answers, statuses, sessions, home.

use super::support::Folder;
use permc::cli::ExitStatus;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The id as the specification defines it: a hash over origin, agent, surface and pattern, each after its length.
pub(crate) fn id(fields: [&str; 4]) -> String {
    let mut hash = Sha256::new();
    for field in fields {
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field);
    }
    let digest = hash.finalize();
    let mut first: Vec<u8> = digest[..8].to_vec();
    first.reverse();
    first.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest that is stored in the artifact.
pub(crate) fn digest(folder: &Folder) -> String {
    let bytes = folder.read("policy.permc");
    bytes[32..64]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn answer(folder: &Folder, args: &[&str]) -> Value {
    let args: Vec<&str> = ["query", "--format", "json"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    let ran = folder.run(&args);
    assert_eq!((ran.status, ran.err.as_str()), (ExitStatus::Success, ""));
    assert_eq!(ran.out.lines().count(), 1);
    ran.json()
}

#[test]
fn the_contract_member_by_member() {
    let folder = Folder::compiled();
    let digest = digest(&folder);
    assert_eq!(
        answer(&folder, &["bash", "git push -f"]),
        json!({
            "state": "deny", "matchedPattern": "git push*", "source": "bash", "origin": "global",
            "reason": "by people only", "command": "git push -f",
            "rule": {"id": id(["global", "", "bash", "git push*"]), "file": "policy.jsonc", "line": 7, "column": 7},
            "digest": digest,
        })
    );
    assert_eq!(
        answer(&folder, &["mcp", "exa_search", "exa"]),
        json!({
            "state": "allow", "matchedPattern": "exa_*", "source": "mcp", "origin": "global", "target": "exa_search",
            "rule": {"id": id(["global", "", "mcp", "exa_*"]), "file": "policy.jsonc", "line": 9, "column": 14},
            "digest": digest,
        })
    );
    assert_eq!(
        answer(&folder, &["mcp", "mcp_status"]),
        json!({
            "state": "allow", "matchedPattern": null, "source": "mcp", "origin": "baseline", "target": "mcp_status",
            "rule": null, "digest": digest,
        })
    );
    assert_eq!(
        answer(&folder, &["write"]),
        json!({
            "state": "ask", "matchedPattern": null, "source": "tool", "origin": "global",
            "rule": {"id": id(["global", "", "*", "*"]), "file": "policy.jsonc", "line": 3, "column": 5},
            "digest": digest,
        })
    );
    assert_eq!(
        answer(&folder, &["--agent", "reviewer", "bash", "git status"]),
        json!({
            "state": "deny", "matchedPattern": "*", "source": "bash", "origin": "agent", "command": "git status",
            "rule": {"id": id(["agent", "reviewer", "bash", "*"]), "file": "reviewer.jsonc", "line": 2, "column": 19},
            "digest": digest,
        })
    );
}

#[test]
fn a_manifest_and_its_artifact_answer_the_same() {
    let folder = Folder::compiled();
    for args in [["bash", "git x"], ["path", "a.env"], ["nothing", "x"]] {
        let of = |policy: &str| answer(&folder, &["--policy", policy, args[0], args[1]]);
        assert_eq!(of("policy.permc"), of("permc.jsonc"));
        assert_eq!(of("policy.permc"), of("."));
    }
}

#[test]
fn the_exit_status_tells_the_state_where_asked() {
    let folder = Folder::compiled();
    let status = |args: &[&str]| folder.run(&[&["query"], args].concat()).status;
    assert_eq!(
        status(&["--exit-code", "bash", "make all"]),
        ExitStatus::Success
    );
    assert_eq!(status(&["--exit-code", "bash", "ls"]), ExitStatus::Ask);
    assert_eq!(
        status(&["--exit-code", "bash", "git push"]),
        ExitStatus::Deny
    );
    assert_eq!(status(&["bash", "git push"]), ExitStatus::Success);
    let codes = [
        ExitStatus::Success,
        ExitStatus::Findings,
        ExitStatus::Usage,
        ExitStatus::Ask,
        ExitStatus::Deny,
    ];
    assert_eq!(codes.map(ExitStatus::code), [0, 1, 2, 10, 11]);
}

#[test]
fn human_answers() {
    let folder = Folder::compiled();
    let ran = folder.run(&["query", "bash", "git push"]);
    let expected = format!(
        "deny\n  pattern  `git push*`\n  source   bash\n  origin   global\n  rule     {} at policy.jsonc:7:7\n  \
         reason   by people only\n",
        id(["global", "", "bash", "git push*"])
    );
    assert_eq!((ran.out, ran.err), (expected, String::new()));
    let ran = folder.run(&["query", "mcp", "mcp_list"]);
    assert_eq!(
        ran.out,
        "allow\n  source   mcp\n  origin   baseline\n  rule     none\n"
    );
}

#[test]
fn a_value_may_look_like_a_flag() {
    let folder = Folder::compiled();
    assert_eq!(answer(&folder, &["bash", "--", "--help"])["state"], "ask");
    assert_eq!(
        folder.run(&["query", "bash", "--nope"]).status,
        ExitStatus::Usage
    );
}

#[test]
fn yolo_and_session() {
    let folder = Folder::compiled();
    folder.write("s.json", r#"[["bash", "git push*"], ["web_*", "*"]]"#);
    assert_eq!(answer(&folder, &["--yolo", "bash", "ls"])["origin"], "yolo");
    assert_eq!(
        answer(&folder, &["--no-yolo", "bash", "ls"])["state"],
        "ask"
    );
    assert_eq!(
        answer(&folder, &["--yolo", "bash", "git push"])["state"],
        "deny"
    );
    let approved = answer(&folder, &["--session", "s.json", "bash", "git push"]);
    assert_eq!(
        (&approved["state"], &approved["origin"], &approved["rule"]),
        (&json!("allow"), &json!("session"), &Value::Null)
    );
    assert_eq!(
        answer(&folder, &["--session", "s.json", "bash", "ls"])["state"],
        "ask"
    );
    assert_eq!(
        answer(&folder, &["--session", "s.json", "web_fetch"])["state"],
        "allow"
    );
    folder.write("s.json", "[[\"bash\", \"\"]]");
    folder
        .run(&["query", "--session", "s.json", "bash"])
        .refused(ExitStatus::Findings, &["s.json:1:11", "empty"]);
    folder
        .run(&["query", "--session", "no.json", "bash"])
        .refused(ExitStatus::Usage, &["`no.json`: there is no such file"]);
}

#[test]
fn home_is_bound_when_asking() {
    let mut folder = Folder::compiled();
    let state = |folder: &Folder, args: &[&str]| answer(folder, args)["state"].clone();
    assert_eq!(state(&folder, &["path", "/home/dev/.ssh/id"]), "deny");
    assert_eq!(state(&folder, &["path", "/srv/.ssh/id"]), "allow");
    assert_eq!(
        state(&folder, &["--home", "/srv/", "path", "/srv/.ssh/id"]),
        "deny"
    );
    folder.home = None;
    let unknown = ["patterns under the home directory", "--home DIR"];
    folder
        .run(&["query", "path", "/x"])
        .refused(ExitStatus::Usage, &unknown);
    folder
        .run(&["explain", "path", "/x"])
        .refused(ExitStatus::Usage, &unknown);
    assert_eq!(state(&folder, &["--home", "/h", "path", "/x"]), "allow");
    assert_eq!(
        folder.run(&["list"]).status,
        ExitStatus::Success,
        "listing needs no home"
    );
    folder.write("p.jsonc", r#"{ "permission": { "bash": "deny" } }"#);
    folder.run(&["compile", "--global", "p.jsonc", "-o", "p.permc"]);
    assert_eq!(
        state(&folder, &["--policy", "p.permc", "bash"]),
        "deny",
        "no home pattern, no home needed"
    );
}

#[test]
fn nothing_in_a_policy_commands_the_terminal() {
    let folder = Folder::new();
    folder.write("permc.jsonc", r#"{ "global": "p.jsonc" }"#);
    folder.write(
        "p.jsonc",
        r#"{ "permission": { "bash": { "\u001b[2J*": { "action": "deny", "reason": "a\u001b]0;x\u0007" } } } }"#,
    );
    for args in [
        ["query", "bash", "\u{1b}[2Jx"],
        ["explain", "bash", "\u{1b}[2Jx"],
        ["list", "--surface", "bash"],
    ] {
        let ran = folder.run(&args);
        assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
        assert!(ran.out.contains("\\u{1b}[2J"), "{}", ran.out);
        assert!(
            ran.out
                .chars()
                .all(|character| character == '\n' || !character.is_control()),
            "{:?}",
            ran.out
        );
    }
}
