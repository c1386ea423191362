//! Words and the other places where text, quotes and expansions stand side by side.

use super::reader::{Reader, is_meta, is_odd};
use super::tree::{Inner, Part, Quoting, Word};
use crate::span::Span;

/// Where parts stand, and so what ends them and which characters mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word.
    Normal,
    /// A word of `[[ ]]` in which `@(a|b)` may stand.
    TestPattern,
    /// The right side of `=~`.
    Regex,
    /// Between double quotes.
    Double,
    /// What follows the operator of `${...}`; quoted: the expansion stands in double quotes.
    Operand { is_quoted: bool },
    /// Between `[` and `]`; inside `${...}` its `}` must not come first.
    Subscript { in_braces: bool },
    /// Between `$[` and `]`.
    Bracket,
    /// Between `((` and `))`: up to a parenthesis that closes more than was opened.
    Arithmetic,
    /// The body of a here-document, to the end.
    Body { strips_tabs: bool },
    /// Between single quotes that do not protect, to the end.
    Loose,
}

impl Mode {
    /// Whether the text is read as between double quotes.
    const fn is_double(self) -> bool {
        matches!(
            self,
            Self::Double | Self::Body { .. } | Self::Loose | Self::Operand { is_quoted: true }
        )
    }

    const fn is_word(self) -> bool {
        matches!(self, Self::Normal | Self::TestPattern | Self::Regex)
    }

    /// Whether single quotes pair up here and yet what is between them expands.
    const fn has_loose_quotes(self) -> bool {
        matches!(
            self,
            Self::Arithmetic
                | Self::Bracket
                | Self::Subscript { .. }
                | Self::Operand { is_quoted: true }
        )
    }

    /// Whether `<(` begins a process substitution.
    const fn has_processes(self) -> bool {
        self.is_word() || matches!(self, Self::Operand { .. } | Self::Subscript { .. })
    }

    /// Whether a byte is text like any other in every mode.
    const fn is_plain(byte: u8) -> bool {
        matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'/' | b'_' | b':' | b',' | b'=' | b'%')
    }
}

/// Text that grows until a part of another kind comes.
struct Run {
    start: usize,
    text: String,
    quoting: Quoting,
}

impl Run {
    fn flush(&mut self, parts: &mut Vec<Part>, at: usize) {
        if !self.text.is_empty() {
            if parts.is_empty() {
                // Most words have one part.
                parts.reserve_exact(1);
            }
            parts.push(Part::Text {
                span: Span::new(self.start, at),
                text: std::mem::take(&mut self.text),
                quoting: self.quoting,
            });
        }
        self.start = at;
    }
}

/// What to do behind a special byte.
enum Step {
    /// The byte is not special here.
    Ordinary,
    /// It was read.
    Done,
    /// The parts end before it.
    End,
}

impl Reader<'_> {
    /// The word that stands here; `None` where none does.
    pub(super) fn word(&mut self, mode: Mode) -> Option<Word> {
        self.settle();
        let start = self.at;
        let parts = self.parts(mode);
        if parts.is_empty() {
            return None;
        }
        Some(Word {
            span: Span::new(start, self.at.max(start)),
            parts,
        })
    }

    /// Parts up to what ends them, which is not read.
    pub(super) fn parts(&mut self, mode: Mode) -> Vec<Part> {
        let mut parts = Vec::new();
        let quoting = if mode.is_double() {
            Quoting::Double
        } else {
            Quoting::None
        };
        let mut run = Run {
            start: self.at,
            text: String::new(),
            quoting,
        };
        let mut open = 0_usize;
        let strips_tabs = matches!(mode, Mode::Body { strips_tabs: true });
        let mut at_line_start = strips_tabs;
        while !self.broken {
            let rest = self.rest();
            let plain = rest
                .bytes()
                .position(|byte| !Mode::is_plain(byte))
                .unwrap_or(rest.len());
            if plain > 0 {
                run.text.push_str(rest.get(..plain).unwrap_or_default());
                self.at = self.at.saturating_add(plain);
                at_line_start = false;
            }
            let Some(byte) = self.byte(0) else { break };
            if at_line_start && byte == b'\t' {
                self.advance(1);
                continue;
            }
            at_line_start = strips_tabs && byte == b'\n';
            match self.special(byte, mode, &mut run, &mut parts) {
                Step::Done => continue,
                Step::End => break,
                Step::Ordinary => {}
            }
            if self.is_end(byte, mode, &mut open, &run.text) {
                break;
            }
            self.settle();
            let start = self.at;
            let Some(character) = self.bump_raw() else {
                break;
            };
            if !mode.is_double() && is_odd(character) && !self.is_line_end(character) {
                self.note(
                    start,
                    self.at,
                    "an odd control or space character outside quotes",
                );
            }
            run.text.push(character);
        }
        let is_empty = parts.is_empty() && run.text.is_empty();
        run.flush(&mut parts, self.at);
        if open > 0 && mode.is_word() && !self.broken && !is_empty {
            self.unexpected("a parenthesis in a pattern that nothing closes");
        }
        parts
    }

    /// Whether the character is the CR of a line's end, which is behind it now.
    fn is_line_end(&self, character: char) -> bool {
        character == '\r' && self.raw(self.at) == Some(b'\n')
    }

    /// Quotes, escapes and expansions.
    fn special(&mut self, byte: u8, mode: Mode, run: &mut Run, parts: &mut Vec<Part>) -> Step {
        match byte {
            b'\\' => {
                if mode.is_double() {
                    self.double_escape(mode, run);
                } else {
                    self.escape_part(run, parts);
                }
            }
            b'\'' if mode.has_loose_quotes() => self.loose(run, parts),
            b'\'' if !mode.is_double() => {
                self.settle();
                run.flush(parts, self.at);
                parts.extend(self.single());
                run.start = self.at;
            }
            b'"' if mode == Mode::Double => return Step::End,
            b'"' if mode == Mode::Loose => {
                self.unexpected("a double quote between single quotes that do not protect");
                return Step::End;
            }
            b'"' if !matches!(mode, Mode::Body { .. }) => {
                self.settle();
                run.flush(parts, self.at);
                parts.extend(self.double(self.at));
                run.start = self.at;
            }
            b'$' => {
                self.settle();
                let before = self.at;
                let part = self.dollar(mode.is_double());
                if let Some(Part::Parameter(parameter)) = &part
                    && !self.broken
                {
                    self.balanced(parameter.span, mode);
                }
                if part.is_none() && !self.broken {
                    run.text.push('$');
                    self.at = before;
                    self.advance(1);
                } else {
                    run.flush(parts, before);
                    parts.extend(part);
                    run.start = self.at;
                }
            }
            b'`' => {
                self.settle();
                run.flush(parts, self.at);
                parts.extend(self.backticks(matches!(mode, Mode::Double)));
                run.start = self.at;
            }
            b'<' | b'>' if mode.has_processes() && self.byte(1) == Some(b'(') => {
                self.settle();
                run.flush(parts, self.at);
                parts.extend(self.process());
                run.start = self.at;
            }
            _ => return Step::Ordinary,
        }
        Step::Done
    }

    /// In an expression bash counts the brackets inside `${...}` with those around it.
    fn balanced(&mut self, span: Span, mode: Mode) {
        let (opening, closing) = match mode {
            Mode::Arithmetic => (b'(', b')'),
            Mode::Bracket => (b'[', b']'),
            _ => return,
        };
        let mut open = 0_usize;
        for byte in self.slice(span.start, span.end).bytes() {
            if byte == opening {
                open = open.saturating_add(1);
            } else if byte == closing {
                match open.checked_sub(1) {
                    Some(less) => open = less,
                    None => open = usize::MAX,
                }
            }
        }
        if open > 0 {
            let message = "brackets of a `${` that are not closed inside it, in an expression";
            self.fault(span.start, span.end, message);
        }
    }

    /// Whether a byte that is not special otherwise ends the parts.
    fn is_end(&mut self, byte: u8, mode: Mode, open: &mut usize, text: &str) -> bool {
        match mode {
            Mode::Operand { .. } => return byte == b'}',
            Mode::Bracket | Mode::Subscript { .. } => match byte {
                b'[' => *open = open.saturating_add(1),
                b']' if *open == 0 => return true,
                b']' => *open = open.saturating_sub(1),
                b'}' => return mode == Mode::Subscript { in_braces: true },
                _ => {}
            },
            Mode::Arithmetic => match byte {
                b'(' => *open = open.saturating_add(1),
                b')' if *open == 0 => return true,
                b')' => *open = open.saturating_sub(1),
                _ => {}
            },
            Mode::Double | Mode::Body { .. } | Mode::Loose => {}
            Mode::Normal | Mode::TestPattern | Mode::Regex => {
                if byte == b'\r' && self.byte(1) == Some(b'\n') {
                    return true;
                }
                if *open > 0 {
                    match byte {
                        b'(' => *open = open.saturating_add(1),
                        b')' => *open = open.saturating_sub(1),
                        _ => {}
                    }
                } else if mode == Mode::Regex {
                    match byte {
                        b'(' => *open = 1,
                        b'|' => {}
                        _ => return is_meta(byte),
                    }
                } else if byte == b'(' && text.ends_with(['@', '?', '*', '+', '!']) {
                    if mode != Mode::TestPattern {
                        self.unexpected("an extended glob, which bash does not read by default");
                        return true;
                    }
                    *open = 1;
                } else {
                    return is_meta(byte);
                }
            }
        }
        false
    }

    /// A backslash between double quotes.
    fn double_escape(&mut self, mode: Mode, run: &mut Run) {
        let is_special = match self.byte(1) {
            Some(b'$' | b'`' | b'\\') => true,
            Some(b'"') => !matches!(mode, Mode::Body { .. }),
            Some(b'}') => matches!(mode, Mode::Operand { .. }),
            _ => false,
        };
        self.advance(1);
        if !is_special {
            run.text.push('\\');
        }
        run.text.extend(self.bump_raw());
    }

    /// A backslash outside quotes, and the character behind it.
    fn escape_part(&mut self, run: &mut Run, parts: &mut Vec<Part>) {
        self.settle();
        run.flush(parts, self.at);
        let start = self.at;
        self.advance(1);
        let Some(character) = self.bump_raw() else {
            // A backslash at the very end stays one.
            run.text.push('\\');
            return;
        };
        if is_odd(character) {
            self.note(
                start,
                self.at,
                "an odd control or space character outside quotes",
            );
        }
        parts.push(Part::Text {
            span: Span::new(start, self.at),
            text: character.to_string(),
            quoting: Quoting::Escaped,
        });
        run.start = self.at;
    }

    /// `'...'`
    fn single(&mut self) -> Option<Part> {
        let start = self.at;
        self.advance(1);
        let rest = self.rest();
        let Some(length) = rest.find('\'') else {
            self.unclosed(start, 1, "a quote that nothing closes");
            return None;
        };
        let text = rest.get(..length).unwrap_or_default().to_owned();
        self.at = self.at.saturating_add(length).saturating_add(1);
        Some(Part::Text {
            span: Span::new(start, self.at),
            text,
            quoting: Quoting::Single,
        })
    }

    /// `'...'` where the shell pairs the quotes when it reads, and expands what is between them all the same.
    fn loose(&mut self, run: &mut Run, parts: &mut Vec<Part>) {
        self.settle();
        let start = self.at;
        self.advance(1);
        let rest = self.rest();
        let Some(length) = rest.find('\'') else {
            run.flush(parts, start);
            self.unclosed(start, 1, "a quote that nothing closes");
            return;
        };
        run.text.push('\'');
        let inside = rest.get(..length).unwrap_or_default();
        let closing = self.at.saturating_add(length);
        if inside
            .bytes()
            .any(|byte| matches!(byte, b'$' | b'`' | b'\\' | b'"'))
        {
            run.flush(parts, self.at);
            if !self.enter() {
                return;
            }
            let end = std::mem::replace(&mut self.end, closing);
            let inner = self.parts(Mode::Loose);
            self.end = end;
            self.leave();
            parts.extend(inner);
            if self.broken {
                return;
            }
            run.start = closing;
        } else {
            run.text.push_str(inside);
        }
        self.at = closing.saturating_add(1);
        run.text.push('\'');
    }

    /// `"..."`; `start` is where the part begins, which for `$"..."` is the dollar.
    pub(super) fn double(&mut self, start: usize) -> Option<Part> {
        self.settle();
        let opening = self.at;
        self.advance(1);
        if !self.enter() {
            return None;
        }
        let parts = self.parts(Mode::Double);
        self.leave();
        if !self.broken && !self.eat("\"") {
            self.unclosed(opening, 1, "a quote that nothing closes");
        }
        Some(Part::Quoted {
            span: Span::new(start, self.at.max(start)),
            parts,
        })
    }

    /// Backticks: their text is read once for backslashes, then as commands.
    fn backticks(&mut self, is_double: bool) -> Option<Part> {
        let start = self.at;
        self.advance(1);
        let mut text = String::new();
        loop {
            let Some(character) = self.bump() else {
                self.unclosed(start, 1, "a backtick that nothing closes");
                return None;
            };
            match character {
                '`' => break,
                '\\' => match self.raw(self.at) {
                    Some(b'`' | b'\\' | b'$') => text.extend(self.bump_raw()),
                    Some(b'"') if is_double => text.extend(self.bump_raw()),
                    _ => text.push('\\'),
                },
                other => text.push(other),
            }
        }
        if !self.enter() {
            return None;
        }
        let limits = super::Limits {
            max_depth: self.limits.max_depth.saturating_sub(self.depth),
            max_commands: self.limits.max_commands.saturating_sub(self.n_commands),
            ..self.limits
        };
        let (script, n_commands) = Reader::new(&text, limits).script_and_count();
        self.leave();
        self.n_commands = self.n_commands.saturating_add(n_commands);
        if script.oversized {
            self.oversized = true;
        }
        if !script.faults.is_empty() {
            self.note(
                start,
                self.at,
                "commands between backticks that were not understood",
            );
        }
        Some(Part::Command {
            span: Span::new(start, self.at),
            inner: Inner {
                text: Some(text),
                list: script.list,
            },
        })
    }
}
