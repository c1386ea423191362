//! Front matter of Markdown agent files: the YAML between the first line `---` and the next one, as a spanned tree.
//!
//! The tree is that of [`jsonc`](permc_grammar::jsonc), with order and duplicate keys kept and all spans in the whole file,
//! so that one set of checks serves both kinds of agent file. Plain scalars get the types of the YAML 1.2 core schema; keys
//! are always text. Only maps, lists and scalars are accepted: an anchor, alias, tag, merge key, second document or a key
//! that is not text is an error, since a reviewer could overlook what it does.

use crate::diagnostic::{Code, quote};
use permc_grammar::jsonc::Value;
use permc_grammar::limits::Limits;
use permc_grammar::span::Span;

mod build;
mod scalar;

/// Why front matter could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatterError {
    /// The diagnostic's code.
    pub code: Code,
    /// The place in the whole file.
    pub span: Span,
    /// The sentence that names the thing.
    pub message: String,
    /// The way out.
    pub help: String,
}

/// Reads the front matter of a Markdown file; `None` where the file has none.
///
/// # Errors
///
/// [`FrontMatterError`] where the front matter does not end, does not start on the first line, is not well-formed YAML, uses
/// more of YAML than plain maps, lists and scalars, or exceeds the limits. Never panics, whatever the text.
///
/// # Complexity
///
/// O(length of the text).
///
/// # Example
///
/// ```
/// use permc::front_matter::extract;
/// use permc_grammar::limits::Limits;
///
/// let text = "---\npermission:\n  bash: ask\n---\n# Reviewer\n";
/// assert!(extract(text, &Limits::default()).unwrap().is_some());
/// assert_eq!(extract("# Reviewer\n", &Limits::default()), Ok(None));
/// ```
pub fn extract(text: &str, limits: &Limits) -> Result<Option<Value>, FrontMatterError> {
    if text.len() > limits.max_bytes {
        return Err(FrontMatterError {
            code: Code::FILE_TOO_LARGE,
            span: Span::new(0, 0),
            message: format!(
                "the file is larger than the limit of {} bytes",
                limits.max_bytes
            ),
            help: "an agent's file holds rules and a prompt; move everything else out of it"
                .to_owned(),
        });
    }
    let start = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut lines = lines(text, start);
    let Some(opening) = lines.next().filter(|line| is_fence(text, *line)) else {
        return misplaced(text, start);
    };
    let Some(closing) = lines.find(|line| is_fence(text, *line)) else {
        return Err(FrontMatterError {
            code: Code::UNTERMINATED_FRONT_MATTER,
            span: Span::new(opening.start, opening.start.saturating_add(3)),
            message: "the front matter that starts here does not end".to_owned(),
            help: "end it with a line that holds only `---`".to_owned(),
        });
    };
    let inner = Span::new(opening.end, closing.start);
    build::build(text, inner, limits).map(Some)
}

/// The lines from `start` on with their ends included.
fn lines(text: &str, start: usize) -> impl Iterator<Item = Span> + '_ {
    text.get(start..)
        .unwrap_or_default()
        .split_inclusive('\n')
        .scan(start, |at, line| {
            let span = Span::new(*at, at.saturating_add(line.len()));
            *at = span.end;
            Some(span)
        })
}

/// Whether a line is `---`, blanks after it allowed.
fn is_fence(text: &str, line: Span) -> bool {
    text.get(line.start..line.end)
        .and_then(|line| line.strip_prefix("---"))
        .is_some_and(|rest| rest.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n')))
}

/// A file without front matter; an error where its first text would be front matter on the first line.
///
/// A ruler at the start of an ordinary text is no error: only a pair of `---` lines with `permission` between them is.
fn misplaced(text: &str, start: usize) -> Result<Option<Value>, FrontMatterError> {
    let line_text = |line: Span| text.get(line.start..line.end).unwrap_or_default();
    let mut lines = lines(text, start).skip_while(|line| line_text(*line).trim().is_empty());
    let opening = lines.next().filter(|line| line_text(*line).trim() == "---");
    let Some(opening) = opening else {
        return Ok(None);
    };
    let mut mentioned = false;
    for line in lines {
        let line = line_text(line).trim();
        if line == "---" && mentioned {
            return Err(FrontMatterError {
                code: Code::MISPLACED_FRONT_MATTER,
                span: Span::new(opening.start, opening.end),
                message: "front matter does not start on the first line and would be ignored"
                    .to_owned(),
                help: "remove the blank lines and blanks before the first `---`".to_owned(),
            });
        }
        if line == "---" {
            return Ok(None);
        }
        let head = line.split(':').next().unwrap_or_default();
        let head = head.trim().trim_matches(['"', '\'']);
        mentioned |= head == "permission" || crate::suggest::is_near_miss(head, "permission");
    }
    Ok(None)
}

/// An error about the characters of `span`.
fn refused(span: Span, what: &str, help: &str) -> FrontMatterError {
    FrontMatterError {
        code: Code::FRONT_MATTER_FEATURE,
        span,
        message: format!("front matter may not use {what}"),
        help: help.to_owned(),
    }
}

/// The help for a text that YAML reads as something else: quote it.
fn quote_it(word: &str) -> String {
    let word = quote(word);
    let word = word.trim_matches('`');
    format!("to mean the text, put it in quotes: `\"{word}\"`")
}
