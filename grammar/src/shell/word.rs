//! Words and the other places where text, quotes and expansions stand side by side.

use super::reader::{Reader, is_meta, is_odd};
use super::tree::{Inner, Part, Quoting, Word};
use crate::span::Span;

/// Where parts stand, and so what ends them and which characters mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word.
    Normal,
    /// A pattern of `case`.
    Pattern,
    /// A word of `[[ ]]` in which `@(a|b)` may stand.
    TestPattern,
    /// The right side of `=~`.
    Regex,
    /// Between double quotes.
    Double,
    /// What follows the operator of `${...}`; quoted: the expansion stands in double quotes.
    Operand { is_quoted: bool },
    /// Between `[` and `]`.
    Subscript,
    /// Between `((` and `))`, to the end.
    Arithmetic,
    /// The body of a here-document, to the end.
    Body { strips_tabs: bool },
}

impl Mode {
    /// Whether the text is read as between double quotes.
    const fn is_double(self) -> bool {
        matches!(
            self,
            Self::Double | Self::Body { .. } | Self::Operand { is_quoted: true }
        )
    }

    const fn is_word(self) -> bool {
        matches!(
            self,
            Self::Normal | Self::Pattern | Self::TestPattern | Self::Regex
        )
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
            parts.push(Part::Text {
                span: Span::new(self.start, at),
                text: std::mem::take(&mut self.text),
                quoting: self.quoting,
            });
        }
        self.start = at;
    }
}

impl Reader<'_> {
    /// The word that stands here; `None` where none does.
    pub(super) fn word(&mut self, mode: Mode) -> Option<Word> {
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
        let mut at_line_start = matches!(mode, Mode::Body { strips_tabs: true });
        while let Some(byte) = self.byte(0) {
            if self.broken {
                break;
            }
            if at_line_start && byte == b'\t' {
                self.advance(1);
                continue;
            }
            at_line_start = byte == b'\n' && matches!(mode, Mode::Body { strips_tabs: true });
            match byte {
                b'\\' => {
                    let continuation = self.continuation();
                    if continuation > 0 {
                        self.advance(continuation);
                        continue;
                    }
                    if mode.is_double() {
                        let is_special = matches!(self.byte(1), Some(b'$' | b'`' | b'\\'))
                            || (self.byte(1) == Some(b'"') && !matches!(mode, Mode::Body { .. }))
                            || (self.byte(1) == Some(b'}') && matches!(mode, Mode::Operand { .. }));
                        self.advance(1);
                        if !is_special {
                            run.text.push('\\');
                        }
                        run.text.extend(self.bump());
                        continue;
                    }
                    run.flush(&mut parts, self.at);
                    let start = self.at;
                    self.advance(1);
                    let Some(character) = self.bump() else {
                        // A backslash at the very end stays one.
                        run.text.push('\\');
                        continue;
                    };
                    if is_odd(character) && character != '\t' && character != '\n' {
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
                    continue;
                }
                b'\'' if !mode.is_double() => {
                    run.flush(&mut parts, self.at);
                    parts.extend(self.single());
                    run.start = self.at;
                    continue;
                }
                b'"' if mode == Mode::Double => break,
                b'"' if !matches!(mode, Mode::Body { .. }) => {
                    run.flush(&mut parts, self.at);
                    parts.extend(self.double(self.at));
                    run.start = self.at;
                    continue;
                }
                b'$' => {
                    let before = self.at;
                    if let Some(part) = self.dollar(mode.is_double()) {
                        run.flush(&mut parts, before);
                        parts.push(part);
                        run.start = self.at;
                        continue;
                    }
                    if self.broken {
                        break;
                    }
                    run.text.push('$');
                    self.advance(1);
                    continue;
                }
                b'`' => {
                    run.flush(&mut parts, self.at);
                    parts.extend(self.backticks(mode.is_double()));
                    run.start = self.at;
                    continue;
                }
                _ => {}
            }
            match mode {
                Mode::Operand { .. } if byte == b'}' => break,
                Mode::Subscript if byte == b'[' => open = open.saturating_add(1),
                Mode::Subscript if byte == b']' => {
                    if open == 0 {
                        break;
                    }
                    open = open.saturating_sub(1);
                }
                Mode::Subscript if byte == b'\n' => break,
                _ => {}
            }
            if (byte == b'<' || byte == b'>') && self.byte(1) == Some(b'(') && mode.is_word() {
                run.flush(&mut parts, self.at);
                parts.extend(self.process());
                run.start = self.at;
                continue;
            }
            if mode.is_word() {
                if byte == b'\r' && self.byte(1) == Some(b'\n') {
                    break;
                }
                if mode == Mode::Regex {
                    match byte {
                        b'(' => open = open.saturating_add(1),
                        b')' if open > 0 => open = open.saturating_sub(1),
                        b' ' | b'\t' if open > 0 => {}
                        b'|' => {}
                        _ if is_meta(byte) => break,
                        _ => {}
                    }
                } else if byte == b'(' && ends_in_glob(&run.text) {
                    if mode != Mode::TestPattern {
                        self.unexpected("an extended glob, which bash does not read by default");
                        break;
                    }
                    open = open.saturating_add(1);
                } else if mode == Mode::TestPattern && open > 0 {
                    match byte {
                        b'(' => open = open.saturating_add(1),
                        b')' => open = open.saturating_sub(1),
                        b'\n' => break,
                        _ => {}
                    }
                } else if is_meta(byte) {
                    break;
                }
            }
            let start = self.at;
            let Some(character) = self.bump() else { break };
            if mode.is_word() && is_odd(character) {
                self.note(
                    start,
                    self.at,
                    "an odd control or space character outside quotes",
                );
            }
            run.text.push(character);
        }
        let is_empty_body = parts.is_empty() && run.text.is_empty();
        run.flush(&mut parts, self.at);
        if open > 0 && mode.is_word() && !self.broken && !is_empty_body {
            self.unexpected("a parenthesis in a pattern that nothing closes");
        }
        parts
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
        self.advance(length.saturating_add(1));
        Some(Part::Text {
            span: Span::new(start, self.at),
            text,
            quoting: Quoting::Single,
        })
    }

    /// `"..."`; `start` is where the part begins, which for `$"..."` is the dollar.
    pub(super) fn double(&mut self, start: usize) -> Option<Part> {
        let opening = self.at;
        self.advance(1);
        if !self.enter() {
            return None;
        }
        let parts = self.parts(Mode::Double);
        self.leave();
        if self.byte(0) == Some(b'"') && !self.broken {
            self.advance(1);
        } else if !self.broken {
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
                '\\' => match self.byte(0) {
                    Some(b'`' | b'\\' | b'$') => text.extend(self.bump()),
                    Some(b'"') if is_double => text.extend(self.bump()),
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
        let inside = Reader::new(&text, limits);
        let script = inside.script();
        self.leave();
        let n_inside = count(&script.list);
        self.n_commands = self.n_commands.saturating_add(n_inside);
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

/// Pipelines' commands, those inside not counted: enough to bound what backticks may add.
fn count(list: &super::tree::List) -> usize {
    list.pipelines
        .iter()
        .map(|pipeline| pipeline.commands.len())
        .sum()
}

fn ends_in_glob(text: &str) -> bool {
    text.ends_with(['@', '?', '*', '+', '!'])
}
