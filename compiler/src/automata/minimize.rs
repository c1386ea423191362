//! Minimization: states that no value tells apart become one.
//!
//! Moore's partition refinement (1956) over settled heads, so that states differ by the rule that wins and by nothing
//! else. Where all rules have a rank of their own, as below a trie, little is left to merge: the work is bounded.

use std::collections::HashMap;

use super::settle::{Head, Machine};

/// Merges states that answer alike for every rest of a value; keeps the machine where that takes more than `max_work`
/// looks at transitions.
///
/// # Complexity
///
/// O(`max_work`).
pub(crate) fn minimize(machine: Machine, max_work: usize) -> Machine {
    let Some(blocks) = blocks(&machine, max_work) else {
        return machine;
    };
    let n_blocks = usize::try_from(blocks.iter().max().map_or(0, |last| last.saturating_add(1)))
        .unwrap_or(usize::MAX);
    if n_blocks == machine.n_states() {
        return machine;
    }
    let block = |state: u32| {
        usize::try_from(state)
            .ok()
            .and_then(|state| blocks.get(state))
            .copied()
            .unwrap_or(0)
    };
    let mut heads = Vec::with_capacity(n_blocks);
    let mut transitions = Vec::new();
    for (state, own) in (0..).zip(&blocks) {
        // Blocks are numbered by their first state.
        if usize::try_from(*own) == Ok(heads.len()) {
            heads.push(machine.head(state));
            transitions.extend(machine.row(state).iter().map(|target| block(*target)));
        }
    }
    Machine {
        transitions,
        heads,
        start: block(machine.start),
        home_start: machine.home_start.map(block),
        alphabet: machine.alphabet,
    }
}

/// The block of each state, numbered by first appearance; `None` past the budget.
fn blocks(machine: &Machine, max_work: usize) -> Option<Vec<u32>> {
    let round = machine.transitions.len();
    let mut left = max_work;
    let mut numbers: HashMap<Head, u32> = HashMap::new();
    let mut blocks: Vec<u32> = Vec::with_capacity(machine.n_states());
    for head in &machine.heads {
        let next = u32::try_from(numbers.len()).ok()?;
        blocks.push(*numbers.entry(*head).or_insert(next));
    }
    let mut n_blocks = numbers.len();
    loop {
        left = left.checked_sub(round)?;
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut finer = Vec::with_capacity(blocks.len());
        for (state, own) in (0..).zip(&blocks) {
            let mut signature = vec![*own];
            for target in machine.row(state) {
                signature.push(*blocks.get(usize::try_from(*target).ok()?)?);
            }
            let next = u32::try_from(numbers.len()).ok()?;
            finer.push(*numbers.entry(signature).or_insert(next));
        }
        blocks = finer;
        if numbers.len() == n_blocks {
            return Some(blocks);
        }
        n_blocks = numbers.len();
    }
}

#[cfg(test)]
mod tests {
    use permc_grammar::pattern::HomeMode;

    use super::super::determinize::{Outcome, determinize};
    use super::super::program::Program;
    use super::super::settle::settle;
    use super::*;

    fn machine(patterns: &[&str]) -> Machine {
        let programs: Vec<Program> = patterns
            .iter()
            .map(|pattern| Program::parse(pattern, HomeMode::Expand, false).unwrap())
            .collect();
        let ranked: Vec<(Outcome, &Program)> = (0..).map(Outcome::Rank).zip(&programs).collect();
        settle(&determinize(&ranked, 10_000, 1_000_000).unwrap(), &[])
    }

    fn outcome(machine: &Machine, text: &str) -> u32 {
        let mut state = machine.start;
        let mut best = machine.head(state).pass;
        for byte in text.bytes() {
            state = machine.row(state)[machine.alphabet.class(byte)];
            best = best.max(machine.head(state).pass);
        }
        best.max(machine.head(state).end)
    }

    #[test]
    fn merged_states_answer_as_before() {
        let patterns = ["*", "a?c*d", "ab*cd", "*é", "x?*z", "?"];
        let large = machine(&patterns);
        let small = minimize(large.clone(), usize::MAX);
        assert!(small.n_states() < large.n_states(), "{}", small.n_states());
        for text in [
            "", "a", "abcd", "abcdcd", "axcd", "aécd", "xéz", "xzz", "é", "zé", "xyzz", "ab\ncd",
        ] {
            assert_eq!(outcome(&small, text), outcome(&large, text), "{text:?}");
        }
    }

    #[test]
    fn past_the_budget_nothing_changes() {
        let large = machine(&["*", "a?c*d", "ab*cd"]);
        let n_states = large.n_states();
        assert_eq!(minimize(large, 1).n_states(), n_states);
    }
}
