//! Walking objects, lists and names of a document tree, with one wording for every mistake.

use crate::diagnostic::{Code, Diagnostic, quote};
use crate::source_map::{FileId, Location};
use crate::suggest::suggest;
use permc_grammar::jsonc::{Member, Value, ValueKind};
use permc_grammar::span::{Span, Spanned};
use std::collections::{HashMap, HashSet};

/// The findings about one file.
#[derive(Debug)]
pub(crate) struct Report {
    file: FileId,
    /// What was found, in the order of the checks.
    pub(crate) found: Vec<Diagnostic>,
}

impl Report {
    pub(crate) const fn new(file: FileId) -> Self {
        Self {
            file,
            found: Vec::new(),
        }
    }

    pub(crate) const fn at(&self, span: Span) -> Location {
        Location {
            file: self.file,
            span,
        }
    }

    /// Adds a finding with its place, the words under it and the way out.
    pub(crate) fn add(
        &mut self,
        code: Code,
        span: Span,
        label: &str,
        message: String,
        help: impl Into<String>,
    ) {
        let location = self.at(span);
        self.found.push(
            Diagnostic::new(code, message)
                .at(location, label)
                .help(help),
        );
    }

    /// Adds a finding about something that stands twice.
    pub(crate) fn add_twice(
        &mut self,
        code: Code,
        [first, second]: [Span; 2],
        message: String,
        help: &str,
    ) {
        let (first, second) = (self.at(first), self.at(second));
        self.found.push(
            Diagnostic::new(code, message)
                .at(second, "again here")
                .related(first, "first declared here")
                .help(help),
        );
    }

    /// The findings in the order of their places.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.found
            .sort_by_key(|found| found.primary.as_ref().map(|label| label.location));
        self.found
    }
}

/// Reports every key that stands twice in one object, at any depth (which the parser has bounded).
pub(crate) fn duplicate_keys(report: &mut Report, value: &Value) {
    match &value.kind {
        ValueKind::Array(items) => {
            for item in items {
                duplicate_keys(report, item);
            }
        }
        ValueKind::Object(members) => {
            duplicate_members(report, members);
            for member in members {
                duplicate_keys(report, &member.value);
            }
        }
        _ => {}
    }
}

/// Reports every key that stands twice among these members.
pub(crate) fn duplicate_members(report: &mut Report, members: &[Member]) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for Member { key, .. } in members {
        if let Some(first) = seen.get(key.value.as_str()) {
            report.add_twice(
                Code::DUPLICATE_KEY,
                [*first, key.span],
                format!("the key {} stands twice in one object", quote(&key.value)),
                "remove one of the two, or merge what they hold",
            );
        } else {
            seen.insert(&key.value, key.span);
        }
    }
}

/// The members of an object, of each key the first only.
pub(crate) fn first_members(members: &[Member]) -> impl Iterator<Item = &Member> {
    let mut seen = HashSet::new();
    members
        .iter()
        .filter(move |member| seen.insert(member.key.value.as_str()))
}

/// Reports a value of the wrong type; `what` names the value and `wanted` says what it has to be.
pub(crate) fn wrong_type(report: &mut Report, value: &Value, what: &str, wanted: &str, help: &str) {
    report.add(
        Code::WRONG_TYPE,
        value.span,
        &format!("this is {}", article(value.kind.type_name())),
        format!(
            "{what} has to be {wanted}, not {}",
            article(value.kind.type_name())
        ),
        help,
    );
}

/// The type's name with its article.
pub(crate) fn article(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        "array" | "object" => format!("an {type_name}"),
        _ => format!("a {type_name}"),
    }
}

/// The members of an object.
pub(crate) fn object<'t>(
    report: &mut Report,
    value: &'t Value,
    what: &str,
    help: &str,
) -> Option<&'t [Member]> {
    if let ValueKind::Object(members) = &value.kind {
        return Some(members);
    }
    wrong_type(report, value, what, "an object", help);
    None
}

/// The items of a list.
pub(crate) fn list<'t>(
    report: &mut Report,
    value: &'t Value,
    what: &str,
    help: &str,
) -> Option<&'t [Value]> {
    if let ValueKind::Array(items) = &value.kind {
        return Some(items);
    }
    wrong_type(report, value, what, "an array", help);
    None
}

/// A string.
pub(crate) fn text(report: &mut Report, value: &Value, what: &str) -> Option<Spanned<String>> {
    if let ValueKind::String(text) = &value.kind {
        return Some(Spanned::new(text.clone(), value.span));
    }
    wrong_type(
        report,
        value,
        what,
        "a string",
        "put the text in double quotes",
    );
    None
}

/// A boolean.
pub(crate) fn boolean(report: &mut Report, value: &Value, what: &str) -> Option<Spanned<bool>> {
    if let ValueKind::Bool(flag) = value.kind {
        return Some(Spanned::new(flag, value.span));
    }
    let help = "write true or false, without quotes";
    wrong_type(report, value, what, "a boolean", help);
    None
}

/// A string that is not blank and has no blanks around it.
pub(crate) fn name(report: &mut Report, value: &Value, what: &str) -> Option<Spanned<String>> {
    let text = text(report, value, what)?;
    check_name(report, &text, what).then_some(text)
}

/// Reports a name that is blank or has blanks around it.
pub(crate) fn check_name(report: &mut Report, name: &Spanned<String>, what: &str) -> bool {
    let trimmed = name.value.trim_matches(is_blank);
    if trimmed.is_empty() {
        report.add(
            Code::EMPTY_TEXT,
            name.span,
            "blank",
            format!("{what} is blank"),
            "write the name, or remove the entry",
        );
        return false;
    }
    if trimmed.len() != name.value.len() {
        report.add(
            Code::PADDED_NAME,
            name.span,
            "blanks around the name",
            format!("{what} {} has blanks around it", quote(&name.value)),
            format!("write {}", quote(trimmed)),
        );
        return false;
    }
    true
}

/// What counts as blank: Unicode white space and the byte order mark.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// Reports a literal name that holds a wildcard.
pub(crate) fn check_literal(report: &mut Report, name: &Spanned<String>, what: &str) -> bool {
    if !name.value.contains(['*', '?']) {
        return true;
    }
    report.add(
        Code::PATTERN_AS_NAME,
        name.span,
        "compared literally",
        format!(
            "{what} {} holds a wildcard but is a literal name",
            quote(&name.value)
        ),
        "list each name by itself",
    );
    false
}

/// A list of names without repetition.
pub(crate) fn names(
    report: &mut Report,
    value: &Value,
    key: &str,
    what: &str,
) -> Vec<Spanned<String>> {
    let help = format!("write `\"{key}\": [\"...\"]`");
    let Some(items) = list(report, value, &format!("`{key}`"), &help) else {
        return Vec::new();
    };
    let mut seen: HashMap<&str, Span> = HashMap::new();
    let mut names = Vec::new();
    for item in items {
        let Some(name) = name(report, item, what) else {
            continue;
        };
        let ValueKind::String(text) = &item.kind else {
            continue;
        };
        if let Some(first) = seen.get(text.as_str()) {
            report.add_twice(
                Code::DUPLICATE_NAME,
                [*first, item.span],
                format!("{what} {} stands twice in `{key}`", quote(text)),
                "remove one of the two",
            );
        } else {
            seen.insert(text, item.span);
            names.push(name);
        }
    }
    names
}

/// Reports a key that is not known, with the known key that was probably meant.
pub(crate) fn unknown_key(report: &mut Report, key: &Spanned<String>, place: &str, known: &[&str]) {
    let help = suggest(&key.value, known).map_or_else(
        || format!("known keys are {}", listed(known)),
        |meant| format!("did you mean `{meant}`?"),
    );
    report.add(
        Code::UNKNOWN_KEY,
        key.span,
        "not known here",
        format!("unknown key {} in {place}", quote(&key.value)),
        help,
    );
}

/// Names in backticks with commas and a final `and`.
pub(crate) fn listed(names: &[&str]) -> String {
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            text.push_str(if at + 1 == names.len() { " and " } else { ", " });
        }
        text.push('`');
        text.push_str(name);
        text.push('`');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{article, listed};

    #[test]
    fn words() {
        assert_eq!(listed(&["a"]), "`a`");
        assert_eq!(listed(&["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(article("null"), "null");
        assert_eq!(article("array"), "an array");
        assert_eq!(article("string"), "a string");
    }
}
