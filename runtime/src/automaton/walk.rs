//! Walking: one value over one table.

use super::{Automaton, Cell};
use crate::bytes::index;
use crate::format::{ROW_DELTA, ROW_DENSE, ROW_PATH};

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
        let mut rest = bytes;
        loop {
            let header = C::header(cells, self.at)?;
            let target = match header.kind {
                ROW_DENSE => {
                    let row = cells.get(self.at.checked_add(C::HEADER)?..)?;
                    // Bytes that stay in the state do not wait for one another.
                    loop {
                        let Some((byte, after)) = rest.split_first() else {
                            return Some(());
                        };
                        rest = after;
                        let target = row.get(self.class(*byte))?.get();
                        if index(target) != self.at {
                            break target;
                        }
                    }
                }
                ROW_PATH => {
                    let [reference, target, run @ ..] =
                        cells.get(self.at.checked_add(C::HEADER)?..)?
                    else {
                        return None;
                    };
                    let run = C::bytes(run).get(self.run..)?;
                    let left = header.count.checked_sub(self.run)?;
                    let equal = common_prefix(run, rest, left);
                    if equal == left {
                        rest = rest.get(equal..)?;
                        self.run = 0;
                        target.get()
                    } else {
                        let Some((byte, after)) = rest.get(equal..)?.split_first() else {
                            self.run = self.run.checked_add(equal)?;
                            return Some(());
                        };
                        rest = after;
                        self.run = 0;
                        self.dense(index(reference.get()), *byte)?
                    }
                }
                ROW_DELTA => {
                    let Some((byte, after)) = rest.split_first() else {
                        return Some(());
                    };
                    rest = after;
                    let row = cells.get(self.at.checked_add(C::HEADER)?..)?;
                    let (reference, row) = row.split_first()?;
                    let class = *self.table.classes.get(usize::from(*byte))?;
                    match find_class(C::bytes(row), header.count, class) {
                        Some(found) => {
                            let n_keys = header.count.div_ceil(C::WIDTH);
                            row.get(n_keys.checked_add(found)?)?.get()
                        }
                        None => self.dense(index(reference.get()), *byte)?,
                    }
                }
                _ => return None,
            };
            self.at = index(target & !C::ATTENTION);
            if target & C::ATTENTION != 0 {
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

    #[inline(always)]
    fn class(&self, byte: u8) -> usize {
        // A byte is always below 256, so the default is never taken.
        usize::from(
            self.table
                .classes
                .get(usize::from(byte))
                .copied()
                .unwrap_or_default(),
        )
    }

    /// The transition of a dense row.
    #[inline]
    fn dense(&self, row: usize, byte: u8) -> Option<u32> {
        let at = row.checked_add(C::HEADER)?.checked_add(self.class(byte))?;
        Some(self.table.cells.get(at)?.get())
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
            let tails = run.get(equal..length).zip(value.get(equal..));
            let more = tails.map_or(0, |(run, value)| {
                run.iter().zip(value).take_while(|(a, b)| a == b).count()
            });
            return equal.saturating_add(more);
        };
        let difference = u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right);
        if difference != 0 {
            let same = index(difference.trailing_zeros() >> 3);
            return equal.saturating_add(same).min(length);
        }
        equal = equal.saturating_add(8);
    }
    length
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
        // The lowest byte that is zero is found exactly; see Mycroft's test, 1987.
        let zeroed = u64::from_le_bytes(*block) ^ LOW.wrapping_mul(u64::from(class));
        let zeros = zeroed.wrapping_sub(LOW) & !zeroed & HIGH;
        if zeros != 0 {
            let found = first.saturating_add(index(zeros.trailing_zeros() >> 3));
            return (found < count).then_some(found);
        }
        first = first.saturating_add(8);
    }
    None
}
