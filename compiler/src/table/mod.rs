//! Encoded tables and strings, each stored once (hash-consing).

pub(crate) mod lists;
mod rows;
mod write;

use std::collections::HashMap;

use permc_runtime::format;

use crate::automata::determinize::Dfa;
use crate::automata::minimize::minimize;
use crate::automata::settle::settle;

use self::lists::{List, tops};
use self::write::write;

/// Strings by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strings {
    strings: Vec<String>,
    ids: HashMap<String, u32>,
}

impl Strings {
    /// The number of a string.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = u32::try_from(self.strings.len()).unwrap_or(u32::MAX);
        self.strings.push(text.to_owned());
        self.ids.insert(text.to_owned(), id);
        id
    }

    /// All strings in the order of their numbers.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.strings.iter().map(String::as_str)
    }
}

/// One table as the artifact holds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Table {
    pub(crate) kind: u32,
    /// One more than the highest rank.
    pub(crate) bound: u32,
    pub(crate) bytes: Vec<u8>,
}

impl Table {
    /// Settles, minimizes and writes an automaton; `None` if it is larger than a table can be.
    pub(crate) fn new(
        dfa: &Dfa,
        lists: &[List],
        bound: u32,
        max_minimization: usize,
    ) -> Option<Self> {
        let machine = minimize(settle(dfa, &tops(lists)), max_minimization);
        let (kind, bytes) = write(&machine, lists)?;
        Some(Self { kind, bound, bytes })
    }
}

impl Table {
    /// Exact patterns by hash: their texts as string numbers, with ranks. `None` where so many share their slots, by design
    /// of whoever wrote them, that probes would be long.
    pub(crate) fn exact(patterns: &[(u32, &str, u32)], bound: u32) -> Option<Self> {
        let n_slots = patterns
            .len()
            .saturating_mul(2)
            .saturating_add(1)
            .next_power_of_two();
        let mask = n_slots.saturating_sub(1);
        let mut slots = vec![[0_u32; 3]; n_slots];
        for (rank, text, string) in patterns {
            let hash = format::surface_hash(text.as_bytes());
            let mut at = usize::try_from(hash).unwrap_or(0) & mask;
            let mut n_probes = 0_usize;
            while slots.get(at).is_some_and(|[_, rank, _]| *rank != 0) {
                at = at.wrapping_add(1) & mask;
                n_probes = n_probes.saturating_add(1);
                if n_probes > MAX_PROBES {
                    return None;
                }
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = [hash, rank.saturating_add(1), *string];
            }
        }
        let words = slots.into_iter().flatten();
        Some(Self {
            kind: format::TABLE_EXACT,
            bound,
            bytes: words.flat_map(u32::to_le_bytes).collect(),
        })
    }
}

/// Longest way from a pattern's slot to where it stands; in a half-empty table of honest patterns it is a few dozen.
const MAX_PROBES: usize = 256;

/// Tables by number, equal ones once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    ids: HashMap<Table, u32>,
    tables: Vec<Table>,
}

impl Tables {
    /// The number of a table.
    pub(crate) fn add(&mut self, table: Table) -> u32 {
        if let Some(id) = self.ids.get(&table) {
            return *id;
        }
        let id = word(self.tables.len());
        self.tables.push(table.clone());
        self.ids.insert(table, id);
        id
    }

    /// All tables in the order of their numbers.
    pub(crate) fn into_vec(self) -> Vec<Table> {
        self.tables
    }
}

/// Counts are bounded by budgets and by the artifact's size, both far below 2^32.
fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_crowd_one_slot_are_no_hash_table() {
        let texts: Vec<String> = (0..2_000_000_u32).map(|n| n.to_string()).collect();
        // 400 patterns take 1,024 slots: these all want the first.
        let crowded = texts
            .iter()
            .filter(|text| format::surface_hash(text.as_bytes()) & 1_023 == 0);
        let table = |texts: &mut dyn Iterator<Item = &String>| {
            let texts: Vec<&String> = texts.take(400).collect();
            assert_eq!(texts.len(), 400);
            let patterns: Vec<(u32, &str, u32)> = (0..)
                .zip(texts)
                .map(|(rank, text)| (rank, text.as_str(), rank))
                .collect();
            Table::exact(&patterns, 400)
        };
        assert_eq!(table(&mut crowded.into_iter()), None);
        assert!(table(&mut texts.iter()).is_some());
    }
}
