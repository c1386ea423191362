//! A pattern as a program over bytes: what the automata are built from.

use permc_grammar::error::SyntaxError;
use permc_grammar::pattern::{Anchor, Element, HomeMode, parse};
use permc_runtime::fold_char;

/// One position of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// This byte.
    Byte(u8),
    /// The first byte of any character.
    Lead,
    /// Any continuation bytes; always after `Lead`.
    Tail,
    /// Any run of bytes.
    Star,
}

/// How a program grows an automaton, and so which others it can share one with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// No inner star: a path in a trie.
    Prefix,
    /// One leading star and one literal: Aho-Corasick.
    Infix,
    /// Head, star, tail: a trie that leads into Aho-Corasick.
    Mid,
    /// Two or more inner stars: such programs multiply with each other.
    Multi,
}

/// A pattern, normalized: runs of `*` and `?` hold their `?` first and at most one star, a tail that may be absent
/// and follows a star is dropped.
///
/// Characters of a value are whole, so `?` may be read as a lead byte and whatever continuation bytes follow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Program {
    /// Starts after the home directory.
    pub(crate) home: bool,
    /// The positions.
    pub(crate) ops: Vec<Op>,
    /// The last two positions, a space and a star, may be absent together.
    pub(crate) optional_tail: bool,
}

impl Program {
    /// Reads a pattern.
    pub(crate) fn parse(text: &str, home: HomeMode, fold: bool) -> Result<Self, SyntaxError> {
        let pattern = parse(text, home)?;
        let mut ops = Vec::new();
        let mut star = false;
        for element in &pattern.elements {
            match element {
                Element::AnyRun => star = true,
                Element::AnyChar => ops.extend([Op::Lead, Op::Tail]),
                Element::Literal(text) => {
                    if star {
                        ops.push(Op::Star);
                        star = false;
                    }
                    push_literal(&mut ops, text, fold);
                }
            }
        }
        if star {
            ops.push(Op::Star);
        }
        let mut optional_tail = pattern.optional_tail;
        if optional_tail && ops.iter().rev().nth(2) == Some(&Op::Star) {
            // `a* *` without its tail is `a*`, which is everything that it matches.
            ops.truncate(ops.len().saturating_sub(2));
            optional_tail = false;
        }
        Ok(Self {
            home: pattern.anchor == Anchor::Home,
            ops,
            optional_tail,
        })
    }

    /// Whether the pattern matches every value.
    pub(crate) fn is_universal(&self) -> bool {
        !self.home && self.ops == [Op::Star]
    }

    /// The shape.
    pub(crate) fn shape(&self) -> Shape {
        let inner = self
            .ops
            .split_last()
            .map_or([].as_slice(), |(_, inner)| inner);
        let n_inner = inner.iter().filter(|op| **op == Op::Star).count();
        match (n_inner, self.ops.first()) {
            (0, _) => Shape::Prefix,
            (1, Some(Op::Star)) => Shape::Infix,
            (1, _) => Shape::Mid,
            _ => Shape::Multi,
        }
    }
}

fn push_literal(ops: &mut Vec<Op>, text: &str, fold: bool) {
    let mut buffer = [0; 4];
    for character in text.chars() {
        let character = if fold {
            fold_char(character)
        } else {
            character
        };
        let bytes = character.encode_utf8(&mut buffer).bytes();
        ops.extend(bytes.map(Op::Byte));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        Program::parse(text, HomeMode::Expand, false).unwrap()
    }

    #[test]
    fn runs_of_wildcards_are_normalized() {
        assert_eq!(program("*?*?"), program("??*"));
        assert_eq!(program("a* *"), program("a*"));
        assert!(program("**").is_universal());
        assert!(!program("?*").is_universal());
        assert!(!program("~").is_universal());
    }

    #[test]
    fn shapes_follow_the_inner_stars() {
        assert_eq!(program("git *").shape(), Shape::Prefix);
        assert_eq!(program("a?c").shape(), Shape::Prefix);
        assert_eq!(program("*").shape(), Shape::Prefix);
        assert_eq!(program("*.env").shape(), Shape::Infix);
        assert_eq!(program("*/a/*").shape(), Shape::Infix);
        assert_eq!(program("git * --force").shape(), Shape::Mid);
        assert_eq!(program("*a*b*").shape(), Shape::Multi);
        assert_eq!(program("a*b*c").shape(), Shape::Multi);
    }

    #[test]
    fn folding_applies_to_literals_only() {
        let folded = Program::parse("~/Ab\\*", HomeMode::Expand, true).unwrap();
        assert!(folded.home);
        assert_eq!(
            folded.ops,
            Program::parse("/ab/*", HomeMode::Literal, false)
                .unwrap()
                .ops
        );
    }
}
