//! Exact literals by hash: one probe in place of a walk, for classes that have tens of thousands of them.

use crate::bytes::{Word, index};
use crate::format;
use crate::parts::Strings;

/// Hash, rank + 1 (0: empty), pattern string.
type Slot = [Word; 3];

/// An open-addressing hash table with linear probing over [`format::surface_hash`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact<'a> {
    slots: &'a [Slot],
}

impl<'a> Exact<'a> {
    /// Splits a table's bytes; checks that there is a power of two of whole slots.
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<4>();
        let (slots, left) = words.as_chunks::<3>();
        let is_whole = rest.is_empty() && left.is_empty() && slots.len().is_power_of_two();
        is_whole.then_some(Self { slots })
    }

    /// Checks that ranks are below `bound`, that texts exist, and that each stands where a probe finds it.
    ///
    /// # Complexity
    ///
    /// O(slots + texts).
    pub(crate) fn validate(&self, strings: &Strings<'_>, bound: u32) -> Result<(), &'static str> {
        let mask = self.slots.len().wrapping_sub(1);
        let is_empty = |slot: &Slot| *slot == [[0; 4]; 3];
        let Some(last_empty) = self.slots.iter().rposition(is_empty) else {
            return Err("a hash table has no empty slot");
        };
        let mut since_empty = mask.wrapping_sub(last_empty);
        for (at, slot) in self.slots.iter().enumerate() {
            if is_empty(slot) {
                since_empty = 0;
                continue;
            }
            since_empty = since_empty.wrapping_add(1);
            let [hash, rank, text] = slot.map(u32::from_le_bytes);
            if rank == 0 || rank > bound {
                return Err("a rank is out of range");
            }
            let text = strings.bytes(text).ok_or("a pattern is out of range")?;
            if hash != format::surface_hash(text)
                || at.wrapping_sub(index(hash)) & mask >= since_empty
            {
                return Err("an exact pattern is not where its hash says");
            }
        }
        Ok(())
    }

    /// The rank + 1 of a text, 0 if it is none of the patterns.
    #[inline]
    pub(crate) fn find(&self, strings: &Strings<'_>, text: &[u8]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let wanted = format::surface_hash(text);
        let mut at = index(wanted) & mask;
        for _ in self.slots {
            let [hash, rank, pattern] = self.slots.get(at)?.map(u32::from_le_bytes);
            if rank == 0 {
                return Some(0);
            }
            if hash == wanted && strings.bytes(pattern)? == text {
                return Some(rank);
            }
            at = at.wrapping_add(1) & mask;
        }
        Some(0)
    }

    /// Number of patterns.
    pub(crate) fn n_patterns(&self) -> usize {
        self.slots
            .iter()
            .filter(|[_, rank, _]| *rank != [0; 4])
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"gitnpm";

    fn strings() -> Strings<'static> {
        Strings {
            ends: &[[3, 0, 0, 0], [6, 0, 0, 0]],
            text: TEXT,
        }
    }

    /// `git` with rank 4 and `npm` with rank 0 (stored plus one), each where its hash says.
    fn table() -> Vec<u8> {
        let mut slots = [[0_u32; 3]; 4];
        for (text, rank, string) in [("git", 5, 0), ("npm", 1, 1)] {
            let hash = format::surface_hash(text.as_bytes());
            let mut at = usize::try_from(hash).unwrap() & 3;
            while slots[at][1] != 0 {
                at = at.wrapping_add(1) & 3;
            }
            slots[at] = [hash, rank, string];
        }
        slots
            .iter()
            .flatten()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    fn validate(bytes: &[u8], bound: u32) -> Result<(), &'static str> {
        Exact::read(bytes).unwrap().validate(&strings(), bound)
    }

    #[test]
    fn finds_what_it_holds_and_nothing_else() {
        let bytes = table();
        let exact = Exact::read(&bytes).unwrap();
        assert_eq!(exact.n_patterns(), 2);
        assert_eq!(exact.find(&strings(), b"git"), Some(5));
        assert_eq!(exact.find(&strings(), b"npm"), Some(1));
        for other in [&b""[..], b"gi", b"gitx", b"cargo"] {
            assert_eq!(exact.find(&strings(), other), Some(0));
        }
        assert_eq!(validate(&bytes, 5), Ok(()));
    }

    #[test]
    fn what_a_probe_would_not_find_is_refused() {
        let bytes = table();
        let refused = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = bytes.clone();
            change(&mut bytes);
            validate(&bytes, 5).unwrap_err()
        };
        let slot = |text: &[u8]| {
            let hash = format::surface_hash(text).to_le_bytes();
            bytes.chunks(12).position(|slot| slot[..4] == hash).unwrap() * 12
        };
        let git = slot(b"git");
        assert!(validate(&bytes, 4).unwrap_err().contains("rank"));
        assert!(refused(&|bytes| bytes[git + 4] = 0).contains("rank"));
        assert!(refused(&|bytes| bytes[git + 8] = 9).contains("pattern is out of range"));
        assert!(
            refused(&|bytes| bytes[git + 8] = 1).contains("hash"),
            "another text"
        );
        assert!(refused(&|bytes| bytes[git] ^= 1).contains("hash"));
        assert!(
            refused(&|bytes| bytes.iter_mut().for_each(|byte| *byte |= 1))
                .contains("no empty slot")
        );
        // One slot to the left, behind an empty one or at it.
        assert!(
            refused(&|bytes| bytes.rotate_left(12)).contains("hash")
                || refused(&|bytes| bytes.rotate_left(24)).contains("hash")
        );
        assert!(Exact::read(&bytes[12..]).is_none(), "three slots");
        assert!(Exact::read(&bytes[..20]).is_none());
        assert!(Exact::read(&[]).is_none());
    }
}
