//! The automaton over surface names: which of a few patterns match, as a set.

use std::collections::HashMap;

use super::alphabet::{Alphabet, ByteKind};
use super::determinize::{Dfa, OverBudget};
use super::program::{Op, Program};

/// Builds an automaton whose *end* is the number + 1 of the set of programs that match the whole input.
///
/// # Errors
///
/// More than `max_states` states: sets of patterns can multiply.
///
/// # Complexity
///
/// O(`max_states` x classes x positions).
pub(crate) fn determinize_sets(
    programs: &[Program],
    max_states: usize,
) -> Result<(Dfa, Vec<Vec<usize>>), OverBudget> {
    let alphabet = Alphabet::new(programs.iter());
    let mut states: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut ids: HashMap<Vec<(usize, usize)>, u32> = HashMap::new();
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut dfa = Dfa {
        alphabet,
        transitions: Vec::new(),
        pass: Vec::new(),
        end: Vec::new(),
        lists: Vec::new(),
        start: 0,
        home_start: None,
    };
    let mut intern = |states: &mut Vec<_>, positions: Vec<(usize, usize)>| {
        if let Some(id) = ids.get(&positions) {
            return Ok(*id);
        }
        if states.len() >= max_states {
            return Err(OverBudget);
        }
        let id = u32::try_from(states.len()).map_err(|_| OverBudget)?;
        states.push(positions.clone());
        ids.insert(positions, id);
        Ok(id)
    };
    let start = close(programs, (0..programs.len()).map(|program| (program, 0)));
    intern(&mut states, start)?;
    let mut state = 0;
    while let Some(positions) = states.get(state).cloned() {
        let accepted = accepted(programs, &positions);
        let set = match sets.iter().position(|known| *known == accepted) {
            Some(set) => set,
            None => {
                sets.push(accepted);
                sets.len().saturating_sub(1)
            }
        };
        dfa.pass.push(0);
        dfa.lists.push(0);
        dfa.end
            .push(u32::try_from(set.saturating_add(1)).map_err(|_| OverBudget)?);
        for (class, kind) in dfa.alphabet.kinds().iter().enumerate() {
            let next = positions.iter().filter_map(|(program, at)| {
                let op = programs.get(*program)?.ops.get(*at)?;
                let moved = match op {
                    Op::Byte(byte) => {
                        (dfa.alphabet.class(*byte) == class).then_some(at.saturating_add(1))
                    }
                    Op::Lead => match kind {
                        ByteKind::Ascii => Some(at.saturating_add(2)),
                        ByteKind::Lead => Some(at.saturating_add(1)),
                        ByteKind::Continuation => None,
                    },
                    Op::Tail => (*kind == ByteKind::Continuation).then_some(*at),
                    Op::Star => Some(*at),
                };
                moved.map(|at| (*program, at))
            });
            let next = close(programs, next);
            dfa.transitions.push(intern(&mut states, next)?);
        }
        state = state.saturating_add(1);
    }
    Ok((dfa, sets))
}

/// Adds what is reached without reading a byte; sorted, each position once.
fn close(
    programs: &[Program],
    positions: impl Iterator<Item = (usize, usize)>,
) -> Vec<(usize, usize)> {
    let mut closed = Vec::new();
    for (program, mut at) in positions {
        closed.push((program, at));
        let ops = programs
            .get(program)
            .map_or([].as_slice(), |program| &program.ops);
        while matches!(ops.get(at), Some(Op::Star | Op::Tail)) {
            at = at.saturating_add(1);
            closed.push((program, at));
        }
    }
    closed.sort_unstable();
    closed.dedup();
    closed
}

fn accepted(programs: &[Program], positions: &[(usize, usize)]) -> Vec<usize> {
    let mut accepted: Vec<usize> = positions
        .iter()
        .filter(|(program, at)| {
            programs.get(*program).is_some_and(|program| {
                let end = program.ops.len();
                *at == end || (program.optional_tail && at.saturating_add(2) == end)
            })
        })
        .map(|(program, _)| *program)
        .collect();
    accepted.dedup();
    accepted
}

#[cfg(test)]
mod tests {
    use permc_grammar::pattern::HomeMode;
    use permc_runtime::name_matches;

    use super::*;

    #[test]
    fn every_set_is_that_of_one_by_one_matching() {
        let patterns = ["web_*", "*_search", "t?sk", "db *", "*é*"];
        let programs: Vec<Program> = patterns
            .iter()
            .map(|pattern| Program::parse(pattern, HomeMode::Literal, false).unwrap())
            .collect();
        let (dfa, sets) = determinize_sets(&programs, 1_000).unwrap();
        for name in [
            "web_search",
            "web_",
            "task",
            "tésk",
            "tsk",
            "db",
            "db x",
            "dbx",
            "_search",
            "é",
            "other",
        ] {
            let mut state = dfa.start;
            for byte in name.bytes() {
                state = dfa.next(state, byte);
            }
            let expected: Vec<usize> = (0..patterns.len())
                .filter(|pattern| name_matches(patterns[*pattern], name, false))
                .collect();
            assert_eq!(
                sets[usize::try_from(dfa.end(state)).unwrap() - 1],
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn sets_that_multiply_are_refused() {
        let programs: Vec<Program> = ('a'..='z')
            .map(|letter| Program::parse(&format!("*{letter}*"), HomeMode::Literal, false).unwrap())
            .collect();
        assert!(determinize_sets(&programs, 2_000).is_err());
        assert!(determinize_sets(&programs[..4], 2_000).is_ok());
    }
}
