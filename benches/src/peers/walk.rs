//! The limit: a bare byte walk over one dense table of the same states.

use std::collections::{HashMap, VecDeque};

use permc_runtime::Contents;

use crate::corpus::Corpus;

/// An automaton with more states is not the small table that the limit is about.
const STATE_LIMIT: usize = 65_536;

/// Words before the transitions of a row: pass and end.
const HEAD: usize = 2;

/// One dense table and its walk, which keeps the running maximum and nothing else: no surface, no groups, no early end,
/// no decision.
///
/// A state is the offset of its row: its *pass*, its *end*, then one transition a byte class. States with a pass stand
/// last, so that one comparison says whether there is something to look at.
#[derive(Debug)]
pub struct Walk {
    table: Vec<u32>,
    /// The column of each byte.
    columns: [u8; 256],
    start: u32,
    /// The first row of a state with a pass.
    first_pass: u32,
}

/// An automaton with its states numbered in the order in which they are met.
#[derive(Default)]
struct Explored {
    next: Vec<Vec<usize>>,
    passes: Vec<u32>,
    ends: Vec<u32>,
}

impl Walk {
    /// The table that alone decides the surface `bash`; `None` where the policy has no such table.
    #[must_use]
    pub fn of(corpus: &Corpus) -> Option<Self> {
        let policy = corpus.policy();
        let contents = policy.contents().ok()?;
        let winners = corpus.winners();
        (0..)
            .zip(contents.tables())
            .filter_map(|(table, _)| Self::new(&explore(&contents, table)?))
            .find(|walk| walk.decides(corpus, &winners))
    }

    fn new(explored: &Explored) -> Option<Self> {
        let (columns, bytes) = byte_columns(&explored.next)?;
        let stride = HEAD.checked_add(bytes.len())?;
        let has_pass = |state: &usize| explored.passes.get(*state).is_some_and(|pass| *pass != 0);
        let mut order: Vec<usize> = (0..explored.next.len()).collect();
        order.sort_by_key(has_pass);
        let mut rows = vec![0; order.len()];
        for (place, state) in order.iter().enumerate() {
            *rows.get_mut(*state)? = u32::try_from(place.checked_mul(stride)?).ok()?;
        }
        let mut table = Vec::with_capacity(order.len().checked_mul(stride)?);
        for state in &order {
            table.push(*explored.passes.get(*state)?);
            table.push(*explored.ends.get(*state)?);
            let next = explored.next.get(*state)?;
            for byte in &bytes {
                table.push(*rows.get(*next.get(*byte)?)?);
            }
        }
        let first_pass = match order.iter().find(|state| has_pass(state)) {
            Some(state) => *rows.get(*state)?,
            None => u32::MAX,
        };
        Some(Self {
            table,
            columns,
            start: *rows.first()?,
            first_pass,
        })
    }

    /// The highest rank + 1 that matches, 0 for none.
    #[must_use]
    #[inline]
    pub fn rank(&self, value: &str) -> u32 {
        let table = self.table.as_slice();
        let mut state = self.start;
        let mut best = word(table, state, 0);
        for byte in value.as_bytes() {
            state = word(table, state, self.column(*byte));
            if state >= self.first_pass {
                best = best.max(word(table, state, 0));
            }
        }
        best.max(word(table, state, 1))
    }

    #[inline]
    fn column(&self, byte: u8) -> usize {
        self.columns
            .get(usize::from(byte))
            .map_or(0, |column| usize::from(*column))
    }

    /// Whether every value is answered with the rule that won: a higher rank for a later rule, always the same for one.
    fn decides(&self, corpus: &Corpus, winners: &[Option<usize>]) -> bool {
        let mut answers: Vec<(usize, u32)> = Vec::new();
        for (value, winner) in corpus.values.iter().zip(winners) {
            match (winner, self.rank(value)) {
                (Some(rule), rank) if rank > 0 => answers.push((*rule, rank)),
                _ => return false,
            }
        }
        answers.sort_unstable();
        answers.dedup();
        answers
            .iter()
            .zip(answers.iter().skip(1))
            .all(|(lower, higher)| lower.0 < higher.0 && lower.1 < higher.1)
    }
}

/// One word of a row; 0 outside of the table, which a table of [`Walk::new`] never asks for.
#[inline]
#[expect(
    clippy::as_conversions,
    reason = "usize has at least 32 bits where benchmarks run, and a checked conversion is not what is measured"
)]
fn word(table: &[u32], state: u32, column: usize) -> u32 {
    let at = (state as usize).wrapping_add(column);
    table.get(at).copied().unwrap_or(0)
}

/// All states of a table, breadth first; `None` where there are many, or where some state looks at patterns one by
/// one, so that a walk alone does not decide.
fn explore(contents: &Contents<'_>, table: u32) -> Option<Explored> {
    let automaton = contents.automaton(table)?;
    let mut explored = Explored::default();
    let mut numbers = HashMap::from([(automaton.start(), 0)]);
    let mut waiting = VecDeque::from([automaton.start()]);
    while let Some(state) = waiting.pop_front() {
        if automaton.list(state).is_some() {
            return None;
        }
        explored.passes.push(automaton.pass(state));
        explored.ends.push(automaton.end(state));
        let row = (0..=u8::MAX).map(|byte| {
            let next = automaton.next(state, byte);
            let n_known = numbers.len();
            *numbers.entry(next).or_insert_with(|| {
                waiting.push_back(next);
                n_known
            })
        });
        explored.next.push(row.collect());
        if numbers.len() > STATE_LIMIT {
            return None;
        }
    }
    Some(explored)
}

/// The column of each byte, and one byte for each column: bytes that no state tells apart share one.
fn byte_columns(next: &[Vec<usize>]) -> Option<([u8; 256], Vec<usize>)> {
    let mut known: HashMap<Vec<usize>, u8> = HashMap::new();
    let mut columns = [0; 256];
    let mut bytes = Vec::new();
    for (byte, place) in columns.iter_mut().enumerate() {
        let column: Option<Vec<usize>> = next.iter().map(|row| row.get(byte).copied()).collect();
        *place = match known.get(&column.clone()?) {
            Some(known) => *known,
            None => {
                let fresh = u8::try_from(HEAD.checked_add(bytes.len())?).ok()?;
                bytes.push(byte);
                known.insert(column?, fresh);
                fresh
            }
        };
    }
    Some((columns, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use permc_tests::generator::Kind;

    #[test]
    fn a_small_policy_is_one_table() {
        let corpus = Corpus::drawn(Kind::Mixed, 30);
        let walk = Walk::of(&corpus).unwrap();
        assert!(walk.decides(&corpus, &corpus.winners()));
    }

    #[test]
    fn a_table_of_other_rules_does_not_decide() {
        let walk = Walk::of(&Corpus::drawn(Kind::Mixed, 10)).unwrap();
        let other = Corpus::drawn(Kind::Mixed, 30);
        assert!(!walk.decides(&other, &other.winners()));
    }

    #[test]
    fn bytes_that_no_state_tells_apart_share_a_column() {
        let mut row = vec![0; 256];
        row[7] = 1;
        let (columns, bytes) = byte_columns(&[row, vec![1; 256]]).unwrap();
        assert_eq!(bytes, [0, 7]);
        assert_eq!((columns[6], columns[7], columns[8]), (2, 3, 2));
    }
}
