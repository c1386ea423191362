//! Byte spans and their translation to lines and columns.

/// A half-open range of byte offsets into one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset just past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from `start` up to, not including, `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// A value and the place in the source text that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs a value with its span.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// A place in a text as people count it: both numbers start at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line; lines end at LF.
    pub line: u32,
    /// The column, counted in Unicode scalar values.
    pub column: u32,
}

/// Where the lines of one text start, to turn byte offsets into lines and columns.
///
/// The index does not keep the text: hand the same text to every method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    // INVARIANT: ascending, and the first entry is 0.
    starts: Vec<usize>,
    /// Characters before each block of [`BLOCK`] bytes, so that a long line is not counted from its start each time.
    characters: Vec<usize>,
}

const BLOCK: usize = 1024;

/// Characters that start in these bytes of a UTF-8 text.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

impl LineIndex {
    /// Finds the lines of a text.
    ///
    /// # Complexity
    ///
    /// O(bytes of the text).
    #[must_use]
    pub fn new(text: &str) -> Self {
        let after_each_lf = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(offset, _)| offset.saturating_add(1));
        let blocks = text.as_bytes().chunks(BLOCK);
        let characters = blocks.scan(0_usize, |before, block| {
            let characters = *before;
            *before = before.saturating_add(count_characters(block));
            Some(characters)
        });
        Self {
            starts: std::iter::once(0).chain(after_each_lf).collect(),
            characters: characters.collect(),
        }
    }

    /// The line and column of a byte offset.
    ///
    /// An offset past the end means the end, and one inside a character means that
    /// character. A byte order mark at the very start takes no column, because no
    /// editor shows it.
    ///
    /// # Complexity
    ///
    /// O(log lines), whatever the length of the line.
    ///
    /// # Example
    ///
    /// ```
    /// use permc_grammar::span::LineIndex;
    ///
    /// let text = "one\nt\u{f6}wo";
    /// let place = LineIndex::new(text).line_column(text, 7);
    /// assert_eq!((place.line, place.column), (2, 3));
    /// ```
    #[must_use]
    pub fn line_column(&self, text: &str, offset: usize) -> LineColumn {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset = offset.saturating_sub(1);
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.start_of(line).unwrap_or(0);
        let has_mark = start == 0 && offset > 0 && text.starts_with('\u{feff}');
        let before = self
            .characters_before(text, offset)
            .saturating_sub(self.characters_before(text, start))
            .saturating_sub(usize::from(has_mark));
        LineColumn {
            line: to_u32(line),
            column: to_u32(before.saturating_add(1)),
        }
    }

    fn characters_before(&self, text: &str, offset: usize) -> usize {
        let block = offset.checked_div(BLOCK).unwrap_or(0);
        let start = block.saturating_mul(BLOCK);
        let in_block = text.as_bytes().get(start..offset).unwrap_or_default();
        // A text that ends with a whole block has no block behind it.
        let before = self.characters.get(block).copied();
        match before {
            Some(before) => before.saturating_add(count_characters(in_block)),
            None => count_characters(text.as_bytes()),
        }
    }

    /// The number of lines; a text that ends with LF has an empty last line.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// The span of a line, counted from 1, without its line end (LF or CRLF).
    ///
    /// # Example
    ///
    /// ```
    /// use permc_grammar::span::{LineIndex, Span};
    ///
    /// let text = "a\r\nbc";
    /// let lines = LineIndex::new(text);
    /// assert_eq!(lines.line_span(text, 1), Some(Span::new(0, 1)));
    /// assert_eq!(lines.line_span(text, 3), None);
    /// ```
    #[must_use]
    pub fn line_span(&self, text: &str, line: usize) -> Option<Span> {
        let start = self.start_of(line)?;
        let end = self.start_of(line.saturating_add(1)).unwrap_or(text.len());
        let content = text.get(start..end)?;
        let content = content
            .strip_suffix("\r\n")
            .or_else(|| content.strip_suffix('\n'))
            .unwrap_or(content);
        Some(Span::new(start, start.saturating_add(content.len())))
    }

    fn start_of(&self, line: usize) -> Option<usize> {
        self.starts.get(line.checked_sub(1)?).copied()
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, offset: usize) -> (u32, u32) {
        let found = LineIndex::new(text).line_column(text, offset);
        (found.line, found.column)
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        let text = "a\u{e9}\u{1f600}b\nc";
        assert_eq!(place(text, 0), (1, 1));
        assert_eq!(place(text, 1), (1, 2));
        assert_eq!(place(text, 2), (1, 2), "inside a character");
        assert_eq!(place(text, 3), (1, 3));
        assert_eq!(place(text, 7), (1, 4));
        assert_eq!(place(text, 8), (1, 5), "the line end");
        assert_eq!(place(text, 9), (2, 1));
        assert_eq!(place(text, 10), (2, 2), "the end");
        assert_eq!(place(text, 99), (2, 2), "past the end");
    }

    #[test]
    fn a_leading_byte_order_mark_takes_no_column_and_a_later_one_does() {
        let text = "\u{feff}ab\n\u{feff}c";
        assert_eq!(place(text, 0), (1, 1));
        assert_eq!(place(text, 3), (1, 1));
        assert_eq!(place(text, 4), (1, 2));
        assert_eq!(place(text, 9), (2, 2));
    }

    #[test]
    fn long_lines_are_counted_as_short_ones() {
        for (piece, repeats) in [
            ("x", 4096),
            ("a\u{e9}\u{1f600}", 900),
            ("\u{feff}b\n\u{1f600}c", 500),
        ] {
            let text = piece.repeat(repeats);
            let lines = LineIndex::new(&text);
            for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
                let before = text.get(..offset).unwrap();
                let start = before.rfind('\n').map_or(0, |at| at + 1);
                let mut expected = before.get(start..).unwrap().chars().count() + 1;
                if start == 0 && offset > 0 && text.starts_with('\u{feff}') {
                    expected -= 1;
                }
                let column = usize::try_from(lines.line_column(&text, offset).column).unwrap();
                assert_eq!(column, expected, "{piece:?} {offset}");
            }
        }
    }

    #[test]
    fn only_lf_ends_a_line() {
        let text = "a\rb\r\nc\n";
        let lines = LineIndex::new(text);
        assert_eq!(lines.line_count(), 3);
        assert_eq!(lines.line_span(text, 0), None);
        assert_eq!(lines.line_span(text, 1), Some(Span::new(0, 3)));
        assert_eq!(lines.line_span(text, 2), Some(Span::new(5, 6)));
        assert_eq!(lines.line_span(text, 3), Some(Span::new(7, 7)));
        assert_eq!(lines.line_span(text, 4), None);
    }

    #[test]
    fn an_empty_text_has_one_empty_line() {
        let lines = LineIndex::new("");
        assert_eq!(lines.line_count(), 1);
        assert_eq!(lines.line_span("", 1), Some(Span::new(0, 0)));
        assert_eq!(place("", 0), (1, 1));
    }
}
