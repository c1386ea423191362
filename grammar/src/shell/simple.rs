//! Simple commands: assignments, words, redirections.

use super::compound::begins;
use super::list::CLOSING;
use super::reader::{Pending, Reader, is_meta};
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
        // Bash takes no array behind a redirection that follows an assignment or a word.
        let mut takes_arrays = true;
        let mut n_before = 0_usize;
        loop {
            self.skip_blanks();
            if self.broken {
                break;
            }
            if let Some(redirect) = self.redirect() {
                end = redirect.span.end;
                takes_arrays &= simple.assignments.is_empty();
                if redirect.operator == RedirectOperator::AppendBoth
                    && simple.words.is_empty()
                    && simple.assignments.is_empty()
                    && !redirects.is_empty()
                    && begins_assignment(&redirect.target)
                {
                    let span = redirect.target.span;
                    self.note(span.start, span.end, "a target that looks assigned to");
                }
                redirects.push(redirect);
                continue;
            }
            if self.broken {
                break;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment(takes_arrays)
            {
                end = assignment.span.end;
                simple.assignments.push(assignment);
                continue;
            }
            if self.broken {
                break;
            }
            takes_arrays &= simple.words.is_empty() || redirects.len() == n_before;
            if simple.words.is_empty() {
                n_before = redirects.len();
            }
            let is_declared = takes_arrays && simple.words.first().is_some_and(is_declaring);
            let Some(word) = (if is_declared {
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
        if let Some(first) = simple.words.first()
            && plain_text(first) == Some("in")
        {
            // Bash keeps it for loops and `case` in places that depend on what it read before.
            self.note(first.span.start, first.span.end, "a command named `in`");
        }
        if let Some(first) = simple.words.first()
            && plain_text(first).is_some_and(is_reserved)
            && redirects
                .first()
                .is_some_and(|redirect| redirect.span.start < first.span.start)
        {
            let message = "a reserved word behind a redirection";
            self.note(first.span.start, first.span.end, message);
        }
        if has_array(&simple) && simple.assignments.iter().any(has_computed_subscript) {
            self.note(start, end, "an array beside a computed subscript");
        }
        if self.n_substitutions > 0 && !self.broken && has_array(&simple) {
            // Bash puts the substitution aside as text, and this quote does not survive it.
            let text = self.slice(start, end);
            if text.contains("$'") && text.contains("\\'") {
                self.note(start, end, "an escaped quote beside an array in `$( )`");
            }
        }
        Some(Command {
            span: Span::new(start, end),
            kind: CommandKind::Simple(simple),
            redirects,
        })
    }

    /// The name before `()`, if that is what follows.
    fn function_name(&mut self, simple: &Simple) -> Option<String> {
        if self.byte(0) != Some(b'(') && !matches!(self.byte(0), Some(b' ' | b'\t')) {
            return None;
        }
        let before = self.at;
        self.skip_inline_blanks();
        if self.eat("(") {
            self.skip_inline_blanks();
            let [word] = simple.words.as_slice() else {
                return None;
            };
            if let Some(name) = plain_text(word)
                && self.eat(")")
            {
                return Some(name.to_owned());
            }
        }
        self.at = before;
        None
    }

    /// `NAME=VALUE` and its kin, if one stands here.
    fn assignment(&mut self, takes_arrays: bool) -> Option<Assignment> {
        let start = self.at;
        let name_end = self.name_end()?;
        self.at = name_end;
        let mut subscript = None;
        match self.byte(0) {
            Some(b'=') => {}
            Some(b'+') if self.byte(1) == Some(b'=') => {}
            Some(b'[') => {
                // Where a command may begin, the bracket must be closed, blanks or not, whether `=` follows or not.
                let from = self.at;
                self.advance(1);
                let inside = self.at;
                let parts = self.bracketed(from, Mode::Subscript { in_braces: false })?;
                if parts.iter().any(is_odd_in_subscript) {
                    let message = "a parenthesis or a process in a subscript";
                    self.note(inside, self.at, message);
                }
                if !takes_arrays && self.slice(inside, self.at).bytes().any(is_meta) {
                    // Behind a redirection bash may see no bracket here, and end the word inside it.
                    self.note(inside, self.at, "a blank or operator in a subscript");
                }
                subscript = Some(Word {
                    span: Span::new(inside, self.at),
                    parts,
                });
                self.advance(1);
            }
            _ => {
                self.at = start;
                return None;
            }
        }
        let appends = self.byte(0) == Some(b'+') && self.byte(1) == Some(b'=');
        if appends {
            self.advance(1);
        }
        if !self.eat("=") {
            // `a[1]x` is a word after all; one that spans blanks is not worth understanding.
            let bracketed = self.slice(name_end, self.at);
            if bracketed.bytes().any(is_meta) {
                self.fault(
                    start,
                    self.at,
                    "a bracket around blanks that assigns nothing",
                );
            } else {
                self.at = start;
            }
            return None;
        }
        let name = self.joined(start, name_end);
        let from = self.at;
        let value = if self.byte(0) == Some(b'(') && takes_arrays {
            let array = self.whole_array();
            Word {
                span: Span::new(from, self.at),
                parts: vec![array],
            }
        } else {
            // A line end within may be one that joins lines: what comes next must not be taken for the value.
            let parts = self.parts(Mode::Normal);
            Word {
                span: Span::new(from, self.at.max(from)),
                parts,
            }
        };
        Some(Assignment {
            span: Span::new(start, self.at.max(value.span.end)),
            name,
            subscript,
            appends,
            value,
        })
    }

    /// An array to which nothing is glued.
    fn whole_array(&mut self) -> Part {
        let array = self.array();
        let is_line_end = self.byte(0) == Some(b'\r') && self.byte(1) == Some(b'\n');
        if !self.broken && !is_line_end && self.byte(0).is_some_and(|next| !is_meta(next)) {
            self.unexpected("something glued to an array");
        }
        array
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
                match self.element() {
                    Some(word) => elements.push(word),
                    None if self.broken => break,
                    None if self.byte(0).is_none() => {
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

    fn element(&mut self) -> Option<Word> {
        let word = self.keyed_element();
        if let Some(word) = &word
            && self.n_substitutions > 0
            && word.parts.iter().any(is_escaped_meta)
        {
            // Bash loses the backslash when it puts the substitution aside.
            self.note(
                word.span.start,
                word.span.end,
                "an escaped quote or operator in an array in `$( )`",
            );
        }
        word
    }

    /// An element of an array; `[key]=value` may have blanks between its brackets.
    fn keyed_element(&mut self) -> Option<Word> {
        self.settle();
        let start = self.at;
        if self.byte(0) == Some(b'[') {
            self.advance(1);
            let inside = self.bracketed(start, Mode::Subscript { in_braces: false })?;
            let is_key = self.eat("]=") || self.eat("]+=");
            if is_key {
                let text = |from: usize, to: usize, text: &str| Part::Text {
                    span: Span::new(from, to),
                    text: text.to_owned(),
                    quoting: Quoting::None,
                };
                let sign = self.at.saturating_sub(2);
                let mut parts = vec![text(start, start.saturating_add(1), "[")];
                parts.extend(inside);
                parts.push(text(sign, self.at, "]="));
                parts.extend(self.parts(Mode::Normal));
                return Some(Word {
                    span: Span::new(start, self.at.max(start)),
                    parts,
                });
            }
            self.advance(1);
            if self.slice(start, self.at).bytes().any(is_meta) {
                self.fault(start, self.at, "a bracket around blanks that is no key");
                return None;
            }
            self.at = start;
        }
        let word = self.word(Mode::Normal);
        if !self.broken && self.byte(0) == Some(b'(') {
            self.unexpected("something that cannot be an element");
        }
        word
    }

    /// A word that may end in an array.
    fn declared_word(&mut self) -> Option<Word> {
        self.settle();
        let start = self.at;
        if let Some(end) = self.name_end() {
            self.at = end;
            self.eat("+");
            if self.eat("=") && self.byte(0) == Some(b'(') {
                let name = Part::Text {
                    span: Span::new(start, self.at),
                    text: self.joined(start, self.at),
                    quoting: Quoting::None,
                };
                let array = self.whole_array();
                return Some(Word {
                    span: Span::new(start, self.at),
                    parts: vec![name, array],
                });
            }
            self.at = start;
        }
        self.word(Mode::Normal)
    }

    /// A redirection, if one stands here.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        self.settle();
        let first = self.byte(0)?;
        if !(matches!(first, b'<' | b'>' | b'&' | b'{') || first.is_ascii_digit()) {
            return None;
        }
        let start = self.at;
        let descriptor_end = self.descriptor_end();
        self.at = descriptor_end.unwrap_or(start);
        let Some((length, operator, strips_tabs)) =
            self.redirect_operator(descriptor_end.is_some())
        else {
            self.at = start;
            return None;
        };
        self.advance(length);
        self.skip_inline_blanks();
        let from = self.at;
        let is_closing = matches!(
            operator,
            RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput
        ) && self.byte(0) == Some(b'-');
        let target = if self.byte(0) == Some(b'#') {
            None
        } else if is_closing {
            // Whatever is glued to this `-` is a word of its own.
            self.advance(1);
            let span = Span::new(from, self.at);
            let text = "-".to_owned();
            let quoting = Quoting::None;
            let part = Part::Text {
                span,
                text,
                quoting,
            };
            Some(Word {
                span,
                parts: vec![part],
            })
        } else {
            self.word(Mode::Normal)
        };
        let Some(target) = target else {
            if !self.broken {
                self.fault(start, self.at, "a redirection without a target");
            }
            return None;
        };
        if plain_text(&target) == Some("{") {
            self.note(from, self.at, "a brace as the target of a redirection");
        }
        let is_duplicate = matches!(
            operator,
            RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput
        );
        if matches!(self.byte(0), Some(b'<' | b'>'))
            && plain_text(&target)
                .is_some_and(|text| (text.starts_with('{') || !is_duplicate) && is_descriptor(text))
        {
            self.fault(
                start,
                self.at,
                "a target that belongs to the next redirection",
            );
        }
        let descriptor = descriptor_end.map(|end| Span::new(start, end));
        let mut here_document = None;
        if operator == RedirectOperator::HereDocument && !self.broken {
            let Some((delimiter, is_quoted)) = self.delimiter(&target) else {
                self.fault(from, self.at, "an odd delimiter of a here-document");
                return None;
            };
            let id = self.n_documents;
            self.n_documents = self.n_documents.saturating_add(1);
            self.pending.push(Pending {
                id,
                delimiter,
                is_quoted,
                strips_tabs,
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

    /// Bytes of the operator, what it is, whether it strips tabs.
    fn redirect_operator(&self, has_descriptor: bool) -> Option<(usize, RedirectOperator, bool)> {
        use RedirectOperator as Is;
        Some(match (self.byte(0)?, self.byte(1), self.byte(2)) {
            (b'<' | b'>', Some(b'('), _) => return None,
            (b'<', Some(b'<'), Some(b'<')) => (3, Is::HereString, false),
            (b'<', Some(b'<'), Some(b'-')) => (3, Is::HereDocument, true),
            (b'<', Some(b'<'), _) => (2, Is::HereDocument, false),
            (b'<', Some(b'&'), _) => (2, Is::DuplicateInput, false),
            (b'<', Some(b'>'), _) => (2, Is::ReadWrite, false),
            (b'<', _, _) => (1, Is::Read, false),
            (b'>', Some(b'>'), _) => (2, Is::Append, false),
            (b'>', Some(b'&'), _) => (2, Is::DuplicateOutput, false),
            (b'>', Some(b'|'), _) => (2, Is::Clobber, false),
            (b'>', _, _) => (1, Is::Write, false),
            (b'&', Some(b'>'), Some(b'>')) if !has_descriptor => (3, Is::AppendBoth, false),
            (b'&', Some(b'>'), _) if !has_descriptor => (2, Is::WriteBoth, false),
            _ => return None,
        })
    }

    /// Where the file descriptor ends, `2` or `{name}`, that stands before a redirection operator.
    fn descriptor_end(&self) -> Option<usize> {
        let (first, mut at) = self.look(self.at)?;
        if first.is_ascii_digit() {
            while let Some((byte, next)) = self.look(at) {
                if !byte.is_ascii_digit() {
                    break;
                }
                at = next;
            }
        } else if first == b'{' {
            let mut is_first = true;
            let mut is_subscript = false;
            loop {
                let (byte, next) = self.look(at)?;
                at = next;
                match byte {
                    b'}' if !is_first && !is_subscript => break,
                    b'[' if !is_first && !is_subscript => is_subscript = true,
                    b']' if is_subscript => {
                        at = self.look(at).filter(|(byte, _)| *byte == b'}')?.1;
                        break;
                    }
                    b'0'..=b'9' if !is_first => {}
                    b'a'..=b'z' | b'A'..=b'Z' | b'_' => {}
                    _ => return None,
                }
                is_first = false;
            }
        } else {
            return None;
        }
        matches!(self.look(at)?.0, b'<' | b'>').then_some(at)
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

pub(super) fn has_array(simple: &Simple) -> bool {
    let values = simple
        .assignments
        .iter()
        .map(|assignment| &assignment.value);
    let mut parts = values.chain(&simple.words).flat_map(|word| &word.parts);
    parts.any(|part| matches!(part, Part::Array { .. }))
}

/// Words that are syntax where a command begins.
pub(super) fn is_reserved(word: &str) -> bool {
    matches!(word, "!" | "time") || begins(word) || CLOSING.contains(&word)
}

fn has_computed_subscript(assignment: &Assignment) -> bool {
    let parts = assignment.subscript.iter().flat_map(|word| &word.parts);
    parts
        .into_iter()
        .any(|part| matches!(part, Part::Command { .. }))
}

/// What bash does not always read as a part of a subscript.
fn is_odd_in_subscript(part: &Part) -> bool {
    match part {
        Part::Process { .. } => true,
        Part::Text {
            text,
            quoting: Quoting::None,
            ..
        } => text.contains(['(', ')']),
        _ => false,
    }
}

fn is_escaped_meta(part: &Part) -> bool {
    matches!(part, Part::Text { text, quoting: Quoting::Escaped, .. }
        if text.starts_with(['\'', '"', '`', ';', '&', '|', '<', '>', '(', ')', '\n']))
}

/// Whether a word begins with a name and what assigns to it.
fn begins_assignment(word: &Word) -> bool {
    let Some(Part::Text {
        text,
        quoting: Quoting::None,
        ..
    }) = word.parts.first()
    else {
        return false;
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.trim_start_matches(|character: char| u8::try_from(character).is_ok_and(is_name))
        .starts_with(['=', '[', '+'])
}

fn is_declaring(word: &Word) -> bool {
    plain_text(word).is_some_and(|text| DECLARING.contains(&text))
}

pub(super) fn is_descriptor(text: &str) -> bool {
    let inside = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    match inside {
        Some(name) => !name.is_empty(),
        None => text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// The text of a word that is nothing but one unquoted text.
pub(super) fn plain_text(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [
            Part::Text {
                text,
                quoting: Quoting::None,
                ..
            },
        ] => Some(text),
        _ => None,
    }
}
