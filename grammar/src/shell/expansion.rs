//! What begins with a dollar, and process substitutions.

use super::reader::{Ends, Reader};
use super::simple::name_length;
use super::tree::{Inner, List, Operation, Parameter, Part, Quoting};
use super::word::Mode;
use crate::span::Span;

/// Operators of `${NAME...}`, the longer ones first.
const OPERATORS: [&str; 24] = [
    ":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,", "-", "=", "?", "+", "#", "%",
    "/", "^", ",", ":", "@", "~~", "~",
];

impl Reader<'_> {
    /// The expansion that stands here; `None` where the dollar is text.
    pub(super) fn dollar(&mut self, is_double: bool) -> Option<Part> {
        let start = self.at;
        match self.byte(1)? {
            b'(' => self.dollar_parenthesis(start),
            b'{' => self.braces(start, is_double),
            b'[' => {
                self.advance(2);
                let expression = self.bracketed(start)?;
                if !self.broken {
                    self.advance(1);
                }
                Some(Part::Arithmetic {
                    span: Span::new(start, self.at),
                    expression,
                })
            }
            b'\'' if !is_double => self.ansi(start),
            b'"' if !is_double => {
                self.advance(1);
                self.double(start)
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.advance(1);
                let length = name_length(self.rest());
                Some(self.plain_parameter(start, length))
            }
            byte if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                self.advance(1);
                Some(self.plain_parameter(start, 1))
            }
            _ => None,
        }
    }

    fn plain_parameter(&mut self, start: usize, length: usize) -> Part {
        let name = self
            .slice(self.at, self.at.saturating_add(length))
            .to_owned();
        self.advance(length);
        Part::Parameter(Parameter {
            span: Span::new(start, self.at),
            name,
            subscript: None,
            is_length: false,
            is_indirect: false,
            operation: None,
        })
    }

    fn dollar_parenthesis(&mut self, start: usize) -> Option<Part> {
        if self.byte(2) == Some(b'(')
            && let Some(end) = self.arithmetic_end(start.saturating_add(3))
        {
            let expression = self.arithmetic_word(start.saturating_add(3), end).parts;
            return Some(Part::Arithmetic {
                span: Span::new(start, self.at),
                expression,
            });
        }
        self.advance(2);
        let list = self.inside(start, ")");
        Some(Part::Command {
            span: Span::new(start, self.at),
            inner: Inner { text: None, list },
        })
    }

    /// `<(...)` and `>(...)`.
    pub(super) fn process(&mut self) -> Option<Part> {
        let start = self.at;
        let is_input = self.byte(0) == Some(b'<');
        self.advance(2);
        let list = self.inside(start, ")");
        Some(Part::Process {
            span: Span::new(start, self.at),
            is_input,
            inner: Inner { text: None, list },
        })
    }

    /// The commands of a substitution and what closes them.
    fn inside(&mut self, start: usize, closing: &str) -> List {
        if !self.enter() {
            return List::default();
        }
        let outer = std::mem::take(&mut self.pending);
        self.n_held = self.n_held.saturating_add(outer.len());
        let list = self.list(Ends::Plain);
        self.leave();
        if !self.broken {
            if let Some(open) = self.pending.first() {
                let span = open.span;
                self.fault(span.start, span.end, "a here-document without a body");
            } else if closing == "}" && self.eat_word("}") || closing == ")" && self.eat(")") {
                // Closed as it should be.
            } else if self.at >= self.end {
                self.fault(start, self.end, "a substitution that nothing closes");
            } else {
                self.unexpected("something that does not close what is open");
            }
        }
        self.n_held = self.n_held.saturating_sub(outer.len());
        self.pending = outer;
        list
    }

    /// `${...}`
    fn braces(&mut self, start: usize, is_double: bool) -> Option<Part> {
        self.advance(2);
        if matches!(self.byte(0), Some(b' ' | b'\t' | b'\n' | b'|' | b'(')) {
            self.eat("|");
            let list = self.inside(start, "}");
            return Some(Part::Command {
                span: Span::new(start, self.at),
                inner: Inner { text: None, list },
            });
        }
        let mut is_length = false;
        let mut is_indirect = false;
        if self.byte(0) == Some(b'#')
            && self
                .byte(1)
                .is_some_and(|next| is_name_start(next) || b"@*?-$!#".contains(&next))
            && !(self.byte(2) != Some(b'}')
                && self.byte(1).is_some_and(|next| b"?-#".contains(&next)))
        {
            is_length = true;
            self.advance(1);
        } else if self.byte(0) == Some(b'!')
            && self
                .byte(1)
                .is_some_and(|next| is_name_start(next) || b"@*#?$".contains(&next))
        {
            is_indirect = true;
            self.advance(1);
        }
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let named = name_length(rest);
        let special = usize::from(
            rest.bytes()
                .next()
                .is_some_and(|byte| b"@*#?-$!".contains(&byte)),
        );
        let length = digits.max(named).max(special);
        if length == 0 {
            self.bad_substitution(start);
            return None;
        }
        let name = rest.get(..length).unwrap_or_default().to_owned();
        self.advance(length);
        let mut subscript = None;
        if self.byte(0) == Some(b'[') {
            self.advance(1);
            subscript = Some(self.bracketed(start)?);
            if self.broken {
                return None;
            }
            self.advance(1);
        }
        let mut operation = None;
        if self.byte(0) != Some(b'}') {
            let rest = self.rest();
            let operator = OPERATORS
                .into_iter()
                .find(|operator| rest.starts_with(operator));
            let Some(operator) = operator else {
                self.bad_substitution(start);
                return None;
            };
            self.advance(operator.len());
            if !self.enter() {
                return None;
            }
            let operand = self.parts(Mode::Operand {
                is_quoted: is_double,
            });
            self.leave();
            operation = Some(Operation { operator, operand });
        }
        if self.broken {
            return Some(Part::Parameter(Parameter {
                span: Span::new(start, self.at),
                name,
                subscript,
                is_length,
                is_indirect,
                operation,
            }));
        }
        if !self.eat("}") {
            self.bad_substitution(start);
        }
        Some(Part::Parameter(Parameter {
            span: Span::new(start, self.at),
            name,
            subscript,
            is_length,
            is_indirect,
            operation,
        }))
    }

    fn bad_substitution(&mut self, start: usize) {
        self.unclosed(
            start,
            2,
            "a `${` that is not understood, or that nothing closes",
        );
    }

    /// `$'...'`
    fn ansi(&mut self, start: usize) -> Option<Part> {
        self.advance(2);
        let mut text = String::new();
        loop {
            let Some(character) = self.bump() else {
                self.unclosed(start, 2, "a quote that nothing closes");
                return None;
            };
            match character {
                '\'' => break,
                '\\' => {
                    if !self.escape(&mut text) {
                        self.unclosed(start, 2, "a quote that nothing closes");
                        return None;
                    }
                }
                other => text.push(other),
            }
        }
        // The shell ends such a text at its first NUL.
        if let Some(nul) = text.find('\0') {
            text.truncate(nul);
        }
        Some(Part::Text {
            span: Span::new(start, self.at),
            text,
            quoting: Quoting::Ansi,
        })
    }

    /// One escape of `$'...'`, its backslash read; false at the end of the text.
    fn escape(&mut self, text: &mut String) -> bool {
        let Some(character) = self.bump() else {
            return false;
        };
        let decoded = match character {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1b}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' | '\'' | '"' | '?' => character,
            '0'..='7' => {
                let first = character.to_digit(8).unwrap_or(0);
                let value = self.digits(8, 2, first);
                return push_byte(text, value);
            }
            'x' | 'u' | 'U' => {
                let most = match character {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                if !self.byte(0).is_some_and(|byte| byte.is_ascii_hexdigit()) {
                    text.push('\\');
                    text.push(character);
                    return true;
                }
                let value = self.digits(16, most, 0);
                if character == 'x' {
                    return push_byte(text, value);
                }
                char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            'c' => {
                let Some(control) = self.bump() else {
                    return false;
                };
                let code = u32::from(control.to_ascii_uppercase()) & 0x1f;
                char::from_u32(code).unwrap_or('\0')
            }
            other => {
                text.push('\\');
                other
            }
        };
        text.push(decoded);
        true
    }

    fn digits(&mut self, radix: u32, most: usize, first: u32) -> u32 {
        let mut value = first;
        for _ in 0..most {
            let digit = self
                .byte(0)
                .and_then(|byte| char::from(byte).to_digit(radix));
            let Some(digit) = digit else { break };
            self.advance(1);
            value = value.wrapping_mul(radix).wrapping_add(digit);
        }
        value
    }
}

/// A byte that an escape names; beyond ASCII it is a part of a character that text cannot show alone.
fn push_byte(text: &mut String, value: u32) -> bool {
    let byte = value & 0xff;
    text.push(if byte < 0x80 {
        char::from_u32(byte).unwrap_or('\0')
    } else {
        char::REPLACEMENT_CHARACTER
    });
    true
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
