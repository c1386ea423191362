//! What begins with a dollar, process substitutions, arithmetic.

use super::reader::{Ends, Reader};
use super::tree::{Inner, List, Operation, Parameter, Part, Word};
use super::word::Mode;
use crate::span::Span;

/// Operators of `${NAME...}`, the longer ones first.
const OPERATORS: [&str; 24] = [
    ":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,", "-", "=", "?", "+", "#", "%",
    "/", "^", ",", ":", "@", "~~", "~",
];
/// Letters that may follow `@`.
const TRANSFORMATIONS: &[u8] = b"UuLQEPAKak";
/// Parameters that are no names.
const SPECIAL: &[u8] = b"@*#?-$!";

/// What `((` begins.
pub(super) enum Arithmetic {
    /// An expression, which has been read with what closes it.
    Expression(Word),
    /// Two parentheses; one of them is closed before this place. Nothing has been read.
    Parentheses { end: usize },
    /// Neither; the fault has been recorded.
    Fault(Word),
}

impl Reader<'_> {
    /// The expansion that stands here; `None` where the dollar is text.
    pub(super) fn dollar(&mut self, is_double: bool) -> Option<Part> {
        let start = self.at;
        match self.byte(1)? {
            b'(' => self.dollar_parenthesis(start),
            b'{' => self.braces(start, is_double),
            b'[' => {
                self.advance(2);
                let expression = self.bracketed(start, Mode::Bracket)?;
                self.eat("]");
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
                self.settle();
                let end = self.name_end()?;
                Some(self.plain_parameter(start, end))
            }
            byte if byte.is_ascii_digit() || SPECIAL.contains(&byte) => {
                self.advance(1);
                self.settle();
                let end = self.at.saturating_add(1);
                Some(self.plain_parameter(start, end))
            }
            _ => None,
        }
    }

    fn plain_parameter(&mut self, start: usize, end: usize) -> Part {
        let name = self.joined(self.at, end);
        self.at = end;
        Part::Parameter(Parameter {
            span: Span::new(start, end),
            name,
            subscript: None,
            is_length: false,
            is_indirect: false,
            operation: None,
        })
    }

    fn dollar_parenthesis(&mut self, start: usize) -> Option<Part> {
        self.advance(1);
        let opening = self.at;
        let mut must_end = None;
        if self.byte(1) == Some(b'(') {
            match self.arithmetic(true) {
                Arithmetic::Expression(expression) | Arithmetic::Fault(expression) => {
                    return Some(Part::Arithmetic {
                        span: Span::new(start, self.at),
                        expression: expression.parts,
                    });
                }
                Arithmetic::Parentheses { end } => must_end = Some(end),
            }
        }
        self.at = opening;
        self.advance(1);
        let list = self.inside(start, ")");
        // Bash looks for the end of `$((` by counting parentheses, before it knows that commands stand inside.
        if let Some(end) = must_end
            && !self.broken
            && end != self.at
        {
            self.fault(start, self.at, "commands behind `$((` that end elsewhere");
        }
        Some(Part::Command {
            span: Span::new(start, self.at),
            inner: Inner { text: None, list },
        })
    }

    /// `<(...)` and `>(...)`.
    pub(super) fn process(&mut self) -> Option<Part> {
        let start = self.at;
        let is_input = self.byte(0) == Some(b'<');
        self.advance(1);
        let opening = self.at;
        let must_end = if self.byte(1) == Some(b'(') {
            self.parenthesis_end()
        } else {
            None
        };
        if self.broken {
            return None;
        }
        self.at = opening;
        self.advance(1);
        let list = self.inside(start, ")");
        if must_end.is_some_and(|end| end != self.at) && !self.broken {
            self.fault(start, self.at, "commands behind `<((` that end elsewhere");
        }
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
        // Where bash reads its own print of the commands, line ends before the first are gone.
        self.skip_lines();
        self.in_substitution = Some(self.at);
        self.n_substitutions = self.n_substitutions.saturating_add(1);
        let list = self.list(Ends::Plain);
        self.n_substitutions = self.n_substitutions.saturating_sub(1);
        self.leave();
        if !self.broken {
            if let Some(open) = self.pending.first() {
                let span = open.span;
                self.fault(span.start, span.end, "a here-document without a body");
            } else if closing == "}" && self.eat_word("}") || closing == ")" && self.eat(")") {
                // Closed as it should be.
            } else if self.byte(0).is_none() {
                self.fault(start, self.end, "a substitution that nothing closes");
            } else {
                self.unexpected("something that does not close what is open");
            }
        }
        self.n_held = self.n_held.saturating_sub(outer.len());
        self.pending = outer;
        list
    }

    /// `((`: an expression if `))` closes it, else two parentheses: of these the end of the second, or `to_end`
    /// that of the first.
    ///
    /// Whoever is told that they are parentheses reads the same bytes again. So that this does not double with each
    /// level, it is remembered, and what lies inside is tried once only.
    pub(super) fn arithmetic(&mut self, to_end: bool) -> Arithmetic {
        self.settle();
        let start = self.at;
        if let Some(end) = self.not_arithmetic.get(&start) {
            return Arithmetic::Parentheses { end: *end };
        }
        if !self.enter() {
            return Arithmetic::Fault(Word::default());
        }
        let before = self.mark();
        self.advance(2);
        let from = self.at;
        let parts = self.parts(Mode::Arithmetic);
        let expression = Word {
            span: Span::new(from, self.at),
            parts,
        };
        if !self.broken && self.rest().starts_with("))") {
            self.advance(2);
            self.leave();
            return Arithmetic::Expression(expression);
        }
        let mut is_closed = !self.broken && self.eat(")");
        if is_closed && to_end {
            drop(self.parts(Mode::Arithmetic));
            is_closed = !self.broken && self.eat(")");
        }
        self.leave();
        if !is_closed {
            if !self.broken {
                self.unclosed(start, 2, "a `((` that nothing closes");
            }
            return Arithmetic::Fault(expression);
        }
        let end = self.at;
        self.go_back(before);
        self.not_arithmetic.insert(start, end);
        Arithmetic::Parentheses { end }
    }

    /// Where the parenthesis that stands here is closed, counted as in an expression. Nothing has been read.
    fn parenthesis_end(&mut self) -> Option<usize> {
        self.settle();
        let start = self.at;
        if let Some(end) = self.not_arithmetic.get(&start) {
            return Some(*end);
        }
        if !self.enter() {
            return None;
        }
        let before = self.mark();
        self.advance(1);
        drop(self.parts(Mode::Arithmetic));
        self.leave();
        if self.broken {
            return None;
        }
        if !self.eat(")") {
            self.unclosed(start, 1, "a substitution that nothing closes");
            return None;
        }
        let end = self.at;
        self.go_back(before);
        self.not_arithmetic.insert(start, end);
        Some(end)
    }

    /// What reading changes, to go back to.
    fn mark(&self) -> [usize; 5] {
        [
            self.at,
            self.faults.len(),
            self.n_commands,
            self.n_documents,
            self.documents.len(),
        ]
    }

    fn go_back(&mut self, [at, n_faults, n_commands, n_documents, n_bodies]: [usize; 5]) {
        self.at = at;
        self.faults.truncate(n_faults);
        self.n_commands = n_commands;
        self.n_documents = n_documents;
        self.documents.truncate(n_bodies);
    }

    /// What stands between brackets, which may nest; `]` is not read. `None` where it does not come.
    pub(super) fn bracketed(&mut self, opening: usize, mode: Mode) -> Option<Vec<Part>> {
        if !self.enter() {
            return None;
        }
        let parts = self.parts(mode);
        self.leave();
        if self.broken {
            return None;
        }
        if self.byte(0) == Some(b']') {
            return Some(parts);
        }
        self.unclosed(opening, 1, "a bracket that nothing closes");
        None
    }

    /// `${...}`
    fn braces(&mut self, start: usize, is_double: bool) -> Option<Part> {
        self.advance(2);
        if matches!(self.byte(0), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.eat("|");
            let list = self.inside(start, "}");
            return Some(Part::Command {
                span: Span::new(start, self.at),
                inner: Inner { text: None, list },
            });
        }
        let mut parameter = Parameter {
            span: Span::new(start, start),
            name: String::new(),
            subscript: None,
            is_length: false,
            is_indirect: false,
            operation: None,
        };
        let (next, after) = (self.byte(1), self.byte(2));
        let is_name = next.is_some_and(|next| next.is_ascii_alphanumeric() || next == b'_');
        let is_special =
            |known: &[u8]| after == Some(b'}') && next.is_some_and(|next| known.contains(&next));
        match self.byte(0) {
            Some(b'#') if is_name || is_special(SPECIAL) => {
                parameter.is_length = true;
                self.advance(1);
            }
            Some(b'!') if is_name || is_special(b"@*#") => {
                parameter.is_indirect = true;
                self.advance(1);
            }
            _ => {}
        }
        self.settle();
        let from = self.at;
        let named = self.name_end();
        match (named, self.byte(0)) {
            (Some(end), _) => self.at = end,
            (None, Some(byte)) if byte.is_ascii_digit() => {
                while self.byte(0).is_some_and(|byte| byte.is_ascii_digit()) {
                    self.advance(1);
                }
            }
            (None, Some(byte)) if SPECIAL.contains(&byte) => self.advance(1),
            _ => {
                self.bad_substitution(start);
                return None;
            }
        }
        parameter.name = self.joined(from, self.at);
        if named.is_some() && self.eat("[") {
            parameter.subscript = self.bracketed(start, Mode::Subscript { in_braces: true });
            if self.broken {
                return Some(Part::Parameter(parameter));
            }
            self.advance(1);
        }
        if self.byte(0) != Some(b'}') && !self.operation(&mut parameter, is_double) && !self.broken
        {
            self.bad_substitution(start);
        }
        if !self.broken && !self.eat("}") {
            self.bad_substitution(start);
        }
        parameter.span.end = self.at.max(start);
        Some(Part::Parameter(parameter))
    }

    /// The operator and what follows it; false where there is none that bash knows.
    fn operation(&mut self, parameter: &mut Parameter, is_double: bool) -> bool {
        if parameter.is_length {
            return false;
        }
        let lists_names = parameter.is_indirect && parameter.subscript.is_none();
        if lists_names && self.byte(1) == Some(b'}') {
            for operator in ["*", "@"] {
                if self.eat(operator) {
                    parameter.operation = Some(Operation {
                        operator,
                        operand: Vec::new(),
                    });
                    return true;
                }
            }
        }
        let operator = OPERATORS
            .into_iter()
            .find(|operator| self.starts_with(operator));
        let Some(operator) = operator else {
            return false;
        };
        self.advance(operator.len());
        if operator == "@" {
            let is_known = self
                .byte(0)
                .is_some_and(|letter| TRANSFORMATIONS.contains(&letter));
            if !is_known || self.byte(1) != Some(b'}') {
                return false;
            }
        }
        if !self.enter() {
            return false;
        }
        let operand = self.parts(Mode::Operand {
            is_quoted: is_double,
        });
        self.leave();
        parameter.operation = Some(Operation { operator, operand });
        true
    }

    fn bad_substitution(&mut self, start: usize) {
        self.unclosed(
            start,
            2,
            "a `${` that is not understood, or that nothing closes",
        );
    }
}
