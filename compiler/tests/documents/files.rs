//! Whole files and sets of files.

use crate::support::{
    Global, Json, Markdown, Mcp, Project, Session, document, fires, found_at, parse,
};
use permc::diagnostic::Code;
use permc::parse::parse_sources;
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc_grammar::limits::Limits;

#[test]
fn files_that_cannot_be_read() {
    let mut bytes = b"{\n  // \xc3\xa4 ".to_vec();
    bytes.extend(b"\xff \"permission\": {}}");
    let set = SourceSet::from(vec![SourceDocument::new(Role::Global, "p.jsonc", bytes)]);
    let parsed = parse_sources(&set, &Limits::default());
    let found = &parsed.diagnostics[0];
    assert_eq!(
        (found.code, found_at(&parsed, found)),
        (Code::NOT_UTF8, (2, 8))
    );
    assert!(found.helps[0].contains("UTF-8"));

    let set = SourceSet::from(vec![SourceDocument::new(
        Role::Global,
        "p.jsonc",
        vec![0xff, 0xfe, b'{', 0],
    )]);
    let parsed = parse_sources(&set, &Limits::default());
    assert!(parsed.diagnostics[0].notes[0].contains("UTF-16"));

    let mut missing = SourceDocument::new(Role::Project, "p.jsonc", "");
    missing.content = Err("there is no such file".into());
    let parsed = parse_sources(&SourceSet::from(vec![missing]), &Limits::default());
    assert_eq!(parsed.diagnostics[0].code, Code::UNREADABLE_FILE);
    assert!(parsed.documents[0].broken);

    let limits = Limits {
        max_bytes: 30,
        ..Limits::default()
    };
    for kind in [Global, Markdown] {
        for (length, wanted) in [(31, 1), (30, 0)] {
            let text = if matches!(kind, Global) {
                format!("{{}}{}", " ".repeat(length - 2))
            } else {
                "x".repeat(length)
            };
            let parsed = parse_sources(&SourceSet::from(vec![document(kind, &text)]), &limits);
            assert_eq!(parsed.diagnostics.len(), wanted, "{kind:?} {length}");
            assert!(
                parsed
                    .diagnostics
                    .iter()
                    .all(|found| found.code == Code::FILE_TOO_LARGE)
            );
        }
    }
}

#[test]
fn syntax_and_depth_of_json() {
    fires(
        Global,
        r#"{"permission": {"bash": "ask" ▸"read": "ask"}}"#,
        Code::SYNTAX,
        "",
    );
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(
        parse(Session, &deep(129)).diagnostics[0].code,
        Code::NESTED_TOO_DEEP
    );
    assert_eq!(
        parse(Session, &deep(128)).diagnostics[0].code,
        Code::SESSION_SHAPE
    );
}

#[test]
fn all_errors_of_all_files_in_one_run() {
    let set = SourceSet::from(vec![
        document(Global, r#"{"permission": {"a": 1, "b": 2}, "x": 3}"#),
        document(Project, "{"),
        document(Mcp, "[]"),
        document(Markdown, "---\n"),
        document(Json, "{}"),
    ]);
    let parsed = parse_sources(&set, &Limits::default());
    let codes: Vec<_> = parsed.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(
        codes,
        [
            Code::ACTION_NOT_TEXT,
            Code::ACTION_NOT_TEXT,
            Code::UNKNOWN_KEY,
            Code::SYNTAX,
            Code::WRONG_TYPE,
            Code::UNTERMINATED_FRONT_MATTER
        ]
    );
    let broken: Vec<_> = parsed
        .documents
        .iter()
        .map(|document| document.broken)
        .collect();
    assert_eq!(broken, [true, true, true, true, false]);
}

#[test]
fn one_file_for_each_agent_of_a_scope() {
    let agent = |name: &str, file: &str| SourceDocument::new(Role::Agent(name.into()), file, "{}");
    let set = SourceSet::from(vec![
        agent("a", "a.jsonc"),
        SourceDocument::new(Role::Agent("a".into()), "a.md", ""),
        agent("b", "b.jsonc"),
        SourceDocument::new(Role::ProjectAgent("b".into()), "b.jsonc", "{}"),
        agent(" ", " .jsonc"),
    ]);
    let parsed = parse_sources(&set, &Limits::default());
    let codes: Vec<_> = parsed.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(
        codes,
        [Code::BLANK_AGENT_NAME, Code::AGENT_TWICE, Code::AGENT_TWICE]
    );
    let broken: Vec<_> = parsed
        .documents
        .iter()
        .map(|document| document.broken)
        .collect();
    assert_eq!(broken, [true, true, false, false, true]);
    assert!(parsed.diagnostics[1].helps[0].contains("merge"));
}
