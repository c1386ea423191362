//! Bounds on a document that hold before any parser runs.
//!
//! Parsing recurses once per bracket, so the depth has to be known first. One
//! linear scan finds it; the scan knows just enough of strings and comments not
//! to count the brackets inside them, and leaves every other mistake to the parser.

use crate::error::{Kind, SyntaxError};
use crate::span::Span;

/// The greatest depth that [`Limits::max_depth`] can set: what recursion is safe
/// for on the smallest stack that a thread has by default.
pub(crate) const DEEPEST: usize = 256;

/// How large and how deeply nested a document may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest size in bytes.
    pub max_bytes: usize,
    /// The deepest nesting of objects and arrays; more than 256 counts as 256.
    pub max_depth: usize,
}

impl Default for Limits {
    /// 16 MiB and 128 levels.
    fn default() -> Self {
        Self {
            max_bytes: 16 * 1024 * 1024,
            max_depth: 128,
        }
    }
}

/// Checks a document against the limits, and nothing else about it.
///
/// # Errors
///
/// The document is larger than `max_bytes`, or a bracket opens a level deeper than
/// `max_depth`; the error then stands at that bracket.
///
/// # Complexity
///
/// O(bytes of the text), and no more memory than `max_depth` entries.
///
/// # Example
///
/// ```
/// use permc_grammar::limits::{Limits, check};
///
/// let limits = Limits { max_depth: 2, ..Limits::default() };
/// assert!(check("[[ /* [[[ */ \"[[[\" ]]", &limits).is_ok());
/// assert!(check("[[[]]]", &limits).is_err_and(|error| error.is_too_deep()));
/// ```
pub fn check(text: &str, limits: &Limits) -> Result<(), SyntaxError> {
    if text.len() > limits.max_bytes {
        let kind = Kind::TooLarge {
            what: "document",
            bytes: text.len(),
            max: limits.max_bytes,
        };
        return Err(SyntaxError::new(kind, Span::new(0, 0)));
    }
    let max = limits.max_depth.min(DEEPEST);
    let mut depth = 0_usize;
    for token in Tokens::new(text) {
        match token {
            Token::Open(offset) => {
                depth = depth.saturating_add(1);
                if depth > max {
                    let span = Span::new(offset, offset.saturating_add(1));
                    return Err(SyntaxError::new(Kind::TooDeep { max }, span));
                }
            }
            Token::Close(_) => depth = depth.saturating_sub(1),
            Token::Comment(_) => {}
        }
    }
    Ok(())
}

/// What the scan tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Open(usize),
    Close(usize),
    /// A complete comment, without its line end.
    Comment(Span),
}

/// Brackets and comments in order, up to the first place that no document gets
/// past: a string or comment that does not end, or a single quote.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 0,
        }
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.bytes.get(from..).unwrap_or(&[])
    }

    /// Moves behind the string whose opening quote was just read.
    fn skip_string(&mut self) -> Option<()> {
        loop {
            let length = self
                .rest(self.at)
                .iter()
                .position(|byte| matches!(byte, b'"' | b'\\' | b'\n'))?;
            let found = self.at.checked_add(length)?;
            match self.bytes.get(found)? {
                b'"' => {
                    self.at = found.checked_add(1)?;
                    return Some(());
                }
                b'\\' => self.at = found.checked_add(2)?,
                _ => return None,
            }
        }
    }

    /// Moves behind the comment whose `/` stands at `start`.
    fn skip_comment(&mut self, start: usize) -> Option<Token> {
        let body = start.checked_add(2)?;
        let end = match self.bytes.get(start.checked_add(1)?)? {
            b'/' => {
                let rest = self.rest(body);
                let length = rest.iter().position(|byte| *byte == b'\n');
                let line = rest.get(..length.unwrap_or(rest.len()))?;
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                body.checked_add(line.len())?
            }
            b'*' => {
                let length = self.rest(body).windows(2).position(|pair| pair == b"*/")?;
                body.checked_add(length)?.checked_add(2)?
            }
            _ => return None,
        };
        self.at = end;
        Some(Token::Comment(Span::new(start, end)))
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let length = self
                .rest(self.at)
                .iter()
                .position(|byte| matches!(byte, b'"' | b'/' | b'\'' | b'[' | b'{' | b']' | b'}'));
            // From a failure on, `at` no longer moves; the end is where it stays.
            let Some(found) = length.and_then(|length| self.at.checked_add(length)) else {
                self.at = self.bytes.len();
                return None;
            };
            self.at = found.saturating_add(1);
            let token = match self.bytes.get(found) {
                Some(b'[' | b'{') => Some(Token::Open(found)),
                Some(b']' | b'}') => Some(Token::Close(found)),
                Some(b'/') => self.skip_comment(found),
                Some(b'"') if self.skip_string().is_some() => continue,
                _ => None,
            };
            if token.is_none() {
                self.at = self.bytes.len();
            }
            return token;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(max_bytes: usize, max_depth: usize) -> Limits {
        Limits {
            max_bytes,
            max_depth,
        }
    }

    #[test]
    fn the_size_limit_is_inclusive() {
        assert!(check("[  ]", &limits(4, 9)).is_ok());
        let error = check("[   ]", &limits(4, 9)).unwrap_err();
        assert!(error.is_too_large() && !error.is_too_deep());
        assert_eq!(
            error.message(),
            "the document has 5 bytes, more than the limit of 4"
        );
    }

    #[test]
    fn the_depth_limit_is_inclusive_and_names_the_bracket() {
        assert!(check("[{}, {}]", &limits(99, 2)).is_ok());
        let error = check("[{}, {\"a\": []}]", &limits(99, 2)).unwrap_err();
        assert!(error.is_too_deep() && !error.is_too_large());
        assert_eq!(error.span(), Span::new(11, 12));
        assert_eq!(
            error.message(),
            "nesting is deeper than the limit of 2 levels"
        );
    }

    #[test]
    fn brackets_in_strings_and_comments_do_not_count() {
        for text in [
            r#"["[[[", "\"[[[", "\\"]"#,
            "[// [[[\n]",
            "[/* [[[ \" */]",
            "[\"// \", []]",
        ] {
            assert!(check(text, &limits(99, 2)).is_ok(), "{text}");
        }
        for text in [
            r#"["\\", [["#,
            "[// \"\n[[",
            "[/* \" */[[",
            "[\"/*\", [[",
            "[/**/[[",
        ] {
            assert!(check(text, &limits(99, 2)).is_err(), "{text}");
        }
    }

    #[test]
    fn a_depth_beyond_what_is_safe_is_capped() {
        let deep = |depth: usize| "[".repeat(depth);
        let all = limits(usize::MAX, usize::MAX);
        assert!(check(&deep(256), &all).is_ok());
        assert!(check(&deep(257), &all).is_err());
    }

    #[test]
    fn comments_come_without_their_line_end() {
        let text = "// a\r\n/* b\n*/ //";
        let comments: Vec<&str> = Tokens::new(text)
            .filter_map(|token| match token {
                Token::Comment(span) => text.get(span.start..span.end),
                _ => None,
            })
            .collect();
        assert_eq!(comments, ["// a", "/* b\n*/", "//"]);
    }
}
