//! The smaller documents: MCP servers, session rules, and tiers in a file of their own.

use super::ProviderPermissions;
use super::document::{POLICY_KEYS, Scope};
use super::fields::{
    Report, duplicate_keys, duplicate_members, first_members, is_blank, object, text, unknown_key,
};
use super::settings::setting;
use super::tiers;
use crate::diagnostic::{Code, Diagnostic, quote};
use crate::source_map::FileId;
use crate::suggest::suggest;
use permc_grammar::jsonc::{Member, Value, ValueKind};
use permc_grammar::span::{Span, Spanned};
use std::collections::HashMap;

/// Surface and pattern of one rule that was approved in a session.
pub type SessionRule = (Spanned<String>, Spanned<String>);

const SERVER_KEYS: [&str; 2] = ["mcpServers", "mcp-servers"];

/// Reads the names of the configured MCP servers, trimmed and in their order; other keys of the file are not ours.
#[must_use]
pub fn parse_mcp(file: FileId, tree: &Value) -> (Vec<Spanned<String>>, Vec<Diagnostic>) {
    let mut report = Report::new(file);
    let help = "write `{ \"mcpServers\": { \"name\": { } } }`";
    let members = object(&mut report, tree, "an MCP file", help).unwrap_or_default();
    let lists: Vec<Member> = members
        .iter()
        .filter(|member| SERVER_KEYS.contains(&member.key.value.as_str()))
        .cloned()
        .collect();
    duplicate_members(&mut report, &lists);
    for Member { key, .. } in members {
        if let Some(meant) = suggest(&key.value, &SERVER_KEYS)
            && !SERVER_KEYS.contains(&key.value.as_str())
        {
            report.add(
                Code::MCP_NEAR_MISS,
                key.span,
                "would be ignored",
                format!("unknown key {} in an MCP file", quote(&key.value)),
                format!("did you mean `{meant}`?"),
            );
        }
    }
    let both = lists.first().zip(
        lists
            .iter()
            .find(|list| Some(&list.key.value) != lists.first().map(|first| &first.key.value)),
    );
    if let Some((first, second)) = both {
        report.add_twice(
            Code::MCP_BOTH_KEYS,
            [first.key.span, second.key.span],
            "both `mcpServers` and `mcp-servers` are present".to_owned(),
            "put all servers under `mcpServers`",
        );
    }
    let servers = lists
        .first()
        .map(|list| servers(&mut report, list))
        .unwrap_or_default();
    (servers, report.finish())
}

fn servers(report: &mut Report, list: &Member) -> Vec<Spanned<String>> {
    let what = format!("`{}`", list.key.value);
    let help = "write an object with the servers' names as keys";
    let members = object(report, &list.value, &what, help).unwrap_or_default();
    let mut seen: HashMap<&str, Span> = HashMap::new();
    let mut names = Vec::new();
    for Member { key, .. } in members {
        let name = key.value.trim_matches(is_blank);
        if name.is_empty() {
            report.add(
                Code::EMPTY_TEXT,
                key.span,
                "blank",
                "a server's name is blank".to_owned(),
                "write the name, or remove the entry",
            );
        } else if let Some(first) = seen.get(name) {
            report.add_twice(
                Code::DUPLICATE_KEY,
                [*first, key.span],
                format!("the server {} stands twice", quote(name)),
                "remove one of the two, or rename it",
            );
        } else {
            seen.insert(name, key.span);
            names.push(Spanned::new(name.to_owned(), key.span));
        }
    }
    names
}

/// Reads a session file: a list of pairs of surface and pattern.
#[must_use]
pub fn parse_session(file: FileId, tree: &Value) -> (Vec<SessionRule>, Vec<Diagnostic>) {
    let mut report = Report::new(file);
    let ValueKind::Array(items) = &tree.kind else {
        session_shape(&mut report, tree, "a session file is a list of pairs");
        return (Vec::new(), report.finish());
    };
    let mut rules = Vec::new();
    for item in items {
        let ValueKind::Array(parts) = &item.kind else {
            session_shape(&mut report, item, "a session rule is a pair of strings");
            continue;
        };
        let [surface, pattern] = parts.as_slice() else {
            let message = format!("a session rule has two strings, not {}", parts.len());
            session_shape(&mut report, item, &message);
            continue;
        };
        let surface = part(&mut report, surface, Code::EMPTY_SURFACE, "the surface");
        let pattern = part(&mut report, pattern, Code::EMPTY_PATTERN, "the pattern");
        rules.extend(surface.zip(pattern));
    }
    (rules, report.finish())
}

fn part(report: &mut Report, value: &Value, empty: Code, what: &str) -> Option<Spanned<String>> {
    let part = text(report, value, &format!("{what} of a session rule"))?;
    if !part.value.is_empty() {
        return Some(part);
    }
    report.add(
        empty,
        part.span,
        "",
        format!("{what} of a session rule is empty"),
        "write both, or remove the pair",
    );
    None
}

fn session_shape(report: &mut Report, value: &Value, message: &str) {
    report.add(
        Code::SESSION_SHAPE,
        value.span,
        "",
        message.to_owned(),
        "write `[[\"bash\", \"git status\"]]`",
    );
}

/// Reads a tiers file: a global document with `providerPermissions` only.
#[must_use]
pub fn parse_tiers_file(file: FileId, tree: &Value) -> (ProviderPermissions, Vec<Diagnostic>) {
    let mut report = Report::new(file);
    duplicate_keys(&mut report, tree);
    let help = "write `{ \"providerPermissions\": { \"tiers\": [] } }`";
    let members = object(&mut report, tree, "a tiers file", help);
    let mut parsed = None;
    let mut present = members.is_none();
    for Member { key, value } in first_members(members.unwrap_or_default()) {
        match key.value.as_str() {
            "$schema" => {
                text(&mut report, value, "`$schema`");
            }
            "providerPermissions" => {
                present = true;
                parsed = tiers::parse(&mut report, value, Scope::Global);
            }
            other if POLICY_KEYS.contains(&other) || setting(other).is_some() => report.add(
                Code::NOT_IN_TIERS_FILE,
                key.span,
                "not in this file",
                format!("a tiers file may not set {}", quote(other)),
                "move the key to the global document",
            ),
            _ => unknown_key(
                &mut report,
                key,
                "a tiers file",
                &["$schema", "providerPermissions"],
            ),
        }
    }
    if !present {
        report.add(
            Code::MISSING_KEY,
            tree.span,
            "no `providerPermissions` in here",
            "a tiers file has no `providerPermissions`".to_owned(),
            help,
        );
    }
    (parsed.unwrap_or_default(), report.finish())
}
