//! Walking: one value over one table.

use super::{Automaton, Cell};
use crate::bytes::index;
use crate::format::{ROW_KIND_BITS, ROW_PATH};

/// The bits of a row's kind.
const ROW_KIND: u32 = (1 << ROW_KIND_BITS) - 1;

/// A walk over a table, fed with the value's bytes in one or more pieces.
///
/// It keeps the running maximum of the ranks + 1 that are satisfied whatever follows, and ends early where nothing
/// better can come. Every step uses up a byte, so a walk always ends.
pub(crate) struct Walk<'t, 'a, C> {
    table: &'t Automaton<'a, C>,
    /// Cell of the row.
    at: usize,
    /// Bytes of the row's path that are behind.
    run: usize,
    best: u32,
    is_over: bool,
}

impl<'t, 'a, C: Cell> Walk<'t, 'a, C> {
    /// Starts at a state. `visit` is told of the lists whose patterns need a look, with the best so far, and gives back
    /// what is best after it.
    #[inline]
    pub(crate) fn new(
        table: &'t Automaton<'a, C>,
        start: u32,
        best: u32,
        visit: &mut impl FnMut(u32, u32) -> Option<u32>,
    ) -> Option<Self> {
        let mut walk = Self {
            table,
            at: index(start),
            run: 0,
            best,
            is_over: false,
        };
        walk.arrive(visit)?;
        Some(walk)
    }

    /// Walks over more of the value's bytes.
    ///
    /// # Complexity
    ///
    /// O(bytes); no allocation.
    #[inline]
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        visit: &mut impl FnMut(u32, u32) -> Option<u32>,
    ) -> Option<()> {
        if self.is_over {
            return Some(());
        }
        let cells = self.table.cells;
        let classes = self.table.classes;
        let dense_end = index(self.table.dense_end);
        let mut rest = bytes.iter();
        let mut at = self.at;
        // Index arithmetic wraps: what it gives is looked up with a bounds check.
        loop {
            // Dense rows stand first, so that it takes no read to know one.
            let target = if at < dense_end {
                loop {
                    // Bytes that stay in the state do not wait for one another.
                    let row = at.wrapping_add(C::HEADER);
                    let target = loop {
                        let Some(byte) = rest.next() else {
                            self.at = at;
                            return Some(());
                        };
                        let target = dense(cells, row, class(classes, *byte))?;
                        if index(target) != at {
                            break target;
                        }
                    };
                    // With the attention bit, a target is past all cells.
                    if index(target) >= dense_end {
                        break target;
                    }
                    at = index(target);
                }
            } else {
                let body = at.wrapping_add(C::HEADER);
                let first = cells.get(at)?.get();
                if first & ROW_KIND == ROW_PATH {
                    let run = C::bytes(cells.get(body.wrapping_add(2)..)?).get(self.run..)?;
                    let left = C::count(first).wrapping_sub(self.run);
                    let equal = common_prefix(run, rest.as_slice(), left);
                    rest = rest.as_slice().get(equal..)?.iter();
                    if equal == left {
                        self.run = 0;
                        cells.get(body.wrapping_add(1))?.get()
                    } else {
                        let Some(byte) = rest.next() else {
                            self.run = self.run.wrapping_add(equal);
                            self.at = at;
                            return Some(());
                        };
                        self.run = 0;
                        let reference = index(cells.get(body)?.get()).wrapping_add(C::HEADER);
                        dense(cells, reference, class(classes, *byte))?
                    }
                } else {
                    let Some(byte) = rest.next() else {
                        self.at = at;
                        return Some(());
                    };
                    let class = class(classes, *byte);
                    let keys = body.wrapping_add(1);
                    let count = C::count(first);
                    match find_class(C::bytes(cells.get(keys..)?), count, class) {
                        Some(found) => {
                            let targets = keys.wrapping_add(count.div_ceil(C::WIDTH));
                            cells.get(targets.wrapping_add(found))?.get()
                        }
                        None => {
                            let reference = index(cells.get(body)?.get()).wrapping_add(C::HEADER);
                            dense(cells, reference, class)?
                        }
                    }
                }
            };
            at = index(target & !C::ATTENTION);
            if target & C::ATTENTION != 0 {
                self.at = at;
                self.arrive(visit)?;
                if self.is_over {
                    return Some(());
                }
            }
        }
    }

    /// The highest rank + 1 of the whole value.
    #[inline]
    pub(crate) fn finish(&self) -> Option<u32> {
        if self.is_over || self.run != 0 {
            return Some(self.best);
        }
        let header = C::header(self.table.cells, self.at)?;
        let [_, end, _, _] = *self.table.heads.get(header.head)?;
        Some(self.best.max(u32::from_le_bytes(end)))
    }

    #[inline]
    fn arrive(&mut self, visit: &mut impl FnMut(u32, u32) -> Option<u32>) -> Option<()> {
        let header = C::header(self.table.cells, self.at)?;
        let [pass, _, cap, list] = self.table.heads.get(header.head)?.map(u32::from_le_bytes);
        self.best = self.best.max(pass);
        if let Some(list) = list.checked_sub(1) {
            self.best = visit(list, self.best)?;
        }
        self.is_over = self.best >= cap;
        Some(())
    }
}

#[inline(always)]
fn class(classes: &[u8; 256], byte: u8) -> u8 {
    // A byte is always below 256, so the default is never taken.
    classes.get(usize::from(byte)).copied().unwrap_or_default()
}

/// The transition of the dense row whose first transition is at a cell.
#[inline(always)]
fn dense<C: Cell>(cells: &[C], row: usize, class: u8) -> Option<u32> {
    Some(cells.get(row.wrapping_add(usize::from(class)))?.get())
}

/// How many of the first `length` bytes of `run` stand at the start of `value`.
#[inline]
fn common_prefix(run: &[u8], value: &[u8], length: usize) -> usize {
    let mut equal = 0_usize;
    while equal < length {
        let blocks = run
            .get(equal..)
            .and_then(|rest| rest.first_chunk::<8>())
            .zip(value.get(equal..).and_then(|rest| rest.first_chunk::<8>()));
        let Some((left, right)) = blocks else {
            let length = length.min(value.len());
            while equal < length && run.get(equal) == value.get(equal) {
                equal = equal.wrapping_add(1);
            }
            return equal;
        };
        let difference = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        // 64 zeros where the blocks are equal: eight bytes.
        equal = equal.wrapping_add(index(difference.trailing_zeros() >> 3));
        if difference != 0 {
            break;
        }
    }
    equal.min(length)
}

/// The place of a class among the first `count` bytes.
#[inline]
fn find_class(keys: &[u8], count: usize, class: u8) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = LOW << 7;
    let mut first = 0_usize;
    while first < count {
        let rest = keys.get(first..)?;
        let Some(block) = rest.first_chunk::<8>() else {
            let keys = keys.get(first..count)?;
            let found = keys.iter().position(|key| *key == class)?;
            return first.checked_add(found);
        };
        // The usual test for a zero byte in a word: the lowest one is found exactly.
        let zeroed = u64::from_le_bytes(*block) ^ LOW.wrapping_mul(u64::from(class));
        let zeros = zeroed.wrapping_sub(LOW) & !zeroed & HIGH;
        if zeros != 0 {
            let found = first.wrapping_add(index(zeros.trailing_zeros() >> 3));
            return (found < count).then_some(found);
        }
        first = first.wrapping_add(8);
    }
    None
}
