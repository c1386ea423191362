//! Shell commands, as bash reads them, as a tree that knows where every part stands.
//!
//! The reader is written by hand, since the grammar of a shell depends on where a word stands, on quotes and on lines
//! that are yet to come (the Bash Reference Manual, "Shell Syntax"). It never fails: what it does not understand becomes
//! a [`Fault`], and what stands before and after is in the tree all the same. Whoever must be careful treats a text with
//! faults, or an oversized one, as not understood.

mod ansi;
mod compound;
mod expansion;
mod here;
mod list;
mod plain;
mod reader;
mod simple;
mod test;
mod tree;
mod word;

pub use self::tree::{
    Assignment, CaseArm, Command, CommandKind, Fault, HereDocument, Inner, List, Operation,
    Parameter, Part, Pipeline, Quoting, Redirect, RedirectOperator, Script, Simple, Terminator,
    Word,
};

use self::reader::Reader;

/// How much of a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes; what stands behind is not read. 64 KiB.
    pub max_bytes: usize,
    /// Most commands, those inside others counted. 10,000.
    pub max_commands: usize,
    /// Deepest nesting of whatever can nest. 200.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 64 * 1024,
            max_commands: 10_000,
            max_depth: 200,
        }
    }
}

/// Reads a shell text. Never fails and never panics.
///
/// # Complexity
///
/// O(bytes x depth), the depth bounded by the limits; linear but for nested `((`.
///
/// # Example
///
/// ```
/// use permc_grammar::shell::{CommandKind, Limits, parse};
///
/// let script = parse("git status && rm -rf build", &Limits::default());
/// assert!(script.faults.is_empty());
/// assert_eq!(script.list.pipelines.len(), 2);
/// let CommandKind::Simple(simple) = &script.list.pipelines[1].commands[0].kind else { return };
/// assert_eq!(simple.words.len(), 3);
///
/// assert!(!parse("echo 'open", &Limits::default()).faults.is_empty());
/// ```
#[must_use]
pub fn parse(text: &str, limits: &Limits) -> Script {
    if limits.max_commands > 0
        && limits.max_depth > 0
        && text.len() <= limits.max_bytes
        && let Some(script) = plain::plain(text)
    {
        return script;
    }
    parse_in_full(text, limits)
}

/// The same without the short way that a command of plain words takes: its twin, for tests and measurements.
///
/// # Complexity
///
/// As [`parse`].
///
/// # Example
///
/// ```
/// use permc_grammar::shell::{Limits, parse, parse_in_full};
///
/// let limits = Limits::default();
/// assert_eq!(parse("git status", &limits), parse_in_full("git status", &limits));
/// ```
#[must_use]
pub fn parse_in_full(text: &str, limits: &Limits) -> Script {
    Reader::new(text, *limits).script()
}
