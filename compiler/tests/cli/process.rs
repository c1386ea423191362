//! The real program: streams that end early, and answers that do not wait for the end of the input.

use super::support::Folder;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};

fn permc(folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_permc"));
    command
        .current_dir(&folder.path)
        .env("HOME", "/home/dev")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn an_answer_comes_before_the_next_line() {
    let folder = Folder::compiled();
    let mut child = permc(&folder)
        .args(["query", "policy.permc", "--stdin"])
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for (command, state) in [("make all", "allow"), ("git push", "deny"), ("ls", "ask")] {
        writeln!(
            input,
            "{{\"tool\": \"bash\", \"input\": {{\"command\": \"{command}\"}}}}"
        )
        .unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(
            answer.starts_with(&format!("{{\"state\":\"{state}\"")),
            "{answer}"
        );
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::compiled();
    let mut child = permc(&folder)
        .args(["query", "policy.permc", "--stdin"])
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    for _ in 0..10_000 {
        if writeln!(input, "{{\"toolPermission\": \"bash\"}}").is_err() {
            break;
        }
    }
    drop(input);
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

#[test]
fn statuses_reach_the_shell() {
    let folder = Folder::compiled();
    for (args, status) in [
        (["query", "--exit-code", "bash", "make all"].as_slice(), 0),
        (&["check", "--manifest", "policy.jsonc"], 1),
        (&["inspect", "nope"], 2),
        (&["query", "--exit-code", "bash", "ls"], 10),
        (&["query", "--exit-code", "bash", "git push"], 11),
    ] {
        let output = permc(&folder).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{args:?}");
    }
}

#[test]
fn watching_compiles_again_after_a_change_and_lives_through_a_mistake() {
    let folder = Folder::compiled();
    let mut child = permc(&folder)
        .args(["compile", "--watch", "--global", "w.jsonc", "-o", "w.permc"])
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut complained = BufReader::new(child.stderr.take().unwrap());
    let mut written = || {
        let (mut summary, mut digest) = (String::new(), String::new());
        said.read_line(&mut summary).unwrap();
        said.read_line(&mut digest).unwrap();
        assert!(summary.contains("written"), "{summary}");
        digest
    };
    // The file is not there yet: an error, not the end.
    let mut complaint = String::new();
    complained.read_line(&mut complaint).unwrap();
    assert!(complaint.contains("PC0001"), "{complaint}");
    folder.write("w.jsonc", r#"{ "permission": { "*": "ask" } }"#);
    let first = written();
    folder.write("w.jsonc", r#"{ "permission": { "*": "deny" } }"#);
    assert_ne!(written(), first);
    child.kill().unwrap();
    child.wait().unwrap();
}
