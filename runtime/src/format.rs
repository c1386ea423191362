//! The artifact format, version 1: constants that the writer and the reader share.
//!
//! All numbers are little-endian. A *list* is a `u32` count followed by that many entries.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 8 | magic [`MAGIC`] |
//! | 8 | 4 | format version [`VERSION`] |
//! | 12 | 4 | required features; a bit that the reader does not know is an error |
//! | 16 | 8 | total length of the file |
//! | 24 | 4 | number of sections |
//! | 28 | 4 | zero |
//! | 32 | 32 | policy digest: SHA-256 over bytes 0 to 31 and 64 to the end less 4 |
//! | 64 | 24 each | section table: id `u32`, zero `u32`, offset `u64`, length `u64`; by ascending id |
//! | then | | sections in that order, each at the next multiple of 8, gaps zero |
//! | end - 4 | 4 | CRC-32C of everything before |
//!
//! Sections (see [`section`]):
//!
//! - `strings`: list of end offsets, then the UTF-8 text that they cut.
//! - `rules`: count, zero, then columns: id `u64`; surface, pattern, reason, file (string + 1, 0 for none, except that
//!   surface and pattern are plain string numbers), line, column `u32`; verdict `u8`: action in bits 0 and 1, layer in bits
//!   2 and 3, origin from bit 4 on.
//! - `tables`: list of {kind, offset, length, bound}, then the tables. *bound* is one more than the highest rank that
//!   the table can answer. Kinds [`TABLE_NARROW`] and [`TABLE_WIDE`] differ in the width of a cell. A table is: number of
//!   classes, cells, cells of dense rows, heads, lists, entries; start, home start ([`NONE`] without); 256 byte classes, one byte each; heads
//!   {pass, end, cap, list + 1}; lists {first entry, entries, next list + 1}; entries {rank, pattern string}, in each list
//!   by descending rank; rows, the dense ones first; zeros to a multiple of 4 and [`ROW_PADDING`] more. *pass*, *end* and *cap* hold rank + 1, 0
//!   for none: the best rule that is satisfied on entering the state, that is satisfied if the value ends there, and that
//!   can still come. A state is the cell of its row. A row is a header and what its kind says. Header: kind (2 bits) and
//!   count in one narrow cell, the head in a second; or kind, count (8 bits) and head in one wide cell. [`ROW_DENSE`]: one
//!   transition a class. [`ROW_DELTA`]: a dense row, *count* classes (one byte each, zeros to a full cell), *count*
//!   transitions. [`ROW_PATH`]: a dense row, the transition behind the run, *count* bytes of the run. A transition is the
//!   target's cell with the top bit set where the target's head has a pass or a list, or a cap of 0. On entering a state
//!   with a list, its patterns and those of the linked lists are looked at one by one. Kind [`TABLE_EXACT`]: a power of two
//!   of slots {hash, rank + 1, pattern string}, all 0 for an empty one, of an open-addressing hash table with linear probing
//!   over [`surface_hash`] of the pattern.
//! - `classes`: three counts (classes, groups, rules), then the classes {first rule, rules, first group, groups, flags},
//!   the groups {table, guard string + 1, flags} and the rule pool. A rank that a group's table answers is an index into
//!   the class's rules. A group with a guard counts only for surfaces whose name the guard, a pattern, matches.
//! - `surfaces`: number of names, number of slots (a power of two), names (strings), slots (name + 1, 0 for empty) of an
//!   open-addressing hash table with linear probing over [`surface_hash`].
//! - `views`: number of views, of surfaces, and of other classes; then the views {agent string + 1 (0: base), flags, table
//!   over other surface names or [`NONE`], first other class, other classes}, the class of each named surface for each
//!   view, and the pool of other classes. View 0 is the base view, the others are sorted by agent.
//! - `config`: flags, then lists: servers, shell tools {tool, command argument, working directory argument + 1},
//!   infrastructure paths, authorizer chain, delegation: allowed, excluded, secret patterns.
//! - `tiers`: eight counts (models, slots, tiers, sets, tables, ranks, rows, the default tier + 1), then: models
//!   (strings, sorted), the tier + 1 of each (0: it is assigned to one that does not exist), slots as in `surfaces`; tiers
//!   {id string, label string + 1, set + 1 of each group for the operator's rows, the same for the project's}, groups in
//!   the order read, write, execute, network; sets {first table, tables, first rank, ranks}; tables {anchor, table}, the
//!   anchors being [`ANCHOR_ROOT`], [`ANCHOR_HOME`] and [`ANCHOR_CWD`]; ranks {row, action}; rows {id `u64`, pattern
//!   string, file string + 1, line, column}. A table walks over the path below its anchor, which is nothing or `/` and
//!   names; the rank that it answers is an index into the ranks of its set.
//! - `cold`: what only tools read; opaque to the runtime.

pub use crate::checksum::crc32c;

/// First bytes of every artifact; the tail shows a transfer that changed line ends.
pub const MAGIC: [u8; 8] = *b"\x7fPERMC\r\n";

/// Version of the format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// Required-feature bits that this crate knows.
pub const KNOWN_FEATURES: u32 = 0;

/// Length of the header before the section table.
pub const HEADER_LEN: usize = 64;

/// Length of the header before the digest.
pub const DIGEST_OFFSET: usize = 32;

/// Length of one entry of the section table.
pub const SECTION_ENTRY_LEN: usize = 24;

/// Length of the checksum at the end.
pub const TRAILER_LEN: usize = 4;

/// "No such table or state".
pub const NONE: u32 = u32::MAX;

/// Table kind: automaton with cells of two bytes.
pub const TABLE_NARROW: u32 = 0;

/// Table kind: automaton with cells of four bytes.
pub const TABLE_WIDE: u32 = 1;

/// Table kind: exact patterns by hash.
pub const TABLE_EXACT: u32 = 2;

/// Row kind: one transition a class.
pub const ROW_DENSE: u32 = 0;

/// Row kind: a run of bytes; every other byte goes where a dense row says.
pub const ROW_PATH: u32 = 1;

/// Row kind: exceptions from a dense row.
pub const ROW_DELTA: u32 = 2;

/// Bits of a row's kind, the low ones of its header.
pub const ROW_KIND_BITS: u32 = 2;

/// Bits of the count in a header of one wide cell; the head has the rest.
pub const ROW_COUNT_BITS: u32 = 8;

/// Zero bytes behind the rows of a table, so that a read of eight bytes never leaves it.
pub const ROW_PADDING: usize = 8;

/// Lists that one table may have: a lookup remembers which it has looked at.
pub const MAX_LISTS: usize = 16_384;

/// Class flag: values are folded before the walk.
pub const CLASS_FOLD: u32 = 1;

/// Class flag: some value of the surface is not denied.
pub const CLASS_EXPOSED: u32 = 1 << 1;

/// Group flag: rules of the session layer, which `tool_permission` leaves out.
pub const GROUP_SESSION: u32 = 1;

/// Tier tables: paths from the root.
pub const ANCHOR_ROOT: u32 = 0;

/// Tier tables: paths below the home directory.
pub const ANCHOR_HOME: u32 = 1;

/// Tier tables: paths below the working directory.
pub const ANCHOR_CWD: u32 = 2;

/// View flag: a broken file clamped every allow to ask, and yolo has no effect.
pub const VIEW_CLAMPED: u32 = 1;

/// Config flag: yolo mode unless the caller says otherwise.
pub const CONFIG_YOLO: u32 = 1;

/// Config flag: some pattern means the home directory.
pub const CONFIG_USES_HOME: u32 = 1 << 1;

/// Config flag: path surfaces fold case and backslashes.
pub const CONFIG_FOLD_PATHS: u32 = 1 << 2;

/// Config flag: the policy has a `modelDelegation`.
pub const CONFIG_DELEGATION: u32 = 1 << 3;

/// Section numbers and their names in messages.
pub mod section {
    /// Text.
    pub const STRINGS: u32 = 1;
    /// Rule columns.
    pub const RULES: u32 = 2;
    /// Automata.
    pub const TABLES: u32 = 3;
    /// Surface classes.
    pub const CLASSES: u32 = 4;
    /// Named surfaces.
    pub const SURFACES: u32 = 5;
    /// Agent views.
    pub const VIEWS: u32 = 6;
    /// Options and lists.
    pub const CONFIG: u32 = 7;
    /// Trust tiers.
    pub const TIERS: u32 = 8;
    /// What only tools read.
    pub const COLD: u32 = 9;

    /// All sections in file order.
    pub const ALL: [u32; 9] = [
        STRINGS, RULES, TABLES, CLASSES, SURFACES, VIEWS, CONFIG, TIERS, COLD,
    ];

    /// The name of a section.
    #[must_use]
    pub const fn name(id: u32) -> &'static str {
        match id {
            STRINGS => "strings",
            RULES => "rules",
            TABLES => "tables",
            CLASSES => "classes",
            SURFACES => "surfaces",
            VIEWS => "views",
            CONFIG => "config",
            TIERS => "tiers",
            COLD => "cold",
            _ => "unknown",
        }
    }
}

/// The hash of a surface name: a multiply and fold over eight bytes at a time.
///
/// # Complexity
///
/// O(name).
#[must_use]
pub fn surface_hash(name: &[u8]) -> u32 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, block: u64| {
        let product = (hash ^ block).wrapping_mul(MULTIPLIER);
        product ^ (product >> 32)
    };
    let (blocks, tail) = name.as_chunks::<8>();
    let hash = blocks.iter().fold(MULTIPLIER, |hash, block| {
        mix(hash, u64::from_le_bytes(*block))
    });
    let tail = tail
        .iter()
        .fold(1_u64, |block, byte| (block << 8) | u64::from(*byte));
    let [a, b, c, d, ..] = mix(hash, tail).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}
