//! JSON with comments and trailing commas, as a tree that keeps what was written.
//!
//! `//` and `/* */` comments, trailing commas and a leading byte order mark are
//! accepted; all else is as strict as RFC 8259. Order, duplicate keys, the source
//! text of numbers and the place of every value and comment are kept, so that
//! whoever gives the tree a meaning can report on any of it.

mod explain;
mod string;

use pest::Parser;
use pest::iterators::{Pair, Pairs};

use crate::error::{Kind, SyntaxError};
use crate::limits::{self, Limits, Token, Tokens};
use crate::rules::jsonc::{JsoncParser, Rule};
use crate::span::{Span, Spanned};

/// A whole document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The one value that it holds.
    pub root: Value,
    /// Its comments in source order, delimiters included, line ends not.
    pub comments: Vec<Span>,
}

/// A value and the place where it stands, brackets and quotes included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The value itself.
    pub kind: ValueKind,
    /// Its place, in bytes of the original text.
    pub span: Span,
}

/// The six types of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    /// A string, with its escapes resolved.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object: its members in source order, duplicate keys included.
    Object(Vec<Member>),
}

impl ValueKind {
    /// The name of the type: `null`, `boolean`, `number`, `string`, `array` or `object`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

/// A key of an object with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The key, with its escapes resolved; the span includes the quotes.
    pub key: Spanned<String>,
    /// The value.
    pub value: Value,
}

/// Parses a document.
///
/// # Errors
///
/// The text breaks a limit, or is not one value in this syntax; the error tells
/// the first place that is wrong.
///
/// # Complexity
///
/// O(bytes of the text), in time and memory; only the parser recurses, bounded by the depth limit.
///
/// # Example
///
/// ```
/// use permc_grammar::jsonc::parse;
/// use permc_grammar::limits::Limits;
///
/// assert!(parse("[1, 2, /* and no more */]", &Limits::default()).is_ok());
///
/// let error = parse("[1 2]", &Limits::default()).unwrap_err();
/// assert_eq!(error.message(), "expected \",\" or \"]\", found `2`");
/// assert_eq!(error.span().start, 3);
/// ```
pub fn parse(text: &str, limits: &Limits) -> Result<Document, SyntaxError> {
    limits::check(text, limits)?;
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let builder = Builder {
        text,
        base: text.len().saturating_sub(body.len()),
    };
    let root = JsoncParser::parse(Rule::document, body)
        .map_err(|error| explain::explain(text, builder.base, &error))?
        .flat_map(Pair::into_inner)
        .next()
        .ok_or_else(unreadable)?;
    let root = builder.build(root)?;
    let comments = Tokens::new(text)
        .filter_map(|token| match token {
            Token::Comment(span) => Some(span),
            Token::Open(_) | Token::Close(_) => None,
        })
        .collect();
    Ok(Document { root, comments })
}

/// Turns parser output into the tree, on a stack of its own: a document as deep as
/// the limit must not need much of the thread's stack.
struct Builder<'t> {
    text: &'t str,
    /// Where the parser's text starts in `text`: behind the byte order mark.
    base: usize,
}

/// An object or array of which some parts are still to be read.
struct Unfinished<'i> {
    parts: Pairs<'i, Rule>,
    span: Span,
    content: Content,
}

enum Content {
    Items(Vec<Value>),
    /// The members so far, and the key whose value comes next.
    Members(Vec<Member>, Option<Spanned<String>>),
}

impl Builder<'_> {
    fn build(&self, root: Pair<'_, Rule>) -> Result<Value, SyntaxError> {
        let mut stack = Vec::new();
        let mut finished = self.enter(root, &mut stack)?;
        loop {
            if let Some(value) = finished.take() {
                match stack.last_mut() {
                    Some(parent) => parent.add(value)?,
                    None => return Ok(value),
                }
            }
            let Some(top) = stack.last_mut() else {
                return Err(unreadable());
            };
            finished = match top.parts.next() {
                None => stack.pop().map(Unfinished::finish),
                Some(part) if part.as_rule() == Rule::value => self.enter(part, &mut stack)?,
                Some(part) if part.as_rule() == Rule::member => {
                    let value = self.member(part, top)?;
                    self.enter(value, &mut stack)?
                }
                Some(_) => None,
            };
        }
    }

    /// Reads a scalar, or puts an object or array on the stack.
    fn enter<'i>(
        &self,
        pair: Pair<'i, Rule>,
        stack: &mut Vec<Unfinished<'i>>,
    ) -> Result<Option<Value>, SyntaxError> {
        let pair = pair.into_inner().next().ok_or_else(unreadable)?;
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::boolean => ValueKind::Bool(pair.as_str() == "true"),
            Rule::null => ValueKind::Null,
            Rule::number => ValueKind::Number(pair.as_str().to_owned()),
            Rule::string => ValueKind::String(string::read(self.text, span.start)?.value),
            rule => {
                let content = match rule {
                    Rule::array => Content::Items(Vec::new()),
                    Rule::object => Content::Members(Vec::new(), None),
                    _ => return Err(unreadable()),
                };
                let parts = pair.into_inner();
                stack.push(Unfinished {
                    parts,
                    span,
                    content,
                });
                return Ok(None);
            }
        };
        Ok(Some(Value { kind, span }))
    }

    /// Notes the key of a member in its object and gives its value back.
    fn member<'i>(
        &self,
        pair: Pair<'i, Rule>,
        object: &mut Unfinished<'i>,
    ) -> Result<Pair<'i, Rule>, SyntaxError> {
        for part in pair.into_inner() {
            match (part.as_rule(), &mut object.content) {
                (Rule::key, Content::Members(_, key)) => {
                    *key = Some(string::read(self.text, self.span(&part).start)?);
                }
                (Rule::value, _) => return Ok(part),
                _ => {}
            }
        }
        Err(unreadable())
    }

    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        Span::new(
            self.base.saturating_add(span.start()),
            self.base.saturating_add(span.end()),
        )
    }
}

impl Unfinished<'_> {
    fn add(&mut self, value: Value) -> Result<(), SyntaxError> {
        match &mut self.content {
            Content::Items(items) => items.push(value),
            Content::Members(members, key) => {
                let key = key.take().ok_or_else(unreadable)?;
                members.push(Member { key, value });
            }
        }
        Ok(())
    }

    fn finish(self) -> Value {
        let kind = match self.content {
            Content::Items(items) => ValueKind::Array(items),
            Content::Members(members, _) => ValueKind::Object(members),
        };
        Value {
            kind,
            span: self.span,
        }
    }
}

/// For parser output that the grammar rules out: refusing is the safe answer.
fn unreadable() -> SyntaxError {
    SyntaxError::new(Kind::Unreadable, Span::new(0, 0))
}
