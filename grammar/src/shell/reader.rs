//! The reader's state: where it is, what it may still read, what went wrong.

use super::tree::{Fault, HereDocument, List, Pipeline, Script, Terminator};
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

/// Reserved words that only end or continue something.
const CLOSING: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

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
        }
    }

    /// Reads everything; after a fault a new list begins behind it.
    pub(super) fn script(mut self) -> Script {
        let mut list = List::default();
        loop {
            let before = self.at;
            let mut more = self.list(Ends::Plain);
            list.pipelines.append(&mut more.pipelines);
            if self.at >= self.end {
                break;
            }
            if self.broken {
                self.broken = false;
                if self.at == before {
                    self.bump();
                }
                continue;
            }
            let start = self.at;
            let token = self.stray_token();
            self.at = self.at.saturating_add(token.max(1)).min(self.end);
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
        self.faults
            .sort_by_key(|fault| (fault.span.start, fault.span.end));
        Script {
            list,
            faults: self.faults,
            oversized: self.oversized,
        }
    }

    // Where it is.

    pub(super) fn byte(&self, ahead: usize) -> Option<u8> {
        let at = self.at.checked_add(ahead)?;
        if at >= self.end {
            return None;
        }
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Steps over one character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let character = self.rest().chars().next()?;
        self.at = self.at.saturating_add(character.len_utf8());
        Some(character)
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.end);
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.advance(text.len());
        }
        found
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
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t') => self.advance(1),
                Some(b'\r') if self.byte(1) == Some(b'\n') => self.advance(1),
                Some(b'\\') if self.continuation() > 0 => self.advance(self.continuation()),
                Some(b'#') => {
                    let rest = self.rest();
                    self.advance(rest.find('\n').unwrap_or(rest.len()));
                }
                _ => return,
            }
        }
    }

    /// Bytes of the line continuation that stands here; 0 where none does.
    pub(super) fn continuation(&self) -> usize {
        match (self.byte(0), self.byte(1), self.byte(2)) {
            (Some(b'\\'), Some(b'\n'), _) => 2,
            (Some(b'\\'), Some(b'\r'), Some(b'\n')) => 3,
            _ => 0,
        }
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

    /// The unquoted word that stands here, if it is one that could be reserved.
    pub(super) fn reserved(&self) -> &'t str {
        let rest = self.rest();
        let length = rest
            .bytes()
            .position(|byte| {
                !(byte.is_ascii_lowercase() || matches!(byte, b'{' | b'}' | b'!' | b'[' | b']'))
            })
            .unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let is_ended = match rest.as_bytes().get(length) {
            None => true,
            Some(b'\\') => false,
            Some(b'\r') => rest.as_bytes().get(length.saturating_add(1)) == Some(&b'\n'),
            Some(byte) => is_meta(*byte),
        };
        if is_ended { word } else { "" }
    }

    /// Steps over a reserved word, if it is the one that stands here.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.reserved() == word;
        if found {
            self.advance(word.len());
        }
        found
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
        let start = self.at;
        let length = self.stray_token();
        self.advance(length);
        self.fault(start, self.at, message);
    }

    /// Bytes of whatever stands here: an operator, a word, nothing at the end.
    fn stray_token(&self) -> usize {
        let rest = self.rest();
        for operator in [";;&", ";;", ";&", "&&", "||", "|&", "((", "))"] {
            if rest.starts_with(operator) {
                return operator.len();
            }
        }
        let word = rest.bytes().position(is_meta).unwrap_or(rest.len());
        if word > 0 {
            return word;
        }
        rest.chars().next().map_or(0, char::len_utf8)
    }

    fn at_closer(&self, ends: Ends) -> bool {
        match self.byte(0) {
            None => true,
            Some(b')') => true,
            Some(b';') => ends == Ends::Arm && matches!(self.byte(1), Some(b';' | b'&')),
            _ => {
                let word = self.reserved();
                !word.is_empty() && CLOSING.contains(&word)
            }
        }
    }

    /// Pipelines up to what ends the list, which is not read.
    pub(super) fn list(&mut self, ends: Ends) -> List {
        let mut list = List::default();
        loop {
            self.skip_lines();
            if self.broken || self.at_closer(ends) {
                return list;
            }
            let start = self.at;
            let pipeline = self.pipeline();
            let is_empty = pipeline
                .as_ref()
                .is_none_or(|pipeline| pipeline.commands.is_empty());
            if let Some(pipeline) = pipeline.filter(|pipeline| !pipeline.commands.is_empty()) {
                list.pipelines.push(pipeline);
            }
            if self.broken {
                return list;
            }
            if is_empty {
                if self.at == start {
                    self.unexpected("something that no command begins with");
                } else {
                    self.fault(start, self.at, "no command");
                }
                return list;
            }
            self.skip_blanks();
            let end = match (self.byte(0), self.byte(1)) {
                (Some(b'&'), Some(b'&')) => Some((Terminator::And, 2)),
                (Some(b'|'), Some(b'|')) => Some((Terminator::Or, 2)),
                (Some(b'&'), _) => Some((Terminator::Background, 1)),
                (Some(b';'), Some(b';' | b'&')) => None,
                (Some(b';'), _) => Some((Terminator::Sequence, 1)),
                (Some(b'\n'), _) => Some((Terminator::Sequence, 0)),
                _ => None,
            };
            let Some((terminator, length)) = end else {
                if self.at_closer(ends) {
                    return list;
                }
                self.unexpected("something that cannot follow a command");
                return list;
            };
            if let Some(pipeline) = list.pipelines.last_mut() {
                pipeline.end = terminator;
            }
            let operator = self.at;
            self.advance(length);
            if matches!(terminator, Terminator::And | Terminator::Or) {
                self.skip_lines();
                if !self.broken && (self.at_closer(ends) || self.at >= self.end) {
                    let end = operator.saturating_add(length);
                    self.fault(operator, end, "an operator that no command follows");
                    return list;
                }
            }
        }
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let start = self.at;
        let mut negated = false;
        let mut time: Option<Span> = None;
        loop {
            if self.reserved() == "!" {
                self.advance(1);
                negated = true;
            } else if self.reserved() == "time" && self.is_time() {
                let from = self.at;
                self.advance(4);
                let mut end = self.at;
                loop {
                    self.skip_blanks();
                    let option = ["-p", "--"].into_iter().find(|option| {
                        self.starts_with(option) && self.byte(2).is_none_or(is_meta)
                    });
                    let Some(option) = option else { break };
                    self.advance(option.len());
                    end = self.at;
                }
                time = Some(Span::new(time.map_or(from, |time| time.start), end));
            } else {
                break;
            }
            self.skip_blanks();
        }
        let mut pipeline = Pipeline {
            span: Span::new(start, start),
            negated,
            time,
            commands: Vec::new(),
            end: Terminator::None,
        };
        loop {
            let command = self.command();
            if let Some(command) = command {
                pipeline.span.end = command.span.end;
                pipeline.commands.push(command);
            } else if !self.broken && !pipeline.commands.is_empty() {
                self.unexpected("a pipe that no command follows");
            }
            if self.broken || pipeline.commands.is_empty() {
                return Some(pipeline);
            }
            self.skip_blanks();
            match (self.byte(0), self.byte(1)) {
                (Some(b'|'), Some(b'|')) => return Some(pipeline),
                (Some(b'|'), next) => {
                    self.advance(if next == Some(b'&') { 2 } else { 1 });
                    self.skip_lines();
                    if !self.broken && (self.at >= self.end || self.at_closer(Ends::Plain)) {
                        self.unexpected("a pipe that no command follows");
                        return Some(pipeline);
                    }
                    if self.broken {
                        return Some(pipeline);
                    }
                }
                _ => return Some(pipeline),
            }
        }
    }

    /// Whether `time` is the reserved word here, not a program that is given options or the last word.
    fn is_time(&self) -> bool {
        let rest = self.rest().get(4..).unwrap_or_default();
        let rest = rest.trim_start_matches([' ', '\t']);
        let is_other_option = rest.starts_with('-')
            && !["-p", "--"].iter().any(|option| {
                rest.strip_prefix(option)
                    .is_some_and(|rest| rest.bytes().next().is_none_or(is_meta))
            });
        let is_last = rest.is_empty() || rest.starts_with(['\n', ';', '&', '|', ')', '\r', '#']);
        !is_other_option && !is_last
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
    character.is_control()
        || (!character.is_ascii() && character.is_whitespace())
        || matches!(character, '\u{FEFF}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}')
}
