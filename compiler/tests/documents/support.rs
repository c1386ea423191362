//! One text in, one expected place out.

use permc::diagnostic::{Code, Diagnostic, Severity};
use permc::parse::{Parsed, parse_sources};
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc_grammar::limits::Limits;

pub(crate) const MARK: char = '▸';

/// What a text is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Global,
    Project,
    Json,
    Markdown,
    Mcp,
    Session,
    Tiers,
}

pub(crate) use Kind::{Global, Json, Markdown, Mcp, Project, Session, Tiers};

pub(crate) fn document(kind: Kind, text: &str) -> SourceDocument {
    let (role, name) = match kind {
        Global => (Role::Global, "policy.jsonc"),
        Project => (Role::Project, "project.jsonc"),
        Json => (Role::Agent("a".into()), "a.jsonc"),
        Markdown => (Role::ProjectAgent("a".into()), "a.md"),
        Mcp => (Role::Mcp, "mcp.json"),
        Session => (Role::Session, "session.json"),
        Tiers => (Role::Tiers, "tiers.jsonc"),
    };
    SourceDocument::new(role, name, text)
}

pub(crate) fn parse(kind: Kind, text: &str) -> Parsed {
    parse_sources(
        &SourceSet::from(vec![document(kind, text)]),
        &Limits::default(),
    )
}

/// Line and column of the mark, counted here and not by the code under test.
pub(crate) fn place(text: &str) -> (u32, u32) {
    let head = text.split(MARK).next().unwrap();
    let line = head.matches('\n').count() + 1;
    let column = head.rsplit('\n').next().unwrap().chars().count() + 1;
    (u32::try_from(line).unwrap(), u32::try_from(column).unwrap())
}

pub(crate) fn found_at(parsed: &Parsed, found: &Diagnostic) -> (u32, u32) {
    let label = found.primary.as_ref().unwrap();
    let at = parsed.sources.line_column(label.location).unwrap();
    (at.line, at.column)
}

/// One text, the one code that it gives, and a part of the help.
pub(crate) fn fires(kind: Kind, text: &str, code: Code, help: &str) {
    let parsed = parse(kind, &text.replace(MARK, ""));
    let [found] = parsed.diagnostics.as_slice() else {
        panic!("{text}\n{:#?}", parsed.diagnostics);
    };
    assert_eq!(found.code, code, "{text}\n{found:#?}");
    assert_eq!(found_at(&parsed, found), place(text), "{text}\n{found:#?}");
    let helps = found.helps.join("\n");
    assert!(helps.contains(help), "{text}\n{help:?} is not in {helps:?}");
    assert!(!found.message.ends_with('.'), "{}", found.message);
    assert!(
        found.message.starts_with(|c: char| !c.is_uppercase()),
        "{}",
        found.message
    );
    let broken = found.severity == Severity::Error;
    assert_eq!(parsed.documents[0].broken, broken, "{text}");
}

pub(crate) fn silent(kind: Kind, text: &str) {
    let parsed = parse(kind, text);
    assert!(
        parsed.diagnostics.is_empty(),
        "{text}\n{:#?}",
        parsed.diagnostics
    );
    assert!(!parsed.documents[0].broken);
}
