//! Artifacts taken apart, changed and put together again: what is wrong with them is meant, the checksum is right.

use std::ops::Range;

use permc_runtime::format::{
    self, HEADER_LEN, MAGIC, NONE, ROW_DELTA, ROW_DENSE, ROW_KIND_BITS, ROW_PATH,
    SECTION_ENTRY_LEN, TABLE_NARROW, TRAILER_LEN, section,
};

/// One line of the section table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Id.
    pub id: u32,
    /// Reserved.
    pub zero: u32,
    /// Where the section starts.
    pub offset: u64,
    /// How long it is.
    pub length: u64,
}

/// An artifact as its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Version, features.
    pub versions: [u32; 2],
    /// The total length that the header states; `None`: the right one.
    pub stated: Option<u64>,
    /// Number of sections and the reserved word.
    pub counts: [u32; 2],
    /// The section table; `None`: the right one.
    pub entries: Option<Vec<Entry>>,
    /// The bytes of each section, in order.
    pub sections: Vec<(u32, Vec<u8>)>,
    /// What stands in the gaps between sections.
    pub gap: u8,
    /// The digest, which loading does not recompute.
    pub digest: [u8; 32],
}

impl Artifact {
    /// Takes a right artifact apart.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let entries = bytes[HEADER_LEN..]
            .chunks(SECTION_ENTRY_LEN)
            .take(section::ALL.len());
        let sections = entries.map(|entry| {
            let long = |at: usize| {
                usize::try_from(u64::from_le_bytes(entry[at..at + 8].try_into().unwrap())).unwrap()
            };
            let (start, length) = (long(8), long(16));
            (word_at(entry, 0), bytes[start..start + length].to_vec())
        });
        Self {
            versions: [word_at(bytes, 8), word_at(bytes, 12)],
            stated: None,
            counts: [word_at(bytes, 24), word_at(bytes, 28)],
            entries: None,
            sections: sections.collect(),
            gap: 0,
            digest: bytes[32..64].try_into().unwrap(),
        }
    }

    /// The right section table.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let mut end = HEADER_LEN + self.sections.len() * SECTION_ENTRY_LEN;
        let sections = self.sections.iter();
        sections
            .map(|(id, bytes)| {
                let start = end.next_multiple_of(8);
                end = start + bytes.len();
                Entry {
                    id: *id,
                    zero: 0,
                    offset: long(start),
                    length: long(bytes.len()),
                }
            })
            .collect()
    }

    /// Puts it together, with the checksum of what came out.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        push(&mut bytes, &self.versions);
        bytes.extend(0_u64.to_le_bytes());
        push(&mut bytes, &self.counts);
        bytes.extend(self.digest);
        for entry in self.entries.clone().unwrap_or_else(|| self.entries()) {
            push(&mut bytes, &[entry.id, entry.zero]);
            bytes.extend(entry.offset.to_le_bytes());
            bytes.extend(entry.length.to_le_bytes());
        }
        for (_, section) in &self.sections {
            bytes.resize(bytes.len().next_multiple_of(8), self.gap);
            bytes.extend(section);
        }
        let total = self.stated.unwrap_or(long(bytes.len() + TRAILER_LEN));
        bytes[16..24].copy_from_slice(&total.to_le_bytes());
        let checksum = format::crc32c(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// The bytes of a section.
    pub fn section(&mut self, id: u32) -> &mut Vec<u8> {
        let found = self.sections.iter_mut().find(|(known, _)| *known == id);
        &mut found.unwrap().1
    }

    /// The words of a section; bytes behind the last whole one are lost.
    #[must_use]
    pub fn words(&self, id: u32) -> Vec<u32> {
        let found = self.sections.iter().find(|(known, _)| *known == id);
        words(&found.unwrap().1)
    }

    /// Replaces a section.
    pub fn set_words(&mut self, id: u32, words: &[u32]) {
        let bytes = self.section(id);
        bytes.clear();
        push(bytes, words);
    }

    /// All tables.
    #[must_use]
    pub fn tables(&self) -> Vec<Table> {
        let words = self.words(section::TABLES);
        let section = &self
            .sections
            .iter()
            .find(|(id, _)| *id == section::TABLES)
            .unwrap()
            .1;
        let lines = words[1..].chunks(4).take(size(words[0]));
        let tables = lines.map(|line| {
            let start = size(line[1]);
            Table::read(line[0], line[3], &section[start..start + size(line[2])])
        });
        tables.collect()
    }

    /// Replaces all tables.
    pub fn set_tables(&mut self, tables: &[Table]) {
        let mut lines = vec![count(tables.len())];
        let mut body = Vec::new();
        for table in tables {
            let bytes = table.write();
            let offset = 4 + 16 * tables.len() + body.len();
            lines.extend([table.kind, count(offset), count(bytes.len()), table.bound]);
            body.extend(bytes);
        }
        self.set_words(section::TABLES, &lines);
        self.section(section::TABLES).extend(body);
    }
}

/// A table as its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Kind.
    pub kind: u32,
    /// One more than its highest rank.
    pub bound: u32,
    /// Classes, cells, cells of dense rows, heads, lists, entries, start, home start: as they are stated.
    pub counts: [u32; 8],
    /// Class of each byte.
    pub classes: Vec<u8>,
    /// Pass, end, cap, list + 1.
    pub heads: Vec<[u32; 4]>,
    /// First entry, entries, next list + 1.
    pub lists: Vec<[u32; 3]>,
    /// Rank, pattern.
    pub entries: Vec<[u32; 2]>,
    /// Cells of rows.
    pub cells: Vec<u32>,
    /// Behind the rows.
    pub padding: Vec<u8>,
}

/// The numbers of [`Table::counts`].
pub mod field {
    /// Byte classes.
    pub const CLASSES: usize = 0;
    /// Cells.
    pub const CELLS: usize = 1;
    /// Cells of dense rows.
    pub const DENSE_END: usize = 2;
    /// Heads.
    pub const HEADS: usize = 3;
    /// Lists.
    pub const LISTS: usize = 4;
    /// Entries of lists.
    pub const ENTRIES: usize = 5;
    /// Start.
    pub const START: usize = 6;
    /// Start behind the home directory.
    pub const HOME_START: usize = 7;
}

/// Where a row stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its first cell.
    pub at: usize,
    /// Its kind.
    pub kind: u32,
    /// Exceptions, or bytes of its run.
    pub count: usize,
    /// The cell that holds the number of the dense row that it refers to.
    pub reference: Option<usize>,
    /// The cells of its transitions.
    pub targets: Range<usize>,
    /// Its head.
    pub head: u32,
    /// The cell behind it.
    pub end: usize,
}

impl Table {
    fn read(kind: u32, bound: u32, bytes: &[u8]) -> Self {
        let all = words(&bytes[..32]);
        let counts: [u32; 8] = all.try_into().unwrap();
        let (classes, rest) = bytes[32..].split_at(256);
        let take = |rest: &mut &[u8], n_words: usize| {
            let (head, tail) = rest.split_at(n_words * 4);
            *rest = tail;
            words(head)
        };
        let mut rest = rest;
        let heads = take(&mut rest, 4 * size(counts[field::HEADS]));
        let lists = take(&mut rest, 3 * size(counts[field::LISTS]));
        let entries = take(&mut rest, 2 * size(counts[field::ENTRIES]));
        let width = if kind == TABLE_NARROW { 2 } else { 4 };
        let (cells, padding) = rest.split_at(width * size(counts[field::CELLS]));
        let cell = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0, |cell, byte| (cell << 8) | u32::from(*byte))
        };
        Self {
            kind,
            bound,
            counts,
            classes: classes.to_vec(),
            heads: heads.as_chunks().0.to_vec(),
            lists: lists.as_chunks().0.to_vec(),
            entries: entries.as_chunks().0.to_vec(),
            cells: cells.chunks(width).map(cell).collect(),
            padding: padding.to_vec(),
        }
    }

    fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        push(&mut bytes, &self.counts);
        bytes.extend(&self.classes);
        push(&mut bytes, self.heads.as_flattened());
        push(&mut bytes, self.lists.as_flattened());
        push(&mut bytes, self.entries.as_flattened());
        for cell in &self.cells {
            bytes.extend(&cell.to_le_bytes()[..self.width()]);
        }
        bytes.extend(&self.padding);
        bytes
    }

    /// Makes the counts and the padding those of what the table holds.
    pub fn settle(&mut self) {
        self.counts[field::CELLS] = count(self.cells.len());
        self.counts[field::HEADS] = count(self.heads.len());
        self.counts[field::LISTS] = count(self.lists.len());
        self.counts[field::ENTRIES] = count(self.entries.len());
        let length = self.cells.len() * self.width();
        self.padding = vec![0; length.next_multiple_of(4) - length + format::ROW_PADDING];
    }

    /// Bytes of a cell.
    #[must_use]
    pub const fn width(&self) -> usize {
        if self.kind == TABLE_NARROW { 2 } else { 4 }
    }

    /// The bit of a transition that asks for a look at the target's head.
    #[must_use]
    pub const fn attention(&self) -> u32 {
        if self.kind == TABLE_NARROW {
            1 << 15
        } else {
            1 << 31
        }
    }

    /// Cells of a row's header.
    #[must_use]
    pub const fn header(&self) -> usize {
        if self.kind == TABLE_NARROW { 2 } else { 1 }
    }

    /// The first cell of a header with another kind and count; the head stays.
    #[must_use]
    pub fn header_cell(&self, row: &Row, kind: u32, n: usize) -> u32 {
        let low = kind | (count(n) << ROW_KIND_BITS);
        if self.kind == TABLE_NARROW {
            low
        } else {
            low | (row.head << (ROW_KIND_BITS + format::ROW_COUNT_BITS))
        }
    }

    /// All rows of a right table, in their order.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut at = 0;
        while at < self.cells.len() {
            let row = self.row(at);
            at = row.end;
            rows.push(row);
        }
        rows
    }

    /// The first row of a kind that has a transition of its own.
    #[must_use]
    pub fn row_of(&self, kind: u32) -> Row {
        let mut rows = self.rows().into_iter();
        rows.find(|row| row.kind == kind && !row.targets.is_empty())
            .unwrap()
    }

    fn row(&self, at: usize) -> Row {
        let first = self.cells[at];
        let kind = first & ((1 << ROW_KIND_BITS) - 1);
        let (n, head) = if self.kind == TABLE_NARROW {
            (first >> ROW_KIND_BITS, self.cells[at + 1])
        } else {
            let n = (first >> ROW_KIND_BITS) & ((1 << format::ROW_COUNT_BITS) - 1);
            (n, first >> (ROW_KIND_BITS + format::ROW_COUNT_BITS))
        };
        let n = size(n);
        let body = at + self.header();
        let of_bytes = n.div_ceil(self.width());
        let (reference, targets, end) = match kind {
            ROW_DENSE => {
                let end = body + size(self.counts[field::CLASSES]);
                (None, body..end, end)
            }
            ROW_DELTA => {
                let first = body + 1 + of_bytes;
                (Some(body), first..first + n, first + n)
            }
            ROW_PATH => (Some(body), body + 1..body + 2, body + 2 + of_bytes),
            other => panic!("there is no row of kind {other}"),
        };
        Row {
            at,
            kind,
            count: n,
            reference,
            targets,
            head,
            end,
        }
    }

    /// Whether it has a start behind the home directory.
    #[must_use]
    pub const fn has_home(&self) -> bool {
        self.counts[field::HOME_START] != NONE
    }
}

/// A count at the front of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    section: u32,
    word: usize,
}

impl Count {
    /// Every count that stands at a fixed place, and the end of the strings.
    pub const ALL: [Self; 14] = [
        Self::at(section::STRINGS, 0),
        Self::at(section::STRINGS, 1),
        Self::at(section::RULES, 0),
        Self::at(section::TABLES, 0),
        Self::at(section::TABLES, 2),
        Self::at(section::TABLES, 3),
        Self::at(section::CLASSES, 0),
        Self::at(section::CLASSES, 1),
        Self::at(section::CLASSES, 2),
        Self::at(section::SURFACES, 0),
        Self::at(section::SURFACES, 1),
        Self::at(section::VIEWS, 0),
        Self::at(section::VIEWS, 1),
        Self::at(section::CONFIG, 1),
    ];

    const fn at(section: u32, word: usize) -> Self {
        Self { section, word }
    }

    /// The name of its section.
    #[must_use]
    pub const fn section_name(self) -> &'static str {
        section::name(self.section)
    }

    /// Makes an artifact claim another count.
    pub fn claim(self, artifact: &mut Artifact, claim: u32) {
        let start = self.word * 4;
        artifact.section(self.section)[start..start + 4].copy_from_slice(&claim.to_le_bytes());
    }
}

fn word_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect()
}

fn push(bytes: &mut Vec<u8>, words: &[u32]) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

fn size(value: u32) -> usize {
    usize::try_from(value).unwrap()
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap()
}

fn long(value: usize) -> u64 {
    u64::try_from(value).unwrap()
}
