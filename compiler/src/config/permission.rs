//! `permission`: surfaces, patterns and actions.

use super::fields::{Report, article, first_members, object, text, unknown_key};
use super::{PatternEntry, SurfaceEntry, SurfaceValue};
use crate::diagnostic::{Code, quote};
use crate::suggest::suggest;
use permc_grammar::jsonc::{Member, Value, ValueKind};
use permc_grammar::span::Spanned;
use permc_runtime::Action;
use std::collections::HashMap;

/// Unicode scalar values that a reason may have.
const LONGEST_REASON: usize = 500;
/// Bytes that a pattern or surface may have; the pattern grammar has the same limit.
const LONGEST_PATTERN: usize = 1 << 20;

const ACTIONS: [&str; 3] = ["allow", "ask", "deny"];
const WRITE_ACTION: &str = "write `\"allow\"`, `\"ask\"` or `\"deny\"`";

/// Reads `permission`; entries with errors are reported and left out.
pub(super) fn parse(report: &mut Report, value: &Value) -> Vec<SurfaceEntry> {
    let help = "write `\"permission\": { \"*\": \"ask\" }` with surfaces as keys";
    let Some(members) = object(report, value, "`permission`", help) else {
        return Vec::new();
    };
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut entries: Vec<SurfaceEntry> = Vec::new();
    for member in members {
        let surface = member.key.value.as_str();
        let Some(value) = surface_value(report, member) else {
            continue;
        };
        // A surface that stands twice is an error already; what is kept of it is at least as strict as the first.
        if let Some(first) = places.get(surface).and_then(|at| entries.get_mut(*at)) {
            tighten(&mut first.value, value);
            continue;
        }
        places.insert(surface, entries.len());
        entries.push(SurfaceEntry {
            surface: member.key.clone(),
            value,
        });
    }
    entries
}

fn tighten(first: &mut SurfaceValue, second: SurfaceValue) {
    if let (SurfaceValue::Action(first), SurfaceValue::Action(second)) = (first, second) {
        first.value = first.value.max(second.value);
    }
}

fn surface_value(report: &mut Report, member: &Member) -> Option<SurfaceValue> {
    let Member { key, value } = member;
    let named = check_key(
        report,
        key,
        Code::EMPTY_SURFACE,
        "a surface",
        "to set the default for all surfaces write `\"*\"`",
    );
    let what = format!("surface {}", quote(&key.value));
    match &value.kind {
        ValueKind::Object(patterns) if key.value == "*" => {
            let help = match first_action(patterns) {
                Some(action) => format!("write `\"*\": \"{}\"`", action.as_str()),
                None => "write one action, such as `\"*\": \"ask\"`, and put patterns under the surface that they are for, such as `bash` or `path`".to_owned(),
            };
            report.add(
                Code::UNIVERSAL_MAP,
                value.span,
                "a map here would be ignored",
                "the universal key `*` takes one action, not a map".to_owned(),
                help,
            );
            None
        }
        ValueKind::Object(patterns) => {
            let mistaken = action_object(report, key, patterns);
            let entries = pattern_map(report, patterns, mistaken);
            (named && !(mistaken && entries.is_empty())).then_some(SurfaceValue::Map(entries))
        }
        _ => action(report, value, &what)
            .filter(|_| named)
            .map(SurfaceValue::Action),
    }
}

/// The action that `{ "action": ... }` states directly.
fn first_action(members: &[Member]) -> Option<Action> {
    members
        .iter()
        .find(|member| member.key.value == "action")
        .and_then(|member| action_word(&member.value))
}

/// The action that a string means, upper and lower case being the same.
fn action_word(value: &Value) -> Option<Action> {
    match &value.kind {
        ValueKind::String(word) => Action::from_name(&word.trim().to_ascii_lowercase()),
        _ => None,
    }
}

/// Reports `{ "action": ... }` right under a surface and says whether it did.
///
/// Beside other patterns only the exact key counts. A map that holds nothing but `action` and `reason` is the mistake in
/// any spelling; `{ "action": { "action": "deny" } }` is not, since nobody writes that without meaning the pattern.
fn action_object(report: &mut Report, surface: &Spanned<String>, members: &[Member]) -> bool {
    let alone = members.iter().all(|member| {
        ["action", "reason"]
            .iter()
            .any(|key| member.key.value.eq_ignore_ascii_case(key))
    });
    let found = members.iter().find_map(|member| {
        let is_action = member.key.value == "action"
            || (alone && member.key.value.eq_ignore_ascii_case("action"));
        is_action
            .then(|| action_word(&member.value))
            .flatten()
            .map(|action| (member, action))
    });
    let Some((member, action)) = found else {
        return false;
    };
    let name = quote(&surface.value);
    let name = name.trim_matches('`');
    let reasoned = members
        .iter()
        .any(|member| member.key.value.eq_ignore_ascii_case("reason"));
    let right = match (alone, action, reasoned) {
        (true, Action::Deny, true) => {
            format!(
                "write `\"{name}\": {{ \"*\": {{ \"action\": \"deny\", \"reason\": \"...\" }} }}`"
            )
        }
        (true, action, _) => format!("write `\"{name}\": \"{}\"`", action.as_str()),
        (false, Action::Deny, true) => {
            "write `\"*\": { \"action\": \"deny\", \"reason\": \"...\" }` in its place".to_owned()
        }
        (false, action, _) => format!("write `\"*\": \"{}\"` in its place", action.as_str()),
    };
    report.add(
        Code::SURFACE_ACTION_OBJECT,
        member.key.span,
        "a pattern, not a setting",
        format!("`action` under surface `{name}` would only be a rule for the value `action`"),
        right,
    );
    if !alone && let Some(last) = report.found.last_mut() {
        last.helps
            .push("for a value that is literally `action` write the pattern `actio?`".to_owned());
    }
    true
}

fn pattern_map(report: &mut Report, members: &[Member], mistaken: bool) -> Vec<PatternEntry> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut entries: Vec<PatternEntry> = Vec::new();
    for Member { key, value } in members {
        if mistaken && part_of_mistake(key, value) {
            continue;
        }
        let help = "to match every value write `\"*\"`";
        let named = check_key(report, key, Code::EMPTY_PATTERN, "a pattern", help);
        let Some((action, reason)) = pattern_value(report, key, value) else {
            continue;
        };
        if !named {
            continue;
        }
        let entry = PatternEntry {
            pattern: key.clone(),
            action,
            reason,
        };
        // A pattern that stands twice is an error already; the stricter of the two is kept.
        if let Some(first) = places
            .get(key.value.as_str())
            .and_then(|at| entries.get_mut(*at))
        {
            if entry.action.value > first.action.value {
                *first = entry;
            }
            continue;
        }
        places.insert(&key.value, entries.len());
        entries.push(entry);
    }
    entries
}

/// Whether the member belongs to an action object that has been reported as a whole.
fn part_of_mistake(key: &Spanned<String>, value: &Value) -> bool {
    let text = matches!(value.kind, ValueKind::String(_));
    (key.value.eq_ignore_ascii_case("action") && text && action_word(value).is_some())
        || (key.value.eq_ignore_ascii_case("reason") && action_word(value).is_none())
}

fn pattern_value(
    report: &mut Report,
    pattern: &Spanned<String>,
    value: &Value,
) -> Option<(Spanned<Action>, Option<Spanned<String>>)> {
    let what = format!("pattern {}", quote(&pattern.value));
    let ValueKind::Object(members) = &value.kind else {
        return action(report, value, &what).map(|action| (action, None));
    };
    let mut stated = None;
    let mut reason = None;
    for member in first_members(members) {
        match member.key.value.as_str() {
            "action" => stated = Some(&member.value),
            "reason" => reason = self::reason(report, &member.value),
            _ => unknown_key(
                report,
                &member.key,
                &format!("the value of {what}"),
                &["action", "reason"],
            ),
        }
    }
    let Some(stated) = stated else {
        report.add(
            Code::MISSING_ACTION,
            value.span,
            "no `action` in here",
            format!("the value of {what} has no `action`"),
            "write `{ \"action\": \"deny\", \"reason\": \"...\" }`",
        );
        return None;
    };
    let action = action(report, stated, &what)?;
    if action.value != Action::Deny {
        let word = action.value.as_str();
        report.add(
            Code::OBJECT_NOT_DENY,
            action.span,
            "only `deny` has a reason",
            format!("the value of {what} is an object, but its action is `{word}`"),
            format!("write `\"{word}\"` in place of the object"),
        );
    }
    Some((Spanned::new(action.value, value.span), reason))
}

fn reason(report: &mut Report, value: &Value) -> Option<Spanned<String>> {
    let reason = text(report, value, "`reason`")?;
    let length = reason.value.chars().count();
    if length <= LONGEST_REASON {
        return Some(reason);
    }
    report.add(
        Code::REASON_TOO_LONG,
        reason.span,
        &format!("{length} characters"),
        format!("the reason is {length} characters long, the limit is {LONGEST_REASON}"),
        "say in one sentence what to do instead",
    );
    None
}

/// An action string; `what` names the place that it is for.
pub(super) fn action(report: &mut Report, value: &Value, what: &str) -> Option<Spanned<Action>> {
    let ValueKind::String(word) = &value.kind else {
        let kind = article(value.kind.type_name());
        report.add(
            Code::ACTION_NOT_TEXT,
            value.span,
            "not an action",
            format!("the action of {what} is {kind}, not a string"),
            WRITE_ACTION,
        );
        return None;
    };
    if let Some(action) = Action::from_name(word) {
        return Some(Spanned::new(action, value.span));
    }
    report.add(
        Code::UNKNOWN_ACTION,
        value.span,
        "not an action",
        format!("unknown action {} for {what}", quote(word)),
        meant_action(word),
    );
    None
}

/// The help for a word that is not an action.
fn meant_action(word: &str) -> String {
    let other = match word.trim().to_ascii_lowercase().as_str() {
        "permit" | "permitted" | "accept" | "approve" | "yes" | "true" => Some("allow"),
        "prompt" | "confirm" | "asked" => Some("ask"),
        "block" | "blocked" | "forbid" | "forbidden" | "reject" | "refuse" | "denied"
        | "disallow" | "never" | "no" | "false" => Some("deny"),
        _ => None,
    };
    other.or_else(|| suggest(word, &ACTIONS)).map_or_else(
        || WRITE_ACTION.to_owned(),
        |meant| format!("did you mean `{meant}`?"),
    )
}

/// Reports an empty or overlong surface or pattern.
fn check_key(
    report: &mut Report,
    key: &Spanned<String>,
    empty: Code,
    what: &str,
    help: &str,
) -> bool {
    let found = if key.value.is_empty() {
        Some((empty, format!("{what} is empty"), help))
    } else if key.value.len() > LONGEST_PATTERN {
        let message = format!("{what} {} is longer than 1 MiB", quote(&key.value));
        let help = "use a wildcard for the part that varies";
        Some((Code::PATTERN_TOO_LONG, message, help))
    } else {
        None
    };
    let Some((code, message, help)) = found else {
        return true;
    };
    report.add(code, key.span, "", message, help);
    false
}
