//! JSON lines from standard input, and what is said about a bad one.

use permc_runtime::Policy;
use serde_json::{Value, json};

use super::console::Console;
use super::failure::Failure;
use super::query::write_answer;
use super::text::shown;

/// Bytes of input that are read at once.
const BUFFER: usize = 64 * 1024;
/// The longest line that is looked at.
const LONGEST: usize = 16 * 1024 * 1024;

/// What is wrong with a line, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadLine {
    pub(crate) message: String,
    /// Counted in characters, from 1.
    pub(crate) column: Option<usize>,
}

impl BadLine {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            column: None,
        }
    }
}

/// The text of a line that should be JSON.
pub(crate) fn line_text(line: &[u8]) -> Result<&str, BadLine> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let valid = line.get(..error.valid_up_to()).unwrap_or_default();
        let before = String::from_utf8_lossy(valid).chars().count();
        BadLine {
            message: "the line is not UTF-8".to_owned(),
            column: Some(before.saturating_add(1)),
        }
    })?;
    if permc_runtime::trim(text).is_empty() {
        return Err(BadLine::new("the line is blank; a JSON object is wanted"));
    }
    Ok(text)
}

pub(crate) fn bad_json(text: &str, error: &serde_json::Error) -> BadLine {
    let full = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = full.strip_suffix(&place).unwrap_or(&full);
    let message = if message.starts_with("expected ") && error.is_syntax() {
        format!("not a JSON object: {message}")
    } else {
        message.to_owned()
    };
    // The library counts bytes; people and editors count characters.
    let characters = text
        .char_indices()
        .take_while(|(offset, _)| *offset < error.column())
        .count();
    BadLine {
        message,
        column: (error.column() > 0).then_some(characters.max(1)),
    }
}

pub(crate) fn servers(policy: &Policy) -> Vec<String> {
    let contents = policy.contents();
    contents
        .map(|contents| contents.servers().map(str::to_owned).collect())
        .unwrap_or_default()
}

pub(crate) fn write_bad(bad: &BadLine, is_json: bool, answer: &mut Vec<u8>) {
    if is_json {
        let mut error = json!({"message": bad.message});
        if let (Value::Object(fields), Some(column)) = (&mut error, bad.column) {
            fields.insert("column".to_owned(), column.into());
        }
        write_answer(answer, &json!({ "error": error }));
    } else {
        let place = bad
            .column
            .map(|column| format!(" (column {column})"))
            .unwrap_or_default();
        answer.extend(format!("error: {}{place}\n", shown(&bad.message)).into_bytes());
    }
}

/// Standard input, line by line.
pub(crate) struct Lines {
    buffer: Vec<u8>,
    /// The part of `buffer` that is read but not yet given out.
    start: usize,
    end: usize,
    /// The line in the making, or the one that was given out.
    line: Vec<u8>,
    at_end: bool,
}

impl Lines {
    pub(crate) fn new() -> Self {
        Self {
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            line: Vec::new(),
            at_end: false,
        }
    }

    /// The next line without its end; too long a line is read to its end and given as an error.
    pub(crate) fn next(
        &mut self,
        console: &mut Console<'_, '_>,
    ) -> Result<Option<Result<&[u8], BadLine>>, Failure> {
        self.line.clear();
        let (mut is_long, mut any) = (false, false);
        loop {
            if self.start == self.end {
                if self.at_end {
                    break;
                }
                // Whoever writes may wait for an answer before the next line.
                console.flush()?;
                self.start = 0;
                self.end = console.read(&mut self.buffer)?.min(self.buffer.len());
                self.at_end = self.end == 0;
                continue;
            }
            let rest = self.buffer.get(self.start..self.end).unwrap_or_default();
            let newline = rest.iter().position(|byte| *byte == b'\n');
            let part = rest
                .get(..newline.unwrap_or(rest.len()))
                .unwrap_or_default();
            any = true;
            is_long |= self.line.len().saturating_add(part.len()) > LONGEST;
            if is_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(part);
            }
            self.start = self.start.saturating_add(part.len());
            if newline.is_some() {
                self.start = self.start.saturating_add(1);
                break;
            }
        }
        Ok(if is_long {
            Some(Err(BadLine::new("the line is longer than 16 MiB")))
        } else {
            any.then_some(Ok(self.line.as_slice()))
        })
    }
}
