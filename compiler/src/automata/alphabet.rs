//! Byte classes: bytes that no program tells apart share a column.

use super::program::{Op, Program};

/// What a byte is in UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteKind {
    /// A character of its own.
    Ascii,
    /// The first byte of a longer character.
    Lead,
    /// A later byte of a longer character.
    Continuation,
}

/// The classes of an automaton, numbered from 0 by their first byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alphabet {
    class_of: [u8; 256],
    kinds: Vec<ByteKind>,
}

impl Alphabet {
    /// The coarsest classes that keep the programs' bytes apart, and the kinds of bytes where a `?` needs them.
    pub(crate) fn new<'p>(programs: impl Iterator<Item = &'p Program>) -> Self {
        let mut is_literal = [false; 256];
        let mut has_lead = false;
        for op in programs.flat_map(|program| &program.ops) {
            match op {
                Op::Byte(byte) => {
                    if let Some(flag) = is_literal.get_mut(usize::from(*byte)) {
                        *flag = true;
                    }
                }
                Op::Lead => has_lead = true,
                Op::Tail | Op::Star => {}
            }
        }
        let mut class_of = [0; 256];
        let mut kinds: Vec<ByteKind> = Vec::new();
        let mut shared: Vec<(ByteKind, u8)> = Vec::new();
        for (byte, class) in (0..=u8::MAX).zip(&mut class_of) {
            // Bytes that never stand in UTF-8 may share any class: no walk sees them.
            let kind = kind(byte);
            let shared_kind = if has_lead { kind } else { ByteKind::Ascii };
            let literal = is_literal.get(usize::from(byte)) == Some(&true);
            let known = shared
                .iter()
                .find(|(shared, _)| *shared == shared_kind && !literal);
            *class = match known {
                Some((_, class)) => *class,
                None => {
                    // INVARIANT: at most 243 literal bytes and 3 shared classes, so the number fits a byte.
                    let class = u8::try_from(kinds.len()).unwrap_or(u8::MAX);
                    kinds.push(kind);
                    if !literal {
                        shared.push((shared_kind, class));
                    }
                    class
                }
            };
        }
        Self { class_of, kinds }
    }

    /// Classes that are runs of bytes: each starts at a byte of `starts`, the first one at byte 0.
    pub(crate) fn of_runs(starts: &[bool; 256]) -> Self {
        let mut class_of = [0; 256];
        let mut kinds: Vec<ByteKind> = Vec::new();
        for ((byte, starts), class) in (0..=u8::MAX).zip(starts).zip(&mut class_of) {
            if *starts || kinds.is_empty() {
                kinds.push(kind(byte));
            }
            // INVARIANT: at most one class a byte.
            *class = u8::try_from(kinds.len().saturating_sub(1)).unwrap_or(u8::MAX);
        }
        Self { class_of, kinds }
    }

    /// The class of a byte.
    pub(crate) fn class(&self, byte: u8) -> usize {
        self.class_of
            .get(usize::from(byte))
            .copied()
            .map_or(0, usize::from)
    }

    /// The class of each byte.
    pub(crate) const fn class_map(&self) -> &[u8; 256] {
        &self.class_of
    }

    /// The kind of each class; only meaningful where a program has a `?`.
    pub(crate) fn kinds(&self) -> &[ByteKind] {
        &self.kinds
    }

    /// Number of classes.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }
}

fn kind(byte: u8) -> ByteKind {
    match byte {
        0..=0x7F => ByteKind::Ascii,
        0x80..=0xBF => ByteKind::Continuation,
        _ => ByteKind::Lead,
    }
}
