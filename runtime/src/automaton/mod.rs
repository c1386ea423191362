//! Automata: tables that are read in place.
//!
//! A state is the cell at which its row starts. What a state answers (its *head*) is kept apart from how it goes on (its
//! *row*): a transition carries a bit that asks for a look at the target's head, so that a walk reads little else but
//! rows. Rows are dense, deltas against a dense row, or paths: runs of bytes that only lead on (page 5.2).

mod cell;
mod validate;
mod view;
mod walk;

pub(crate) use cell::Cell;
pub(crate) use validate::validate;
pub use view::{AutomatonView, RowView, StateView};
pub(crate) use walk::Walk;

use crate::bytes::{Reader, Word};
use crate::format::{NONE, TABLE_NARROW, TABLE_WIDE};

/// What a state answers: pass, end, cap, list + 1.
pub(crate) type Head = [Word; 4];
/// First entry, entries, next list + 1.
pub(crate) type List = [Word; 3];
/// Rank, pattern string.
pub(crate) type Entry = [Word; 2];

/// A table whose bytes have been cut, with cells of one width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Automaton<'a, C> {
    /// Rows, then padding that a block read may run into.
    pub(crate) cells: &'a [C],
    pub(crate) n_cells: u32,
    /// Rows before this cell are dense, the others are not.
    pub(crate) dense_end: u32,
    pub(crate) classes: &'a [u8; 256],
    pub(crate) heads: &'a [Head],
    pub(crate) lists: &'a [List],
    pub(crate) entries: &'a [Entry],
    pub(crate) n_classes: u32,
    pub(crate) start: u32,
    home_start: u32,
}

/// A table of either width.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyAutomaton<'a> {
    Narrow(Automaton<'a, [u8; 2]>),
    Wide(Automaton<'a, [u8; 4]>),
}

impl<'a> AnyAutomaton<'a> {
    /// Splits a table's bytes; checks nothing but lengths.
    #[inline]
    pub(crate) fn read(kind: u32, bytes: &'a [u8]) -> Option<Self> {
        match kind {
            TABLE_NARROW => {
                let (rest, table) = Automaton::read(bytes)?;
                let cells = rest.as_chunks().0;
                Some(Self::Narrow(Automaton { cells, ..table }))
            }
            TABLE_WIDE => {
                let (rest, table) = Automaton::read(bytes)?;
                let cells = rest.as_chunks().0;
                Some(Self::Wide(Automaton { cells, ..table }))
            }
            _ => None,
        }
    }
}

impl<'a, C> Automaton<'a, C> {
    /// Everything but the cells, and their bytes.
    #[inline]
    fn read(bytes: &'a [u8]) -> Option<(&'a [u8], Self)> {
        let (counts, rest) = bytes.split_first_chunk::<32>()?;
        let mut counts = Reader::new(counts);
        let [
            n_classes,
            n_cells,
            dense_end,
            n_heads,
            n_lists,
            n_entries,
            start,
            home_start,
        ] = [
            counts.u32()?,
            counts.u32()?,
            counts.u32()?,
            counts.u32()?,
            counts.u32()?,
            counts.u32()?,
            counts.u32()?,
            counts.u32()?,
        ];
        let (classes, rest) = rest.split_first_chunk::<256>()?;
        let mut reader = Reader::new(rest);
        let heads = reader.words(n_heads.checked_mul(4)?)?.as_chunks().0;
        let lists = reader.words(n_lists.checked_mul(3)?)?.as_chunks().0;
        let entries = reader.words(n_entries.checked_mul(2)?)?.as_chunks().0;
        let table = Self {
            cells: &[],
            n_cells,
            dense_end,
            classes,
            heads,
            lists,
            entries,
            n_classes,
            start,
            home_start,
        };
        Some((reader.rest(), table))
    }

    pub(crate) const fn home_start(&self) -> Option<u32> {
        if self.home_start == NONE {
            None
        } else {
            Some(self.home_start)
        }
    }
}
