//! Matching one wildcard pattern at a time (page 1.2): for the session overlay and for linear tables.

use crate::fold::{fold_char, strip_folded_prefix};

/// What a match depends on beside pattern and value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchContext<'a> {
    /// The home directory as literal text; `None`: a pattern that means home matches nothing.
    pub home: Option<&'a str>,
    /// Fold case and backslashes.
    pub fold: bool,
}

/// What follows the home directory in a pattern that means it: `Some("")` for `~`, `Some("/x")` for `$HOME/x`.
///
/// # Example
///
/// ```
/// use permc_runtime::home_suffix;
///
/// assert_eq!(home_suffix("~/.ssh/*"), Some("/.ssh/*"));
/// assert_eq!(home_suffix("${HOME}"), Some(""));
/// assert_eq!(home_suffix("~user"), None);
/// ```
#[must_use]
pub fn home_suffix(pattern: &str) -> Option<&str> {
    ["~", "$HOME", "${HOME}"]
        .into_iter()
        .filter_map(|spelling| pattern.strip_prefix(spelling))
        .find(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a pattern matches the whole value, home patterns included.
///
/// # Complexity
///
/// O(pattern + value) for patterns without `?` and without folding, O(pattern x value) otherwise. No allocation.
///
/// # Example
///
/// ```
/// use permc_runtime::{MatchContext, pattern_matches};
///
/// let context = MatchContext { home: Some("/home/dev"), fold: false };
/// assert!(pattern_matches("git *", "git", context));
/// assert!(!pattern_matches("git *", "gitx", context));
/// assert!(pattern_matches("~/*", "/home/dev/a/b", context));
/// ```
#[must_use]
pub fn pattern_matches(pattern: &str, value: &str, context: MatchContext<'_>) -> bool {
    let Some(suffix) = home_suffix(pattern) else {
        return name_matches(pattern, value, context.fold);
    };
    let Some(home) = context.home else {
        return false;
    };
    let rest = if context.fold {
        strip_folded_prefix(value, home)
    } else {
        value.strip_prefix(home)
    };
    rest.is_some_and(|rest| name_matches(suffix, rest, context.fold))
}

/// Whether a pattern that never means home, such as a surface pattern, matches the whole value.
#[must_use]
pub fn name_matches(pattern: &str, value: &str, fold: bool) -> bool {
    if let Some(short) = pattern.strip_suffix(" *")
        && matches_anchored(short, value, fold)
    {
        return true;
    }
    matches_anchored(pattern, value, fold)
}

fn matches_anchored(pattern: &str, value: &str, fold: bool) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return piece_at_start(pattern, value, fold).is_some_and(str::is_empty);
    };
    let Some(after_head) = piece_at_start(head, value, fold) else {
        return false;
    };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    // Each piece at its first place leaves most for those that follow, so no choice is ever taken back.
    let Some(mut between) = before_piece_at_end(tail, after_head, fold) else {
        return false;
    };
    for piece in middle.split('*') {
        match after_first(piece, between, fold) {
            Some(after) => between = after,
            None => return false,
        }
    }
    true
}

fn is_plain(piece: &str, fold: bool) -> bool {
    !fold && !piece.contains('?')
}

/// What follows the piece at the start of the value.
fn piece_at_start<'v>(piece: &str, value: &'v str, fold: bool) -> Option<&'v str> {
    if is_plain(piece, fold) {
        return value.strip_prefix(piece);
    }
    let mut characters = value.chars();
    for expected in piece.chars() {
        let actual = characters.next()?;
        let equal = expected == '?'
            || expected == actual
            || (fold && fold_char(expected) == fold_char(actual));
        if !equal {
            return None;
        }
    }
    Some(characters.as_str())
}

/// What stands before the piece at the end of the value.
fn before_piece_at_end<'v>(piece: &str, value: &'v str, fold: bool) -> Option<&'v str> {
    if is_plain(piece, fold) {
        return value.strip_suffix(piece);
    }
    let mut before = value.chars();
    for _ in piece.chars() {
        before.next_back()?;
    }
    let before = before.as_str();
    let tail = value.get(before.len()..)?;
    piece_at_start(piece, tail, fold).map(|_| before)
}

/// What follows the first occurrence of the piece.
fn after_first<'v>(piece: &str, value: &'v str, fold: bool) -> Option<&'v str> {
    if is_plain(piece, fold) {
        let (_, after) = value.split_once(piece)?;
        return Some(after);
    }
    let mut rest = value.chars();
    loop {
        if let Some(after) = piece_at_start(piece, rest.as_str(), fold) {
            return Some(after);
        }
        rest.next()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition by recursion over characters, without the optional tail.
    fn naive(pattern: &[char], value: &[char]) -> bool {
        match (pattern.split_first(), value.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), _) if naive(rest, value) => true,
            (Some(('*', _)), Some((_, shorter))) => naive(pattern, shorter),
            (Some(('?', rest)), Some((_, shorter))) => naive(rest, shorter),
            (Some((p, rest)), Some((v, shorter))) => p == v && naive(rest, shorter),
            _ => false,
        }
    }

    fn words(letters: &[char], max_length: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..max_length {
            last = last
                .iter()
                .flat_map(|word| letters.iter().map(move |letter| format!("{word}{letter}")))
                .collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    #[test]
    fn equals_the_definition_on_every_short_pattern_and_value() {
        let values = words(&['a', 'é', ' '], 4);
        for pattern in words(&['a', 'é', '*', '?', ' '], 4) {
            let whole: Vec<char> = pattern.chars().collect();
            let short: Option<Vec<char>> = pattern.strip_suffix(" *").map(|p| p.chars().collect());
            for value in &values {
                let characters: Vec<char> = value.chars().collect();
                let expected = naive(&whole, &characters)
                    || short
                        .as_ref()
                        .is_some_and(|short| naive(short, &characters));
                assert_eq!(
                    name_matches(&pattern, value, false),
                    expected,
                    "{pattern:?} {value:?}"
                );
            }
        }
    }

    #[test]
    fn the_table_of_page_1_2() {
        let context = MatchContext {
            home: Some("/home/dev"),
            fold: false,
        };
        for (pattern, value, expected) in [
            ("git *", "git", true),
            ("git *", "git ", true),
            ("git *", "git a\nb", true),
            ("git *", "gitx", false),
            ("git *", "git\tx", false),
            ("git*", "gitx", true),
            ("a * *", "a b", true),
            ("a * *", "a", false),
            (" *", "", true),
            (" *", " x", true),
            ("foo *bar", "foo", false),
            ("*", "", true),
            ("src/*", "src/", true),
            ("src/*", "src", false),
            ("a?c", "a/c", true),
            ("a?c", "ac", false),
            ("[ab]", "a", false),
            ("a\\*", "a*", false),
            ("a\\*", "a\\z", true),
            ("~/*", "/home/dev/a/b", true),
            ("~/x", "~/x", false),
            ("~", "/home/dev", true),
            ("~user/*", "~user/x", true),
        ] {
            assert_eq!(
                pattern_matches(pattern, value, context),
                expected,
                "{pattern:?} {value:?}"
            );
        }
    }

    #[test]
    fn home_is_literal_text() {
        let context = MatchContext {
            home: Some("/h*"),
            fold: false,
        };
        assert!(pattern_matches("~/x", "/h*/x", context));
        assert!(!pattern_matches("~/x", "/hx/x", context));
        assert!(!pattern_matches("~/x", "/h*/x", MatchContext::default()));
    }

    #[test]
    fn folding_covers_home_and_backslashes() {
        let context = MatchContext {
            home: Some("C:\\Users\\Dev"),
            fold: true,
        };
        assert!(pattern_matches(
            "~/Docs/*.TXT",
            "c:/users/dev/DOCS\\a.txt",
            context
        ));
        assert!(!pattern_matches("~/Docs/*", "c:/users/eve/docs/a", context));
    }
}
