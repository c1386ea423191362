//! "Did you mean": one rule of nearness for every name that a user can mistype.

/// The candidate that was probably meant by `typed`, if one is near enough.
///
/// Near means: equal but for case, `-` and `_`, or at most three edits away and fewer than three edits in ten characters
/// (so that `mission` is never taken for `permission`). An exact match needs no suggestion and gives `None`.
///
/// # Complexity
///
/// O(candidates × length²) with the length bounded; a longer `typed` gives `None` at once.
///
/// # Example
///
/// ```
/// use permc::suggest::suggest;
///
/// assert_eq!(suggest("permision", &["permission", "shellTools"]), Some("permission"));
/// assert_eq!(suggest("mission", &["permission"]), None);
/// ```
#[must_use]
pub fn suggest<'a>(typed: &str, candidates: &[&'a str]) -> Option<&'a str> {
    if typed.len() > LONGEST || candidates.contains(&typed) {
        return None;
    }
    let folded = fold(typed);
    candidates
        .iter()
        .filter_map(|candidate| Some((distance(&folded, &fold(candidate))?, *candidate)))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Whether `typed` is not `wanted` but so near that it was probably meant to be.
#[must_use]
pub fn is_near_miss(typed: &str, wanted: &str) -> bool {
    suggest(typed, &[wanted]).is_some()
}

/// Names are short; comparing anything longer would only cost time.
const LONGEST: usize = 64;

fn fold(text: &str) -> String {
    text.trim()
        .chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

fn distance(left: &str, right: &str) -> Option<usize> {
    let length = left.chars().count().max(right.chars().count());
    let edits = strsim::osa_distance(left, right);
    (edits <= 3 && edits * 10 < length * 3).then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::{is_near_miss, suggest};

    #[test]
    fn near_words_are_suggested_and_others_are_not() {
        for (typed, wanted) in [
            ("Allow", "allow"),
            ("alow", "allow"),
            ("allowed", "allow"),
            ("dney", "deny"),
            ("shell_tools", "shellTools"),
        ] {
            assert_eq!(suggest(typed, &["ask", wanted]), Some(wanted), "{typed}");
        }
        for typed in ["disallow", "block", "", "shell", "x"] {
            assert_eq!(suggest(typed, &["allow", "ask", "deny"]), None, "{typed}");
        }
        assert_eq!(suggest("allow", &["allow"]), None, "nothing to suggest");
    }

    #[test]
    fn the_nearest_wins_and_length_is_bounded() {
        assert_eq!(
            suggest("promptMaxRow", &["promptMaxRows", "promptFieldMaxWidth"]),
            Some("promptMaxRows")
        );
        assert_eq!(suggest(&"a".repeat(1_000_000), &["allow"]), None);
    }

    #[test]
    fn near_misses_of_permission() {
        for typed in [
            "permissions",
            "Permission",
            "permision",
            "premission",
            "PERMISSION",
        ] {
            assert!(is_near_miss(typed, "permission"), "{typed}");
        }
        for typed in ["permission", "permissionMode", "mission", "name", "tools"] {
            assert!(!is_near_miss(typed, "permission"), "{typed}");
        }
    }
}
