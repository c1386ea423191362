//! Checked little-endian readers over byte slices.

/// A little-endian `u32` as it stands in an artifact.
pub(crate) type Word = [u8; 4];

/// Splits the slice into `u32` words; bytes left over are cut off.
pub(crate) fn words(bytes: &[u8]) -> &[Word] {
    bytes.as_chunks::<4>().0
}

/// The word at an index, or `None` past the end.
pub(crate) fn word(words: &[Word], index: usize) -> Option<u32> {
    words.get(index).map(|word| u32::from_le_bytes(*word))
}

/// An index that was read from an artifact; every target that permc supports has at least 32-bit addresses.
#[expect(
    clippy::as_conversions,
    reason = "usize has at least 32 bits on every supported target, checked below at compile time"
)]
pub(crate) const fn index(value: u32) -> usize {
    const { assert!(usize::BITS >= 32) };
    value as usize
}

/// Reads fields one after another; every read is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn take(&mut self, n_bytes: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(n_bytes)?;
        self.rest = rest;
        Some(head)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        let (head, rest) = self.rest.split_first_chunk::<4>()?;
        self.rest = rest;
        Some(u32::from_le_bytes(*head))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        let (head, rest) = self.rest.split_first_chunk::<8>()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*head))
    }

    /// The next `n_words` words; a count that the bytes cannot hold gives `None` without any allocation.
    pub(crate) fn words(&mut self, n_words: u32) -> Option<&'a [Word]> {
        self.take(index(n_words).checked_mul(4)?).map(words)
    }

    /// A counted list of words.
    pub(crate) fn list(&mut self) -> Option<&'a [Word]> {
        let n_words = self.u32()?;
        self.words(n_words)
    }

    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stop_at_the_end() {
        let mut reader = Reader::new(&[1, 0, 0, 0, 9, 9]);
        assert_eq!(reader.u32(), Some(1));
        assert_eq!(reader.u32(), None);
        assert_eq!(reader.take(2), Some(&[9, 9][..]));
        assert!(reader.is_empty());
    }

    #[test]
    fn a_huge_count_is_refused() {
        let mut reader = Reader::new(&[255, 255, 255, 255, 1, 0, 0, 0]);
        assert_eq!(reader.list(), None);
        assert_eq!(words(&[1, 0, 0, 0, 2]).len(), 1);
    }
}
