//! Lists and pipelines.

use super::reader::{Ends, Reader, is_meta};
use super::tree::{CommandKind, List, Part, Pipeline, Terminator};
use crate::span::Span;

/// Reserved words that only end or continue something.
pub(super) const CLOSING: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];

impl Reader<'_> {
    fn at_closer(&self, ends: Ends) -> bool {
        match self.byte(0) {
            None => true,
            Some(b')') => true,
            Some(b';') => ends == Ends::Arm && matches!(self.byte(1), Some(b';' | b'&')),
            Some(b't' | b'e' | b'f' | b'd' | b'}') => CLOSING.contains(&self.reserved()),
            Some(_) => false,
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
            let is_redirected = list.pipelines.last().is_some_and(ends_in_redirect);
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
                // Behind a redirection a word is no reserved one.
                let is_word = !matches!(self.byte(0), None | Some(b')' | b';'));
                if self.at_closer(ends) && !(is_word && is_redirected) {
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
                if !self.broken && (self.byte(0).is_none() || self.at_closer(ends)) {
                    let end = operator.saturating_add(length);
                    self.fault(operator, end, "an operator that no command follows");
                    return list;
                }
            }
        }
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let start = self.at;
        let mut pipeline = Pipeline {
            span: Span::new(start, start),
            negated: false,
            time: None,
            commands: Vec::new(),
            end: Terminator::None,
        };
        let mut word = self.reserved();
        let begins_with_time = word == "time";
        while (word == "!" || word == "time") && !self.broken {
            if word == "!" {
                self.advance(1);
                pipeline.negated = true;
                pipeline.span.end = self.at;
            } else if !self.time(&mut pipeline) {
                // A program of that name.
                word = "";
                break;
            }
            self.skip_blanks();
            word = self.reserved();
        }
        // Right behind `$(` some versions of bash do not know the word, and bash prints `! time` the other way round.
        let is_doubtful = (begins_with_time || pipeline.time.is_some())
            && self.in_substitution == Some(pipeline.span.start);
        loop {
            let before = self.at;
            let command = self.command(word);
            if let Some(command) = command {
                pipeline.span.end = command.span.end;
                if pipeline.commands.is_empty() {
                    pipeline.commands = Vec::with_capacity(1);
                }
                pipeline.commands.push(command);
            } else if !self.broken && (self.at == before || !pipeline.commands.is_empty()) {
                self.unexpected("something that no command begins with");
            }
            if self.broken || pipeline.commands.is_empty() {
                return Some(pipeline);
            }
            if is_doubtful && pipeline.commands.len() == 1 && !is_timed_simply(&pipeline) {
                let message = "a `time` behind `$(` that bash may not take for the keyword";
                self.fault(start, self.at, message);
                return Some(pipeline);
            }
            self.skip_blanks();
            match (self.byte(0), self.byte(1)) {
                (Some(b'|'), Some(b'|')) => return Some(pipeline),
                (Some(b'|'), next) => {
                    let pipe = self.at;
                    self.advance(if next == Some(b'&') { 2 } else { 1 });
                    let after = self.at;
                    self.skip_blanks();
                    let has_line_end = self.byte(0) == Some(b'\n');
                    self.skip_lines();
                    if self.broken {
                        return Some(pipeline);
                    }
                    if self.byte(0).is_none() || self.at_closer(Ends::Plain) {
                        self.fault(pipe, after, "a pipe that no command follows");
                        return Some(pipeline);
                    }
                    word = self.reserved();
                    match word {
                        "!" => {
                            self.unexpected("a `!` that does not stand before a whole pipeline");
                            return Some(pipeline);
                        }
                        // Only before a whole pipeline it is a reserved word.
                        "time" if has_line_end => {
                            self.unexpected("a `time` that does not stand before a whole pipeline");
                            return Some(pipeline);
                        }
                        "time" => word = "",
                        _ => {}
                    }
                }
                _ => return Some(pipeline),
            }
        }
    }

    /// Reads `time` and its options; false where it is a program that is given options, or the last word.
    fn time(&mut self, pipeline: &mut Pipeline) -> bool {
        let start = self.at;
        self.advance(4);
        let mut end = self.at;
        loop {
            self.skip_inline_blanks();
            if self.byte(0) != Some(b'-') {
                break;
            }
            let is_option =
                matches!(self.byte(1), Some(b'p' | b'-')) && self.byte(2).is_none_or(is_meta);
            if !is_option {
                self.at = start;
                return false;
            }
            self.advance(2);
            end = self.at;
        }
        match self.byte(0) {
            Some(b';') if matches!(self.byte(1), Some(b';' | b'&')) => {
                self.unexpected("a `time` that no command follows");
            }
            None | Some(b'\n' | b';') => {
                self.at = start;
                return false;
            }
            Some(b'&') if self.byte(1) == Some(b'>') => {}
            Some(b'&' | b'|' | b')' | b'#') => {
                self.unexpected("a `time` that no command follows");
            }
            _ => {}
        }
        pipeline.time = Some(Span::new(
            pipeline.time.map_or(start, |time| time.start),
            end,
        ));
        pipeline.span.end = end;
        true
    }
}

/// Whether the command behind `time` reads the same where that is the name of a program.
fn is_timed_simply(pipeline: &Pipeline) -> bool {
    let Some(CommandKind::Simple(simple)) = pipeline.commands.first().map(|first| &first.kind)
    else {
        return false;
    };
    let is_array = |part: &Part| matches!(part, Part::Array { .. });
    !pipeline.negated
        && simple.assignments.is_empty()
        && !simple
            .words
            .iter()
            .flat_map(|word| &word.parts)
            .any(is_array)
}

fn ends_in_redirect(pipeline: &Pipeline) -> bool {
    pipeline.commands.last().is_some_and(|command| {
        let mut last = command;
        while let CommandKind::Function { body, .. } | CommandKind::Coprocess(body) = &last.kind {
            last = body;
        }
        !last.redirects.is_empty()
    })
}
