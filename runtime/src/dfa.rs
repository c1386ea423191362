//! The dense automaton: one row a state, read in place.

use crate::bytes::{Reader, Word, index, word};
use crate::format::{NONE, PASS_FLAG, ROW_HEAD};

/// A validated dense table.
///
/// A state is the offset of its row. A walk keeps the running maximum of the *pass* ranks that it meets (rules that
/// are satisfied whatever follows) and at the end of the value takes the state's *end* rank into account, so that no
/// state has to remember which trailing stars were reached. Ranks are stored plus one; 0 is "no rule".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dense<'a> {
    rows: &'a [Word],
    classes: &'a [u8; 256],
    start: u32,
    home_start: u32,
}

impl<'a> Dense<'a> {
    /// Splits a table's bytes; checks nothing but lengths.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let n_states = reader.u32()?;
        let stride = reader.u32()?;
        let start = reader.u32()?;
        let home_start = reader.u32()?;
        let classes = reader.take(256)?.first_chunk()?;
        let rows = reader.words(n_states.checked_mul(stride)?)?;
        reader.is_empty().then_some(Self {
            rows,
            classes,
            start,
            home_start,
        })
    }

    /// Checks everything that a walk relies on: every class inside a row, every start and transition at a row, every
    /// rank below `bound`, pass flags exactly on transitions into states with a pass.
    ///
    /// # Complexity
    ///
    /// O(table).
    pub(crate) fn validate(bytes: &[u8], bound: u32) -> Result<(), &'static str> {
        const CUT: &str = "a table is cut or its counts contradict its length";
        let table = Dense::read(bytes).ok_or(CUT)?;
        let mut reader = Reader::new(bytes);
        let n_states = reader.u32().ok_or(CUT)?;
        let stride = reader.u32().ok_or(CUT)?;
        if stride <= ROW_HEAD || n_states == 0 {
            return Err("a table has no states or no classes");
        }
        if table
            .classes
            .iter()
            .any(|class| u32::from(*class) < ROW_HEAD || u32::from(*class) >= stride)
        {
            return Err("a byte class lies outside its row");
        }
        let is_row =
            |state: u32| state.checked_rem(stride) == Some(0) && index(state) < table.rows.len();
        if !is_row(table.start) || (table.home_start != NONE && !is_row(table.home_start)) {
            return Err("a start state is out of range");
        }
        for row in table.rows.chunks_exact(index(stride)) {
            let (head, transitions) = row.split_at_checked(index(ROW_HEAD)).ok_or(CUT)?;
            if head.iter().any(|rank| u32::from_le_bytes(*rank) > bound) {
                return Err("a rank is out of range");
            }
            for transition in transitions {
                let transition = u32::from_le_bytes(*transition);
                let target = transition & !PASS_FLAG;
                if !is_row(target) {
                    return Err("a transition is out of range");
                }
                let pass = word(table.rows, index(target)).ok_or(CUT)?;
                if (pass != 0) != (transition & PASS_FLAG != 0) {
                    return Err("a transition's pass flag is wrong");
                }
            }
        }
        Ok(())
    }

    pub(crate) const fn start(&self) -> u32 {
        self.start
    }

    pub(crate) const fn home_start(&self) -> Option<u32> {
        if self.home_start == NONE {
            None
        } else {
            Some(self.home_start)
        }
    }

    /// The highest rank + 1 over the bytes from `state` on, at least `best`.
    ///
    /// # Complexity
    ///
    /// O(bytes), two reads a byte.
    pub(crate) fn walk(
        &self,
        state: u32,
        bytes: impl Iterator<Item = u8>,
        best: u32,
    ) -> Option<u32> {
        let mut row = index(state);
        let mut best = best.max(word(self.rows, row)?);
        for byte in bytes {
            let class = self.classes.get(usize::from(byte))?;
            let transition = word(self.rows, row.checked_add(usize::from(*class))?)?;
            row = index(transition & !PASS_FLAG);
            if transition & PASS_FLAG != 0 {
                best = best.max(word(self.rows, row)?);
            }
        }
        Some(best.max(word(self.rows, row.checked_add(1)?)?))
    }
}
