//! Globs over paths, in the dialect of the globset crate: `*` and `?` inside one component, `**` across components,
//! `{a,b}`, `[a-z]`, and `\` in front of a letter that is meant literally.
//!
//! This module gives a glob its shape; which components there are and what they match is up to whoever reads the tree.

use pest::Parser;
use pest::iterators::Pair;

use crate::error::{Kind, SyntaxError};
use crate::rules::glob::{GlobParser, Rule};
use crate::span::Span;

/// The longest glob in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// The deepest nesting of braces.
const MAX_DEPTH: usize = 32;

/// One part of a glob.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// A character that matches itself.
    Char(char),
    /// The same behind a `\`, or alone in brackets: it is nothing but itself.
    Escaped(char),
    /// `/`
    Separator,
    /// `?`
    AnyChar,
    /// A run of so many stars.
    Stars(usize),
    /// `[a-z]`, `[!a-z]`
    Class(Class),
    /// `{a,b}`: the branches.
    Alternates(Vec<Vec<Self>>),
}

/// A set of characters in brackets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// Whether it stands for all other characters.
    pub negated: bool,
    /// First and last character of each range, in the order of the text.
    pub ranges: Vec<(char, char)>,
}

/// Parses a glob.
///
/// # Errors
///
/// The text is empty or longer than 64 KiB; a brace or bracket is not closed or not opened; braces nest deeper than 32
/// levels; a branch is empty; a range runs backwards; a `\` stands at the end.
///
/// # Complexity
///
/// O(bytes of the text).
///
/// # Example
///
/// ```
/// use permc_grammar::glob::{Item, parse};
///
/// let items = parse("a/**")?;
/// assert_eq!(items, [Item::Char('a'), Item::Separator, Item::Stars(2)]);
/// assert_eq!(parse("a/{b,c").unwrap_err().message(), "the brace of the glob is not closed");
/// # Ok::<(), permc_grammar::error::SyntaxError>(())
/// ```
pub fn parse(text: &str) -> Result<Vec<Item>, SyntaxError> {
    let whole = Span::new(0, text.len());
    if text.is_empty() {
        return Err(SyntaxError::new(Kind::EmptyPattern, whole));
    }
    if text.len() > MAX_BYTES {
        let kind = Kind::TooLarge {
            what: "glob",
            bytes: text.len(),
            max: MAX_BYTES,
        };
        return Err(SyntaxError::new(kind, whole));
    }
    check_depth(text)?;
    let parts = GlobParser::parse(Rule::glob, text)
        .map_err(|_| SyntaxError::new(Kind::OutOfStack, whole))?
        .flat_map(Pair::into_inner)
        .filter(|part| part.as_rule() != Rule::EOI);
    items(parts)
}

/// Bounds the nesting before anything recurses; a brace in brackets counts, too.
fn check_depth(text: &str) -> Result<(), SyntaxError> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => depth = depth.saturating_add(1),
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            let span = Span::new(offset, offset.saturating_add(1));
            return Err(SyntaxError::new(Kind::TooDeep { max: MAX_DEPTH }, span));
        }
    }
    Ok(())
}

fn items<'t>(parts: impl Iterator<Item = Pair<'t, Rule>>) -> Result<Vec<Item>, SyntaxError> {
    let mut items = Vec::new();
    for part in parts {
        let span = Span::new(part.as_span().start(), part.as_span().end());
        let first = Span::new(span.start, span.start.saturating_add(1));
        match part.as_rule() {
            Rule::literal | Rule::comma => items.extend(part.as_str().chars().map(Item::Char)),
            Rule::escape => {
                let escaped = part.as_str().chars().nth(1);
                items.extend(escaped.map(|letter| match letter {
                    '/' => Item::Separator,
                    letter => Item::Escaped(letter),
                }));
            }
            Rule::separator => items.push(Item::Separator),
            Rule::any_char => items.push(Item::AnyChar),
            Rule::any_run => items.push(Item::Stars(part.as_str().len())),
            Rule::class => items.push(class(part)?),
            Rule::alternates => {
                let branches = part.into_inner();
                let branches = branches.map(|branch| branch_items(branch, span));
                items.push(Item::Alternates(branches.collect::<Result<_, _>>()?));
            }
            Rule::UNOPENED => return Err(SyntaxError::new(Kind::UnopenedBrace, first)),
            Rule::UNCLOSED_BRACE => return Err(SyntaxError::new(Kind::UnclosedBrace, first)),
            Rule::UNCLOSED_CLASS => return Err(SyntaxError::new(Kind::UnclosedClass, first)),
            Rule::DANGLING => return Err(SyntaxError::new(Kind::DanglingEscape, first)),
            _ => return Err(SyntaxError::new(Kind::Unreadable, span)),
        }
    }
    Ok(items)
}

fn branch_items(branch: Pair<'_, Rule>, braces: Span) -> Result<Vec<Item>, SyntaxError> {
    let items = items(branch.into_inner())?;
    if items.is_empty() {
        // globset drops such a branch without a word; in shells it stands for nothing.
        return Err(SyntaxError::new(Kind::EmptyBranch, braces));
    }
    Ok(items)
}

/// The members of a class, with the dashes read as globset reads them.
fn class(part: Pair<'_, Rule>) -> Result<Item, SyntaxError> {
    let mut negated = false;
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut in_range = false;
    for member in part.into_inner() {
        let span = Span::new(member.as_span().start(), member.as_span().end());
        let wrong = |text: String| SyntaxError::new(Kind::BadRange(text), span);
        match member.as_rule() {
            Rule::negated => negated = true,
            Rule::posix => {
                if in_range {
                    return Err(wrong(member.as_str().to_owned()));
                }
                ranges.extend_from_slice(posix(member.as_str()));
            }
            _ => {
                let Some(letter) = member.as_str().chars().next() else {
                    continue;
                };
                if in_range {
                    // A range starts with the last letter, as globset has it.
                    if let Some(last) = ranges.last_mut() {
                        last.1 = letter;
                        if last.1 < last.0 {
                            return Err(wrong(format!("{}-{}", last.0, last.1)));
                        }
                    }
                    in_range = false;
                } else if letter == '-' && !ranges.is_empty() {
                    in_range = true;
                } else {
                    ranges.push((letter, letter));
                }
            }
        }
    }
    if in_range {
        ranges.push(('-', '-'));
    }
    Ok(match ranges.as_slice() {
        [(one, same), others @ ..]
            if !negated && one == same && others.iter().all(|range| *range == (*one, *one)) =>
        {
            match one {
                // No component holds one, so that nothing matches.
                '/' => Item::Class(Class {
                    negated,
                    ranges: Vec::new(),
                }),
                letter => Item::Escaped(*letter),
            }
        }
        _ => Item::Class(Class { negated, ranges }),
    })
}

/// The ranges of `[:name:]`, in ASCII.
fn posix(text: &str) -> &'static [(char, char)] {
    match text.trim_matches(['[', ':', ']']) {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "blank" => &[('\t', '\t'), (' ', ' ')],
        "cntrl" => &[('\0', '\x1F'), ('\x7F', '\x7F')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        _ => &[('0', '9'), ('A', 'F'), ('a', 'f')],
    }
}
