//! From YAML events to the tree, with an explicit stack: hostile nesting costs neither the stack nor much time.

use super::{FrontMatterError, quote_it, refused, scalar};
use crate::diagnostic::Code;
use permc_grammar::jsonc::{Member, Value, ValueKind};
use permc_grammar::limits::Limits;
use permc_grammar::span::{Span, Spanned};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};

/// Reads the YAML of `inner`, a part of `text`.
pub(super) fn build(text: &str, inner: Span, limits: &Limits) -> Result<Value, FrontMatterError> {
    let yaml = text.get(inner.start..inner.end).unwrap_or_default();
    let places = Places::new(yaml, inner.start);
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<Value> = None;
    let mut documents = 0_usize;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|error| syntax(yaml, &places, &error, limits))?;
        let span = Span::new(places.offset(span.start), places.offset(span.end));
        let value = match event {
            Event::DocumentStart(_) => {
                documents = documents.saturating_add(1);
                if documents > 1 {
                    let help = "keep one document between the two `---` lines";
                    return Err(refused(span, "a second document", help));
                }
                continue;
            }
            Event::Alias(_) => return Err(alias(text, span)),
            Event::Scalar(content, style, anchor, tag) => {
                check_properties(text, span, anchor, tag.is_some())?;
                Some(leaf(&open, &content, style, span)?)
            }
            Event::SequenceStart(anchor, tag) | Event::MappingStart(anchor, tag)
                if anchor > 0 || tag.is_some() =>
            {
                check_properties(text, span, anchor, tag.is_some())?;
                None
            }
            Event::SequenceStart(..) => {
                push(&mut open, Open::list(span), limits)?;
                None
            }
            Event::MappingStart(..) => {
                push(&mut open, Open::map(span), limits)?;
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|open| open.close(text, span)),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => None,
        };
        if let Some(value) = value {
            match open.last_mut() {
                Some(parent) => parent.add(value)?,
                None => root = Some(value),
            }
        }
    }
    Ok(root.unwrap_or(Value {
        kind: ValueKind::Null,
        span: Span::new(inner.start, inner.start),
    }))
}

/// A map or list that has not ended.
struct Open {
    start: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    Map(Vec<Member>, Option<Spanned<String>>),
}

impl Open {
    fn list(span: Span) -> Self {
        Self {
            start: span.start,
            content: Content::List(Vec::new()),
        }
    }

    fn map(span: Span) -> Self {
        Self {
            start: span.start,
            content: Content::Map(Vec::new(), None),
        }
    }

    fn wants_key(&self) -> bool {
        matches!(self.content, Content::Map(_, None))
    }

    fn add(&mut self, value: Value) -> Result<(), FrontMatterError> {
        match &mut self.content {
            Content::List(items) => items.push(value),
            Content::Map(members, waiting) => match (waiting.take(), value.kind) {
                (Some(key), kind) => {
                    // An absent value has no place of its own: point at its key.
                    let absent = kind == ValueKind::Null && value.span.start >= value.span.end;
                    let span = if absent { key.span } else { value.span };
                    members.push(Member {
                        key,
                        value: Value { kind, span },
                    });
                }
                (None, ValueKind::String(key)) => *waiting = Some(Spanned::new(key, value.span)),
                (None, _) => return Err(complex_key(value.span)),
            },
        }
        Ok(())
    }

    /// The finished value. A block ends with its last part, a flow collection with its bracket.
    fn close(self, text: &str, end: Span) -> Value {
        let flow = text
            .get(self.start..)
            .is_some_and(|rest| rest.starts_with(['[', '{']));
        let last = match &self.content {
            Content::List(items) => items.last().map(|item| item.span.end),
            Content::Map(members, _) => members.last().map(|member| member.value.span.end),
        };
        let end = if flow { Some(end.end) } else { last };
        let kind = match self.content {
            Content::List(items) => ValueKind::Array(items),
            Content::Map(members, _) => ValueKind::Object(members),
        };
        let end = end.unwrap_or(self.start).max(self.start);
        Value {
            kind,
            span: Span::new(self.start, end),
        }
    }
}

fn push(open: &mut Vec<Open>, next: Open, limits: &Limits) -> Result<(), FrontMatterError> {
    let span = Span::new(next.start, next.start.saturating_add(1));
    if open.last().is_some_and(Open::wants_key) {
        return Err(complex_key(span));
    }
    if open.len() >= limits.max_depth {
        return Err(too_deep(span, limits));
    }
    open.push(next);
    Ok(())
}

fn too_deep(span: Span, limits: &Limits) -> FrontMatterError {
    FrontMatterError {
        code: Code::NESTED_TOO_DEEP,
        span,
        message: format!(
            "front matter is nested deeper than {} levels",
            limits.max_depth
        ),
        help: "rules need no more than three levels: `permission`, surface, pattern".to_owned(),
    }
}

fn complex_key(span: Span) -> FrontMatterError {
    let help = "a pattern that starts with `[` or `{` has to be put in quotes";
    refused(span, "a list or map as a key", help)
}

fn leaf(
    open: &[Open],
    content: &str,
    style: ScalarStyle,
    span: Span,
) -> Result<Value, FrontMatterError> {
    let is_plain = style == ScalarStyle::Plain;
    let is_key = open.last().is_some_and(Open::wants_key);
    if is_key && is_plain && content == "<<" {
        return Err(refused(span, "a merge key", &quote_it("<<")));
    }
    let kind = if is_plain && !is_key {
        scalar::plain(content)
    } else {
        ValueKind::String(content.to_owned())
    };
    Ok(Value { kind, span })
}

fn check_properties(
    text: &str,
    span: Span,
    anchor: usize,
    tagged: bool,
) -> Result<(), FrontMatterError> {
    if anchor == 0 && !tagged {
        return Ok(());
    }
    let (word, length) = word_at(text, span.start);
    let what = if tagged { "a tag" } else { "an anchor" };
    let span = Span::new(span.start, span.start.saturating_add(length));
    Err(refused(span, what, &quote_it(&word)))
}

fn alias(text: &str, span: Span) -> FrontMatterError {
    let (word, length) = word_at(text, span.start);
    let span = Span::new(span.start, span.start.saturating_add(length));
    refused(span, "an alias", &quote_it(&word))
}

/// The text that somebody probably meant at an offset: up to `: `, a comment or the end of the line.
fn word_at(text: &str, start: usize) -> (String, usize) {
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let line = line.split(" #").next().unwrap_or_default();
    let word = line.split(": ").next().unwrap_or_default().trim_end();
    let word = word.strip_suffix(':').unwrap_or(word);
    (word.to_owned(), word.len())
}

/// An error of the YAML parser in our words, with the help to quote where a text was taken for an indicator.
fn syntax(yaml: &str, places: &Places<'_>, error: &ScanError, limits: &Limits) -> FrontMatterError {
    let at = places.offset(*error.marker());
    let inner = at.saturating_sub(places.base);
    if error.info().contains("recursion limit") {
        return too_deep(Span::new(at, at), limits);
    }
    if error.info().contains("anchor") {
        // The place may be that of the indicator or just past it.
        let start = yaml
            .get(..inner)
            .and_then(|head| head.strip_suffix(['*', '&']))
            .map_or(inner, str::len);
        let (word, length) = word_at(yaml, start);
        if word.starts_with(['*', '&']) {
            let what = if word.starts_with('*') {
                "an alias"
            } else {
                "an anchor"
            };
            let start = start.saturating_add(places.base);
            let span = Span::new(start, start.saturating_add(length));
            return refused(span, what, &quote_it(&word));
        }
    }
    let found = yaml.get(inner..).and_then(|rest| rest.chars().next());
    let length = found.map_or(0, |c| {
        if matches!(c, '\n' | '\r') {
            0
        } else {
            c.len_utf8()
        }
    });
    let help = syntax_help(yaml, inner, error.info());
    FrontMatterError {
        code: Code::FRONT_MATTER_SYNTAX,
        span: Span::new(at, at.saturating_add(length)),
        message: format!("the front matter is not well-formed YAML: {}", error.info()),
        help,
    }
}

/// The way out of a syntax error, from what stands at its place and at the start of its line.
fn syntax_help(yaml: &str, at: usize, info: &str) -> String {
    const INDICATORS: [char; 8] = ['@', '`', '%', '!', '&', '*', '[', '{'];
    let head = yaml.get(..at).unwrap_or_default();
    let line_start = head.rfind('\n').map_or(0, |end| end.saturating_add(1));
    let line = yaml.get(line_start..).unwrap_or_default();
    let text = line.trim_start_matches([' ', '\t']);
    let text_start = line_start.saturating_add(line.len().saturating_sub(text.len()));
    let starts = |at: usize| {
        let rest = yaml.get(at..).unwrap_or_default();
        rest.starts_with(INDICATORS).then(|| word_at(yaml, at).0)
    };
    if let Some(word) = starts(text_start).or_else(|| starts(at)) {
        return quote_it(&word);
    }
    if head
        .get(line_start..)
        .is_some_and(|indent| indent.contains('\t'))
    {
        return "indent with spaces, not with tabs".to_owned();
    }
    if info.contains("mapping values") {
        return "put a text that holds `: ` in double quotes".to_owned();
    }
    "check the indentation, and put texts with special characters in double quotes".to_owned()
}

/// Translates the parser's character counts to byte offsets in the whole file.
struct Places<'t> {
    yaml: &'t str,
    base: usize,
    /// The offset of every [`Places::STEP`]th character; empty for ASCII, where characters are bytes.
    steps: Vec<usize>,
}

impl<'t> Places<'t> {
    const STEP: usize = 256;

    fn new(yaml: &'t str, base: usize) -> Self {
        let steps = if yaml.is_ascii() {
            Vec::new()
        } else {
            yaml.char_indices()
                .step_by(Self::STEP)
                .map(|(offset, _)| offset)
                .collect()
        };
        Self { yaml, base, steps }
    }

    fn offset(&self, marker: Marker) -> usize {
        let index = marker.index();
        let inner = if self.steps.is_empty() {
            index.min(self.yaml.len())
        } else {
            let step = self.steps.get(index / Self::STEP).copied();
            step.map_or(self.yaml.len(), |step| {
                let rest = self.yaml.get(step..).unwrap_or_default();
                rest.char_indices()
                    .nth(index % Self::STEP)
                    .map_or(self.yaml.len(), |(offset, _)| step.saturating_add(offset))
            })
        };
        self.base.saturating_add(inner)
    }
}
