//! Encoded tables and strings, each stored once (hash-consing).

use std::collections::HashMap;

use permc_runtime::format;

use crate::automata::determinize::Dfa;

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
    /// Dense rows; see [`format`](mod@format) for the layout.
    pub(crate) fn dense(dfa: &Dfa, bound: u32) -> Self {
        let n_classes = dfa.alphabet.len();
        let stride = word(n_classes).saturating_add(format::ROW_HEAD);
        let row = |state: u32| state.saturating_mul(stride);
        let mut bytes = Vec::new();
        let mut push = |value: u32| bytes.extend_from_slice(&value.to_le_bytes());
        push(word(dfa.n_states()));
        push(stride);
        push(row(dfa.start));
        push(dfa.home_start.map_or(format::NONE, row));
        let head = u8::try_from(format::ROW_HEAD).unwrap_or(u8::MAX);
        bytes.extend(
            dfa.alphabet
                .class_map()
                .iter()
                .map(|class| class.saturating_add(head)),
        );
        let rows = dfa.transitions.chunks(n_classes.max(1));
        for ((pass, end), targets) in dfa.pass.iter().zip(&dfa.end).zip(rows) {
            bytes.extend_from_slice(&pass.to_le_bytes());
            bytes.extend_from_slice(&end.to_le_bytes());
            for target in targets {
                let flag = if dfa.pass(*target) == 0 {
                    0
                } else {
                    format::PASS_FLAG
                };
                bytes.extend_from_slice(&(row(*target) | flag).to_le_bytes());
            }
        }
        Self {
            kind: format::TABLE_DENSE,
            bound,
            bytes,
        }
    }

    /// Ranks and pattern strings, ranks descending.
    pub(crate) fn linear(patterns: &[(u32, u32)], bound: u32) -> Self {
        let mut bytes = word(patterns.len()).to_le_bytes().to_vec();
        for (rank, pattern) in patterns {
            bytes.extend_from_slice(&rank.to_le_bytes());
            bytes.extend_from_slice(&pattern.to_le_bytes());
        }
        Self {
            kind: format::TABLE_LINEAR,
            bound,
            bytes,
        }
    }
}

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
