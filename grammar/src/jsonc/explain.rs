//! From "these rules failed at this offset" to what a person would say.
//!
//! Only runs once a document is known to be wrong, so it may look at the text
//! again as often as it likes.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::string;
use crate::error::{Kind, SyntaxError, quote};
use crate::limits::{Token, Tokens};
use crate::rules::jsonc::Rule;
use crate::span::Span;

/// Explains a parser failure; `base` is where the parser's text starts in `text`.
pub(super) fn explain(text: &str, base: usize, error: &Error<Rule>) -> SyntaxError {
    let local = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let at = base.saturating_add(local);
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return SyntaxError::new(Kind::OutOfStack, Span::new(at, at));
    };
    let failure = Failure {
        text,
        at,
        wanted: Wanted::all(positives),
    };
    failure.explain()
}

/// What can stand at a place, in the order in which a message lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    Key,
    Value,
    Colon,
    Comma,
    CloseBrace,
    CloseBracket,
    End,
}

impl Wanted {
    fn all(rules: &[Rule]) -> Vec<Self> {
        let mut wanted: Vec<Self> = rules.iter().filter_map(|rule| Self::of(*rule)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    fn of(rule: Rule) -> Option<Self> {
        match rule {
            Rule::key | Rule::member => Some(Self::Key),
            Rule::document
            | Rule::value
            | Rule::object
            | Rule::array
            | Rule::string
            | Rule::number
            | Rule::boolean
            | Rule::null => Some(Self::Value),
            Rule::colon => Some(Self::Colon),
            Rule::comma => Some(Self::Comma),
            Rule::close_brace => Some(Self::CloseBrace),
            Rule::close_bracket => Some(Self::CloseBracket),
            Rule::EOI => Some(Self::End),
            _ => None,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Key => "a key in double quotes",
            Self::Value => "a value",
            Self::Colon => "\":\"",
            Self::Comma => "\",\"",
            Self::CloseBrace => "\"}\"",
            Self::CloseBracket => "\"]\"",
            Self::End => "the end of the file",
        }
    }
}

struct Failure<'t> {
    text: &'t str,
    at: usize,
    wanted: Vec<Wanted>,
}

impl<'t> Failure<'t> {
    fn explain(&self) -> SyntaxError {
        let Some(first) = self.rest().chars().next() else {
            return self.at_end();
        };
        self.bad_lexeme(first)
            .or_else(|| self.bad_word(first))
            .unwrap_or_else(|| self.unexpected(first))
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn wants(&self, what: Wanted) -> bool {
        self.wanted.contains(&what)
    }

    fn error(&self, kind: Kind, length: usize) -> SyntaxError {
        let span = Span::new(self.at, self.at.saturating_add(length));
        SyntaxError::new(kind, span)
    }

    /// The text stops too early.
    fn at_end(&self) -> SyntaxError {
        let open = self.innermost_open();
        if open.is_none() && self.wants(Wanted::Value) {
            return SyntaxError::new(Kind::EmptyDocument, Span::new(0, 0));
        }
        // The blank lines that most files end with are not where anyone would look.
        let at = self.text.trim_end_matches([' ', '\t', '\r', '\n']).len();
        let kind = self.unexpected_kind("the end of the file".to_owned(), None);
        let error = SyntaxError::new(kind, Span::new(at, at));
        match open {
            Some(open) => error.with_related(open, "opened here and not closed"),
            None => error,
        }
    }

    /// Faults inside a token, or characters that no token starts with.
    fn bad_lexeme(&self, first: char) -> Option<SyntaxError> {
        let rest = self.rest();
        let wants_string = self.wants(Wanted::Key) || self.wants(Wanted::Value);
        match first {
            '"' if wants_string => string::read(self.text, self.at).err(),
            '/' if rest.starts_with("/*") => Some(self.error(Kind::UnclosedComment, 2)),
            '/' if rest.starts_with("//") => {
                let length = rest.find('\r').unwrap_or(0);
                let at = self.at.saturating_add(length);
                let span = Span::new(at, at.saturating_add(1));
                Some(SyntaxError::new(Kind::LoneReturn, span))
            }
            '\'' | '`' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => {
                Some(self.error(Kind::OtherQuotes(first), first.len_utf8()))
            }
            '#' => Some(self.error(Kind::HashComment, 1)),
            _ if first.is_whitespace() || first.is_control() || first == '\u{feff}' => {
                Some(self.error(Kind::NotWhitespace(first), first.len_utf8()))
            }
            _ => None,
        }
    }

    /// Words and numbers that other languages would take.
    fn bad_word(&self, first: char) -> Option<SyntaxError> {
        let word = self.word();
        let owned = || word.to_owned();
        let kind = if word.is_empty() {
            return None;
        } else if self.wants(Wanted::Key) {
            Kind::BareKey(owned())
        } else if !self.wants(Wanted::Value) {
            return None;
        } else if let Some(instead) = json_word(word) {
            Kind::NotAValue {
                word: owned(),
                instead: Some(instead),
            }
        } else if first.is_ascii_digit() || matches!(first, '-' | '+' | '.') {
            Kind::BadNumber(owned())
        } else {
            Kind::NotAValue {
                word: owned(),
                instead: None,
            }
        };
        Some(self.error(kind, word.len()))
    }

    /// The right kind of thing in the wrong place.
    fn unexpected(&self, first: char) -> SyntaxError {
        let word = self.word();
        let (found, length) = if first == '"' {
            let end = string::read(self.text, self.at).map(|string| string.span.end);
            let token = end.ok().and_then(|end| self.text.get(self.at..end));
            match token {
                Some(token) => (quote(token), token.len()),
                None => ("a string".to_owned(), 1),
            }
        } else if word.is_empty() {
            let length = first.len_utf8();
            match first {
                '{' | '}' | '[' | ']' | ',' | ':' => (format!("\"{first}\""), length),
                _ => (quote(first.encode_utf8(&mut [0; 4])), length),
            }
        } else {
            (quote(word), word.len())
        };
        if self.wanted == [Wanted::End] {
            return self.error(Kind::Trailing { found }, length);
        }
        let starts_item = matches!(first, '"' | '{' | '[') || !word.is_empty();
        let lacks_comma = starts_item && self.wants(Wanted::Comma);
        let help = match first {
            _ if lacks_comma => Some("add a comma between the two"),
            ',' if self.wants(Wanted::Key) || self.wants(Wanted::Value) => {
                Some("remove the comma, or write what is missing before it")
            }
            _ if self.wants(Wanted::Colon) => Some("a key is followed by a colon and a value"),
            _ => None,
        };
        let error = self.error(self.unexpected_kind(found, help), length);
        if lacks_comma {
            let end = self.end_of_previous();
            return error.with_related(Span::new(end, end), "the comma is missing here");
        }
        match self.innermost_open() {
            Some(open) if matches!(first, '}' | ']') && !self.closes(open, first) => {
                error.with_related(open, "opened here")
            }
            _ => error,
        }
    }

    fn unexpected_kind(&self, found: String, help: Option<&'static str>) -> Kind {
        let words: Vec<&str> = self.wanted.iter().map(|wanted| wanted.words()).collect();
        let expected = match words.as_slice() {
            [] => "something else".to_owned(),
            [one] => (*one).to_owned(),
            [most @ .., last] => format!("{} or {last}", most.join(", ")),
        };
        Kind::Unexpected {
            expected,
            found,
            help,
        }
    }

    /// The run of characters at the failure that a person would read as one word.
    fn word(&self) -> &'t str {
        let rest = self.rest();
        let ends = |character: char| {
            !(character.is_alphanumeric() || matches!(character, '_' | '$' | '.' | '+' | '-'))
        };
        let length = rest.find(ends).unwrap_or(rest.len());
        rest.get(..length).unwrap_or("")
    }

    /// The innermost bracket that is open at the failure.
    fn innermost_open(&self) -> Option<Span> {
        let mut open = Vec::new();
        for token in Tokens::new(self.text) {
            match token {
                Token::Open(offset) if offset < self.at => open.push(offset),
                Token::Close(offset) if offset < self.at => {
                    open.pop();
                }
                Token::Comment(_) => {}
                Token::Open(_) | Token::Close(_) => break,
            }
        }
        let start = open.pop()?;
        Some(Span::new(start, start.saturating_add(1)))
    }

    fn closes(&self, open: Span, close: char) -> bool {
        let open = self.text.get(open.start..open.end);
        matches!((open, close), (Some("{"), '}') | (Some("["), ']'))
    }

    /// Where the last token before the failure ends.
    fn end_of_previous(&self) -> usize {
        let comments: Vec<Span> = Tokens::new(self.text)
            .filter_map(|token| match token {
                Token::Comment(span) if span.end <= self.at => Some(span),
                _ => None,
            })
            .collect();
        let mut end = self.at;
        let mut behind = comments.iter().rev();
        loop {
            let before = self.text.get(..end).unwrap_or("");
            end = before.trim_end_matches([' ', '\t', '\r', '\n']).len();
            match behind.next() {
                Some(comment) if comment.end == end => end = comment.start,
                _ => return end,
            }
        }
    }
}

/// What JSON writes for a word of another language.
fn json_word(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "true" => Some("true"),
        "false" => Some("false"),
        "null" | "none" | "nil" | "undefined" => Some("null"),
        "nan" | "infinity" | "-infinity" | "+infinity" => Some("null"),
        _ => None,
    }
}
