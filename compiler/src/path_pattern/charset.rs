//! Sets of characters.

use std::sync::OnceLock;

use permc_grammar::glob::Class;
use permc_runtime::fold_char;

/// A set of characters without `/`, as ascending ranges that do not touch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CharSet {
    ranges: Vec<(char, char)>,
}

impl CharSet {
    /// The characters that a class stands for. `fold`: after folding.
    pub(super) fn new(class: &Class, fold: bool) -> Self {
        let mut set = Self::of(class.ranges.clone());
        if fold {
            set = set.folded();
        }
        if class.negated {
            set = set.complement();
        }
        set.without('/')
    }

    /// All characters but `/`.
    pub(crate) fn all() -> Self {
        Self::of(vec![('\0', char::MAX)]).without('/')
    }

    /// The ranges.
    pub(crate) fn ranges(&self) -> &[(char, char)] {
        &self.ranges
    }

    /// Whether a character is in the set.
    pub(crate) fn contains(&self, character: char) -> bool {
        let place = self.ranges.partition_point(|(_, last)| *last < character);
        self.ranges
            .get(place)
            .is_some_and(|(first, _)| *first <= character)
    }

    fn of(mut ranges: Vec<(char, char)>) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(char, char)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(before) if after(before.1).is_none_or(|next| next >= first) => {
                    before.1 = before.1.max(last);
                }
                _ => merged.push((first, last)),
            }
        }
        Self { ranges: merged }
    }

    fn complement(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len().saturating_add(1));
        let mut next = Some('\0');
        for (first, last) in &self.ranges {
            if let (Some(start), Some(end)) = (next, before(*first))
                && start <= end
            {
                ranges.push((start, end));
            }
            next = after(*last);
        }
        ranges.extend(next.map(|start| (start, char::MAX)));
        Self { ranges }
    }

    fn without(&self, character: char) -> Self {
        let mut outside = self.complement().ranges;
        outside.push((character, character));
        Self::of(outside).complement()
    }

    fn folded(&self) -> Self {
        let mut ranges = self.ranges.clone();
        let mut gone = Vec::new();
        for (character, folded) in changed() {
            if self.contains(*character) {
                ranges.push((*folded, *folded));
                gone.push((*character, *character));
            }
        }
        // What folds to another character is never in a folded text.
        let mut outside = Self::of(ranges).complement().ranges;
        outside.extend(gone);
        Self::of(outside).complement()
    }
}

/// The characters that folding changes.
fn changed() -> &'static [(char, char)] {
    static CHANGED: OnceLock<Vec<(char, char)>> = OnceLock::new();
    CHANGED.get_or_init(|| {
        let characters = ('\0'..=char::MAX).map(|character| (character, fold_char(character)));
        characters
            .filter(|(character, folded)| character != folded)
            .collect()
    })
}

fn after(character: char) -> Option<char> {
    (character..=char::MAX).nth(1)
}

fn before(character: char) -> Option<char> {
    ('\0'..character).next_back()
}
