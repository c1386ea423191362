//! Diagnostics for machines: the versioned JSON shape `permc/diagnostics/1`.

use super::{Diagnostic, Label};
use crate::source_map::{Location, SourceMap};
use permc_grammar::span::Span;
use serde_json::{Map, Value, json};

/// The diagnostics as `{"schema": "permc/diagnostics/1", "diagnostics": [...]}`.
///
/// Lines and columns count from 1, columns in characters; the end is just past the last character. A diagnostic without a
/// place has null for `file`, `line`, `column`, `endLine` and `endColumn`.
#[must_use]
pub fn render_json(diagnostics: &[Diagnostic], sources: &SourceMap) -> Value {
    let rendered: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| one(diagnostic, sources))
        .collect();
    json!({"schema": "permc/diagnostics/1", "diagnostics": rendered})
}

fn one(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let mut fields = Map::new();
    let name = diagnostic.code.info().map(|info| info.name);
    fields.insert("code".to_owned(), json!(diagnostic.code.as_str()));
    fields.insert("name".to_owned(), json!(name));
    fields.insert("severity".to_owned(), json!(diagnostic.severity.as_str()));
    fields.insert("message".to_owned(), json!(diagnostic.message));
    place(
        &mut fields,
        diagnostic.primary.as_ref().map(|label| label.location),
        sources,
    );
    let label = diagnostic.primary.as_ref().map(|label| label.text.as_str());
    fields.insert(
        "label".to_owned(),
        json!(label.filter(|text| !text.is_empty())),
    );
    let related: Vec<Value> = diagnostic
        .secondary
        .iter()
        .map(|label| related(label, sources))
        .collect();
    fields.insert("related".to_owned(), Value::Array(related));
    fields.insert("notes".to_owned(), json!(diagnostic.notes));
    fields.insert("helps".to_owned(), json!(diagnostic.helps));
    Value::Object(fields)
}

fn related(label: &Label, sources: &SourceMap) -> Value {
    let mut fields = Map::new();
    fields.insert("message".to_owned(), json!(label.text));
    place(&mut fields, Some(label.location), sources);
    Value::Object(fields)
}

fn place(fields: &mut Map<String, Value>, location: Option<Location>, sources: &SourceMap) {
    let file = location.and_then(|location| sources.file(location.file));
    let start = location.and_then(|location| sources.line_column(location));
    let end = location.and_then(|location| {
        let end = location.span.end.max(location.span.start);
        sources.line_column(Location {
            span: Span::new(end, end),
            ..location
        })
    });
    fields.insert("file".to_owned(), json!(file.map(|file| &file.display)));
    fields.insert("line".to_owned(), json!(start.map(|at| at.line)));
    fields.insert("column".to_owned(), json!(start.map(|at| at.column)));
    fields.insert("endLine".to_owned(), json!(end.map(|at| at.line)));
    fields.insert("endColumn".to_owned(), json!(end.map(|at| at.column)));
}

#[cfg(test)]
mod tests {
    use super::render_json;
    use crate::diagnostic::{Code, Diagnostic};
    use crate::source_map::{Location, Role, SourceMap};
    use permc_grammar::span::Span;
    use serde_json::json;

    #[test]
    fn places_are_counted_in_characters_from_one() {
        let mut sources = SourceMap::default();
        let text = "{\n \"ä\": 1\n}".to_owned();
        let file = sources.add(Role::Global, "a.jsonc".into(), "dir/a.jsonc".into(), text);
        let at = |start, end| Location {
            file,
            span: Span::new(start, end),
        };
        let found = [
            Diagnostic::new(Code::UNKNOWN_KEY, "m")
                .at(at(3, 7), "here")
                .related(at(0, 1), "there")
                .note("n")
                .help("h"),
            Diagnostic::new(Code::TABLE_TOO_LARGE, "no place"),
        ];
        assert_eq!(
            render_json(&found, &sources),
            json!({"schema": "permc/diagnostics/1", "diagnostics": [
                {"code": "PC0101", "name": "unknown-key", "severity": "error", "message": "m", "file": "dir/a.jsonc",
                 "line": 2, "column": 2, "endLine": 2, "endColumn": 5, "label": "here",
                 "related": [{"message": "there", "file": "dir/a.jsonc", "line": 1, "column": 1, "endLine": 1, "endColumn": 2}],
                 "notes": ["n"], "helps": ["h"]},
                {"code": "PC0603", "name": "table-too-large", "severity": "error", "message": "no place", "file": null,
                 "line": null, "column": null, "endLine": null, "endColumn": null, "label": null, "related": [],
                 "notes": [], "helps": []},
            ]})
        );
    }
}
