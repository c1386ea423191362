//! `init`: what it writes works, and it never overwrites.

use super::support::Folder;
use permc::cli::ExitStatus;
use permc_grammar::jsonc::{ValueKind, parse};
use permc_grammar::limits::Limits;

const FILES: [&str; 4] = [
    "permc-ci.yml",
    "permc.jsonc",
    "policy.jsonc",
    "policy.permtest.jsonc",
];

#[test]
fn the_starter_compiles_without_a_word() {
    let folder = Folder::new();
    let ran = folder.run(&["init"]);
    assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
    assert_eq!(folder.names(), FILES);
    let check = folder.run(&["check"]);
    assert_eq!(check.status, ExitStatus::Success);
    assert_eq!(check.err, "checked 1 file: 0 errors, 0 warnings\n");
    assert_eq!(folder.run(&["compile"]).status, ExitStatus::Success);
    assert!(folder.has("policy.permc"));
}

#[test]
fn the_test_file_tells_the_truth() {
    let folder = Folder::new();
    folder.run(&["init"]);
    let text = String::from_utf8(folder.read("policy.permtest.jsonc")).unwrap();
    let tree = parse(&text, &Limits::default()).unwrap().root;
    let member = |value: &permc_grammar::jsonc::Value, name: &str| match &value.kind {
        ValueKind::Object(members) => members
            .iter()
            .find(|member| member.key.value == name)
            .map(|member| member.value.clone()),
        _ => None,
    };
    let text_of = |value: &permc_grammar::jsonc::Value, name: &str| match member(value, name)?.kind
    {
        ValueKind::String(text) => Some(text),
        _ => None,
    };
    let ValueKind::Array(cases) = member(&tree, "cases").unwrap().kind else {
        panic!("cases are a list");
    };
    assert!(cases.len() >= 5);
    for case in &cases {
        let (surface, value) = (
            text_of(case, "surface").unwrap(),
            text_of(case, "value").unwrap(),
        );
        let answer = folder
            .run(&["query", "--format", "json", &surface, &value])
            .json();
        assert_eq!(
            answer["state"],
            text_of(case, "expect").unwrap().as_str(),
            "{surface} {value}"
        );
        if let Some(rule) = text_of(case, "rule") {
            assert_eq!(answer["matchedPattern"], rule.as_str());
        }
    }
}

#[test]
fn the_workflow_names_commands_that_exist() {
    let folder = Folder::new();
    folder.run(&["init"]);
    let text = String::from_utf8(folder.read("permc-ci.yml")).unwrap();
    let commands = text
        .split("permc ")
        .skip(1)
        .filter_map(|rest| rest.split_whitespace().next());
    let known = ["check", "compile", "query"];
    assert!(
        commands.filter(|word| known.contains(word)).count() >= 3,
        "{text}"
    );
    let deny = folder.run(&["query", "--exit-code", "bash", "git push --force"]);
    assert_eq!(deny.status.code(), 11, "what the workflow tests");
}

#[test]
fn nothing_is_overwritten() {
    for name in FILES {
        let folder = Folder::new();
        folder.write(name, "mine");
        let ran = folder.run(&["init"]);
        ran.refused(
            ExitStatus::Usage,
            &[name, "already exists", "nothing was written"],
        );
        assert_eq!(folder.names(), [name]);
        assert_eq!(folder.read(name), b"mine");
    }
    let folder = Folder::new();
    folder.write("policy.permc", "other files do not matter");
    assert_eq!(folder.run(&["init"]).status, ExitStatus::Success);
    folder.run(&["init"]).refused(
        ExitStatus::Usage,
        &["`policy.jsonc`, `permc.jsonc`", "already exist"],
    );
}

#[test]
fn a_new_directory_and_a_file_in_its_place() {
    let folder = Folder::new();
    let ran = folder.run(&["init", "a/b", "--format", "json"]);
    assert_eq!(ran.json()["schema"], "permc/init/1");
    assert!(folder.has("a/b/policy.jsonc"));
    folder.write("file", "");
    folder
        .run(&["init", "file"])
        .refused(ExitStatus::Usage, &["`file`", "cannot be written"]);
}
