//! Redirections: what they open, what they feed, and a command's text without them.

use std::rc::Rc;

use permc_grammar::shell::{Command, CommandKind, List, Part, Redirect, RedirectOperator, Simple};
use permc_grammar::span::Span;

use super::expand::{Expander, slice};
use super::field::Field;
use super::printed::printed;
use super::state::{State, Written};
use super::walk::{At, Input, Walker};
use crate::text::{absolute, base_name};

impl Walker<'_> {
    /// What a command's own redirections put on its standard input; the last one counts.
    pub(super) fn input(&self, command: &Command, at: At<'_>, state: &State) -> Option<Input> {
        let expander = Expander {
            state,
            source: at.source,
        };
        let redirect = command.redirects.iter().rev().find(|redirect| {
            let is_input = matches!(
                redirect.operator,
                RedirectOperator::Read
                    | RedirectOperator::ReadWrite
                    | RedirectOperator::HereDocument
                    | RedirectOperator::HereString
            );
            let descriptor = redirect.descriptor.map(|span| slice(at.source, span));
            is_input && matches!(descriptor, None | Some("0"))
        })?;
        match redirect.operator {
            RedirectOperator::HereDocument => {
                let body = redirect.here_document.as_ref()?;
                let text = expander.spelled(&body.body).into_iter().next();
                Some(Input::Text(text.map(Rc::from)))
            }
            RedirectOperator::HereString => {
                let text = expander.spelled(&redirect.target).into_iter().next();
                Some(Input::Text(text.map(Rc::from)))
            }
            _ if redirect
                .target
                .parts
                .iter()
                .any(|part| matches!(part, Part::Process { .. })) =>
            {
                Some(Input::Text(None))
            }
            _ => {
                let text = expander.spelled(&redirect.target).into_iter().next()?;
                Some(Input::File(text))
            }
        }
    }

    /// What a command prints, as far as text tells.
    pub(super) fn printed(&self, command: &Command, at: At<'_>, state: &State) -> Option<String> {
        match &command.kind {
            CommandKind::Simple(simple) => self.printed_simple(command, simple, at, state),
            CommandKind::Group(list) | CommandKind::Subshell(list) => {
                let [pipeline] = list.pipelines.as_slice() else {
                    return None;
                };
                let [command] = pipeline.commands.as_slice() else {
                    return None;
                };
                self.printed(command, at.deeper(), state)
            }
            _ => None,
        }
    }

    fn printed_simple(
        &self,
        command: &Command,
        simple: &Simple,
        at: At<'_>,
        state: &State,
    ) -> Option<String> {
        let expander = Expander {
            state,
            source: at.source,
        };
        let mut words: Vec<String> = Vec::new();
        for word in &simple.words {
            let fields = expander.word(word).into_iter().next()?;
            words.extend(fields.into_iter().map(|field: Field| field.text));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (program, arguments) = words.split_first()?;
        let program = base_name(program);
        if program == "cat" && arguments.iter().all(|word| *word == "-") || program == "tee" {
            return match self.input(command, at, state).as_ref().or(at.input)? {
                Input::Text(text) => text.as_ref().map(ToString::to_string),
                Input::File(_) => None,
            };
        }
        let named: Vec<&str> = std::iter::once(program)
            .chain(arguments.iter().copied())
            .collect();
        printed(&named)
    }

    /// The words of a command's redirections, the commands in them, and the files that they write.
    pub(super) fn redirects(&mut self, command: &Command, at: At<'_>, state: &mut State) {
        for redirect in &command.redirects {
            self.redirect(command, redirect, at, state);
        }
    }

    fn redirect(&mut self, command: &Command, redirect: &Redirect, at: At<'_>, state: &mut State) {
        self.inner_word(&redirect.target, at, state);
        match redirect.operator {
            RedirectOperator::HereDocument => {
                if let Some(document) = &redirect.here_document
                    && !document.is_quoted
                {
                    self.inner_word(&document.body, at, state);
                }
                return;
            }
            RedirectOperator::HereString => return,
            RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput => {
                let typed = slice(at.source, redirect.target.span);
                let digits = typed.strip_suffix('-').unwrap_or(typed);
                if digits.chars().all(|character| character.is_ascii_digit()) {
                    return;
                }
            }
            _ => {}
        }
        let is_write = !matches!(
            redirect.operator,
            RedirectOperator::Read | RedirectOperator::DuplicateInput
        );
        let readings = Expander {
            state,
            source: at.source,
        }
        .word(&redirect.target);
        for field in readings.iter().flatten() {
            self.redirect_word(field, state, is_write);
        }
        if is_write {
            let text = self.printed(command, at, state);
            for field in readings.iter().flatten() {
                self.wrote(&field.text, text.clone(), state);
            }
        }
    }

    /// Remembers that a file was written.
    pub(super) fn wrote(&self, path: &str, text: Option<String>, state: &mut State) {
        for base in state.bases.clone() {
            let path = absolute(path, &base, self.setting.home);
            let known = state.written.iter_mut().find(|known| known.path == path);
            match known {
                // What an earlier command put there stays in what runs, if this one only adds to it.
                Some(known) => {
                    known.text = match (known.text.take(), &text) {
                        (Some(before), Some(text)) => Some(before + text),
                        (Some(before), None) => Some(before),
                        (None, text) => text.clone(),
                    };
                }
                None => state.written.push(Written {
                    path,
                    text: text.clone(),
                }),
            }
        }
    }

    /// The file of a path if an earlier command of the same text wrote it.
    pub(super) fn written<'s>(&self, path: &str, state: &'s State) -> Option<&'s Written> {
        let home = self.setting.home;
        state.written.iter().find(|written| {
            let bases = state.bases.iter();
            bases
                .map(|base| absolute(path, base, home))
                .any(|path| path == written.path)
        })
    }
}

/// A command's text without redirections (here-strings stay) and without assignments in front of a command.
pub(super) fn text_without_redirects(command: &Command, source: &str) -> String {
    let start = match &command.kind {
        CommandKind::Simple(simple) => simple
            .words
            .first()
            .map_or(command.span.start, |word| word.span.start),
        _ => command.span.start,
    };
    text_from(start, command, source)
}

/// The same, with the assignments.
pub(super) fn text_with_assignments(command: &Command, source: &str) -> String {
    text_from(command.span.start, command, source)
}

fn text_from(start: usize, command: &Command, source: &str) -> String {
    let mut text = String::new();
    let mut at = start;
    // Nothing but redirections: they are what there is to judge.
    if let CommandKind::Simple(simple) = &command.kind
        && simple.words.is_empty()
        && simple.assignments.is_empty()
    {
        return slice(source, command.span).to_owned();
    }
    let cut = command.redirects.iter().filter(|redirect| {
        redirect.operator != RedirectOperator::HereString && redirect.span.start >= start
    });
    for redirect in cut {
        let before = slice(source, Span::new(at, redirect.span.start));
        push_piece(&mut text, before.trim_end_matches([' ', '\t']));
        at = redirect.span.end;
    }
    let rest = slice(source, Span::new(at, command.span.end.max(at)));
    push_piece(&mut text, rest.trim_end_matches([' ', '\t']));
    text
}

fn push_piece(text: &mut String, piece: &str) {
    if text.is_empty() {
        text.push_str(piece.trim_start_matches([' ', '\t']));
    } else {
        text.push_str(piece);
    }
}

/// The whole command without comments between commands and without here-document bodies: as typed, and with each run of
/// blanks as one space.
pub(super) fn whole_texts(command: &str, list: &List) -> Vec<String> {
    let mut bodies = Vec::new();
    here_documents(list, &mut bodies, 0);
    bodies.sort_unstable_by_key(|span| span.start);
    let mut text = String::new();
    let mut at = 0;
    for pipeline in &list.pipelines {
        push_gap(
            &mut text,
            command,
            Span::new(at, pipeline.span.start),
            &bodies,
        );
        push_without(&mut text, command, pipeline.span, &bodies);
        at = pipeline.span.end;
    }
    push_gap(&mut text, command, Span::new(at, command.len()), &bodies);
    let text = text.trim().to_owned();
    let folded = text
        .split([' ', '\t'])
        .filter(|piece| !piece.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    if folded == text {
        vec![text]
    } else {
        vec![text, folded]
    }
}

fn here_documents(list: &List, bodies: &mut Vec<Span>, depth: usize) {
    if depth > 250 {
        return;
    }
    let deeper = depth.saturating_add(1);
    for command in list
        .pipelines
        .iter()
        .flat_map(|pipeline| &pipeline.commands)
    {
        of_command(command, bodies, deeper);
    }
}

fn of_command(command: &Command, bodies: &mut Vec<Span>, depth: usize) {
    let documents = command
        .redirects
        .iter()
        .filter_map(|redirect| redirect.here_document.as_ref());
    bodies.extend(documents.map(|document| document.span));
    if depth > 250 {
        return;
    }
    let depth = depth.saturating_add(1);
    match &command.kind {
        CommandKind::Simple(_) | CommandKind::Arithmetic(_) | CommandKind::Test(_) => {}
        CommandKind::Group(list) | CommandKind::Subshell(list) => {
            here_documents(list, bodies, depth)
        }
        CommandKind::If {
            branches,
            otherwise,
        } => {
            for (condition, body) in branches {
                here_documents(condition, bodies, depth);
                here_documents(body, bodies, depth);
            }
            if let Some(list) = otherwise {
                here_documents(list, bodies, depth);
            }
        }
        CommandKind::While { condition, body } => {
            here_documents(condition, bodies, depth);
            here_documents(body, bodies, depth);
        }
        CommandKind::For { body, .. } | CommandKind::ArithmeticFor { body, .. } => {
            here_documents(body, bodies, depth);
        }
        CommandKind::Case { arms, .. } => {
            for arm in arms {
                here_documents(&arm.body, bodies, depth);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coprocess(body) => {
            of_command(body, bodies, depth);
        }
    }
}

/// A part of the command without the bodies in it, nor the lines that end them.
fn push_without(text: &mut String, command: &str, span: Span, bodies: &[Span]) {
    let mut at = span.start;
    for body in bodies {
        if body.end <= at || body.start >= span.end {
            continue;
        }
        text.push_str(slice(command, Span::new(at, body.start.max(at))));
        let rest = command.get(body.end..).unwrap_or_default();
        let line = rest.find('\n').unwrap_or(rest.len());
        at = body.end.saturating_add(line).min(span.end);
    }
    text.push_str(slice(command, Span::new(at, span.end.max(at))));
}

/// What stands between two commands, without comments.
fn push_gap(text: &mut String, command: &str, span: Span, bodies: &[Span]) {
    let mut gap = String::new();
    push_without(&mut gap, command, span, bodies);
    for (index, line) in gap.split('\n').enumerate() {
        if index > 0 && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(line.split_once('#').map_or(line, |(before, _)| before));
    }
}
