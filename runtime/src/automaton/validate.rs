//! Checking a table once, so that walks cannot leave it.

use alloc::vec;
use alloc::vec::Vec;

use super::{AnyAutomaton, Automaton, Cell, Head};
use crate::bytes::index;
use crate::format::{MAX_LISTS, ROW_DELTA, ROW_DENSE, ROW_PADDING, ROW_PATH};

/// Checks everything that a walk relies on: classes inside a row, every row whole, every transition at the start of a row
/// and with the right attention bit, references at dense rows, heads and lists in range, lists that link to earlier ones
/// only, ranks below `bound`.
///
/// # Complexity
///
/// O(table) time; allocates an eighth of the table at most.
pub(crate) fn validate(
    kind: u32,
    bytes: &[u8],
    bound: u32,
    n_strings: usize,
) -> Result<(), &'static str> {
    let table = AnyAutomaton::read(kind, bytes)
        .ok_or("a table is of an unknown kind, or its counts contradict its length")?;
    match table {
        AnyAutomaton::Narrow(table) => validate_table(&table, bound, n_strings),
        AnyAutomaton::Wide(table) => validate_table(&table, bound, n_strings),
    }
}

fn validate_table<C: Cell>(
    table: &Automaton<'_, C>,
    bound: u32,
    n_strings: usize,
) -> Result<(), &'static str> {
    let padded = index(table.n_cells)
        .checked_mul(C::WIDTH)
        .and_then(|length| length.checked_next_multiple_of(4)?.checked_add(ROW_PADDING));
    let bytes = C::bytes(table.cells);
    let padding = bytes.get(index(table.n_cells).saturating_mul(C::WIDTH)..);
    if padded != Some(bytes.len()) || padding.is_none_or(|bytes| bytes.iter().any(|b| *b != 0)) {
        return Err("the rows of a table contradict its length");
    }
    if table
        .classes
        .iter()
        .any(|class| u32::from(*class) >= table.n_classes)
    {
        return Err("a byte class lies outside its row");
    }
    if table.n_cells > C::ATTENTION {
        return Err("a table has more cells than its transitions can number");
    }
    validate_outcomes(table, bound, n_strings)?;
    let marks = Marks::collect(table)?;
    let cells = table.cells;
    let mut at = 0;
    while let Some(row) = Row::read(table, at)? {
        let targets = cells.get(row.targets..row.end).ok_or(CUT)?;
        let targets = if row.kind == ROW_PATH {
            targets.get(..1).ok_or(CUT)?
        } else {
            targets
        };
        if !targets.iter().all(|target| marks.holds::<C>(target.get())) {
            return Err("a transition is out of range or its attention bit is wrong");
        }
        if let Some(reference) = row.reference
            && !(marks.is_row(reference)
                && C::header(cells, index(reference)).is_some_and(|row| row.kind == ROW_DENSE))
        {
            return Err("a row refers to something that is no dense row");
        }
        at = row.end;
    }
    let is_start = |state: u32| marks.is_row(state);
    if !is_start(table.start) || !table.home_start().is_none_or(is_start) {
        return Err("a start state is out of range");
    }
    Ok(())
}

const CUT: &str = "a row of a table is cut";

fn validate_outcomes<C>(
    table: &Automaton<'_, C>,
    bound: u32,
    n_strings: usize,
) -> Result<(), &'static str> {
    let n_lists = table.lists.len();
    if n_lists > MAX_LISTS {
        return Err("a table has too many lists");
    }
    for head in table.heads {
        let [pass, end, cap, list] = head.map(u32::from_le_bytes);
        if pass > bound || end > bound || cap > bound || index(list) > n_lists {
            return Err("a head is out of range");
        }
    }
    let mut end = 0_usize;
    for (number, list) in table.lists.iter().enumerate() {
        let [first, count, next] = list.map(|word| index(u32::from_le_bytes(word)));
        let after = first.checked_add(count).ok_or("a list is out of range")?;
        let Some(entries) = table.entries.get(end..after).filter(|_| first == end) else {
            return Err("a list is out of range");
        };
        end = after;
        if next > number {
            return Err("a list links to a later one");
        }
        let mut below = bound;
        for [rank, pattern] in entries {
            let rank = u32::from_le_bytes(*rank);
            if rank >= below {
                return Err("the ranks of a list do not descend");
            }
            below = rank;
            if index(u32::from_le_bytes(*pattern)) >= n_strings {
                return Err("a pattern is out of range");
            }
        }
    }
    if end != table.entries.len() {
        return Err("entries belong to no list");
    }
    Ok(())
}

/// One row's extent.
struct Row {
    kind: u32,
    head: usize,
    reference: Option<u32>,
    /// Cell of the first target.
    targets: usize,
    end: usize,
}

impl Row {
    /// The row at a cell, `None` behind the last one.
    fn read<C: Cell>(table: &Automaton<'_, C>, at: usize) -> Result<Option<Self>, &'static str> {
        let n_cells = index(table.n_cells);
        if at >= n_cells {
            return Ok(None);
        }
        let header = C::header(table.cells, at).ok_or(CUT)?;
        let body = at.checked_add(C::HEADER).ok_or(CUT)?;
        let keys = header.count.div_ceil(C::WIDTH);
        let reference = || table.cells.get(body).map(|cell| cell.get());
        let (reference, before, after) = match header.kind {
            ROW_DENSE if header.count == 0 => (None, 0, index(table.n_classes)),
            ROW_DELTA => (
                Some(reference().ok_or(CUT)?),
                keys.saturating_add(1),
                header.count,
            ),
            ROW_PATH if header.count > 0 => {
                (Some(reference().ok_or(CUT)?), 1, keys.saturating_add(1))
            }
            _ => return Err("a row is of an unknown kind"),
        };
        let targets = body.checked_add(before).ok_or(CUT)?;
        let end = targets.checked_add(after).ok_or(CUT)?;
        if end > n_cells {
            return Err(CUT);
        }
        Ok(Some(Self {
            kind: header.kind,
            head: header.head,
            reference,
            targets,
            end,
        }))
    }
}

/// Two bits a cell: a row starts here; its head asks for attention.
struct Marks(Vec<u32>);

/// 16 marks of two bits.
const MARKS_PER_WORD: usize = 16;

impl Marks {
    fn collect<C: Cell>(table: &Automaton<'_, C>) -> Result<Self, &'static str> {
        let n_words = index(table.n_cells).div_ceil(MARKS_PER_WORD);
        let mut marks = vec![0_u32; n_words];
        let mut dense_end = 0;
        let mut at = 0;
        while let Some(row) = Row::read(table, at)? {
            if (row.kind == ROW_DENSE) != (at < index(table.dense_end)) {
                return Err("dense rows and others are mixed");
            }
            let head = table.heads.get(row.head).ok_or("a head is out of range")?;
            let mark = 1_u32 | (u32::from(needs_attention(head)) << 1);
            if row.kind == ROW_DENSE {
                dense_end = row.end;
            }
            let (word, shift) = place(u32::try_from(at).map_err(|_| CUT)?);
            if let Some(word) = marks.get_mut(word) {
                *word |= mark.wrapping_shl(shift);
            }
            at = row.end;
        }
        // A walk takes what is past this cell for a row of another kind, or for a target that asks for attention.
        if dense_end != index(table.dense_end) {
            return Err("dense rows end elsewhere than the table says");
        }
        Ok(Self(marks))
    }

    fn mark(&self, cell: u32) -> u32 {
        let (word, shift) = place(cell);
        self.0
            .get(word)
            .map_or(0, |word| word.wrapping_shr(shift) & 3)
    }

    fn is_row(&self, cell: u32) -> bool {
        self.mark(cell) & 1 == 1
    }

    /// Whether a transition goes to a row and asks for attention just where the head wants it.
    fn holds<C: Cell>(&self, target: u32) -> bool {
        let attention = u32::from(target & C::ATTENTION != 0) << 1;
        self.mark(target & !C::ATTENTION) == (1 | attention)
    }
}

const fn place(cell: u32) -> (usize, u32) {
    (index(cell >> 4), (cell & 15) << 1)
}

/// A walk must look at heads that answer something, and at those behind which nothing can come.
fn needs_attention(head: &Head) -> bool {
    let [pass, _, cap, list] = head.map(u32::from_le_bytes);
    pass != 0 || list != 0 || cap == 0
}
