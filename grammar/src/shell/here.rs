//! The bodies of here-documents: read at the line end behind the command, then put where they belong.

use super::reader::Reader;
use super::tree::{
    Assignment, Command, CommandKind, HereDocument, Inner, List, Parameter, Part, Quoting, Word,
};
use super::word::Mode;
use crate::span::Span;

impl Reader<'_> {
    /// Reads the bodies that begin here, one for each here-document of the line.
    pub(super) fn here_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let mut at = start;
            // Where the line began that is at hand: of lines that a backslash joins, the first.
            let mut line_start = at;
            let mut joined = String::new();
            let found = loop {
                let rest = self.slice(at, self.end);
                if rest.is_empty() && at > line_start {
                    break None;
                }
                let length = rest.find('\n').unwrap_or(rest.len());
                let line = rest.get(..length).unwrap_or_default();
                let line = line.strip_suffix('\r').unwrap_or(line);
                let n_backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
                let goes_on = !pending.is_quoted && n_backslashes % 2 == 1 && length < rest.len();
                let next = at.saturating_add(length).saturating_add(1);
                if goes_on {
                    joined.push_str(line.strip_suffix('\\').unwrap_or(line));
                    at = next;
                    continue;
                }
                let whole = if joined.is_empty() {
                    line
                } else {
                    joined.push_str(line);
                    joined.as_str()
                };
                let stripped = if pending.strips_tabs {
                    whole.trim_start_matches('\t')
                } else {
                    whole
                };
                if stripped == pending.delimiter && (!rest.is_empty() || !joined.is_empty()) {
                    break Some(at.saturating_add(length));
                }
                // In a substitution bash takes such a line for the end, if what closes the substitution is in it.
                if self.n_substitutions > 0
                    && stripped
                        .strip_prefix(pending.delimiter.as_str())
                        .is_some_and(|rest| rest.contains([')', '}']))
                {
                    let span = pending.span;
                    let message = "a here-document that bash may end at a line which only begins like its end";
                    self.fault(span.start, self.end, message);
                    self.at = start;
                    return;
                }
                if length == rest.len() {
                    break None;
                }
                joined.clear();
                at = next;
                line_start = at;
            };
            let at = line_start;
            let Some(after) = found else {
                let span = pending.span;
                self.fault(span.start, self.end, "a here-document that nothing ends");
                // Its lines may be commands as well as text: they are read as commands.
                self.at = start;
                return;
            };
            let body = self.body(start, at, pending.is_quoted, pending.strips_tabs);
            let document = HereDocument {
                span: Span::new(start, at),
                is_quoted: pending.is_quoted,
                body,
            };
            self.documents.push((pending.id, document));
            self.at = after;
            // The line end behind the delimiter belongs to it, and the next body begins there.
            if self.byte(0) == Some(b'\n') {
                self.advance(1);
            }
            if self.broken {
                return;
            }
        }
    }

    fn body(&mut self, start: usize, end: usize, is_quoted: bool, strips_tabs: bool) -> Word {
        let span = Span::new(start, end);
        if is_quoted {
            let text = self.slice(start, end);
            let text = if strips_tabs {
                let lines = text
                    .split_inclusive('\n')
                    .map(|line| line.trim_start_matches('\t'));
                lines.collect()
            } else {
                text.to_owned()
            };
            let part = Part::Text {
                span,
                text,
                quoting: Quoting::Single,
            };
            return Word {
                span,
                parts: vec![part],
            };
        }
        let (outer_at, outer_end) = (self.at, self.end);
        self.at = start;
        self.end = end;
        let parts = if self.enter() {
            let parts = self.parts(Mode::Body { strips_tabs });
            self.leave();
            parts
        } else {
            Vec::new()
        };
        self.end = outer_end;
        self.at = outer_at;
        Word { span, parts }
    }
}

/// The bodies by number.
type Documents = [(usize, HereDocument)];

/// Puts bodies in place of the numbers that stand for them.
pub(super) fn fill_list(list: &mut List, documents: &Documents) {
    for command in list
        .pipelines
        .iter_mut()
        .flat_map(|pipeline| &mut pipeline.commands)
    {
        fill_command(command, documents);
    }
}

fn fill_command(command: &mut Command, documents: &Documents) {
    for redirect in &mut command.redirects {
        fill_word(&mut redirect.target, documents);
        let Some(document) = &mut redirect.here_document else {
            continue;
        };
        let id = document.span.start;
        let found = documents
            .binary_search_by_key(&id, |(known, _)| *known)
            .ok();
        if let Some((_, body)) = found.and_then(|index| documents.get(index)) {
            *document = body.clone();
            fill_word(&mut document.body, documents);
        } else {
            redirect.here_document = None;
        }
    }
    match &mut command.kind {
        CommandKind::Simple(simple) => {
            for assignment in &mut simple.assignments {
                fill_assignment(assignment, documents);
            }
            for word in &mut simple.words {
                fill_word(word, documents);
            }
        }
        CommandKind::Group(list) | CommandKind::Subshell(list) => fill_list(list, documents),
        CommandKind::If {
            branches,
            otherwise,
        } => {
            for (condition, body) in branches {
                fill_list(condition, documents);
                fill_list(body, documents);
            }
            if let Some(list) = otherwise {
                fill_list(list, documents);
            }
        }
        CommandKind::While { condition, body } => {
            fill_list(condition, documents);
            fill_list(body, documents);
        }
        CommandKind::For { words, body, .. } => {
            for word in words.iter_mut().flatten() {
                fill_word(word, documents);
            }
            fill_list(body, documents);
        }
        CommandKind::ArithmeticFor { header, body } => {
            fill_word(header, documents);
            fill_list(body, documents);
        }
        CommandKind::Case { subject, arms } => {
            fill_word(subject, documents);
            for arm in arms {
                for pattern in &mut arm.patterns {
                    fill_word(pattern, documents);
                }
                fill_list(&mut arm.body, documents);
            }
        }
        CommandKind::Arithmetic(word) => fill_word(word, documents),
        CommandKind::Test(words) => {
            for word in words {
                fill_word(word, documents);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coprocess(body) => {
            fill_command(body, documents);
        }
    }
}

fn fill_assignment(assignment: &mut Assignment, documents: &Documents) {
    if let Some(subscript) = &mut assignment.subscript {
        fill_word(subscript, documents);
    }
    fill_word(&mut assignment.value, documents);
}

fn fill_word(word: &mut Word, documents: &Documents) {
    fill_parts(&mut word.parts, documents);
}

fn fill_parts(parts: &mut [Part], documents: &Documents) {
    for part in parts {
        match part {
            Part::Text { .. } => {}
            Part::Quoted { parts, .. } => fill_parts(parts, documents),
            Part::Arithmetic { expression, .. } => fill_parts(expression, documents),
            Part::Parameter(parameter) => fill_parameter(parameter, documents),
            Part::Command { inner, .. } | Part::Process { inner, .. } => {
                fill_inner(inner, documents)
            }
            Part::Array { elements, .. } => {
                for element in elements {
                    fill_word(element, documents);
                }
            }
        }
    }
}

fn fill_parameter(parameter: &mut Parameter, documents: &Documents) {
    if let Some(subscript) = &mut parameter.subscript {
        fill_parts(subscript, documents);
    }
    if let Some(operation) = &mut parameter.operation {
        fill_parts(&mut operation.operand, documents);
    }
}

fn fill_inner(inner: &mut Inner, documents: &Documents) {
    // A text of its own was read, and filled, by a reader of its own.
    if inner.text.is_none() {
        fill_list(&mut inner.list, documents);
    }
}
