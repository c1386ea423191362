//! The examples in the long texts of the codes.

use crate::support::{Global, Json, Markdown, Mcp, Project, Session, Tiers, parse, silent};
use permc::diagnostic::Code;

/// The fenced blocks after a line such as `Wrong:`.
fn block<'t>(long: &'t str, title: &str) -> Option<(&'t str, &'t str)> {
    let (_, rest) = long.split_once(&format!("{title}:\n\n```"))?;
    let (language, rest) = rest.split_once('\n')?;
    Some((language, rest.split("\n```").next()?))
}

#[test]
fn the_examples_of_the_long_texts_are_true() {
    let mut checked = 0;
    for info in permc::diagnostic::CODES {
        let Some((language, wrong)) = block(info.long, "Wrong") else {
            continue;
        };
        let (_, right) = block(info.long, "Right").unwrap();
        let kind = |text: &str| match (language, info.code) {
            ("yaml", _) => Markdown,
            (_, Code::MCP_BOTH_KEYS | Code::MCP_NEAR_MISS) => Mcp,
            (_, Code::SESSION_SHAPE) => Session,
            (_, Code::NOT_IN_TIERS_FILE) => Tiers,
            _ if text.starts_with("// project") => Project,
            _ if text.starts_with("// agents") => Json,
            _ => Global,
        };
        let found = parse(kind(wrong), wrong).diagnostics;
        assert!(
            !found.is_empty() && found.iter().all(|found| found.code == info.code),
            "{}\n{wrong}\n{found:#?}",
            info.code
        );
        silent(kind(right), right);
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
}
