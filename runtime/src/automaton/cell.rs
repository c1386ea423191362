//! Cells: the numbers that rows are made of, in two widths, so that a small table fits the nearest cache.

use crate::bytes::index;
use crate::format::{ROW_COUNT_BITS, ROW_KIND_BITS};

/// What a row's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: u32,
    /// Exceptions of a delta row, bytes of a path row.
    pub(crate) count: usize,
    pub(crate) head: usize,
}

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

    /// The count of a header's first cell.
    fn count(first: u32) -> usize;

    /// The head of the row at a cell, whose header's first cell is given.
    fn head(cells: &[Self], at: usize, first: u32) -> Option<usize>;

    /// The bytes of cells.
    fn bytes(cells: &[Self]) -> &[u8];

    /// The header of the row that starts at a cell.
    fn header(cells: &[Self], at: usize) -> Option<Header> {
        let first = cells.get(at)?.get();
        Some(Header {
            kind: first & ((1 << ROW_KIND_BITS) - 1),
            count: Self::count(first),
            head: Self::head(cells, at, first)?,
        })
    }
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
    fn count(first: u32) -> usize {
        index(first >> ROW_KIND_BITS)
    }

    #[inline(always)]
    fn head(cells: &[Self], at: usize, _: u32) -> Option<usize> {
        Some(index(cells.get(at.wrapping_add(1))?.get()))
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
    fn count(first: u32) -> usize {
        index((first >> ROW_KIND_BITS) & ((1 << ROW_COUNT_BITS) - 1))
    }

    #[inline(always)]
    fn head(_: &[Self], _: usize, first: u32) -> Option<usize> {
        Some(index(first >> (ROW_KIND_BITS + ROW_COUNT_BITS)))
    }

    #[inline(always)]
    fn bytes(cells: &[Self]) -> &[u8] {
        cells.as_flattened()
    }
}
