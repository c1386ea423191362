//! The short way for a command of plain words only: nothing in it is quoted, expanded, joined or redirected.

use crate::span::Span;

use super::simple::is_reserved;
use super::tree::{
    Command, CommandKind, List, Part, Pipeline, Quoting, Script, Simple, Terminator, Word,
};

/// Bytes of a text that is worth the look; longer ones are read as ever.
const LONGEST: usize = 4_096;

/// The tree of a command of plain words; `None` where the text has anything else.
pub(super) fn plain(text: &str) -> Option<Script> {
    if text.len() > LONGEST || !text.bytes().all(is_plain) {
        return None;
    }
    let mut words = Vec::new();
    let mut end = 0_usize;
    for piece in text.split(' ') {
        let start = end;
        end = start.saturating_add(piece.len());
        if !piece.is_empty() {
            let span = Span::new(start, end);
            words.push(Word {
                span,
                parts: vec![Part::Text {
                    span,
                    text: piece.to_owned(),
                    quoting: Quoting::None,
                }],
            });
        }
        end = end.saturating_add(1);
    }
    let (first, last) = (words.first()?.span, words.last()?.span);
    let head = text.get(first.start..first.end)?;
    // `A=1` is an assignment in front of a command, and a word behind it.
    if is_reserved(head) || head == "in" || head.contains('=') {
        return None;
    }
    let span = Span::new(first.start, last.end);
    Some(Script {
        list: List {
            pipelines: vec![Pipeline {
                span,
                negated: false,
                time: None,
                commands: vec![Command {
                    span,
                    kind: CommandKind::Simple(Simple {
                        assignments: Vec::new(),
                        words,
                    }),
                    redirects: Vec::new(),
                }],
                end: Terminator::None,
            }],
        },
        ..Script::default()
    })
}

/// Bytes that mean themselves wherever they stand. `~` and `=` mean more to a shell, and nothing to its grammar.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b' ' | b'-' | b'_' | b'.' | b'/' | b',' | b':' | b'@' | b'%' | b'+' | b'=' | b'~'
        )
}
