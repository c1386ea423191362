//! A bash that says which texts it can parse. It runs none of them.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Behind `set -n` bash parses what follows and runs nothing; a fork for each text keeps them apart.
const DRIVER: &str = r#"
PATH=
while IFS= read -r -d '' text; do
  ( eval "set -n
$text" ) && printf 1 || printf 0
done
"#;

fn is_there() -> bool {
    Command::new("bash")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// For each text whether bash accepts it; `None` where there is no bash, which only a developer's machine may lack.
pub(crate) fn accepts(texts: &[String]) -> Option<Vec<bool>> {
    if !is_there() {
        assert!(
            std::env::var_os("CI").is_none(),
            "no bash to compare with, and this is CI"
        );
        eprintln!("skipped: no bash to compare with");
        return None;
    }
    let half = texts.len().div_ceil(2).max(1);
    let mut accepted = Vec::new();
    std::thread::scope(|scope| {
        let parts: Vec<_> = texts
            .chunks(half)
            .map(|part| scope.spawn(|| ask_bash(part)))
            .collect();
        for part in parts {
            accepted.extend(part.join().unwrap());
        }
    });
    assert_eq!(accepted.len(), texts.len());
    Some(accepted)
}

fn ask_bash(texts: &[String]) -> Vec<bool> {
    let mut child = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", DRIVER])
        .env_remove("BASH_ENV")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut answers = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for text in texts {
                input.write_all(text.as_bytes()).unwrap();
                input.write_all(&[0]).unwrap();
            }
        });
        output.read_to_end(&mut answers).unwrap();
    });
    child.wait().unwrap();
    answers.iter().map(|answer| *answer == b'1').collect()
}
