//! One simple command: its unit, its floors, what it runs inside, what it leaves behind.

use std::rc::Rc;

use permc_grammar::shell::{Assignment, Command, Limits, Part, Simple, Word, parse};

use super::assign::{appended, is_tainted, set_arguments};
use super::expand::{Expander, MOST_READINGS};
use super::field::Field;
use super::redirects::{text_with_assignments, text_without_redirects};
use super::state::{State, Variable};
use super::walk::{At, DEEPEST, Input, Walker, is_deferred};
use super::words::names;
use super::{Floor, Lift};
use crate::programs;

/// Payloads of one command, those of its readings and inside one another counted.
const MOST_PAYLOADS: usize = 64;
/// Bytes of a payload that are as much work as a command.
const BYTES_OF_WORK: usize = 256;
/// Lines of literal input that are put into the command of `xargs -I`.
const MOST_LINES: usize = 16;

/// Directories beside its first one in which a command may run.
const MOST_DIRECTORIES: usize = 64;

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        command: &Command,
        simple: &Simple,
        at: At<'_>,
        state: &mut State,
    ) {
        let text = text_without_redirects(command, at.source);
        let unit = match at.parent {
            Some(parent) => {
                self.form(parent, text);
                Some(parent)
            }
            None => self.unit(command.span, text, super::UnitKind::Simple, at),
        };
        let Some(unit) = unit else { return };
        let mut readings = readings(&simple.words, at, state);
        let n_more = readings.len().saturating_sub(1);
        if n_more > 0 && !self.work(n_more, at) {
            // The whole command asks from here on; one reading shows the rest.
            readings.truncate(1);
        }
        self.runs_in(&readings, state);
        if simple.words.is_empty() {
            self.overridden_before(unit, at, state);
            self.assignments(unit, &simple.assignments, at, state);
        } else {
            self.prefix(unit, command, simple, at, state);
            let inside = (!simple.assignments.is_empty()).then(|| {
                let mut inside = state.clone();
                self.assignments(unit, &simple.assignments, at, &mut inside);
                inside
            });
            for fields in &readings {
                self.reading(unit, fields, at, inside.as_ref().unwrap_or(state), state);
            }
        }
        for assignment in &simple.assignments {
            if let Some(subscript) = &assignment.subscript {
                self.inner_word(subscript, at, state);
                self.evaluates(unit, &subscript.parts, at, state);
            }
            self.inner_word(&assignment.value, at, state);
        }
        for word in &simple.words {
            self.inner_word(word, at, state);
            self.evaluates(unit, &word.parts, at, state);
        }
        for assignment in &simple.assignments {
            self.evaluates(unit, &assignment.value.parts, at, state);
        }
        self.redirects(command, at, state);
        if let [fields] = readings.as_slice() {
            if !simple.words.is_empty() {
                self.after(unit, fields, simple, at, state);
            }
            return;
        }
        // Every reading counts from where the command started, so that none hides another.
        let mut branches: Vec<State> = Vec::new();
        for fields in &readings {
            let mut branch = state.clone();
            self.after(unit, fields, simple, at, &mut branch);
            branches.push(branch);
        }
        let mut branches = branches.into_iter();
        if let Some(first) = branches.next() {
            *state = first;
        }
        for branch in branches {
            state.merge(&branch);
        }
    }

    /// Notes where a command runs that is not where the whole one started; moving on runs nothing.
    fn runs_in(&mut self, readings: &[Vec<Field>], state: &State) {
        let moves = |fields: &Vec<Field>| {
            let program = fields.first().map(|field| field.text.as_str());
            matches!(program, None | Some("cd" | "pushd" | "popd"))
        };
        if readings.iter().all(moves) {
            return;
        }
        self.runs_anywhere |= state.is_base_open;
        for base in &state.bases {
            if base != self.setting.directory && !self.directories.contains(base) {
                if self.directories.len() < MOST_DIRECTORIES {
                    self.directories.push(base.clone());
                } else {
                    self.is_oversized = true;
                }
            }
        }
    }

    /// Assignments in front of a command, and those that earlier commands left.
    fn prefix(
        &mut self,
        unit: usize,
        command: &Command,
        simple: &Simple,
        at: At<'_>,
        state: &State,
    ) {
        self.overridden_before(unit, at, state);
        if simple.assignments.is_empty() {
            return;
        }
        if at.parent.is_none()
            && let Some(unit) = self.units.get_mut(unit)
        {
            unit.with_assignments = Some(text_with_assignments(command, at.source));
        }
        for assignment in &simple.assignments {
            if !at.is_quiet && self.overrides(assignment, at, state) {
                let lift = Lift::Assignment(format!("{}=", assignment.name));
                self.floor(unit, Floor::EnvironmentOverride, lift);
            }
        }
    }

    fn overridden_before(&mut self, unit: usize, at: At<'_>, state: &State) {
        if state.overridden.is_some() && !at.is_quiet {
            self.floor(unit, Floor::EnvironmentOverride, Lift::Never);
        }
    }

    fn overrides(&self, assignment: &Assignment, at: At<'_>, state: &State) -> bool {
        let expander = Expander {
            state,
            source: at.source,
        };
        let value = expander.value(&assignment.value);
        if value.is_open || assignment.appends {
            return programs::overrides_environment(&assignment.name, None);
        }
        value.values.iter().any(|value| {
            programs::overrides_environment(&assignment.name, value.first().map(String::as_str))
        })
    }

    /// Puts assignments into the state and looks at their values.
    fn assignments(
        &mut self,
        unit: usize,
        assignments: &[Assignment],
        at: At<'_>,
        state: &mut State,
    ) {
        for assignment in assignments {
            let value = Expander {
                state,
                source: at.source,
            }
            .value(&assignment.value);
            for text in value.values.iter().flatten() {
                let mut field = Field::literal(text.as_str());
                field.has_tilde = text.starts_with('~');
                self.path_word(&field, state, false);
            }
            if self.overrides(assignment, at, state) {
                state.overridden = Some(assignment.name.clone());
            }
            if is_tainted(&assignment.value) {
                state.is_tainted = true;
                if state.has_integer {
                    let text = value.values.first().and_then(|value| value.first());
                    self.deferred(Some(unit), text.map_or("", String::as_str), at, state);
                }
            }
            let value = if assignment.appends || assignment.subscript.is_some() {
                appended(
                    state.variable(&assignment.name),
                    value,
                    assignment.subscript.is_some(),
                )
            } else {
                value
            };
            state.assign(&assignment.name, value);
        }
    }

    /// Everything about one reading of a command that does not change the shell.
    fn reading(
        &mut self,
        unit: usize,
        fields: &[Field],
        at: At<'_>,
        inside: &State,
        state: &State,
    ) {
        if fields.is_empty() {
            if !at.is_quiet {
                self.floor(unit, Floor::ComputedCommand, Lift::Never);
            }
            return;
        }
        if self.setting.has_short_way && self.everyday(unit, fields, state) {
            return;
        }
        if !at.is_quiet {
            self.floors(unit, fields, at, state);
        }
        self.command_words(fields, state, at.is_isolated);
        if fields.iter().skip(1).any(|field| !field.is_literal())
            || fields.first().is_some_and(|field| !field.is_literal())
        {
            let patterns: Vec<String> = fields.iter().map(Field::pattern).collect();
            let pattern = patterns.join(" ");
            if !at.is_quiet
                && let Some(unit) = self.units.get_mut(unit)
                && unit.free.len() < MOST_READINGS
                && !unit.free.contains(&pattern)
            {
                unit.free.push(pattern);
            }
        }
        self.inside(unit, fields, at, inside, 0);
    }

    /// An everyday command, about which no table but the one of those has anything to say: its forms and path words.
    fn everyday(&mut self, unit: usize, fields: &[Field], state: &State) -> bool {
        if !fields.iter().all(Field::is_plain) {
            return false;
        }
        let words: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
        let Some(operands) = programs::everyday(&words) else {
            return false;
        };
        let is_operand = |index: usize| operands >> index & 1 == 1;
        let mut indexed = fields.iter().enumerate();
        if !indexed.all(|(index, field)| !is_operand(index) || programs::is_plain(&field.text)) {
            return false;
        }
        for (index, field) in fields.iter().enumerate() {
            if is_operand(index) {
                self.path_word(field, state, false);
            }
        }
        self.forms(unit, fields, state);
        true
    }

    fn floors(&mut self, unit: usize, fields: &[Field], at: At<'_>, state: &State) {
        let words = names(fields);
        if programs::opaque(&words) {
            self.floor(unit, Floor::Opaque, Lift::Never);
        }
        let is_zsh = fields
            .first()
            .is_some_and(|head| programs::is_zsh_prefix(&head.text));
        if programs::is_indirection(&words) || is_zsh {
            self.floor(unit, Floor::Indirection, Lift::Never);
        }
        if let Some(head) = fields.first() {
            let is_computed =
                head.is_brace || head.is_glob() || head.is_expanded || head.is_computed();
            if is_computed {
                self.floor(unit, Floor::ComputedCommand, Lift::Never);
            }
        }
        if self.runs_input(fields, &words, at, state) {
            let marker = words
                .iter()
                .skip(1)
                .find(|word| ["-", "-s", "/dev/stdin"].contains(*word));
            let lift = marker.map_or(Lift::Never, |word| Lift::Word((*word).to_owned()));
            self.floor(unit, Floor::ProgramFromInput, lift);
        }
        if let Some(option) = programs::inline_program(&words)
            && let Some(word) = words.get(option)
        {
            self.floor(unit, Floor::InlineProgram, Lift::Word((*word).to_owned()));
        }
        for index in programs::evaluates_text(&words) {
            if let Some(field) = fields.get(index)
                && is_deferred(&field.text)
                && !field.is_computed()
            {
                let text = field.text.clone();
                self.deferred(Some(unit), &text, at, &mut state.clone());
            }
        }
        let evaluates_variables =
            ["let", "declare", "typeset", "local"].contains(words.first().unwrap_or(&""));
        if evaluates_variables
            && state.is_tainted
            && words
                .iter()
                .any(|word| *word == "let" || word.starts_with("-i"))
        {
            self.floor(unit, Floor::DeferredExpansion, Lift::Never);
        }
    }

    /// Whether a shell or interpreter runs what its input says, or a script that this command wrote.
    fn runs_input(&self, fields: &[Field], words: &[&str], at: At<'_>, state: &State) -> bool {
        let program = words.first().copied().unwrap_or_default();
        let is_sourcing = matches!(program, "source" | ".");
        if programs::reads_program_from_stdin(words) {
            let is_named = words
                .iter()
                .skip(1)
                .any(|word| matches!(*word, "-" | "-s") || word.starts_with("/dev/"));
            match at.input {
                Some(Input::Text(_)) => return true,
                Some(Input::File(path)) if self.written(path, state).is_some() => return true,
                _ if is_named => return true,
                _ => {}
            }
        }
        if let Some(script) = programs::script_operand(words)
            && let Some(field) = fields.get(script)
        {
            let is_input = field.is_process
                || field.text == "/dev/stdin"
                || field.text.starts_with("/dev/fd/")
                || (is_sourcing && field.is_computed());
            if is_input || self.written(&field.text, state).is_some() {
                return true;
            }
        }
        fields.first().is_some_and(|head| {
            head.text.contains('/') && self.written(&head.text, state).is_some()
        })
    }

    /// Forms, and what a command runs inside: wrappers, runners, payloads, input, written scripts.
    fn inside(&mut self, unit: usize, fields: &[Field], at: At<'_>, state: &State, depth: usize) {
        self.forms(unit, fields, state);
        if depth >= DEEPEST {
            return;
        }
        let deeper = depth.saturating_add(1);
        let words = names(fields);
        for inner in programs::wrapped(&words) {
            let mut inside = state.clone();
            for index in &inner.assignments {
                if let Some((name, value)) = words.get(*index).and_then(|word| word.split_once('='))
                {
                    inside.assign(name, Variable::known(value));
                }
            }
            let mut own = pick(fields, &inner.words);
            if matches!(words.first(), Some(&"xargs" | &"parallel"))
                && let Some(Input::Text(Some(text))) = at.input
            {
                if let Some(mark) = programs::replaced(&words) {
                    for line in text.lines().take(MOST_LINES) {
                        let own: Vec<Field> =
                            own.iter().map(|word| put_in(word, mark, line)).collect();
                        self.inside(unit, &own, at, &inside, deeper);
                    }
                }
                own.extend(text.split_whitespace().take(64).map(Field::literal));
            }
            self.inside(unit, &own, at, &inside, deeper);
        }
        if let Some(inner) = programs::run_inside(&words) {
            let quiet = At {
                is_quiet: true,
                ..at
            };
            self.inside(unit, &pick(fields, &inner), quiet, state, deeper);
        }
        // What `eval` reads is looked at where it changes the shell.
        let is_followed = depth == 0 && words.first() == Some(&"eval");
        for payload in programs::payloads(&words) {
            if is_followed {
                break;
            }
            let mut inside = state.clone();
            let arguments = payload
                .arguments
                .iter()
                .filter_map(|index| fields.get(*index));
            set_arguments(
                &mut inside,
                arguments.map(|field| field.text.clone()).collect(),
            );
            self.payload(unit, &payload.text, at, &mut inside);
        }
        let program = words.first().copied().unwrap_or_default();
        let reads_input = (programs::is_shell(program)
            && programs::reads_program_from_stdin(&words))
            || matches!(program, "at" | "batch")
            || (matches!(program, "source" | ".") && words.get(1) == Some(&"/dev/stdin"));
        if reads_input {
            match at.input {
                Some(Input::Text(Some(text))) => {
                    let text = Rc::clone(text);
                    self.payload(unit, &text, At { input: None, ..at }, &mut state.clone());
                }
                Some(Input::File(path)) => self.run_written(unit, path, at, state),
                _ => {}
            }
        }
        let script = programs::script_operand(&words)
            .filter(|_| programs::is_shell(program) || matches!(program, "source" | "."));
        if let Some(script) = script.and_then(|script| words.get(script)) {
            self.run_written(unit, script, at, state);
        }
        if let Some(head) = fields.first().filter(|head| head.text.contains('/')) {
            self.run_written(unit, &head.text, at, state);
        }
    }

    /// The literal text of a script that an earlier command of the same text wrote.
    fn run_written(&mut self, unit: usize, path: &str, at: At<'_>, state: &State) {
        let text = self
            .written(path, state)
            .and_then(|written| written.text.clone());
        if let Some(text) = text {
            self.payload(unit, &text, At { input: None, ..at }, &mut state.clone());
        }
    }

    /// A string that a shell will read: its commands are forms of the unit.
    pub(super) fn payload(&mut self, unit: usize, text: &str, at: At<'_>, state: &mut State) {
        if at.depth >= DEEPEST {
            self.is_oversized = true;
            return;
        }
        if let Some(unit) = self.units.get_mut(unit) {
            unit.n_payloads = unit.n_payloads.saturating_add(1);
            if unit.n_payloads > MOST_PAYLOADS {
                self.is_oversized = true;
                return;
            }
        }
        self.n_sources = self.n_sources.saturating_add(1);
        let inside = At {
            source: text,
            source_id: self.n_sources,
            parent: Some(unit),
            depth: at.depth.saturating_add(1),
            ..at
        }
        .deeper();
        // Reading a long text takes as long as looking at several commands.
        if !self.work(text.len() / BYTES_OF_WORK, inside) {
            return;
        }
        let script = parse(text, &Limits::default());
        self.list(&script.list, inside, state);
        for fault in &script.faults {
            let part = text
                .get(fault.span.start..fault.span.end)
                .unwrap_or_default();
            self.form(unit, part.to_owned());
        }
        if !at.is_quiet && (!script.faults.is_empty() || script.oversized) {
            self.floor(unit, Floor::Unparsed, Lift::Never);
        }
    }

    /// `${x@P}` and arithmetic evaluate text that a variable holds.
    fn evaluates(&mut self, unit: usize, parts: &[Part], at: At<'_>, state: &mut State) {
        if at.is_quiet {
            return;
        }
        for part in parts {
            match part {
                Part::Quoted { parts, .. } => self.evaluates(unit, parts, at, state),
                Part::Arithmetic { .. } if state.is_tainted => {
                    self.floor(unit, Floor::DeferredExpansion, Lift::Never);
                }
                Part::Parameter(parameter) => {
                    let is_prompt = parameter.operation.as_ref().is_some_and(|operation| {
                        operation.operator == "@"
                            && matches!(operation.operand.as_slice(),
                                [Part::Text { text, .. }] if text == "P")
                    });
                    let is_indexed = parameter.subscript.is_some() && state.is_tainted;
                    if is_prompt || is_indexed {
                        self.floor(unit, Floor::DeferredExpansion, Lift::Never);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The readings of a whole command: one field list each.
fn readings(words: &[Word], at: At<'_>, state: &State) -> Vec<Vec<Field>> {
    let expander = Expander {
        state,
        source: at.source,
    };
    let mut readings: Vec<Vec<Field>> = vec![Vec::new()];
    for word in words {
        let mut alternatives = expander.word(word);
        if let ([fields], [reading]) = (alternatives.as_mut_slice(), readings.as_mut_slice()) {
            reading.append(fields);
            continue;
        }
        let mut next = Vec::new();
        'all: for alternative in &alternatives {
            for reading in &readings {
                if next.len() >= MOST_READINGS {
                    break 'all;
                }
                let mut longer = reading.clone();
                longer.extend(alternative.iter().cloned());
                next.push(longer);
            }
        }
        readings = next;
    }
    readings
}

/// A word with a line of input in place of a mark.
fn put_in(word: &Field, mark: &str, line: &str) -> Field {
    if word.is_literal() && word.text.contains(mark) {
        Field::literal(word.text.replace(mark, line.trim_start()))
    } else {
        word.clone()
    }
}

pub(super) fn pick(fields: &[Field], indices: &[usize]) -> Vec<Field> {
    indices
        .iter()
        .filter_map(|index| fields.get(*index).cloned())
        .collect()
}
