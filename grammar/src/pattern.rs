//! Wildcard patterns: `*` for any run of characters, `?` for exactly one, everything
//! else for itself.
//!
//! This module gives a pattern its shape only. What it matches, and what a home
//! directory is, are the business of whoever reads the tree.

use pest::Parser;
use pest::iterators::Pair;

use crate::error::{Kind, SyntaxError};
use crate::rules::pattern::{PatternParser, Rule};
use crate::span::Span;

/// The longest pattern text in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// A parsed wildcard pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// Where the first element starts to match.
    pub anchor: Anchor,
    /// The parts, in order; two literals or two runs are never neighbors.
    pub elements: Vec<Element>,
    /// Whether the text ends in a space and exactly one `*`, a tail that may be absent
    /// from a value. The tail is part of `elements` all the same.
    pub optional_tail: bool,
}

/// What stands before the first element of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// Nothing: the elements are the whole pattern.
    Start,
    /// The user's home directory: the elements are what follows it, either nothing or
    /// something that starts with `/`.
    Home,
}

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Text that matches itself, as long as possible.
    Literal(String),
    /// `?`: exactly one character.
    AnyChar,
    /// `*` or several of them: any run of characters, the empty one included.
    AnyRun,
}

/// Whether a leading `~`, `$HOME` or `${HOME}` stands for the home directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HomeMode {
    /// It does, if nothing or a `/` follows.
    Expand,
    /// It is literal text like any other.
    Literal,
}

/// Parses a wildcard pattern.
///
/// # Errors
///
/// The text is empty, or longer than 1 MiB. Every other text is a pattern.
///
/// # Complexity
///
/// O(bytes of the text).
///
/// # Example
///
/// ```
/// use permc_grammar::pattern::{Anchor, Element, HomeMode, parse};
///
/// let pattern = parse("~/*.rs", HomeMode::Expand)?;
/// assert_eq!(pattern.anchor, Anchor::Home);
/// let literal = |text: &str| Element::Literal(text.to_owned());
/// assert_eq!(pattern.elements, [literal("/"), Element::AnyRun, literal(".rs")]);
/// assert!(parse("git *", HomeMode::Literal)?.optional_tail);
/// # Ok::<(), permc_grammar::error::SyntaxError>(())
/// ```
pub fn parse(text: &str, home: HomeMode) -> Result<Pattern, SyntaxError> {
    let whole = Span::new(0, text.len());
    if text.is_empty() {
        return Err(SyntaxError::new(Kind::EmptyPattern, whole));
    }
    if text.len() > MAX_BYTES {
        let kind = Kind::TooLarge {
            what: "pattern",
            bytes: text.len(),
            max: MAX_BYTES,
        };
        return Err(SyntaxError::new(kind, whole));
    }
    let rule = match home {
        HomeMode::Expand => Rule::portable,
        HomeMode::Literal => Rule::verbatim,
    };
    // The grammar takes every text, so a failure can only be one of resources.
    let parts = PatternParser::parse(rule, text)
        .map_err(|_| SyntaxError::new(Kind::OutOfStack, whole))?
        .flat_map(Pair::into_inner);

    let mut anchor = Anchor::Start;
    let mut elements = Vec::new();
    for part in parts {
        match part.as_rule() {
            Rule::home => anchor = Anchor::Home,
            Rule::any_run => elements.push(Element::AnyRun),
            Rule::any_char => elements.push(Element::AnyChar),
            Rule::literal => elements.push(Element::Literal(part.as_str().to_owned())),
            _ => {}
        }
    }
    Ok(Pattern {
        anchor,
        elements,
        optional_tail: text.ends_with(" *"),
    })
}
