//! The warnings of page 1: what compiles, but perhaps not to what its author meant.

use std::collections::HashMap;

use permc_grammar::pattern::HomeMode;
use permc_grammar::span::Spanned;
use permc_runtime::{Action, Layer, name_matches};

use crate::automata::overlap::overlap;
use crate::automata::program::Program;
use crate::config::{PolicyDocument, SurfaceValue};
use crate::diagnostic::{Code, Diagnostic, quote};
use crate::parse::{Body, Parsed};
use crate::rule::{ResolvedPolicy, Rule};
use crate::source_map::{FileId, Location};

/// Keys that look like array indexes: the reference puts them first, in ascending order; permc keeps source order.
pub(crate) fn integer_keys(parsed: &Parsed) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for document in &parsed.documents {
        if let Body::Policy(policy) = &document.body {
            integer_keys_of(document.file, policy, &mut diagnostics);
        }
    }
    diagnostics
}

fn integer_keys_of(file: FileId, policy: &PolicyDocument, diagnostics: &mut Vec<Diagnostic>) {
    let surfaces: Vec<&Spanned<String>> = policy
        .permission
        .iter()
        .map(|entry| &entry.surface)
        .collect();
    diagnostics.extend(moved_key(file, &surfaces));
    for entry in &policy.permission {
        if let SurfaceValue::Map(patterns) = &entry.value {
            let keys: Vec<&Spanned<String>> = patterns.iter().map(|entry| &entry.pattern).collect();
            diagnostics.extend(moved_key(file, &keys));
        }
    }
}

/// The first integer-like key that the reference would put elsewhere.
fn moved_key(file: FileId, keys: &[&Spanned<String>]) -> Option<Diagnostic> {
    let mut integers: Vec<(u32, &Spanned<String>)> = keys
        .iter()
        .filter_map(|key| Some((array_index(&key.value)?, *key)))
        .collect();
    integers.sort_by_key(|(index, _)| *index);
    let (key, _) = integers
        .iter()
        .map(|(_, key)| *key)
        .zip(keys)
        .find(|(sorted, key)| sorted.span != key.span)?;
    let location = Location {
        file,
        span: key.span,
    };
    let message = format!(
        "the reference system would move the integer-like key {} to the front",
        quote(&key.value)
    );
    Some(
        Diagnostic::new(Code::INTEGER_KEY_ORDER, message)
            .at(location, "permc keeps this position")
            .help("put integer-like keys first, in ascending order, if both systems read this document"),
    )
}

/// The value of a key that JavaScript orders as an array index: canonical decimal below 2^32 - 1.
fn array_index(key: &str) -> Option<u32> {
    let index: u32 = key.parse().ok()?;
    (index < u32::MAX && index.to_string() == key).then_some(index)
}

/// Compiled-in session rules that allow what some configured rule denies.
pub(crate) fn session_overrides(policy: &ResolvedPolicy) -> Vec<Diagnostic> {
    let mut programs: HashMap<&str, Option<Program>> = HashMap::new();
    let layer = |layer: Layer| policy.rules.iter().filter(move |rule| rule.layer == layer);
    let denies: Vec<&Rule> = layer(Layer::Config)
        .filter(|rule| rule.action == Action::Deny)
        .collect();
    let mut diagnostics = Vec::new();
    for session in layer(Layer::Session).filter(|rule| rule.action == Action::Allow) {
        let overridden = denies.iter().find(|deny| {
            let [left, right] = [&session.pattern, &deny.pattern].map(|pattern| {
                programs
                    .entry(pattern)
                    .or_insert_with(|| {
                        Program::parse(pattern, HomeMode::Expand, policy.fold_paths).ok()
                    })
                    .clone()
            });
            surfaces_meet(&session.surface, &deny.surface)
                && matches!((left, right), (Some(left), Some(right)) if overlap(&left, &right))
        });
        let (Some(deny), Some(location)) = (overridden, session.location) else {
            continue;
        };
        let message = format!(
            "the session rule {} on {} allows what a configured rule denies",
            quote(&session.pattern),
            quote(&session.surface)
        );
        let mut diagnostic = Diagnostic::new(Code::SESSION_OVERRIDES_DENY, message)
            .at(location, "a session rule beats every configured rule")
            .help("take the rule out of the session file, or narrow its pattern");
        if let Some(location) = deny.location {
            diagnostic =
                diagnostic.related(location, format!("{} is denied here", quote(&deny.pattern)));
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// Whether two surface patterns have a name in common.
fn surfaces_meet(left: &str, right: &str) -> bool {
    if name_matches(left, right, false) || name_matches(right, left, false) {
        return true;
    }
    let program = |text| Program::parse(text, HomeMode::Literal, false);
    matches!((program(left), program(right)), (Ok(left), Ok(right)) if overlap(&left, &right))
}
