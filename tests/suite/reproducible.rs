//! The same inputs give the same bytes, wherever they lie and in whatever order a directory lists them.

use std::path::Path;

use permc::Options;
use permc::source::{Inputs, SourceSet, read};
use permc_runtime::Policy;
use permc_tests::engine::compiled;
use permc_tests::folder::Folder;

const FILES: [(&str, &str); 7] = [
    (
        "global/policy.jsonc",
        r#"{ "permission": { "*": "ask", "bash": { "git *": "allow", "7": "deny" }, "read": "allow" } }"#,
    ),
    (
        "project/permissions.jsonc",
        r#"{ "permission": { "bash": { "npm *": "allow" } } }"#,
    ),
    (
        "global/agents/writer.md",
        "---\npermission:\n  write: allow\n---\n",
    ),
    (
        "global/agents/b.jsonc",
        r#"{ "permission": { "read": "deny" } }"#,
    ),
    (
        "project/agents/reviewer.md",
        "---\npermission:\n  bash:\n    \"git push*\": deny\n---\n",
    ),
    (
        "project/agents/a.jsonc",
        r#"{ "permission": { "read": "ask" } }"#,
    ),
    ("mcp.json", r#"{ "mcpServers": { "exa": {}, "db": {} } }"#),
];

fn sources(root: &Path, display_base: &Path) -> SourceSet {
    let inputs = Inputs {
        global: Some(root.join("global/policy.jsonc")),
        project: Some(root.join("project/permissions.jsonc")),
        agents: Some(root.join("global/agents")),
        project_agents: Some(root.join("project/agents")),
        mcp: Some(root.join("mcp.json")),
        ..Inputs::default()
    };
    read(&inputs, display_base, &Options::default().limits)
}

#[test]
fn folders_and_listing_order_change_no_byte() {
    let (here, there) = (Folder::new("here"), Folder::new("there"));
    for (name, text) in FILES {
        here.write(name, text);
    }
    for (name, text) in FILES.iter().rev() {
        there.write(&format!("deeper/still/{name}"), text);
    }
    let first = compiled(&sources(here.path(), here.path()), &Options::default());
    let second = compiled(
        &sources(&there.path().join("deeper/still"), Path::new("/")),
        &Options::default(),
    );
    assert_eq!(first.bytes, second.bytes);
    assert_eq!(first.digest, second.digest);
    let mut turned = sources(here.path(), here.path());
    turned.documents.reverse();
    assert_eq!(compiled(&turned, &Options::default()).bytes, first.bytes);
    let name = here
        .path()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .as_bytes();
    let shows_path = first.bytes.windows(name.len()).any(|window| window == name);
    assert!(!shows_path, "an artifact holds no path of the machine");
}

#[test]
fn the_digest_follows_the_content() {
    let folder = Folder::new("digest");
    for (name, text) in FILES {
        folder.write(name, text);
    }
    let before = compiled(&sources(folder.path(), folder.path()), &Options::default());
    folder.write("mcp.json", r#"{ "mcpServers": { "exa": {} } }"#);
    let after = compiled(&sources(folder.path(), folder.path()), &Options::default());
    assert_ne!(before.digest, after.digest);
    let stored = Policy::from_bytes(after.bytes.as_slice()).unwrap().digest();
    assert_eq!(stored, after.digest);
    assert_eq!(permc::digest_of(&after.bytes), Some(stored));
}

#[test]
fn moving_a_rule_keeps_its_id() {
    let folder = Folder::new("ids");
    for (name, text) in FILES {
        folder.write(name, text);
    }
    let ids = |output: &permc::Output| -> Vec<(String, u64)> {
        let rules = output
            .policy
            .rules
            .iter()
            .filter(|rule| rule.location.is_some());
        let mut ids: Vec<(String, u64)> = rules
            .map(|rule| (rule.pattern.clone(), rule.id()))
            .collect();
        ids.sort();
        ids
    };
    let before = compiled(&sources(folder.path(), folder.path()), &Options::default());
    folder.write(
        "global/policy.jsonc",
        format!("// a comment\n\n{}", FILES[0].1),
    );
    let after = compiled(&sources(folder.path(), folder.path()), &Options::default());
    assert_eq!(ids(&before), ids(&after));
    assert_ne!(
        before.digest, after.digest,
        "the lines are part of the artifact"
    );
    let mut all: Vec<u64> = ids(&before).into_iter().map(|(_, id)| id).collect();
    let n_rules = all.len();
    all.dedup();
    assert_eq!(all.len(), n_rules, "no two rules share an id");
}
