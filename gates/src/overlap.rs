//! Whether two permission patterns can match the same text, and whether one covers another.

/// Whether some text is matched by both patterns (page 1.2: `*` any run, `?` one character, a final ` *` optional).
///
/// # Complexity
///
/// O(characters of `a` x characters of `b`).
pub(crate) fn patterns_overlap(a: &str, b: &str) -> bool {
    let short = |pattern: &str| pattern.strip_suffix(" *").map(str::to_owned);
    let spellings = |pattern: &str| std::iter::once(pattern.to_owned()).chain(short(pattern));
    spellings(a).any(|a| spellings(b).any(|b| strict_overlap(&a, &b)))
}

fn strict_overlap(a: &str, b: &str) -> bool {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    // reachable[j]: after the characters of `a` so far, `b` may stand at j.
    let mut reachable = vec![false; b.len().saturating_add(1)];
    if let Some(first) = reachable.first_mut() {
        *first = true;
    }
    close_stars(&mut reachable, &b);
    for character in &a {
        let mut next = vec![false; reachable.len()];
        match character {
            '*' => {
                // Any run: `b` may go on by any of its characters.
                let mut seen = false;
                for (place, is_reachable) in next.iter_mut().zip(&reachable) {
                    seen |= is_reachable;
                    *place = seen;
                }
            }
            wanted => {
                for (at, is_reachable) in reachable.iter().enumerate() {
                    if !is_reachable {
                        continue;
                    }
                    match b.get(at) {
                        Some('*') => mark(&mut next, at),
                        Some(other) if *other == *wanted || *other == '?' || *wanted == '?' => {
                            mark(&mut next, at.saturating_add(1));
                        }
                        _ => {}
                    }
                }
            }
        }
        close_stars(&mut next, &b);
        reachable = next;
    }
    reachable.last().copied().unwrap_or(false)
}

fn mark(places: &mut [bool], at: usize) {
    if let Some(place) = places.get_mut(at) {
        *place = true;
    }
}

/// A star may also match nothing.
fn close_stars(places: &mut [bool], pattern: &[char]) {
    for (at, character) in pattern.iter().enumerate() {
        if *character == '*' && places.get(at) == Some(&true) {
            mark(places, at.saturating_add(1));
        }
    }
}

/// Whether `wide` surely matches whatever `narrow` matches: asked of texts in which fresh letters stand for its stars.
///
/// Never says yes wrongly for patterns whose stars are tried with none, one and three letters that no pattern has.
pub(crate) fn covers(wide: &str, narrow: &str) -> bool {
    ["", "\u{E000}", "\u{E001}\u{E000}\u{E001}"]
        .iter()
        .all(|fresh| {
            let text = narrow.replace('*', fresh).replace('?', "\u{E002}");
            permc_runtime::name_matches(wide, &text, false)
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
                        // A final ` *` of the narrow one is optional, which its fresh letters do not say.
                        let by_tail = narrow.ends_with(" *");
                        assert!(
                            by_tail || name_matches(wide, text, false),
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
