//! Writing a table's bytes; see the format's page for the layout.

use std::collections::HashMap;

use permc_runtime::format::{self, ROW_COUNT_BITS, ROW_KIND_BITS};

use super::lists::List;
use super::rows::{Row, Width, rows};
use crate::automata::settle::{Head, Machine};

/// The narrowest encoding of a machine, with its table kind; `None` if not even wide cells can number its rows.
pub(crate) fn write(machine: &Machine, lists: &[List]) -> Option<(u32, Vec<u8>)> {
    // With at least one cell a state that has a row, far more states than cells need not be tried.
    let narrow = (machine.n_states() < 1 << 16)
        .then(|| Writer::new(machine, Width::Narrow).write(lists))
        .flatten();
    match narrow {
        Some(bytes) => Some((format::TABLE_NARROW, bytes)),
        None => Some((
            format::TABLE_WIDE,
            Writer::new(machine, Width::Wide).write(lists)?,
        )),
    }
}

struct Writer<'m> {
    machine: &'m Machine,
    width: Width,
    rows: Vec<(u32, Row)>,
    /// First cell of each state's row.
    offsets: HashMap<u32, u32>,
    n_cells: u32,
    /// Cells of dense rows.
    dense_end: u32,
    heads: Vec<Head>,
    head_ids: HashMap<Head, u32>,
    cells: Vec<u8>,
}

impl<'m> Writer<'m> {
    fn new(machine: &'m Machine, width: Width) -> Self {
        let rows = rows(machine, width);
        let mut offsets = HashMap::with_capacity(rows.len());
        let mut n_cells = 0_u32;
        let mut dense_end = 0_u32;
        for (state, row) in &rows {
            offsets.insert(*state, n_cells);
            n_cells = n_cells.saturating_add(word(width.cells(row, machine.alphabet.len())));
            if *row == Row::Dense {
                dense_end = n_cells;
            }
        }
        Self {
            machine,
            width,
            rows,
            offsets,
            n_cells,
            dense_end,
            heads: Vec::new(),
            head_ids: HashMap::new(),
            cells: Vec::new(),
        }
    }

    fn write(mut self, lists: &[List]) -> Option<Vec<u8>> {
        if self.n_cells >= self.attention() {
            return None;
        }
        let rows = std::mem::take(&mut self.rows);
        for (state, row) in &rows {
            self.row(*state, row)?;
        }
        let mut bytes = Vec::new();
        let mut push = |value: u32| bytes.extend_from_slice(&value.to_le_bytes());
        push(word(self.machine.alphabet.len()));
        push(self.n_cells);
        push(self.dense_end);
        push(word(self.heads.len()));
        push(word(lists.len()));
        push(word(lists.iter().map(|list| list.entries.len()).sum()));
        push(*self.offsets.get(&self.machine.start)?);
        push(match self.machine.home_start {
            Some(state) => *self.offsets.get(&state)?,
            None => format::NONE,
        });
        bytes.extend_from_slice(self.machine.alphabet.class_map());
        let mut push = |value: u32| bytes.extend_from_slice(&value.to_le_bytes());
        for head in &self.heads {
            for field in [head.pass, head.end, head.cap, head.list] {
                push(field);
            }
        }
        let mut first = 0_usize;
        for list in lists {
            push(word(first));
            push(word(list.entries.len()));
            push(list.next.map_or(0, |next| next.saturating_add(1)));
            first = first.saturating_add(list.entries.len());
        }
        for (rank, pattern) in lists.iter().flat_map(|list| &list.entries) {
            push(*rank);
            push(*pattern);
        }
        let padded = self
            .cells
            .len()
            .next_multiple_of(4)
            .saturating_add(format::ROW_PADDING);
        self.cells.resize(padded, 0);
        bytes.append(&mut self.cells);
        Some(bytes)
    }

    const fn attention(&self) -> u32 {
        match self.width {
            Width::Narrow => 1 << 15,
            Width::Wide => 1 << 31,
        }
    }

    fn row(&mut self, state: u32, row: &Row) -> Option<()> {
        match row {
            Row::Dense => {
                self.header(state, format::ROW_DENSE, 0)?;
                for target in self.machine.row(state) {
                    self.transition(*target)?;
                }
            }
            Row::Delta {
                reference,
                exceptions,
            } => {
                self.header(state, format::ROW_DELTA, exceptions.len())?;
                self.cell(*self.offsets.get(reference)?)?;
                self.bytes(exceptions.iter().map(|(class, _)| *class));
                for (_, target) in exceptions {
                    self.transition(*target)?;
                }
            }
            Row::Path {
                reference,
                run,
                target,
            } => {
                self.header(state, format::ROW_PATH, run.len())?;
                self.cell(*self.offsets.get(reference)?)?;
                self.transition(*target)?;
                self.bytes(run.iter().copied());
            }
        }
        Some(())
    }

    fn header(&mut self, state: u32, kind: u32, count: usize) -> Option<()> {
        let head = self.machine.head(state);
        let next = word(self.heads.len());
        let head = *self.head_ids.entry(head).or_insert_with(|| {
            self.heads.push(head);
            next
        });
        let first = kind | (u32::try_from(count).ok()? << ROW_KIND_BITS);
        match self.width {
            Width::Narrow => {
                self.cell(first)?;
                self.cell(head)
            }
            Width::Wide => {
                let fits = head < 1 << (u32::BITS - ROW_KIND_BITS - ROW_COUNT_BITS);
                self.cell(fits.then_some(first | (head << (ROW_KIND_BITS + ROW_COUNT_BITS)))?)
            }
        }
    }

    fn transition(&mut self, target: u32) -> Option<()> {
        let offset = *self.offsets.get(&target)?;
        let attention = if self.machine.head(target).needs_attention() {
            self.attention()
        } else {
            0
        };
        self.cell(offset | attention)
    }

    fn cell(&mut self, value: u32) -> Option<()> {
        match self.width {
            Width::Narrow => {
                let value = u16::try_from(value).ok()?;
                self.cells.extend_from_slice(&value.to_le_bytes());
            }
            Width::Wide => self.cells.extend_from_slice(&value.to_le_bytes()),
        }
        Some(())
    }

    /// Bytes, with zeros to a full cell.
    fn bytes(&mut self, bytes: impl Iterator<Item = u8>) {
        self.cells.extend(bytes);
        let length = self.cells.len().next_multiple_of(self.width.bytes());
        self.cells.resize(length, 0);
    }
}

fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
