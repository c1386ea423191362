//! Cells: the numbers that rows are made of, in two widths, so that a small table fits the nearest cache.

/// What a row's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: u32,
    /// Exceptions of a delta row, bytes of a path row.
    pub(crate) count: usize,
    pub(crate) head: usize,
}

/// A row's kind is the low bits of its header.
const KIND_BITS: u32 = 2;
/// Count bits of a wide header; the head takes the rest.
const COUNT_BITS: u32 = 8;

/// A little-endian number of 2 or 4 bytes.
pub(crate) trait Cell: Copy {
    /// Bytes a cell.
    const WIDTH: usize;
    /// Cells of a row's header.
    const HEADER: usize;
    /// The bit of a transition that asks for a look at the target's head.
    const ATTENTION: u32;

    /// The number.
    fn get(self) -> u32;

    /// The header of the row that starts at a cell.
    fn header(cells: &[Self], at: usize) -> Option<Header>;

    /// The bytes of cells.
    fn bytes(cells: &[Self]) -> &[u8];
}

impl Cell for [u8; 2] {
    const WIDTH: usize = 2;
    const HEADER: usize = 2;
    const ATTENTION: u32 = 1 << 15;

    #[inline(always)]
    fn get(self) -> u32 {
        u32::from(u16::from_le_bytes(self))
    }

    #[inline(always)]
    fn header(cells: &[Self], at: usize) -> Option<Header> {
        let [first, head] = *cells.get(at..)?.first_chunk::<2>()?;
        let first = u16::from_le_bytes(first);
        Some(Header {
            kind: u32::from(first) & ((1 << KIND_BITS) - 1),
            count: usize::from(first >> KIND_BITS),
            head: usize::from(u16::from_le_bytes(head)),
        })
    }

    #[inline(always)]
    fn bytes(cells: &[Self]) -> &[u8] {
        cells.as_flattened()
    }
}

impl Cell for [u8; 4] {
    const WIDTH: usize = 4;
    const HEADER: usize = 1;
    const ATTENTION: u32 = 1 << 31;

    #[inline(always)]
    fn get(self) -> u32 {
        u32::from_le_bytes(self)
    }

    #[inline(always)]
    fn header(cells: &[Self], at: usize) -> Option<Header> {
        let word = cells.get(at)?.get();
        Some(Header {
            kind: word & ((1 << KIND_BITS) - 1),
            count: crate::bytes::index((word >> KIND_BITS) & ((1 << COUNT_BITS) - 1)),
            head: crate::bytes::index(word >> (KIND_BITS + COUNT_BITS)),
        })
    }

    #[inline(always)]
    fn bytes(cells: &[Self]) -> &[u8] {
        cells.as_flattened()
    }
}
