//! Subset construction over path patterns, in the running-maximum form (page 5.2).
//!
//! A state is a set of positions and the best pattern that from here on matches whatever follows (*pass*). Only the
//! position at which it passes leaves the set: the walk's maximum remembers it, and the positions that wait for other
//! folders stay as they were, so that `**/a/**` and `**/b/**` do not multiply. A position that another one of the same
//! pattern dominates is left out, too, so that `**/a/**/b` costs no more states than it has letters.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::determinize::{Dfa, OverBudget};
use super::path_nfa::{PathNfa, Role, State};

/// Builds the deterministic automaton.
///
/// # Errors
///
/// More than `max_states` states, or more than `max_steps` looks at positions.
///
/// # Complexity
///
/// O(`max_states` x classes + `max_steps`).
pub(crate) fn determinize_paths(
    nfa: &PathNfa,
    max_states: usize,
    max_steps: usize,
) -> Result<Dfa, OverBudget> {
    let mut builder = Builder {
        nfa,
        alphabet: alphabet(nfa),
        sets: Vec::new(),
        ids: HashMap::new(),
        seen: vec![false; nfa.states.len()],
        positions: Vec::new(),
        waiting: Vec::new(),
        max_states,
        steps_left: max_steps,
    };
    let start = builder.intern(&nfa.starts)?;
    let mut targets = vec![Vec::new(); builder.alphabet.len()];
    let mut transitions = Vec::new();
    let mut next = 0;
    while let Some(key) = builder.sets.get(next).cloned() {
        builder.row(&key, &mut targets, &mut transitions)?;
        next = next.saturating_add(1);
    }
    let n_states = builder.sets.len();
    Ok(Dfa {
        pass: builder.sets.iter().map(|key| key.pass).collect(),
        end: builder.sets.iter().map(|key| builder.end(key)).collect(),
        alphabet: builder.alphabet,
        transitions,
        lists: vec![0; n_states],
        start,
        home_start: None,
    })
}

/// Bytes that no move tells apart share a class.
fn alphabet(nfa: &PathNfa) -> Alphabet {
    let mut starts = [false; 256];
    let mut mark = |byte: Option<u8>| {
        if let Some(flag) = byte.and_then(|byte| starts.get_mut(usize::from(byte))) {
            *flag = true;
        }
    };
    for (first, last, _) in nfa.states.iter().flat_map(|state| &state.moves) {
        mark(Some(*first));
        mark(last.checked_add(1));
    }
    Alphabet::of_runs(&starts)
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    /// Live positions, ascending.
    positions: Box<[u32]>,
    pass: u32,
}

struct Builder<'n> {
    nfa: &'n PathNfa,
    alphabet: Alphabet,
    sets: Vec<Key>,
    ids: HashMap<Key, u32>,
    /// Which positions the set in the making has; all false in between.
    seen: Vec<bool>,
    /// Room for the set in the making.
    positions: Vec<u32>,
    waiting: Vec<u32>,
    max_states: usize,
    steps_left: usize,
}

impl<'n> Builder<'n> {
    fn position(&self, position: u32) -> Option<&'n State> {
        self.nfa.states.get(usize::try_from(position).ok()?)
    }

    fn spend(&mut self, steps: usize) -> Result<(), OverBudget> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(OverBudget)?;
        Ok(())
    }

    /// The best pattern that matches where the path ends in this state.
    fn end(&self, key: &Key) -> u32 {
        let positions = key.positions.iter();
        positions
            .filter_map(|position| self.position(*position))
            .filter(|state| state.role == Role::End)
            .map(|state| state.rank)
            .max()
            .unwrap_or(0)
    }

    /// The targets of a set, one a class.
    fn row(
        &mut self,
        key: &Key,
        targets: &mut [Vec<u32>],
        transitions: &mut Vec<u32>,
    ) -> Result<(), OverBudget> {
        targets.iter_mut().for_each(Vec::clear);
        for position in &key.positions {
            let Some(state) = self.position(*position) else {
                continue;
            };
            for (first, last, target) in &state.moves {
                let classes = self.alphabet.class(*first)..=self.alphabet.class(*last);
                self.spend(classes.clone().count())?;
                for targets in targets.get_mut(classes).unwrap_or_default() {
                    targets.push(*target);
                }
            }
        }
        let mut last: Option<(&Vec<u32>, u32)> = None;
        for targets in &*targets {
            // Neighboring classes often lead to the same place.
            let known = last.filter(|(before, _)| *before == targets);
            let state = match known {
                Some((_, state)) => state,
                None => self.intern(targets)?,
            };
            last = Some((targets, state));
            transitions.push(state);
        }
        Ok(())
    }

    /// The state of what these positions reach.
    fn intern(&mut self, reached: &[u32]) -> Result<u32, OverBudget> {
        let mut positions = std::mem::take(&mut self.positions);
        positions.clear();
        self.waiting.clear();
        self.waiting.extend_from_slice(reached);
        let mut pass = 0;
        while let Some(position) = self.waiting.pop() {
            self.spend(1)?;
            let seen = usize::try_from(position).ok();
            let Some(seen) = seen.and_then(|seen| self.seen.get_mut(seen)) else {
                continue;
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            positions.push(position);
            if let Some(state) = self.position(position) {
                self.waiting.extend(&state.jumps);
                if state.role == Role::Pass {
                    pass = pass.max(state.rank);
                }
            }
        }
        for position in &positions {
            let seen = usize::try_from(*position).ok();
            if let Some(seen) = seen.and_then(|seen| self.seen.get_mut(seen)) {
                *seen = false;
            }
        }
        positions.sort_unstable();
        let key = Key {
            positions: self.needed(&positions),
            pass,
        };
        self.positions = positions;
        if let Some(state) = self.ids.get(&key) {
            return Ok(*state);
        }
        if self.sets.len() >= self.max_states {
            return Err(OverBudget);
        }
        let state = u32::try_from(self.sets.len()).map_err(|_| OverBudget)?;
        self.sets.push(key.clone());
        self.ids.insert(key, state);
        Ok(state)
    }

    /// The positions that can still change an answer.
    fn needed(&self, positions: &[u32]) -> Box<[u32]> {
        let mut needed: Vec<u32> = Vec::with_capacity(positions.len());
        // From the last one on: what a position dominates stands before it.
        let mut dominated = (0, 0);
        for position in positions.iter().rev() {
            let Some(state) = self.position(*position) else {
                continue;
            };
            let is_dominated = (dominated.0..dominated.1).contains(position);
            if state.role != Role::Pass && !is_dominated {
                needed.push(*position);
                // A range lies below its state, so the one before is behind us.
                if state.dominates.1 != 0 {
                    dominated = state.dominates;
                }
            }
        }
        needed.reverse();
        needed.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path_pattern::{Anchor, PathPattern};

    fn parsed(pattern: &str) -> PathPattern {
        PathPattern::parse(pattern, false).unwrap()
    }

    fn nfa(patterns: &[&str]) -> PathNfa {
        let mut nfa = PathNfa::default();
        for (rank, pattern) in (0..).zip(patterns) {
            for alternative in parsed(pattern).at(Anchor::Root) {
                nfa.add(rank, alternative);
            }
        }
        nfa
    }

    fn build(patterns: &[&str], max_states: usize) -> Result<Dfa, OverBudget> {
        determinize_paths(&nfa(patterns), max_states, 10_000_000)
    }

    fn best(dfa: &Dfa, path: &str) -> u32 {
        let mut state = dfa.start;
        let mut best = dfa.pass(state);
        for byte in path.bytes() {
            state = dfa.next(state, byte);
            best = best.max(dfa.pass(state));
        }
        best.max(dfa.end(state))
    }

    /// All paths of up to three components of up to three of these letters.
    fn paths(letters: &[&str]) -> Vec<String> {
        let mut names = vec![String::new()];
        let mut last = names.clone();
        for _ in 0..3 {
            let longer = last
                .iter()
                .flat_map(|name| letters.iter().map(move |letter| format!("{name}{letter}")));
            last = longer.collect();
            names.extend(last.iter().cloned());
        }
        names.retain(|name| !matches!(name.as_str(), "" | "." | ".."));
        let mut paths = vec![String::new()];
        let mut last = paths.clone();
        for _ in 0..3 {
            let step = if last.len() > 1 { 5 } else { 1 };
            let longer = last.iter().flat_map(|path| {
                names
                    .iter()
                    .step_by(step)
                    .map(move |name| format!("{path}/{name}"))
            });
            last = longer.step_by(step).collect();
            paths.extend(last.iter().cloned());
        }
        paths
    }

    #[test]
    fn equals_one_by_one_matching() {
        let patterns = [
            "**",
            "/a",
            "/a/**",
            "/*",
            "/*/**",
            "**/a",
            "**/.a*",
            "/a/**/b",
            "**/a/**/b",
            "**/a/**/b/**",
            "/a*b",
            "**/*a*b*",
            "/?",
            "/??",
            "/[!a]",
            "**/[aé]b",
            "/{a,b/é}/**",
            "/a/*/b",
            "**/é",
            "**/*/a",
            "/",
            "**/a*/**/*b",
            "/a/b/**/a/**",
        ];
        let dfa = build(&patterns, 20_000).unwrap();
        for path in paths(&["a", "b", ".", "é"]) {
            let expected = (1_u32..)
                .zip(patterns)
                .filter(|(_, pattern)| {
                    parsed(pattern)
                        .alternatives
                        .iter()
                        .any(|alternative| alternative.matches_path(&path))
                })
                .map(|(rank, _)| rank)
                .max()
                .unwrap_or(0);
            assert_eq!(best(&dfa, &path), expected, "{path:?}");
        }
    }

    #[test]
    fn each_pattern_alone_equals_its_match() {
        let paths = paths(&["a", "b", ".", "é"]);
        for pattern in [
            "**/a/**/b",
            "**/a/**/b/**/c",
            "/**/*a*b*/x",
            "**/*a?b*",
            "/a/**/a/**",
            "**/[!b]*/a",
            "**/a*b*a/**/b",
            "**/*/a/*/b",
        ] {
            let dfa = build(&[pattern], 20_000).unwrap();
            let alternative = &parsed(pattern).alternatives[0];
            for path in &paths {
                assert_eq!(
                    best(&dfa, path) == 1,
                    alternative.matches_path(path),
                    "{pattern} {path:?}"
                );
            }
        }
    }

    #[test]
    fn folders_cost_a_trie_and_recursive_patterns_their_letters() {
        let folders: Vec<String> = (0..500).map(|n| format!("/srv/team{n}/app/**")).collect();
        let total: usize = folders.iter().map(String::len).sum();
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        assert!(build(&folders, 100_000).unwrap().n_states() <= total + 3);
        let recursive = ["**/ab/**/cd/**/ef/**/gh/**/ij"];
        assert!(build(&recursive, 1_000).unwrap().n_states() <= 60);
        let names: Vec<String> = (0..20).map(|n| format!("**/name{n}/**")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(build(&names, 1_000).unwrap().n_states() <= 60);
    }

    #[test]
    fn budgets_end_what_would_explode() {
        let wild = format!("**/*a{}", "?".repeat(20));
        assert_eq!(build(&[&wild], 10_000), Err(OverBudget));
        let pairs: Vec<String> = (0..20).map(|n| format!("**/a{n}/**/b{n}")).collect();
        let pairs: Vec<&str> = pairs.iter().map(String::as_str).collect();
        assert_eq!(build(&pairs, 10_000), Err(OverBudget));
        assert!(build(&pairs[..3], 10_000).is_ok());
        assert_eq!(
            determinize_paths(&nfa(&pairs[..3]), 10_000, 100),
            Err(OverBudget)
        );
    }
}
