//! Simple commands: assignments, words, redirections.

use super::reader::{Pending, Reader};
use super::tree::{
    Assignment, Command, CommandKind, HereDocument, Part, Quoting, Redirect, RedirectOperator,
    Simple, Word,
};
use super::word::Mode;
use crate::span::Span;

/// Builtins whose arguments may be `NAME=(...)`.
const DECLARING: [&str; 5] = ["declare", "export", "local", "readonly", "typeset"];

impl Reader<'_> {
    /// A simple command, or the definition of a function that begins like one.
    pub(super) fn simple(&mut self) -> Option<Command> {
        let start = self.at;
        let mut end = start;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            if self.broken {
                break;
            }
            if let Some(redirect) = self.redirect() {
                end = redirect.span.end;
                redirects.push(redirect);
                continue;
            }
            if self.broken {
                break;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()
            {
                end = assignment.span.end;
                simple.assignments.push(assignment);
                continue;
            }
            if self.broken {
                break;
            }
            let takes_arrays = simple.words.first().is_some_and(is_declaring);
            let Some(word) = (if takes_arrays {
                self.declared_word()
            } else {
                self.word(Mode::Normal)
            }) else {
                break;
            };
            end = word.span.end;
            let is_first =
                simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty();
            simple.words.push(word);
            if self.broken {
                break;
            }
            if is_first && let Some(name) = self.function_name(&simple) {
                return Some(self.function_body(start, name));
            }
        }
        let is_empty =
            simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty();
        if is_empty {
            return None;
        }
        Some(Command {
            span: Span::new(start, end),
            kind: CommandKind::Simple(simple),
            redirects,
        })
    }

    /// The name before `()`, if that is what follows.
    fn function_name(&mut self, simple: &Simple) -> Option<String> {
        let [word] = simple.words.as_slice() else {
            return None;
        };
        let before = self.at;
        self.skip_blanks();
        if !self.eat("(") {
            self.at = before;
            return None;
        }
        self.skip_blanks();
        let [
            Part::Text {
                text,
                quoting: Quoting::None,
                ..
            },
        ] = word.parts.as_slice()
        else {
            self.at = before;
            return None;
        };
        if self.eat(")") {
            return Some(text.clone());
        }
        self.at = before;
        None
    }

    /// `NAME=VALUE` and its kin, if one stands here.
    fn assignment(&mut self) -> Option<Assignment> {
        let start = self.at;
        let (name_len, _) = self.assignment_head()?;
        let name = self.slice(start, start.saturating_add(name_len)).to_owned();
        self.advance(name_len);
        let mut subscript = None;
        if self.byte(0) == Some(b'[') {
            let from = self.at;
            self.advance(1);
            let inside = self.at;
            let parts = self.bracketed(from)?;
            subscript = Some(Word {
                span: Span::new(inside, self.at),
                parts,
            });
            self.advance(1);
        }
        let appends = self.eat("+");
        if !self.eat("=") {
            // `a[1]x` is a word after all.
            self.at = start;
            return None;
        }
        let value = if self.byte(0) == Some(b'(') {
            let from = self.at;
            let array = self.array();
            Word {
                span: Span::new(from, self.at),
                parts: vec![array],
            }
        } else {
            let from = self.at;
            self.word(Mode::Normal).unwrap_or(Word {
                span: Span::new(from, from),
                parts: Vec::new(),
            })
        };
        Some(Assignment {
            span: Span::new(start, self.at.max(value.span.end)),
            name,
            subscript,
            appends,
            value,
        })
    }

    /// Bytes of the name and whether a subscript follows, where an assignment may stand here.
    fn assignment_head(&self) -> Option<(usize, bool)> {
        let rest = self.rest();
        let length = name_length(rest);
        if length == 0 {
            return None;
        }
        let after = rest.get(length..)?;
        if after.starts_with('=') || after.starts_with("+=") {
            return Some((length, false));
        }
        let inside = after.strip_prefix('[')?;
        // Without an `=` behind its `]` on this line it is a glob.
        let line = inside
            .find('\n')
            .map_or(inside, |end| inside.get(..end).unwrap_or(inside));
        (line.contains("]=") || line.contains("]+=")).then_some((length, true))
    }

    /// What stands between brackets, which may nest; `]` is not read.
    pub(super) fn bracketed(&mut self, opening: usize) -> Option<Vec<Part>> {
        if !self.enter() {
            return None;
        }
        let parts = self.parts(Mode::Subscript);
        self.leave();
        if self.byte(0) == Some(b']') || self.broken {
            return Some(parts);
        }
        self.unclosed(opening, 1, "a bracket that nothing closes");
        Some(parts)
    }

    /// `(...)` of an array.
    fn array(&mut self) -> Part {
        let start = self.at;
        self.advance(1);
        let mut elements = Vec::new();
        if self.enter() {
            loop {
                self.skip_lines();
                if self.broken || self.byte(0) == Some(b')') {
                    break;
                }
                match self.word(Mode::Normal) {
                    Some(word) => elements.push(word),
                    None if self.at >= self.end => {
                        self.unclosed(start, 1, "an array that nothing closes");
                        break;
                    }
                    None => {
                        self.unexpected("something that cannot be an element");
                        break;
                    }
                }
            }
            self.leave();
        }
        if !self.broken {
            self.advance(1);
        }
        Part::Array {
            span: Span::new(start, self.at),
            elements,
        }
    }

    /// A word that may end in an array.
    fn declared_word(&mut self) -> Option<Word> {
        let start = self.at;
        if let Some((length, false)) = self.assignment_head() {
            let rest = self.rest();
            let plus = usize::from(rest.get(length..).is_some_and(|rest| rest.starts_with('+')));
            let head = length.saturating_add(plus).saturating_add(1);
            if rest.as_bytes().get(head) == Some(&b'(') {
                let text = rest.get(..head).unwrap_or_default().to_owned();
                self.advance(head);
                let name = Part::Text {
                    span: Span::new(start, self.at),
                    text,
                    quoting: Quoting::None,
                };
                let array = self.array();
                return Some(Word {
                    span: Span::new(start, self.at),
                    parts: vec![name, array],
                });
            }
        }
        self.word(Mode::Normal)
    }

    /// A redirection, if one stands here.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.at;
        let rest = self.rest();
        let descriptor = descriptor_length(rest);
        let after = rest.get(descriptor..).unwrap_or_default();
        let operators = [
            ("<<<", RedirectOperator::HereString),
            ("<<-", RedirectOperator::HereDocument),
            ("<<", RedirectOperator::HereDocument),
            ("<&", RedirectOperator::DuplicateInput),
            ("<>", RedirectOperator::ReadWrite),
            (">>", RedirectOperator::Append),
            (">&", RedirectOperator::DuplicateOutput),
            (">|", RedirectOperator::Clobber),
            ("&>>", RedirectOperator::AppendBoth),
            ("&>", RedirectOperator::WriteBoth),
            ("<", RedirectOperator::Read),
            (">", RedirectOperator::Write),
        ];
        if after.starts_with("<(") || after.starts_with(">(") {
            return None;
        }
        let (spelling, operator) = operators.into_iter().find(|(spelling, _)| {
            after.starts_with(spelling) && (descriptor == 0 || !spelling.starts_with('&'))
        })?;
        self.advance(descriptor.saturating_add(spelling.len()));
        self.skip_continuations();
        self.skip_inline_blanks();
        let from = self.at;
        let Some(target) = self.word(Mode::Normal) else {
            if !self.broken {
                self.fault(start, self.at, "a redirection without a target");
            }
            return None;
        };
        let descriptor =
            (descriptor > 0).then(|| Span::new(start, start.saturating_add(descriptor)));
        let mut here_document = None;
        if operator == RedirectOperator::HereDocument {
            let Some((delimiter, is_quoted)) = self.delimiter(&target) else {
                self.note(from, self.at, "an odd delimiter of a here-document");
                return None;
            };
            let id = self.n_documents;
            self.n_documents = self.n_documents.saturating_add(1);
            self.pending.push(Pending {
                id,
                delimiter,
                is_quoted,
                strips_tabs: spelling == "<<-",
                span: Span::new(start, self.at),
            });
            // The body comes with the next line; until then the number stands in its place.
            here_document = Some(HereDocument {
                span: Span::new(id, id),
                is_quoted,
                body: Word::default(),
            });
        }
        Some(Redirect {
            span: Span::new(start, self.at),
            operator,
            descriptor,
            target,
            here_document,
        })
    }

    fn skip_continuations(&mut self) {
        while self.continuation() > 0 {
            self.advance(self.continuation());
        }
    }

    /// Blanks within a line; a `#` here begins a word's text no more than anywhere else.
    fn skip_inline_blanks(&mut self) {
        while matches!(self.byte(0), Some(b' ' | b'\t')) || self.continuation() > 0 {
            let length = self.continuation().max(1);
            self.advance(length);
        }
    }

    /// The text of a delimiter and whether it is quoted.
    fn delimiter(&self, word: &Word) -> Option<(String, bool)> {
        fn read(parts: &[Part], text: &mut String, is_quoted: &mut bool) -> bool {
            parts.iter().all(|part| match part {
                Part::Text {
                    text: piece,
                    quoting,
                    ..
                } => {
                    *is_quoted |= *quoting != Quoting::None;
                    text.push_str(piece);
                    true
                }
                Part::Quoted { parts, .. } => {
                    *is_quoted = true;
                    read(parts, text, is_quoted)
                }
                _ => false,
            })
        }
        let (mut text, mut is_quoted) = (String::new(), false);
        let is_plain = read(&word.parts, &mut text, &mut is_quoted);
        (is_plain && !text.contains('\n')).then_some((text, is_quoted))
    }
}

fn is_declaring(word: &Word) -> bool {
    matches!(word.parts.as_slice(), [Part::Text { text, quoting: Quoting::None, .. }]
        if DECLARING.contains(&text.as_str()))
}

/// Bytes of the identifier that the text begins with.
pub(super) fn name_length(text: &str) -> usize {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return 0;
    }
    text.bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
        .unwrap_or(text.len())
}

/// Bytes of the file descriptor, `2` or `{name}`, that stands before a redirection operator.
fn descriptor_length(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = if digits > 0 {
        digits
    } else if let Some(inside) = text.strip_prefix('{') {
        let name = name_length(inside);
        let is_closed = inside.as_bytes().get(name) == Some(&b'}');
        if name > 0 && is_closed {
            name.saturating_add(2)
        } else {
            0
        }
    } else {
        0
    };
    let next = text.as_bytes().get(length);
    if matches!(next, Some(b'<' | b'>')) {
        length
    } else {
        0
    }
}
