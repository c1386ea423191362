//! The reader's state: where it is, what it may still read, what went wrong.

use std::collections::BTreeMap;

use super::tree::{Fault, HereDocument, List, Script};
use super::{Limits, here};
use crate::span::Span;

/// Faults after which the rest of the text is one more.
const MOST_FAULTS: usize = 16;

/// What ends a list, beside the end of the text, `)` and reserved words that close something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// Nothing more.
    Plain,
    /// `;;`, `;&`, `;;&`.
    Arm,
}

/// The reserved words, and `in`, which is one only where it is looked for.
const RESERVED: [&str; 22] = [
    "if", "then", "fi", "for", "do", "done", "case", "esac", "while", "in", "else", "elif", "{",
    "}", "!", "[[", "]]", "time", "until", "select", "function", "coproc",
];
/// A here-document whose body is yet to come.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) id: usize,
    pub(super) delimiter: String,
    pub(super) is_quoted: bool,
    pub(super) strips_tabs: bool,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// Where reading ends: the text's end, or that of a part which is read on its own.
    pub(super) end: usize,
    pub(super) limits: Limits,
    pub(super) depth: usize,
    pub(super) n_commands: usize,
    pub(super) faults: Vec<Fault>,
    pub(super) oversized: bool,
    /// Set after a fault until reading goes on at the top.
    pub(super) broken: bool,
    pub(super) pending: Vec<Pending>,
    /// Here-documents of outer commands that wait while a substitution is read.
    pub(super) n_held: usize,
    pub(super) n_documents: usize,
    pub(super) documents: Vec<(usize, HereDocument)>,
    /// Whether a line continuation stands anywhere: most texts have none, and are read without looking for them.
    has_continuations: bool,
    /// Where the commands of a substitution begin.
    pub(super) in_substitution: Option<usize>,
    /// Where a `((` was found to begin no arithmetic expression, and where its first parenthesis is closed.
    pub(super) not_arithmetic: BTreeMap<usize, usize>,
    /// Whether a `case` has been read.
    pub(super) has_case: bool,
    /// How many substitutions are open.
    pub(super) n_substitutions: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, limits: Limits) -> Self {
        let mut end = text.len().min(limits.max_bytes);
        while !text.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        Self {
            text,
            at: 0,
            end,
            limits,
            depth: 0,
            n_commands: 0,
            faults: Vec::new(),
            oversized: end < text.len(),
            broken: false,
            pending: Vec::new(),
            n_held: 0,
            n_documents: 0,
            documents: Vec::new(),
            has_continuations: text.contains("\\\n") || text.contains("\\\r\n"),
            in_substitution: None,
            not_arithmetic: BTreeMap::new(),
            has_case: false,
            n_substitutions: 0,
        }
    }

    /// Reads everything; after a fault a new list begins behind it.
    pub(super) fn script(self) -> Script {
        self.script_and_count().0
    }

    /// The script, and how many commands were read.
    pub(super) fn script_and_count(mut self) -> (Script, usize) {
        let mut list = List::default();
        loop {
            let before = self.at;
            let mut more = self.list(Ends::Plain);
            list.pipelines.append(&mut more.pipelines);
            self.settle();
            if self.at >= self.end {
                break;
            }
            if self.broken {
                self.broken = false;
                if self.at == before {
                    self.bump_raw();
                }
                continue;
            }
            let start = self.at;
            self.stray_token();
            self.fault(
                start,
                self.at,
                "something that closes nothing, or stands where no command can",
            );
            self.broken = false;
        }
        if let Some(pending) = self.pending.first() {
            let start = pending.span.start;
            self.fault(start, self.end, "a here-document without a body");
        }
        if !self.documents.is_empty() {
            self.documents.sort_by_key(|(id, _)| *id);
            here::fill_list(&mut list, &self.documents);
        }
        // Joined, the two would look like one line end.
        if self.has_continuations {
            for (at, _) in self.text.match_indices("\r\\\n") {
                self.note(
                    at,
                    at.saturating_add(1),
                    "a carriage return before a joined line",
                );
            }
        }
        self.faults
            .sort_by_key(|fault| (fault.span.start, fault.span.end));
        let script = Script {
            list,
            faults: self.faults,
            oversized: self.oversized,
        };
        (script, self.n_commands)
    }

    // Where it is. A line continuation is passed over wherever a byte is looked at, as bash does.

    /// The byte that comes next, or a few further.
    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        if !self.has_continuations {
            let at = self.at.saturating_add(ahead);
            return if at < self.end {
                self.text.as_bytes().get(at).copied()
            } else {
                None
            };
        }
        let mut at = self.at;
        for _ in 0..ahead {
            at = self.look(at)?.1;
        }
        self.look(at).map(|(byte, _)| byte)
    }

    /// The byte that comes next from a place on, and the place behind it.
    pub(super) fn look(&self, at: usize) -> Option<(u8, usize)> {
        let at = self.after_continuations(at);
        if at >= self.end {
            return None;
        }
        let byte = self.text.as_bytes().get(at).copied()?;
        Some((byte, at.saturating_add(1)))
    }

    fn after_continuations(&self, mut at: usize) -> usize {
        if self.has_continuations {
            while self.raw(at) == Some(b'\\') {
                let next = at.saturating_add(1);
                at = match self.raw(next) {
                    Some(b'\n') => at.saturating_add(2),
                    Some(b'\r') if self.raw(at.saturating_add(2)) == Some(b'\n') => {
                        at.saturating_add(3)
                    }
                    _ => return at,
                };
            }
        }
        at
    }

    /// Passes over line continuations, so that what begins here begins behind them.
    pub(super) fn settle(&mut self) {
        self.at = self.after_continuations(self.at);
    }

    /// The byte at a place, whatever it is part of.
    pub(super) fn raw(&self, at: usize) -> Option<u8> {
        if at >= self.end {
            return None;
        }
        self.text.as_bytes().get(at).copied()
    }

    /// What is left, as it stands.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.after(text).is_some()
    }

    /// The place behind a text, if it comes next.
    fn after(&self, text: &str) -> Option<usize> {
        let mut at = self.at;
        for expected in text.bytes() {
            let (byte, next) = self.look(at)?;
            if byte != expected {
                return None;
            }
            at = next;
        }
        Some(at)
    }

    /// Steps over one character.
    pub(super) fn bump(&mut self) -> Option<char> {
        self.settle();
        self.bump_raw()
    }

    /// Steps over one character, be it a part of a line continuation.
    pub(super) fn bump_raw(&mut self) -> Option<char> {
        let character = self.rest().chars().next()?;
        self.at = self.at.saturating_add(character.len_utf8());
        Some(character)
    }

    /// Steps over bytes, which must be ASCII.
    pub(super) fn advance(&mut self, bytes: usize) {
        if !self.has_continuations {
            self.at = self.at.saturating_add(bytes).min(self.end);
            return;
        }
        for _ in 0..bytes {
            self.at = self.look(self.at).map_or(self.end, |(_, next)| next);
        }
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        match self.after(text) {
            Some(next) => {
                self.at = next;
                true
            }
            None => false,
        }
    }

    /// Bytes of the name that comes next: where it ends, or `None` where none begins.
    pub(super) fn name_end(&self) -> Option<usize> {
        let (first, mut at) = self.look(self.at)?;
        if !(first.is_ascii_alphabetic() || first == b'_') {
            return None;
        }
        while let Some((byte, next)) = self.look(at) {
            if !(byte.is_ascii_alphanumeric() || byte == b'_') {
                break;
            }
            at = next;
        }
        Some(at)
    }

    /// A slice without its line continuations.
    pub(super) fn joined(&self, start: usize, end: usize) -> String {
        let text = self.slice(start, end);
        if !self.has_continuations {
            return text.to_owned();
        }
        text.replace("\\\r\n", "").replace("\\\n", "")
    }

    // What went wrong.

    /// Records a fault and stops reading here.
    pub(super) fn fault(&mut self, start: usize, end: usize, message: &'static str) {
        self.note(start, end, message);
        self.broken = true;
    }

    /// Records a fault; reading goes on.
    pub(super) fn note(&mut self, start: usize, end: usize, message: &'static str) {
        if self.faults.len() >= MOST_FAULTS {
            self.faults.push(Fault {
                span: Span::new(start, self.end),
                message: "too many mistakes before this part",
            });
            self.at = self.end;
            self.broken = true;
            return;
        }
        self.faults.push(Fault {
            span: Span::new(start, end.max(start)),
            message,
        });
    }

    /// A construct that nothing closes: all of it to the end is a fault, and reading goes on behind its first bytes.
    pub(super) fn unclosed(&mut self, start: usize, opening: usize, message: &'static str) {
        self.fault(start, self.end, message);
        if self.faults.len() <= MOST_FAULTS {
            self.at = start.saturating_add(opening).min(self.end);
        }
    }

    /// Goes one level deeper, if that is allowed.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= self.limits.max_depth {
            self.stop();
            return false;
        }
        self.depth = self.depth.saturating_add(1);
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Over a limit: nothing more is read.
    pub(super) fn stop(&mut self) {
        self.oversized = true;
        self.broken = true;
        self.at = self.end;
    }

    // Blanks, comments, lines.

    /// Blanks, line continuations, comments.
    pub(super) fn skip_blanks(&mut self) {
        self.skip_inline_blanks();
        if self.byte(0) == Some(b'#') {
            // A comment ends at its line's end, with a backslash before it or not.
            self.settle();
            let rest = self.rest();
            self.at = self
                .at
                .saturating_add(rest.find('\n').unwrap_or(rest.len()));
        }
    }

    /// Blanks and line continuations only.
    pub(super) fn skip_inline_blanks(&mut self) {
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t') => self.advance(1),
                Some(b'\r') if self.byte(1) == Some(b'\n') => self.advance(1),
                _ => break,
            }
        }
        self.settle();
    }

    /// Blanks and line ends.
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.byte(0) != Some(b'\n') || self.broken {
                return;
            }
            self.newline();
        }
    }

    /// Steps over a line end, and over the bodies of here-documents that begin behind it.
    pub(super) fn newline(&mut self) {
        let start = self.at;
        self.advance(1);
        if self.n_held > 0 {
            self.fault(
                start,
                self.at,
                "a line end between a here-document and its body",
            );
            return;
        }
        if !self.pending.is_empty() {
            self.here_bodies();
        }
    }

    // Reserved words.

    /// The unquoted word that stands here, if it is a reserved one.
    pub(super) fn reserved(&self) -> &'static str {
        self.reserved_end().map_or("", |(word, _)| word)
    }

    fn reserved_end(&self) -> Option<(&'static str, usize)> {
        let mut word = [0_u8; 8];
        let mut length = 0_usize;
        let mut at = self.at;
        loop {
            match self.look(at) {
                Some((byte, next))
                    if byte.is_ascii_lowercase()
                        || matches!(byte, b'{' | b'}' | b'!' | b'[' | b']') =>
                {
                    *word.get_mut(length)? = byte;
                    length = length.saturating_add(1);
                    at = next;
                }
                None => break,
                Some((b'\r', next)) if matches!(self.look(next), Some((b'\n', _))) => break,
                // `if<(a)` is a word.
                Some((b'<' | b'>', next)) if matches!(self.look(next), Some((b'(', _))) => {
                    return None;
                }
                Some((byte, _)) if is_meta(byte) => break,
                Some(_) => return None,
            }
        }
        let word = word.get(..length)?;
        let known = RESERVED
            .into_iter()
            .find(|known| known.as_bytes() == word)?;
        Some((known, at))
    }

    /// Steps over a reserved word, if it is the one that stands here.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        match self.reserved_end() {
            Some((found, end)) if found == word => {
                self.at = end;
                true
            }
            _ => false,
        }
    }

    /// Expects a reserved word; what stands there instead is a fault.
    pub(super) fn expect_word(&mut self, word: &str, message: &'static str) -> bool {
        if self.broken {
            return false;
        }
        self.skip_lines();
        if self.broken {
            return false;
        }
        if self.eat_word(word) {
            return true;
        }
        self.unexpected(message);
        false
    }

    /// What stands here is a fault.
    pub(super) fn unexpected(&mut self, message: &'static str) {
        self.settle();
        let start = self.at;
        self.stray_token();
        self.fault(start, self.at, message);
    }

    /// Steps over whatever stands here: an operator, a word, nothing at the end.
    fn stray_token(&mut self) {
        for operator in [";;&", ";;", ";&", "&&", "||", "|&"] {
            if self.eat(operator) {
                return;
            }
        }
        let rest = self.rest();
        let is_odd_blank = |byte: u8| is_meta(byte) || byte == b'\r';
        let word = rest.bytes().position(is_odd_blank).unwrap_or(rest.len());
        if word > 0 {
            self.at = self.at.saturating_add(word);
        } else {
            self.bump_raw();
        }
    }
}

/// Bytes that end a word where they are not quoted.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}

/// Characters that look like blanks or are invisible, and that bash takes for part of a word.
pub(super) fn is_odd(character: char) -> bool {
    (character.is_control() && !matches!(character, '\t' | '\n'))
        || (!character.is_ascii() && character.is_whitespace())
        || matches!(character, '\u{FEFF}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}')
}
