//! Automata for tools: state by state, byte by byte, nothing of it on the lookup path.

use super::{AnyAutomaton, Automaton, Cell};
use crate::bytes::index;
use crate::format::{ROW_DELTA, ROW_DENSE, ROW_PATH};

/// An automaton as tools see it.
///
/// Its steps are written apart from those of lookups, so that tests can hold one against the other.
#[derive(Clone, Copy, Debug)]
pub struct AutomatonView<'a>(pub(crate) AnyAutomaton<'a>);

/// A state: a row, or a place inside a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateView {
    at: u32,
    run: u32,
}

/// How a state's row is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowView {
    /// One transition a class.
    Dense,
    /// This many exceptions from a dense row.
    Delta(usize),
    /// A run of this many bytes.
    Path(usize),
    /// A place inside a path.
    Inside,
}

macro_rules! each {
    ($view:expr, $table:ident => $body:expr) => {
        match &$view.0 {
            AnyAutomaton::Narrow($table) => $body,
            AnyAutomaton::Wide($table) => $body,
        }
    };
}

impl AutomatonView<'_> {
    /// Where walks start.
    #[must_use]
    pub fn start(&self) -> StateView {
        let at = each!(self, table => table.start);
        StateView { at, run: 0 }
    }

    /// Where walks over what follows the home directory start; `None` if no pattern means home.
    #[must_use]
    pub fn home_start(&self) -> Option<StateView> {
        let at = each!(self, table => table.home_start())?;
        Some(StateView { at, run: 0 })
    }

    /// The state after a byte.
    #[must_use]
    pub fn next(&self, state: StateView, byte: u8) -> StateView {
        each!(self, table => next(table, state, byte)).unwrap_or(state)
    }

    /// The rank + 1 that is satisfied on entering the state, 0 for none.
    #[must_use]
    pub fn pass(&self, state: StateView) -> u32 {
        self.head(state, 0)
    }

    /// The rank + 1 that is satisfied if the value ends in the state, 0 for none.
    #[must_use]
    pub fn end(&self, state: StateView) -> u32 {
        self.head(state, 1)
    }

    /// The highest rank + 1 that can still come; a walk that has as much is over. `None` inside a path.
    #[must_use]
    pub fn cap(&self, state: StateView) -> Option<u32> {
        (state.run == 0).then(|| self.head(state, 2))
    }

    /// The list of patterns that are looked at on entering the state.
    #[must_use]
    pub fn list(&self, state: StateView) -> Option<u32> {
        self.head(state, 3).checked_sub(1)
    }

    /// How the state is stored.
    #[must_use]
    pub fn row(&self, state: StateView) -> RowView {
        if state.run != 0 {
            return RowView::Inside;
        }
        each!(self, table => row(table, state)).unwrap_or(RowView::Dense)
    }

    /// Number of byte classes.
    #[must_use]
    pub fn n_classes(&self) -> u32 {
        each!(self, table => table.n_classes)
    }

    /// Bytes of one cell: 2 or 4.
    #[must_use]
    pub fn cell_width(&self) -> usize {
        each!(self, table => width(table))
    }

    /// Rows by kind: dense, delta, path; and the bytes that paths hold.
    #[must_use]
    pub fn n_rows(&self) -> [usize; 4] {
        each!(self, table => n_rows(table))
    }

    /// Patterns that are looked at one by one, in how many lists.
    #[must_use]
    pub fn n_looked_at(&self) -> (usize, usize) {
        each!(self, table => (table.entries.len(), table.lists.len()))
    }

    /// The entries of a list, rank and pattern string, those of the lists that it links to behind them.
    pub(crate) fn entries(&self, list: u32) -> impl Iterator<Item = (u32, u32)> {
        let (lists, all) = each!(self, table => (table.lists, table.entries));
        let chain = core::iter::successors(Some(list), move |list| {
            let [_, _, next] = *lists.get(index(*list))?;
            u32::from_le_bytes(next).checked_sub(1)
        });
        chain.flat_map(move |list| {
            let entries = lists.get(index(list)).and_then(|list| {
                let [first, count, _] = list.map(|word| index(u32::from_le_bytes(word)));
                all.get(first..first.checked_add(count)?)
            });
            let entries = entries.unwrap_or_default().iter();
            entries.map(|[rank, text]| (u32::from_le_bytes(*rank), u32::from_le_bytes(*text)))
        })
    }

    fn head(&self, state: StateView, field: usize) -> u32 {
        if state.run != 0 {
            return 0;
        }
        each!(self, table => head(table, state, field)).unwrap_or(0)
    }
}

const fn width<C: Cell>(_: &Automaton<'_, C>) -> usize {
    C::WIDTH
}

fn head<C: Cell>(table: &Automaton<'_, C>, state: StateView, field: usize) -> Option<u32> {
    let header = C::header(table.cells, index(state.at))?;
    let word = table.heads.get(header.head)?.get(field)?;
    Some(u32::from_le_bytes(*word))
}

fn row<C: Cell>(table: &Automaton<'_, C>, state: StateView) -> Option<RowView> {
    let header = C::header(table.cells, index(state.at))?;
    match header.kind {
        ROW_DENSE => Some(RowView::Dense),
        ROW_DELTA => Some(RowView::Delta(header.count)),
        ROW_PATH => Some(RowView::Path(header.count)),
        _ => None,
    }
}

fn next<C: Cell>(table: &Automaton<'_, C>, state: StateView, byte: u8) -> Option<StateView> {
    let header = C::header(table.cells, index(state.at))?;
    let body = table.cells.get(index(state.at).checked_add(C::HEADER)?..)?;
    let class = *table.classes.get(usize::from(byte))?;
    let at_row = |target: C| StateView {
        at: target.get() & !C::ATTENTION,
        run: 0,
    };
    let of_reference = || {
        let reference = index(body.first()?.get());
        let at = reference
            .checked_add(C::HEADER)?
            .checked_add(usize::from(class))?;
        Some(at_row(*table.cells.get(at)?))
    };
    match header.kind {
        ROW_DENSE => Some(at_row(*body.get(usize::from(class))?)),
        ROW_DELTA => {
            let keys = C::bytes(body.get(1..)?).get(..header.count)?;
            match keys.iter().position(|key| *key == class) {
                Some(found) => {
                    let n_keys = header.count.div_ceil(C::WIDTH);
                    let at = n_keys.checked_add(found)?.checked_add(1)?;
                    Some(at_row(*body.get(at)?))
                }
                None => of_reference(),
            }
        }
        ROW_PATH => {
            let run = C::bytes(body.get(2..)?).get(..header.count)?;
            let behind = index(state.run).checked_add(1)?;
            if *run.get(index(state.run))? != byte {
                of_reference()
            } else if behind == run.len() {
                Some(at_row(*body.get(1)?))
            } else {
                Some(StateView {
                    at: state.at,
                    run: u32::try_from(behind).ok()?,
                })
            }
        }
        _ => None,
    }
}

fn n_rows<C: Cell>(table: &Automaton<'_, C>) -> [usize; 4] {
    let [mut dense, mut delta, mut path, mut bytes] = [0_usize; 4];
    let mut at = 0_usize;
    while at < index(table.n_cells) {
        let Some(header) = C::header(table.cells, at) else {
            break;
        };
        let keys = header.count.div_ceil(C::WIDTH);
        let length = match header.kind {
            ROW_DENSE => {
                dense = dense.saturating_add(1);
                index(table.n_classes)
            }
            ROW_DELTA => {
                delta = delta.saturating_add(1);
                keys.saturating_add(header.count).saturating_add(1)
            }
            _ => {
                path = path.saturating_add(1);
                bytes = bytes.saturating_add(header.count);
                keys.saturating_add(2)
            }
        };
        at = at.saturating_add(C::HEADER).saturating_add(length);
    }
    [dense, delta, path, bytes]
}
