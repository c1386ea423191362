//! Which rows can never decide: exactly, on paths that exist as such, wherever home and working directory are.

use std::collections::HashSet;

use crate::automata::path_nfa::PathNfa;
use crate::automata::path_search::{Begin, winning};
use crate::automata::path_sets::determinize_paths;
use crate::options::Budget;
use crate::path_pattern::{Alternative, Anchor, Atom, Component, PathPattern};

use super::build::Walked;
use super::count;

/// Stands for home and working directory, which the compiler does not know: a name that no one writes.
const SYMBOLIC: &str = "/\u{F8FF}place";

/// Higher rows that are compared one by one with a row that never decides.
const MOST_COVERS: usize = 64;

/// Searches of one compilation, in full budgets of one.
const MOST_SEARCHES: usize = 40;

/// States and steps of an automaton of two patterns that are compared.
const COVER_STATES: usize = 4_096;
const COVER_STEPS: usize = 200_000;

/// Nodes that searches may still visit.
#[derive(Debug)]
pub(super) struct Effort {
    /// In one search.
    each: usize,
    all: usize,
}

impl Effort {
    pub(super) const fn new(budget: &Budget) -> Self {
        Self {
            each: budget.search_nodes,
            all: budget.search_nodes.saturating_mul(MOST_SEARCHES),
        }
    }

    fn winning(&mut self, begins: &[Begin<'_>], wanted: &HashSet<u32>) -> Option<HashSet<u32>> {
        let allowed = self.each.min(self.all);
        let mut left = allowed;
        let found = winning(begins, wanted, &mut left);
        self.all = self.all.saturating_sub(allowed.saturating_sub(left));
        found
    }
}

/// What was found about a list of rows.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) never: Vec<Never>,
    /// Rows of which it was not found out within the budget.
    pub(super) n_undecided: usize,
}

/// A row that never decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Never {
    pub(super) rank: usize,
    /// A higher row that matches all that it matches.
    pub(super) cover: Option<usize>,
    /// Whether the two match the same.
    pub(super) is_same: bool,
}

/// The ranks that win on no path.
///
/// # Complexity
///
/// O(patterns x letters) where examples show that all decide; a search within the budget for each anchor otherwise.
pub(super) fn never_decide(
    patterns: &[&PathPattern],
    walked: &[Walked],
    effort: &mut Effort,
) -> Checked {
    let mut doubtful: HashSet<u32> = (1_u32..)
        .zip(patterns)
        .filter(|(rank, pattern)| !shows(pattern, *rank, walked))
        .map(|(rank, _)| rank)
        .collect();
    for anchor in Anchor::ALL {
        if doubtful.is_empty() {
            break;
        }
        match effort.winning(&seen_from(walked, anchor), &doubtful) {
            Some(winners) => doubtful.retain(|rank| !winners.contains(rank)),
            None => {
                return Checked {
                    never: Vec::new(),
                    n_undecided: doubtful.len(),
                };
            }
        }
    }
    let mut never: Vec<Never> = doubtful
        .into_iter()
        .filter_map(|rank| usize::try_from(rank.checked_sub(1)?).ok())
        .map(|rank| covered(patterns, rank, effort))
        .collect();
    never.sort_unstable_by_key(|never| never.rank);
    Checked {
        never,
        n_undecided: 0,
    }
}

/// The walks that count below an anchor.
fn seen_from(walked: &[Walked], anchor: Anchor) -> Vec<Begin<'_>> {
    let walked = walked.iter();
    walked
        .filter_map(|walked| match walked.anchor {
            Anchor::Root if anchor != Anchor::Root => Some(Begin::behind(&walked.dfa, SYMBOLIC)),
            own => (own == anchor).then(|| Begin::behind(&walked.dfa, "")),
        })
        .collect()
}

/// Whether one of two examples shows that a pattern decides: cheaper than a search, and the usual case.
fn shows(pattern: &PathPattern, rank: u32, walked: &[Walked]) -> bool {
    pattern.alternatives.iter().any(|alternative| {
        let begins = seen_from(walked, alternative.anchor);
        [false, true].into_iter().any(|filled| {
            let path = example(alternative, filled);
            begins.iter().map(|begin| begin.best(&path)).max() == Some(rank)
        })
    })
}

/// A path that the alternative matches, if there is one: with as little as possible in place of stars, or with something.
fn example(alternative: &Alternative, filled: bool) -> String {
    const FILL: &str = "qz";
    let mut path = String::new();
    for component in &alternative.components {
        let atoms = match component {
            Component::Any if filled => &[Atom::Star][..],
            Component::Any => continue,
            Component::Name(atoms) => atoms,
        };
        path.push('/');
        for atom in atoms {
            match atom {
                Atom::Char(letter) => path.push(*letter),
                Atom::AnyChar => path.push('q'),
                Atom::Class(set) => path.extend(set.ranges().last().map(|(first, _)| *first)),
                Atom::Star if filled || atoms.len() == 1 => path.push_str(FILL),
                Atom::Star => {}
            }
        }
    }
    path
}

/// A single higher row that matches all that a row matches.
fn covered(patterns: &[&PathPattern], rank: usize, effort: &mut Effort) -> Never {
    let mut never = Never {
        rank,
        cover: None,
        is_same: false,
    };
    let Some(pattern) = patterns.get(rank) else {
        return never;
    };
    let higher = patterns.iter().enumerate().skip(rank.saturating_add(1));
    let mut likely = higher
        .filter(|(_, higher)| {
            pattern.alternatives.iter().all(|alternative| {
                let path = example(alternative, true);
                let mut seen = higher.alternatives.iter();
                seen.any(|other| {
                    other.is_seen_from(alternative.anchor) && other.matches_path(&path)
                })
            })
        })
        .take(MOST_COVERS);
    if let Some((cover, higher)) = likely.find(|(_, higher)| covers(higher, pattern, effort)) {
        never.cover = Some(cover);
        never.is_same = covers(pattern, higher, effort);
    }
    never
}

/// Whether all that `narrow` matches is matched by `wide`.
fn covers(wide: &PathPattern, narrow: &PathPattern, effort: &mut Effort) -> bool {
    Anchor::ALL.into_iter().all(|anchor| {
        let mut nfa = PathNfa::default();
        narrow
            .at(anchor)
            .for_each(|alternative| nfa.add(0, alternative));
        if nfa.starts.is_empty() {
            return true;
        }
        let wide = wide
            .alternatives
            .iter()
            .filter(|other| other.is_seen_from(anchor));
        wide.for_each(|alternative| nfa.add(1, alternative));
        let Ok(dfa) = determinize_paths(&nfa, COVER_STATES, COVER_STEPS) else {
            return false;
        };
        let lowest = HashSet::from([count(1)]);
        effort
            .winning(&[Begin::behind(&dfa, "")], &lowest)
            .is_some_and(|winners| winners.is_empty())
    })
}
