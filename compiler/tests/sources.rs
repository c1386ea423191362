//! Reading files, finding manifests, and what a manifest may say.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of a test say what is wrong by failing"
)]

use permc::diagnostic::Code;
use permc::parse::{parse_manifest_source, parse_sources};
use permc::source::{Inputs, find_manifest, pi_agent_directory, pi_inputs, read, read_file};
use permc::source_map::Role;
use permc_grammar::limits::Limits;
use std::fs;
use std::path::{Path, PathBuf};

/// A fresh directory of this test.
fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("permc-sources-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn agents_are_read_in_the_order_of_their_names() {
    let root = directory("agents");
    let agents = root.join("agents");
    for name in [
        "z.md",
        "a.jsonc",
        "m.JSON",
        ".hidden.md",
        "notes.txt",
        "sub/x.md",
        "dir.md/x.md",
    ] {
        write(&agents.join(name), "{}");
    }
    let inputs = Inputs {
        agents: Some(agents),
        ..Inputs::default()
    };
    let set = read(&inputs, &root, &Limits::default());
    let shown: Vec<_> = set
        .documents
        .iter()
        .map(|file| (file.role.clone(), file.name.as_str(), file.display.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            (Role::Agent("a".into()), "a.jsonc", "agents/a.jsonc"),
            (Role::Agent("m".into()), "m.JSON", "agents/m.JSON"),
            (Role::Agent("z".into()), "z.md", "agents/z.md"),
        ]
    );
    assert!(set.problems.is_empty());
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn what_cannot_be_read_is_told_in_words() {
    let root = directory("unreadable");
    write(&root.join("file"), "{}");
    let inputs = Inputs {
        global: Some(root.join("none.jsonc")),
        project: Some(root.clone()),
        agents: Some(root.join("no-agents")),
        project_agents: Some(root.join("file")),
        mcp: Some(root.join("file")),
        ..Inputs::default()
    };
    let set = read(&inputs, &root, &Limits::default());
    let words: Vec<_> = set
        .documents
        .iter()
        .map(|file| file.content.as_ref().err().map(String::as_str))
        .collect();
    assert_eq!(
        words,
        [
            Some("there is no such file"),
            Some("this is a directory, but a file is wanted"),
            None
        ]
    );
    let words: Vec<_> = set
        .problems
        .iter()
        .map(|problem| (problem.display.as_str(), problem.message.as_str()))
        .collect();
    assert_eq!(
        words,
        [
            ("no-agents", "there is no such directory"),
            ("file", "this is a file, but a directory is wanted")
        ]
    );
    let parsed = parse_sources(&set, &Limits::default());
    assert!(parsed.incomplete);
    assert_eq!(parsed.diagnostics.len(), 4);
    assert!(
        parsed
            .diagnostics
            .iter()
            .all(|found| found.code == Code::UNREADABLE_FILE)
    );
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn reading_stops_just_past_the_limit() {
    let root = directory("bounded");
    write(&root.join("long"), &"x".repeat(1000));
    let limits = Limits {
        max_bytes: 10,
        ..Limits::default()
    };
    assert_eq!(read_file(&root.join("long"), &limits).unwrap().len(), 11);
    assert_eq!(
        read_file(&root.join("long"), &Limits::default())
            .unwrap()
            .len(),
        1000
    );
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_manifest_is_found_upwards() {
    let root = directory("upwards");
    write(&root.join("permc.jsonc"), "{}");
    fs::create_dir_all(root.join("a/b/permc.jsonc")).unwrap();
    assert_eq!(
        find_manifest(&root.join("a/b")),
        Some(root.join("permc.jsonc"))
    );
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn locations_of_the_reference() {
    let root = directory("pi");
    let (home, project) = (root.join("home"), root.join("project"));
    let agent = pi_agent_directory(None, &home);
    assert_eq!(agent, home.join(".pi/agent"));
    assert_eq!(
        pi_agent_directory(Some(Path::new("/x")), &home),
        Path::new("/x")
    );
    assert_eq!(pi_agent_directory(Some(Path::new("")), &home), agent);
    assert_eq!(
        pi_agent_directory(Some(Path::new("~/y")), &home),
        home.join("y")
    );
    assert!(pi_inputs(Some(&project), &agent).is_empty());

    let config = "extensions/pi-permission-system/config.json";
    write(&agent.join(config), "{}");
    write(&agent.join("agents/a.md"), "");
    write(&agent.join("mcp.json"), "{}");
    write(&project.join(".pi").join(config), "{}");
    write(&project.join(".pi/agents/a.md"), "");
    let inputs = pi_inputs(Some(&project), &agent);
    assert_eq!(
        inputs,
        Inputs {
            global: Some(agent.join(config)),
            project: Some(project.join(".pi").join(config)),
            agents: Some(agent.join("agents")),
            project_agents: Some(project.join(".pi/agents")),
            mcp: Some(agent.join("mcp.json")),
            ..Inputs::default()
        }
    );
    let parsed = parse_sources(
        &read(&inputs, &root, &Limits::default()),
        &Limits::default(),
    );
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.documents.len(), 5);
    fs::remove_dir_all(root).unwrap();
}

#[test]
fn manifests() {
    let parse =
        |text: &str| parse_manifest_source("permc.jsonc", &Ok(text.into()), &Limits::default());
    let all = r#"{"$schema": "x", "global": "g", "project": "p", "agents": "a", "projectAgents": "pa", "mcp": "m", "session": "s",
        "tiers": "t", "output": "o", "foldPaths": true, "untrustedProject": false, "failClosed": true}"#;
    let (_, manifest, found) = parse(all);
    assert!(found.is_empty(), "{found:?}");
    let manifest = manifest.unwrap();
    assert_eq!(manifest.output.as_ref().unwrap().value, "o");
    assert_eq!(
        manifest.fold_paths.as_ref().map(|flag| flag.value),
        Some(true)
    );
    let inputs = Inputs::from_manifest(&manifest, Path::new("dir"));
    assert_eq!(inputs.project_agents, Some(PathBuf::from("dir/pa")));
    assert_eq!(inputs.tiers, Some(PathBuf::from("dir/t")));

    for (text, code, column, help) in [
        (r#"{"globl": "x"}"#, Code::UNKNOWN_KEY, 2, "`global`"),
        (r#"{"global": ""}"#, Code::EMPTY_TEXT, 12, "write the name"),
        (r#"{"global": 1}"#, Code::WRONG_TYPE, 12, "double quotes"),
        (
            r#"{"failClosed": "yes"}"#,
            Code::WRONG_TYPE,
            16,
            "without quotes",
        ),
        (
            r#"{"global": "a", "global": "b"}"#,
            Code::DUPLICATE_KEY,
            17,
            "remove one",
        ),
        (r#"[]"#, Code::WRONG_TYPE, 1, "global"),
    ] {
        let (sources, manifest, found) = parse(text);
        assert!(manifest.is_some());
        assert_eq!(found.len(), 1, "{text}");
        let at = sources
            .line_column(found[0].primary.as_ref().unwrap().location)
            .unwrap();
        assert_eq!(
            (found[0].code, at.line, at.column),
            (code, 1, column),
            "{text}"
        );
        assert!(
            found[0].helps[0].contains(help),
            "{text}: {:?}",
            found[0].helps
        );
    }
    assert!(parse("{").1.is_none());
    let (_, manifest, found) =
        parse_manifest_source("permc.jsonc", &Err("no".into()), &Limits::default());
    assert!(manifest.is_none());
    assert_eq!(found[0].code, Code::UNREADABLE_FILE);
}
