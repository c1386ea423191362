//! The order of rows: the longer pattern is higher, of equally long ones that meet the stricter effect.

use std::collections::HashMap;

use permc_runtime::Action;

use crate::automata::path_nfa::PathNfa;
use crate::automata::path_search::meet;
use crate::path_pattern::{Anchor, Atom, Component, PathPattern};

use super::Entry;

/// Pairs of positions that one comparison of two patterns may visit.
const MOST_NODES: usize = 20_000;

/// Comparisons of one compilation; most pairs need none, since their literal names differ.
const MOST_COMPARISONS: usize = 50_000;

/// Pairs of one compilation that are looked at, however cheap that is.
const MOST_PAIRS: usize = 20_000_000;

/// Entries, lowest first, and what is worth a word about them.
pub(super) struct Ranking<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) conflicts: Vec<Conflict>,
    /// Pairs of equally long rows that were not compared.
    pub(super) n_undecided: usize,
}

/// Two rows of equal length that meet and say different things.
pub(super) struct Conflict {
    pub(super) lenient: (usize, Action),
    pub(super) strict: (usize, Action),
}

/// What is known about pairs of patterns; none: not decided.
pub(super) struct Memory {
    meets: HashMap<(usize, usize), Option<bool>>,
    comparisons_left: usize,
    pairs_left: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            meets: HashMap::new(),
            comparisons_left: MOST_COMPARISONS,
            pairs_left: MOST_PAIRS,
        }
    }
}

/// Orders the rows of one group. Their order in the document counts for nothing.
///
/// Where no rows of equal length disagree, the order is that of the patterns alone, so that groups share their tables.
pub(super) fn rank<'a>(mut entries: Vec<Entry<'a>>, memory: &mut Memory) -> Ranking<'a> {
    entries.sort_by(|left, right| {
        let key = |entry: &Entry<'a>| (entry.canonical.length, &entry.canonical.alternatives);
        // Rows of one canonical form are ordered by what they say.
        key(left)
            .cmp(&key(right))
            .then_with(|| left.effect.cmp(&right.effect))
            .then_with(|| left.row.cmp(&right.row))
    });
    let mut conflicts = Vec::new();
    let mut n_undecided = 0_usize;
    let same_length =
        |left: &Entry<'a>, right: &Entry<'a>| left.canonical.length == right.canonical.length;
    for bucket in entries.chunk_by_mut(same_length) {
        let mut by_effect = false;
        for (index, left) in bucket.iter().enumerate() {
            for right in bucket.iter().skip(index.saturating_add(1)) {
                if left.effect == right.effect {
                    continue;
                }
                let meets = memory.meets(left, right);
                by_effect |= meets != Meets::Never;
                n_undecided = n_undecided.saturating_add(usize::from(meets == Meets::Undecided));
                if meets == Meets::Surely {
                    let (lenient, strict) = if left.effect < right.effect {
                        (left, right)
                    } else {
                        (right, left)
                    };
                    conflicts.push(Conflict {
                        lenient: (lenient.row, lenient.effect),
                        strict: (strict.row, strict.effect),
                    });
                }
            }
        }
        if by_effect {
            bucket.sort_by_key(|entry| entry.effect);
        }
    }
    Ranking {
        entries,
        conflicts,
        n_undecided,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meets {
    Never,
    /// That depends on where home and working directory are.
    Perhaps,
    /// That would take too long to find out.
    Undecided,
    Surely,
}

impl Memory {
    fn meets(&mut self, left: &Entry<'_>, right: &Entry<'_>) -> Meets {
        let Some(pairs_left) = self.pairs_left.checked_sub(1) else {
            return Meets::Undecided;
        };
        self.pairs_left = pairs_left;
        if surely_part(left.canonical, right.canonical) {
            return Meets::Never;
        }
        let key = (
            left.pattern.min(right.pattern),
            left.pattern.max(right.pattern),
        );
        let known = match self.meets.get(&key) {
            Some(known) => *known,
            None => {
                let Some(comparisons_left) = self.comparisons_left.checked_sub(1) else {
                    return Meets::Undecided;
                };
                self.comparisons_left = comparisons_left;
                let found = surely_meet(left.canonical, right.canonical);
                self.meets.insert(key, found);
                found
            }
        };
        match known {
            Some(true) => Meets::Surely,
            Some(false) if has_other_anchor(left.canonical, right.canonical) => Meets::Perhaps,
            Some(false) => Meets::Never,
            None => Meets::Undecided,
        }
    }
}

/// Whether two patterns of one alternative each have literal names or ends of names that keep them apart.
fn surely_part(left: &PathPattern, right: &PathPattern) -> bool {
    let ([left], [right]) = (left.alternatives.as_slice(), right.alternatives.as_slice()) else {
        return false;
    };
    left.anchor == right.anchor
        && (names_part(&left.components, &right.components)
            || ends_part(&left.components, &right.components))
}

/// Whether alternatives start at different places.
fn has_other_anchor(left: &PathPattern, right: &PathPattern) -> bool {
    let anchors = |pattern: &PathPattern| Anchor::ALL.map(|anchor| pattern.has_anchor(anchor));
    let (left, right) = (anchors(left), anchors(right));
    left.iter().enumerate().any(|(here, has_left)| {
        let mut others = right.iter().enumerate();
        *has_left && others.any(|(there, has_right)| *has_right && here != there)
    })
}

/// Whether some path matches both wherever home and working directory are; none where that takes too long.
fn surely_meet(left: &PathPattern, right: &PathPattern) -> Option<bool> {
    let mut decided = Some(false);
    for anchor in Anchor::ALL {
        let left_nfa = facing(left, right, anchor);
        let right_nfa = facing(right, left, anchor);
        match meet(&left_nfa, &right_nfa, MOST_NODES) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => decided = None,
        }
    }
    decided
}

/// The alternatives of a pattern that may meet one of another's below an anchor.
fn facing(pattern: &PathPattern, other: &PathPattern, anchor: Anchor) -> PathNfa {
    let mut nfa = PathNfa::default();
    for one in &pattern.alternatives {
        let mut others = other
            .alternatives
            .iter()
            .filter(|other| other.is_seen_from(anchor));
        if one.is_seen_from(anchor)
            && others.any(|other| !names_part(&one.components, &other.components))
        {
            nfa.add(0, one);
        }
    }
    nfa
}

/// Whether the last names end in different letters.
fn ends_part(left: &[Component], right: &[Component]) -> bool {
    let (Some(Component::Name(left)), Some(Component::Name(right))) = (left.last(), right.last())
    else {
        return false;
    };
    let mut letters = left.iter().rev().zip(right.iter().rev());
    let first_other = letters.find(|(left, right)| left != right);
    matches!(first_other, Some((Atom::Char(_), Atom::Char(_))))
        && !left
            .iter()
            .rev()
            .zip(right.iter().rev())
            .take_while(|(left, right)| left == right)
            .any(|(atom, _)| *atom == Atom::Star)
}

/// Whether literal names in front already keep two patterns apart: cheaper than a search, and the usual case.
fn names_part(left: &[Component], right: &[Component]) -> bool {
    let is_literal = |component: &Component| match component {
        Component::Any => false,
        Component::Name(atoms) => atoms.iter().all(|atom| matches!(atom, Atom::Char(_))),
    };
    for (left, right) in left.iter().zip(right) {
        if !is_literal(left) || !is_literal(right) {
            return false;
        }
        if left != right {
            return true;
        }
    }
    // One may end where the other goes on: the search knows.
    false
}
