//! `globset::GlobSet`: one or two globs a pattern, the last that matches.

#![expect(
    clippy::panic,
    reason = "benchmark support: a failure here is a failed benchmark"
)]

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use super::without_tail;
use crate::corpus::Corpus;

/// A set of globs.
#[derive(Debug)]
pub struct Globs {
    set: GlobSet,
    /// The pattern of each glob.
    owners: Vec<usize>,
    /// Room for the globs that match, kept from call to call.
    hits: Vec<usize>,
}

impl Globs {
    /// Builds the set. A pattern with an optional tail is two globs, one after the other, so the last glob belongs to
    /// the last pattern.
    ///
    /// # Panics
    ///
    /// If the crate refuses the patterns.
    #[must_use]
    pub fn new(corpus: &Corpus) -> Self {
        let mut set = GlobSetBuilder::new();
        let mut owners = Vec::new();
        for (number, pattern) in corpus.patterns.iter().enumerate() {
            for form in [Some(pattern.as_str()), without_tail(pattern)]
                .into_iter()
                .flatten()
            {
                set.add(glob(form));
                owners.push(number);
            }
        }
        match set.build() {
            Ok(set) => Self {
                set,
                owners,
                hits: Vec::new(),
            },
            Err(error) => panic!("{} globs are refused: {error}", owners.len()),
        }
    }

    /// The last pattern that matches.
    #[must_use]
    pub fn winner(&mut self, value: &str) -> Option<usize> {
        self.set.matches_into(value, &mut self.hits);
        self.owners.get(*self.hits.last()?).copied()
    }
}

/// A pattern as a glob: brackets and braces are literal, and two stars are one, because `**` means folders to this
/// crate.
fn glob(pattern: &str) -> Glob {
    let mut text = String::new();
    for character in pattern.chars() {
        match character {
            '*' if text.ends_with('*') => {}
            '[' | ']' | '{' | '}' => text.extend(['[', character, ']']),
            other => text.push(other),
        }
    }
    let built = GlobBuilder::new(&text)
        .literal_separator(false)
        .backslash_escape(false)
        .build();
    match built {
        Ok(glob) => glob,
        Err(error) => panic!("{text:?} is no glob: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_star_and_question_mark_are_special() {
        for (pattern, value, matches) in [
            ("src/*", "src/a/b\nc", true),
            ("a**b", "a/x/b", true),
            ("a/**/b", "a/b", false),
            ("[ab]", "[ab]", true),
            ("[ab]", "a", false),
            ("{a,b}", "{a,b}", true),
            ("{a,b}", "a", false),
            (r"a\*", r"a\z", true),
            ("a?c", "a/c", true),
        ] {
            let matcher = glob(pattern).compile_matcher();
            assert_eq!(matcher.is_match(value), matches, "{pattern:?} {value:?}");
        }
    }
}
