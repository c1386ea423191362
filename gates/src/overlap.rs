//! Whether two permission patterns, or a glob and one, can match the same text, and whether one pattern covers another.

use permc_runtime::fold_char;

/// Whether some text is matched by both patterns (page 1.2: `*` any run, `?` one character, a final ` *` optional).
///
/// # Complexity
///
/// O(characters of `a` x characters of `b`).
pub(crate) fn patterns_overlap(a: &str, b: &str) -> bool {
    let short = |pattern: &str| pattern.strip_suffix(" *").map(str::to_owned);
    let spellings = |pattern: &str| std::iter::once(pattern.to_owned()).chain(short(pattern));
    spellings(a).any(|a| {
        let steps: Vec<Step<'_>> = a
            .chars()
            .map(|character| match character {
                '*' => Step::AnyRun,
                '?' => Step::AnyOne,
                other => Step::One(other),
            })
            .collect();
        spellings(b).any(|b| overlaps(&steps, &b.chars().collect::<Vec<_>>(), false))
    })
}

/// One step of a glob or a pattern, as an automaton takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'p> {
    One(char),
    /// Any character.
    AnyOne,
    /// Any but `/`.
    NotSlash,
    /// One of `[...]`.
    Class(&'p str),
    /// Any run without `/`.
    Run,
    /// Any run.
    AnyRun,
}

/// Whether some text that the steps can take is matched by the pattern, taken strictly.
pub(crate) fn overlaps(steps: &[Step<'_>], pattern: &[char], fold: bool) -> bool {
    let mut reachable = vec![false; pattern.len().saturating_add(1)];
    mark(&mut reachable, 0);
    close(&mut reachable, pattern);
    for step in steps {
        let mut next = vec![false; reachable.len()];
        match step {
            Step::Run | Step::AnyRun => {
                // The run may be empty, or take any of the pattern's characters that it can be.
                let mut is_on = false;
                for (at, was) in reachable.iter().enumerate() {
                    is_on |= was;
                    if is_on {
                        mark(&mut next, at);
                    }
                    let stops = matches!(step, Step::Run) && pattern.get(at) == Some(&'/');
                    if stops {
                        is_on = false;
                    }
                }
            }
            one => {
                for (at, was) in reachable.iter().enumerate() {
                    if !was {
                        continue;
                    }
                    match pattern.get(at) {
                        Some('*') => mark(&mut next, at),
                        Some('?') => mark(&mut next, at.saturating_add(1)),
                        Some(character) if may_be(*one, *character, fold) => {
                            mark(&mut next, at.saturating_add(1));
                        }
                        _ => {}
                    }
                }
            }
        }
        close(&mut next, pattern);
        reachable = next;
    }
    reachable.last().copied().unwrap_or(false)
}

/// What [`can_be`] says where case and backslashes may not count; a class then may be anything, which only ever tightens.
fn may_be(step: Step<'_>, character: char, fold: bool) -> bool {
    match step {
        Step::One(wanted) if fold => fold_char(wanted) == fold_char(character),
        Step::Class(_) if fold => !matches!(character, '/' | '\\'),
        step => can_be(step, character),
    }
}

pub(crate) fn can_be(step: Step<'_>, character: char) -> bool {
    match step {
        Step::One(wanted) => wanted == character,
        Step::NotSlash => character != '/',
        Step::Class(class) => character != '/' && class_matches(class, character),
        Step::AnyOne | Step::Run | Step::AnyRun => true,
    }
}

pub(crate) fn mark(places: &mut [bool], at: usize) {
    if let Some(place) = places.get_mut(at) {
        *place = true;
    }
}

fn close(places: &mut [bool], pattern: &[char]) {
    for (at, character) in pattern.iter().enumerate() {
        if *character == '*' && places.get(at) == Some(&true) {
            mark(places, at.saturating_add(1));
        }
    }
}

/// Whether `[...]` matches; named classes are taken for matching anything, which only ever tightens.
fn class_matches(class: &str, character: char) -> bool {
    let inside = class.strip_prefix('[').unwrap_or(class);
    let inside = inside.strip_suffix(']').unwrap_or(inside);
    let (is_negated, inside) = match inside.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, inside),
    };
    if inside.contains("[:") || inside.contains("[.") || inside.contains("[=") {
        return true;
    }
    let members: Vec<char> = inside.chars().collect();
    let mut at = 0_usize;
    let mut is_member = false;
    while let Some(first) = members.get(at) {
        let dash = members.get(at.saturating_add(1));
        let last = members.get(at.saturating_add(2));
        if let (Some('-'), Some(last)) = (dash, last) {
            is_member |= (*first..=*last).contains(&character);
            at = at.saturating_add(3);
        } else {
            is_member |= *first == character;
            at = at.saturating_add(1);
        }
    }
    is_member != is_negated
}

/// Whether `wide` surely matches whatever `narrow` matches: asked of texts in which fresh letters stand for its stars.
///
/// Never says yes wrongly for patterns whose stars are tried with none, one and three letters that no pattern has.
pub(crate) fn covers(wide: &str, narrow: &str) -> bool {
    // The final ` *` of the narrow one may be absent.
    let short = narrow.strip_suffix(" *");
    std::iter::once(narrow).chain(short).all(|narrow| {
        ["", "\u{E000}", "\u{E001}\u{E000}\u{E001}"]
            .iter()
            .all(|fresh| {
                let text = narrow.replace('*', fresh).replace('?', "\u{E002}");
                permc_runtime::name_matches(wide, &text, false)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::{covers, patterns_overlap};
    use permc_runtime::name_matches;

    fn words(letters: &[char], longest: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..longest {
            last = last
                .iter()
                .flat_map(|word| letters.iter().map(move |letter| format!("{word}{letter}")))
                .collect();
            all.extend(last.iter().cloned());
        }
        all
    }

    #[test]
    fn overlap_is_what_a_search_over_short_texts_finds() {
        let texts = words(&['a', 'b', ' '], 5);
        let patterns = words(&['a', '*', '?', ' '], 3);
        for a in &patterns {
            for b in &patterns {
                let expected = texts
                    .iter()
                    .any(|text| name_matches(a, text, false) && name_matches(b, text, false));
                assert_eq!(patterns_overlap(a, b), expected, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn covering_is_never_claimed_wrongly() {
        let texts = words(&['a', 'b', ' '], 4);
        let patterns = words(&['a', '*', '?', ' '], 3);
        for wide in &patterns {
            for narrow in &patterns {
                if covers(wide, narrow) {
                    for text in texts
                        .iter()
                        .filter(|text| name_matches(narrow, text, false))
                    {
                        assert!(
                            name_matches(wide, text, false),
                            "{wide:?} {narrow:?} {text:?}"
                        );
                    }
                }
            }
        }
        assert!(covers("git *", "git push*"));
        assert!(!covers("git push *", "git *"));
    }
}
