//! Choosing rows: dense, delta or path for each state, and their order.
//!
//! A trie leads almost everywhere to one state and an Aho-Corasick almost everywhere to its root, so most rows are a few
//! exceptions from the row of the state that they lead to most. Dense rows stand first, where they stay
//! hot; the others follow in depth-first order, so that a walk down a branch reads on.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use crate::automata::settle::Machine;

/// Longest run of one path row, and most exceptions of one delta row: what a wide header can count.
const MAX_COUNT: usize = 255;

/// Bytes of dense rows near the starts that deltas would make smaller: what a second-level cache can spare, and half of
/// what narrow cells can number.
const fn hot_bytes(width: Width) -> usize {
    match width {
        Width::Narrow => 32_768,
        Width::Wide => 65_536,
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// One transition a class.
    Dense,
    /// Where some classes lead elsewhere than in the reference's row.
    Delta {
        reference: u32,
        exceptions: Vec<(u8, u32)>,
    },
    /// Where a run of bytes leads; any other byte goes where the reference's row says.
    Path {
        reference: u32,
        run: Vec<u8>,
        target: u32,
    },
}

/// How wide the cells of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Two bytes.
    Narrow,
    /// Four bytes.
    Wide,
}

impl Width {
    /// Bytes of a cell.
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Narrow => 2,
            Self::Wide => 4,
        }
    }

    /// Cells of a row's header.
    pub(crate) const fn header(self) -> usize {
        match self {
            Self::Narrow => 2,
            Self::Wide => 1,
        }
    }

    /// Cells of a row.
    pub(crate) fn cells(self, row: &Row, n_classes: usize) -> usize {
        let body = match row {
            Row::Dense => n_classes,
            Row::Delta { exceptions, .. } => exceptions
                .len()
                .div_ceil(self.bytes())
                .saturating_add(exceptions.len())
                .saturating_add(1),
            Row::Path { run, .. } => run.len().div_ceil(self.bytes()).saturating_add(2),
        };
        self.header().saturating_add(body)
    }
}

/// The states that have a row of their own, in the order of the rows.
///
/// # Complexity
///
/// O(transitions).
pub(crate) fn rows(machine: &Machine, width: Width) -> Vec<(u32, Row)> {
    let mut planner = Planner::new(machine, width);
    planner.heat();
    let mut order = Vec::new();
    let mut placed = vec![false; machine.n_states()];
    let mut place = |state: u32, row: Row, order: &mut Vec<(u32, Row)>| {
        let is_new = placed
            .get_mut(index(state))
            .is_some_and(|placed| !std::mem::replace(placed, true));
        if is_new {
            order.push((state, row));
        }
        is_new
    };
    let starts = [Some(machine.start), machine.home_start];
    let mut stack: Vec<u32> = Vec::new();
    for state in planner.references() {
        place(state, Row::Dense, &mut order);
        stack.extend(machine.row(state).iter().rev());
    }
    stack.extend(starts.into_iter().flatten());
    while let Some(state) = stack.pop() {
        let row = planner.row(state);
        let before = stack.len();
        match &row {
            Row::Dense => stack.extend(machine.row(state).iter().rev()),
            Row::Delta { exceptions, .. } => {
                stack.extend(exceptions.iter().rev().map(|(_, target)| target));
            }
            Row::Path { target, .. } => stack.push(*target),
        }
        if !place(state, row, &mut order) {
            stack.truncate(before);
        }
    }
    // A walk knows a dense row by its place before all others.
    order.sort_by_key(|(_, row)| *row != Row::Dense);
    order
}

struct Planner<'m> {
    machine: &'m Machine,
    width: Width,
    /// Where each state leads most.
    modes: Vec<u32>,
    /// How many states refer to each state's row; 0 for those that are no reference.
    uses: Vec<u32>,
    /// Transitions into each state.
    n_sources: Vec<u32>,
    /// The byte of each class that has one only.
    byte_of: Vec<Option<u8>>,
    /// States near a start whose rows are dense although deltas would be smaller.
    hot: Vec<bool>,
}

impl<'m> Planner<'m> {
    fn new(machine: &'m Machine, width: Width) -> Self {
        let n_states = machine.n_states();
        let mut planner = Self {
            machine,
            width,
            modes: Vec::with_capacity(n_states),
            uses: vec![0; n_states],
            n_sources: vec![0; n_states],
            byte_of: bytes_of_classes(machine),
            hot: vec![false; n_states],
        };
        let reachable = reachable(machine);
        let mut counts = vec![0_u32; n_states];
        for (state, is_reachable) in (0_u32..).zip(&reachable) {
            let row = machine.row(state);
            let mut mode = state;
            let mut most = 0;
            for target in row {
                let Some(count) = counts.get_mut(index(*target)) else {
                    continue;
                };
                *count = count.saturating_add(1);
                if *count > most {
                    (mode, most) = (*target, *count);
                }
                if *is_reachable && let Some(n_sources) = planner.n_sources.get_mut(index(*target))
                {
                    *n_sources = n_sources.saturating_add(1);
                }
            }
            for target in row {
                if let Some(count) = counts.get_mut(index(*target)) {
                    *count = 0;
                }
            }
            planner.modes.push(mode);
            if *is_reachable
                && mode != state
                && let Some(uses) = planner.uses.get_mut(index(mode))
            {
                *uses = uses.saturating_add(1);
            }
        }
        // A dense row that only one state refers to costs more than it saves.
        for uses in &mut planner.uses {
            if *uses < 2 {
                *uses = 0;
            }
        }
        planner
    }

    /// Gives dense rows to branches near the starts while they take less than [`hot_bytes`]: every walk meets those.
    fn heat(&mut self) {
        let n_classes = self.machine.alphabet.len();
        let row_bytes = self
            .width
            .cells(&Row::Dense, n_classes)
            .saturating_mul(self.width.bytes());
        let mut left = hot_bytes(self.width);
        let mut seen = vec![false; self.machine.n_states()];
        let mut queue: VecDeque<u32> = VecDeque::from([self.machine.start]);
        queue.extend(self.machine.home_start);
        while let Some(state) = queue.pop_front() {
            match seen.get_mut(index(state)) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            let row = self.row(state);
            match &row {
                // A run that is entered from one place is likely to be met, one that many lead to is not.
                Row::Path { target, .. } if self.n_sources.get(index(state)) <= Some(&1) => {
                    queue.push_back(*target);
                    continue;
                }
                Row::Delta { exceptions, .. } if exceptions.is_empty() => {}
                Row::Delta { .. } | Row::Path { .. } => {
                    let Some(rest) = left.checked_sub(row_bytes) else {
                        return;
                    };
                    left = rest;
                    if let Some(hot) = self.hot.get_mut(index(state)) {
                        *hot = true;
                    }
                }
                Row::Dense => {}
            }
            queue.extend(self.machine.row(state));
        }
    }

    fn is_reference(&self, state: u32) -> bool {
        self.uses.get(index(state)).is_some_and(|uses| *uses > 0)
    }

    /// The states whose rows are referred to, the most used first.
    fn references(&self) -> Vec<u32> {
        let mut references: Vec<(Reverse<u32>, u32)> = (0_u32..)
            .zip(&self.uses)
            .filter(|(_, uses)| **uses > 0)
            .map(|(state, uses)| (Reverse(*uses), state))
            .collect();
        references.sort_unstable();
        references.into_iter().map(|(_, state)| state).collect()
    }

    fn row(&self, state: u32) -> Row {
        if self.is_reference(state) || self.hot.get(index(state)) == Some(&true) {
            return Row::Dense;
        }
        let Some((reference, exceptions)) = self.exceptions(state) else {
            return Row::Dense;
        };
        if let Some((byte, target)) = self.single(&exceptions) {
            return self.path(reference, byte, target);
        }
        let row = Row::Delta {
            reference,
            exceptions,
        };
        let n_classes = self.machine.alphabet.len();
        if self.width.cells(&row, n_classes) < self.width.cells(&Row::Dense, n_classes) {
            row
        } else {
            Row::Dense
        }
    }

    /// Where the state's row differs from that of the state that it leads to most, if that one is a reference.
    fn exceptions(&self, state: u32) -> Option<(u32, Vec<(u8, u32)>)> {
        let mode = *self.modes.get(index(state))?;
        if !self.is_reference(mode) {
            return None;
        }
        let own = self.machine.row(state);
        let differing = own
            .iter()
            .zip(self.machine.row(mode))
            .enumerate()
            .filter(|(_, (own, other))| own != other);
        let mut exceptions = Vec::new();
        for (class, (target, _)) in differing {
            if exceptions.len() == MAX_COUNT {
                return None;
            }
            exceptions.push((u8::try_from(class).ok()?, *target));
        }
        Some((mode, exceptions))
    }

    /// The byte and target of a row with one exception.
    fn single(&self, exceptions: &[(u8, u32)]) -> Option<(u8, u32)> {
        let [(class, target)] = exceptions else {
            return None;
        };
        let byte = *self.byte_of.get(usize::from(*class))?;
        Some((byte?, *target))
    }

    fn path(&self, reference: u32, byte: u8, target: u32) -> Row {
        let mut run = vec![byte];
        let mut target = target;
        while run.len() < MAX_COUNT && self.only_leads_on(target) {
            let next = self.exceptions(target);
            let Some((byte, behind)) = next
                .filter(|(other, _)| *other == reference)
                .and_then(|(_, exceptions)| self.single(&exceptions))
            else {
                break;
            };
            run.push(byte);
            target = behind;
        }
        Row::Path {
            reference,
            run,
            target,
        }
    }

    /// Whether a state answers nothing and is entered from one place only, so that it needs no row of its own.
    fn only_leads_on(&self, state: u32) -> bool {
        let head = self.machine.head(state);
        let is_start = state == self.machine.start || Some(state) == self.machine.home_start;
        !head.needs_attention()
            && head.end == 0
            && !is_start
            && !self.is_reference(state)
            && self.n_sources.get(index(state)) == Some(&1)
    }
}

fn reachable(machine: &Machine) -> Vec<bool> {
    let mut reachable = vec![false; machine.n_states()];
    let mut stack = vec![machine.start];
    stack.extend(machine.home_start);
    while let Some(state) = stack.pop() {
        if let Some(known) = reachable.get_mut(index(state))
            && !*known
        {
            *known = true;
            stack.extend(machine.row(state));
        }
    }
    reachable
}

fn bytes_of_classes(machine: &Machine) -> Vec<Option<u8>> {
    let mut bytes: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    for byte in 0..=u8::MAX {
        bytes
            .entry(machine.alphabet.class(byte))
            .or_default()
            .push(byte);
    }
    (0..machine.alphabet.len())
        .map(|class| match bytes.get(&class).map(Vec::as_slice) {
            Some([byte]) => Some(*byte),
            _ => None,
        })
        .collect()
}

fn index(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use permc_grammar::pattern::HomeMode;

    use super::*;
    use crate::automata::determinize::{Outcome, determinize};
    use crate::automata::program::Program;
    use crate::automata::settle::settle;

    fn machine(patterns: &[&str]) -> Machine {
        let programs: Vec<Program> = patterns
            .iter()
            .map(|pattern| Program::parse(pattern, HomeMode::Expand, false).unwrap())
            .collect();
        let ranked: Vec<(Outcome, &Program)> = (0..).map(Outcome::Rank).zip(&programs).collect();
        settle(&determinize(&ranked, 10_000, 1_000_000).unwrap(), &[])
    }

    #[test]
    fn a_trie_is_branches_and_paths() {
        let machine = machine(&["*", "cargo build", "cargo test", "git status", "git stash"]);
        let rows = rows(&machine, Width::Narrow);
        let mut runs: Vec<String> = rows
            .iter()
            .filter_map(|(_, row)| match row {
                Row::Path { run, .. } => Some(String::from_utf8(run.clone()).unwrap()),
                _ => None,
            })
            .collect();
        runs.sort();
        // The first byte belongs to the branch before the run.
        assert_eq!(runs, ["argo ", "est", "h", "it sta", "uild", "us"]);
        assert_eq!(rows.len() - runs.len(), 8, "{rows:?}");
    }

    #[test]
    fn references_are_dense_and_first() {
        let machine = machine(&["*", "*.env", "*.pem", "git *", "npm *"]);
        let rows = rows(&machine, Width::Wide);
        assert_eq!(rows[0].1, Row::Dense);
        for (_, row) in &rows {
            let (Row::Delta { reference, .. } | Row::Path { reference, .. }) = row else {
                continue;
            };
            let of_reference = rows.iter().find(|(state, _)| state == reference);
            assert_eq!(of_reference.map(|(_, row)| row), Some(&Row::Dense));
        }
    }

    #[test]
    fn every_row_is_placed_once() {
        let machine = machine(&["*", "~/x*", "/a?b*c", "*é*", "a*b *"]);
        let mut states: Vec<u32> = rows(&machine, Width::Narrow)
            .into_iter()
            .map(|(state, _)| state)
            .collect();
        let n_rows = states.len();
        states.sort_unstable();
        states.dedup();
        assert_eq!(states.len(), n_rows);
        assert!(states.contains(&machine.home_start.unwrap()));
    }
}
