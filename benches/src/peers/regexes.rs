//! `regex::RegexSet`: one expression a pattern, the last that matches.

#![expect(
    clippy::panic,
    reason = "benchmark support: a failure here is a failed benchmark"
)]

use regex::bytes::{RegexSet, RegexSetBuilder};

use super::without_tail;
use crate::corpus::Corpus;

/// Room for compiled expressions: as much as 10,000 patterns need.
const SIZE_LIMIT: usize = 1 << 30;

/// A cache in which every state that the values of a benchmark meet stays, even of 10,000 patterns.
pub const LARGE_CACHE: Option<usize> = Some(1 << 29);

/// A set of expressions.
#[derive(Debug)]
pub struct Regexes(RegexSet);

impl Regexes {
    /// Builds the set; `cache` is the limit of its lazily built automaton, `None` for the crate's default.
    ///
    /// # Panics
    ///
    /// If the crate refuses the patterns.
    #[must_use]
    pub fn new(corpus: &Corpus, cache: Option<usize>) -> Self {
        let expressions = corpus.patterns.iter().map(|pattern| expression(pattern));
        let mut builder = RegexSetBuilder::new(expressions);
        builder.size_limit(SIZE_LIMIT);
        if let Some(cache) = cache {
            builder.dfa_size_limit(cache);
        }
        match builder.build() {
            Ok(set) => Self(set),
            Err(error) => panic!("{} patterns are refused: {error}", corpus.patterns.len()),
        }
    }

    /// The last pattern that matches.
    #[must_use]
    pub fn winner(&self, value: &str) -> Option<usize> {
        self.0.matches(value.as_bytes()).iter().next_back()
    }
}

/// A pattern as an expression. A star runs over bytes, which is the smaller automaton; a question mark is one
/// character.
fn expression(pattern: &str) -> String {
    let (body, tail) = match without_tail(pattern) {
        Some(body) => (body, "(?: (?s-u:.*))?"),
        None => (pattern, ""),
    };
    let body = regex::escape(body)
        .replace(r"\*", "(?s-u:.*)")
        .replace(r"\?", "(?s:.)");
    format!(r"\A{body}{tail}\z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_what_patterns_mean() {
        for (pattern, value, matches) in [
            ("git *", "git", true),
            ("git *", "git a\nb", true),
            ("git *", "gitx", false),
            ("git *", "git\tx", false),
            ("a * *", "a", false),
            ("a?c", "a\u{e9}c", true),
            ("a?c", "ac", false),
            ("[ab]", "a", false),
            ("a.c", "abc", false),
        ] {
            let set = RegexSet::new([expression(pattern)]).unwrap();
            assert_eq!(
                set.is_match(value.as_bytes()),
                matches,
                "{pattern:?} {value:?}"
            );
        }
    }
}
