//! The tables of one list of patterns, and which of them can decide.

use crate::automata::determinize::Dfa;
use crate::automata::path_nfa::PathNfa;
use crate::automata::path_sets::determinize_paths;
use crate::options::Budget;
use crate::path_pattern::{Anchor, PathPattern};
use crate::table::{Table, Tables};

use super::check::{Checked, Effort, never_decide};
use super::count;
use super::report::MOST_REFUSALS;

/// States of a table of several patterns beyond two for each position of theirs: a list that needs more is split.
const SHARED_STATES: usize = 4_096;

/// Steps of such a table beyond 64 for each position.
const SHARED_STEPS: usize = 500_000;

/// What was made of a list of patterns.
#[derive(Debug, Default)]
pub(super) struct Built {
    /// Anchor and table, the one with the highest rank first.
    pub(super) tables: Vec<(u32, u32)>,
    /// Ranks whose patterns pass every budget alone.
    pub(super) refused: Vec<usize>,
    /// Ranks that never decide.
    pub(super) checked: Checked,
}

/// An automaton with its anchor.
pub(super) struct Walked {
    pub(super) anchor: Anchor,
    pub(super) dfa: Dfa,
    /// One more than its highest rank.
    bound: u32,
}

impl Built {
    pub(super) fn new(
        patterns: &[&PathPattern],
        budget: &Budget,
        effort: &mut Effort,
        tables: &mut Tables,
    ) -> Self {
        let mut built = Self::default();
        let mut walked = Vec::new();
        for anchor in Anchor::ALL {
            let ranks = (0..patterns.len()).filter(|rank| {
                patterns
                    .get(*rank)
                    .is_some_and(|pattern| pattern.has_anchor(anchor))
            });
            let ranks: Vec<usize> = ranks.collect();
            if !ranks.is_empty() {
                let mut splitting = Splitting {
                    anchor,
                    patterns,
                    budget,
                    walked: &mut walked,
                    refused: &mut built.refused,
                };
                splitting.build(&ranks);
            }
        }
        let mut made = Vec::new();
        for (number, Walked { anchor, dfa, bound }) in (0_u32..).zip(&walked) {
            match Table::new(dfa, &[], *bound, budget.steps) {
                Some(table) => made.push((*bound, number, *anchor, tables.add(table))),
                // Larger than a table can be: as good as too complex.
                None => built.refused.extend(0..patterns.len()),
            }
        }
        made.sort_unstable_by_key(|(bound, number, _, _)| (std::cmp::Reverse(*bound), *number));
        built.tables = made
            .into_iter()
            .map(|(_, _, anchor, table)| (anchor.number(), table))
            .collect();
        built.refused.sort_unstable();
        built.refused.dedup();
        if built.refused.is_empty() {
            built.checked = never_decide(patterns, &walked, effort);
        }
        built
    }
}

/// Patterns that go into one table, or into several where they would multiply.
struct Splitting<'b> {
    anchor: Anchor,
    patterns: &'b [&'b PathPattern],
    budget: &'b Budget,
    walked: &'b mut Vec<Walked>,
    refused: &'b mut Vec<usize>,
}

impl Splitting<'_> {
    fn build(&mut self, ranks: &[usize]) {
        if self.refused.len() >= MOST_REFUSALS {
            return;
        }
        let mut nfa = PathNfa::default();
        for rank in ranks {
            for alternative in self
                .patterns
                .get(*rank)
                .into_iter()
                .flat_map(|pattern| pattern.at(self.anchor))
            {
                nfa.add(count(*rank), alternative);
            }
        }
        let n_positions = nfa.states.len();
        let (max_states, max_steps) = match ranks {
            [_] => (self.budget.group_states, self.budget.steps),
            _ => (
                n_positions.saturating_mul(2).saturating_add(SHARED_STATES),
                self.budget.steps.min(SHARED_STEPS),
            ),
        };
        let max_steps = max_steps.saturating_add(n_positions.saturating_mul(64));
        if let Ok(dfa) = determinize_paths(&nfa, max_states, max_steps) {
            let bound = ranks
                .iter()
                .max()
                .map_or(0, |rank| count(rank.saturating_add(1)));
            self.walked.push(Walked {
                anchor: self.anchor,
                dfa,
                bound,
            });
            return;
        }
        match ranks {
            [rank] => self.refused.push(*rank),
            _ => {
                let (low, high) = ranks.split_at(ranks.len().div_ceil(2));
                self.build(low);
                self.build(high);
            }
        }
    }
}
