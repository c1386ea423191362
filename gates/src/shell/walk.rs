//! The walk over a command's tree in the order in which a shell would run it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use permc_grammar::shell::{
    Command, CommandKind, Inner, List, Parameter, Part, Pipeline, Terminator, Word,
};
use permc_grammar::span::Span;

use super::expand::{Expander, slice};
use super::redirects::text_without_redirects;
use super::state::{Body, State, Variable};
use super::{Floor, Lift, PathWord, Setting, Surrounding, Unit, UnitKind};

/// Looks at commands: one a command, one a reading of it.
const MOST_STEPS: usize = 12_000;
/// Those of commands that are looked at again: in a loop's second run, in a call of a function, in a payload. Nested ones multiply,
/// and an answer must come within milliseconds.
const MOST_AGAIN: usize = 400;
/// How deep payloads, function calls and wrappers are followed.
pub(super) const DEEPEST: usize = 8;
/// How deep a tree is followed; the parser's limit is lower.
const DEEPEST_TREE: usize = 1_000;

/// What feeds a command's standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// A pipe, a here-document, a here-string, with its text where that is literal.
    Text(Option<Rc<str>>),
    /// A file, by the redirection's word.
    File(String),
}

/// Where the walk is.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'t> {
    /// The text that spans refer to.
    pub(super) source: &'t str,
    /// Which text that is; 0 is the command itself.
    pub(super) source_id: usize,
    pub(super) surrounding: Option<Surrounding>,
    /// The unit whose payload this is: commands here are its forms.
    pub(super) parent: Option<usize>,
    pub(super) input: Option<&'t Input>,
    /// Whether the command stands outside pipes and substitutions.
    pub(super) is_isolated: bool,
    /// Whether floors do not count: inside a runner, which is looked into for denies only.
    pub(super) is_quiet: bool,
    /// How many payloads and calls deep.
    pub(super) depth: usize,
    /// How deep in the tree.
    pub(super) level: usize,
}

impl<'t> At<'t> {
    /// The top of a command.
    pub(super) const fn top(source: &'t str) -> Self {
        Self {
            source,
            source_id: 0,
            surrounding: None,
            parent: None,
            input: None,
            is_isolated: true,
            is_quiet: false,
            depth: 0,
            level: 0,
        }
    }

    pub(super) fn deeper(self) -> Self {
        Self {
            level: self.level.saturating_add(1),
            ..self
        }
    }
}

/// Collects units and path words.
#[derive(Debug)]
pub(crate) struct Walker<'a> {
    pub(super) setting: Setting<'a>,
    pub(crate) units: Vec<Unit>,
    pub(crate) paths: Vec<PathWord>,
    pub(super) known_paths: HashSet<PathWord>,
    unit_at: HashMap<(usize, Span), usize>,
    pub(super) n_sources: usize,
    n_steps: usize,
    n_again: usize,
    /// How many second runs of loops are under way.
    again: usize,
    /// The functions whose bodies are being looked at for a call.
    pub(super) running: Vec<String>,
    pub(crate) is_oversized: bool,
    /// Directories beside the first one in which commands run.
    pub(crate) directories: Vec<String>,
    /// Whether one may run where only run time knows.
    pub(crate) runs_anywhere: bool,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(setting: Setting<'a>) -> Self {
        Self {
            setting,
            units: Vec::new(),
            paths: Vec::new(),
            known_paths: HashSet::new(),
            unit_at: HashMap::new(),
            n_sources: 0,
            n_steps: 0,
            n_again: 0,
            again: 0,
            running: Vec::new(),
            is_oversized: false,
            directories: Vec::new(),
            runs_anywhere: false,
        }
    }

    /// A part that was not understood.
    pub(crate) fn fault(&mut self, text: &str) {
        self.units
            .push(Unit::new(text.to_owned(), None, UnitKind::Fault));
    }

    /// The unit of a span: a loop's body that is walked again adds to the one that it has.
    pub(super) fn unit(
        &mut self,
        span: Span,
        text: String,
        kind: UnitKind,
        at: At<'_>,
    ) -> Option<usize> {
        if at.parent.is_some() {
            return at.parent;
        }
        let key = (at.source_id, span);
        if let Some(known) = self.unit_at.get(&key) {
            return Some(*known);
        }
        let index = self.units.len();
        self.units.push(Unit::new(text, at.surrounding, kind));
        self.unit_at.insert(key, index);
        Some(index)
    }

    /// A compound command's own text: a unit at the top, a form inside a payload.
    fn compound(&mut self, command: &Command, at: At<'_>) {
        let text = text_without_redirects(command, at.source);
        match at.parent {
            Some(parent) => self.form(parent, text),
            None => {
                self.unit(command.span, text, UnitKind::Compound, at);
            }
        }
    }

    /// Adds a normal form to a unit.
    pub(super) fn form(&mut self, unit: usize, text: String) {
        let Some(unit) = self.units.get_mut(unit) else {
            return;
        };
        if unit.forms.len() >= 512 {
            self.is_oversized = true;
        } else if text != unit.text && !text.is_empty() && unit.known_forms.insert(text.clone()) {
            unit.forms.push(text);
        }
    }

    /// Sets a floor under a unit.
    pub(super) fn floor(&mut self, unit: usize, floor: Floor, lift: Lift) {
        if let Some(unit) = self.units.get_mut(unit) {
            let entry = (floor, lift);
            if !unit.floors.contains(&entry) {
                unit.floors.push(entry);
            }
        }
    }

    /// Whether the walk may go on.
    pub(super) fn step(&mut self, at: At<'_>) -> bool {
        self.work(1, at)
    }

    /// The same for several looks at once: each reading of a command is one.
    pub(super) fn work(&mut self, n_looks: usize, at: At<'_>) -> bool {
        self.n_steps = self.n_steps.saturating_add(n_looks);
        if self.again > 0 || at.depth > 0 {
            self.n_again = self.n_again.saturating_add(n_looks);
        }
        let may =
            self.n_steps <= MOST_STEPS && self.n_again <= MOST_AGAIN && at.level <= DEEPEST_TREE;
        self.is_oversized |= !may;
        may
    }

    pub(crate) fn list(&mut self, list: &List, at: At<'_>, state: &mut State) {
        let mut previous = Terminator::None;
        for pipeline in &list.pipelines {
            if previous == Terminator::Or {
                let mut branch = state.clone();
                self.pipeline(pipeline, at, &mut branch);
                state.merge(&branch);
            } else if pipeline.end == Terminator::Background {
                self.pipeline(pipeline, at, &mut state.clone());
            } else {
                self.pipeline(pipeline, at, state);
            }
            previous = pipeline.end;
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, at: At<'_>, state: &mut State) {
        if pipeline.negated {
            let text = slice(at.source, pipeline.span).to_owned();
            match at.parent {
                Some(parent) => self.form(parent, text),
                None => {
                    self.unit(pipeline.span, text, UnitKind::Compound, at);
                }
            }
        }
        if let (Some(time), Some(first)) = (pipeline.time, pipeline.commands.first()) {
            let words = text_without_redirects(first, at.source);
            let text = format!("{} {words}", slice(at.source, time));
            let span = Span::new(time.start, first.span.end);
            let unit = self.unit(span, text, UnitKind::Simple, at);
            if let Some(unit) = unit.filter(|_| at.parent.is_none()) {
                self.floor(unit, Floor::Indirection, Lift::Never);
            }
        }
        let [command] = pipeline.commands.as_slice() else {
            self.pipe(&pipeline.commands, at, state);
            return;
        };
        self.command(command, at, state);
    }

    /// Commands that feed one another: each in a shell of its own.
    fn pipe(&mut self, commands: &[Command], at: At<'_>, state: &State) {
        let mut input = at.input.cloned();
        for command in commands {
            let mut own = state.clone();
            let inside = At {
                input: input.as_ref(),
                is_isolated: false,
                ..at
            };
            self.command(command, inside, &mut own);
            let printed = self.printed(command, inside, state);
            input = Some(Input::Text(printed.map(Rc::from)));
        }
    }

    pub(super) fn command(&mut self, command: &Command, at: At<'_>, state: &mut State) {
        let at = at.deeper();
        if !self.step(at) {
            return;
        }
        let input = self.input(command, at, state);
        let at = At {
            input: input.as_ref().or(at.input),
            ..at
        };
        match &command.kind {
            CommandKind::Simple(simple) => {
                self.simple(command, simple, at, state);
                return;
            }
            CommandKind::Group(list) => {
                self.compound(command, at);
                self.list(list, at, state);
            }
            CommandKind::Subshell(list) => {
                self.compound(command, at);
                let inside = At {
                    surrounding: at.surrounding.or(Some(Surrounding::Subshell)),
                    ..at
                };
                self.list(list, inside, &mut state.clone());
            }
            CommandKind::If {
                branches,
                otherwise,
            } => {
                self.compound(command, at);
                let mut after: Option<State> = None;
                for (condition, body) in branches {
                    self.list(condition, at, state);
                    let mut branch = state.clone();
                    self.list(body, at, &mut branch);
                    join(&mut after, branch);
                }
                if let Some(list) = otherwise {
                    self.list(list, at, state);
                }
                if let Some(after) = after {
                    state.merge(&after);
                }
            }
            CommandKind::While { condition, body } => {
                self.compound(command, at);
                self.list(condition, at, state);
                self.repeat(state, |walker, state| {
                    walker.list(body, at, state);
                    walker.again = walker.again.saturating_add(1);
                    walker.list(condition, at, state);
                    walker.again = walker.again.saturating_sub(1);
                });
            }
            CommandKind::For {
                name, words, body, ..
            } => {
                self.compound(command, at);
                self.for_words(name, words.as_deref(), at, state);
                self.repeat(state, |walker, state| walker.list(body, at, state));
            }
            CommandKind::ArithmeticFor { header, body } => {
                self.compound(command, at);
                self.arithmetic(command, header, at, state);
                self.repeat(state, |walker, state| walker.list(body, at, state));
            }
            CommandKind::Case { subject, arms } => {
                self.compound(command, at);
                self.inner_word(subject, at, state);
                let mut after: Option<State> = None;
                for arm in arms {
                    for pattern in &arm.patterns {
                        self.inner_word(pattern, at, state);
                    }
                    let mut branch = state.clone();
                    self.list(&arm.body, at, &mut branch);
                    join(&mut after, branch);
                }
                if let Some(after) = after {
                    state.merge(&after);
                }
            }
            CommandKind::Arithmetic(expression) => {
                let text = text_without_redirects(command, at.source);
                self.unit_or_form(command.span, text, at);
                self.arithmetic(command, expression, at, state);
            }
            CommandKind::Test(words) => self.test(command, words, at, state),
            CommandKind::Function { name, body } => {
                self.compound(command, at);
                let body = Rc::new(Body {
                    command: (**body).clone(),
                    source: Rc::from(at.source),
                    source_id: at.source_id,
                });
                // Once as it stands, with arguments that nobody knows yet.
                let mut inside = state.clone();
                inside.forget("@");
                self.command(&body.command, at, &mut inside);
                state.define(name, body);
            }
            CommandKind::Coprocess(body) => {
                self.compound(command, at);
                self.command(body, at, &mut state.clone());
            }
        }
        self.redirects(command, at, state);
    }

    /// A unit that all rules judge; inside a payload a form.
    pub(super) fn unit_or_form(&mut self, span: Span, text: String, at: At<'_>) -> Option<usize> {
        match at.parent {
            Some(parent) => {
                self.form(parent, text);
                Some(parent)
            }
            None => self.unit(span, text, UnitKind::Simple, at),
        }
    }

    /// A loop's body: once, and once more where the first run changed what the second one sees.
    fn repeat(&mut self, state: &mut State, mut body: impl FnMut(&mut Self, &mut State)) {
        let mut first = state.clone();
        body(self, &mut first);
        let is_changed = first.differs(state);
        state.merge(&first);
        if is_changed {
            let mut second = state.clone();
            self.again = self.again.saturating_add(1);
            body(self, &mut second);
            self.again = self.again.saturating_sub(1);
            state.merge(&second);
        }
    }

    fn for_words(&mut self, name: &str, words: Option<&[Word]>, at: At<'_>, state: &mut State) {
        let mut variable = Variable::default();
        match words {
            None => match state.variable("@") {
                Some(arguments) => {
                    for element in arguments.values.iter().flatten() {
                        variable.values.push(vec![element.clone()]);
                    }
                    variable.is_open = arguments.is_open;
                }
                None => variable.is_open = true,
            },
            Some(words) => {
                for word in words {
                    let readings = Expander {
                        state,
                        source: at.source,
                    }
                    .word(word);
                    for field in readings.iter().flatten() {
                        self.path_word(field, state, false);
                        if field.is_computed() {
                            variable.is_open = true;
                        } else if variable.values.len() < 64 {
                            variable.values.push(vec![field.text.clone()]);
                        } else {
                            variable.is_open = true;
                        }
                    }
                    self.inner_word(word, at, state);
                }
            }
        }
        state.assign(name, variable);
    }

    /// `[[ ... ]]`: a unit by its text; its operands are looked at.
    fn test(&mut self, command: &Command, words: &[Word], at: At<'_>, state: &mut State) {
        let text = text_without_redirects(command, at.source);
        let unit = self.unit_or_form(command.span, text, at);
        let compares_numbers = words.iter().any(|word| {
            ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"].contains(&slice(at.source, word.span))
        });
        let is_operator = |text: &str| {
            ["(", ")", "!", "&&", "||", "=", "==", "!=", "=~", "<", ">"].contains(&text)
                || (text.starts_with('-') && text.len() <= 3)
        };
        for word in words {
            self.inner_word(word, at, state);
            let typed = slice(at.source, word.span);
            if is_operator(typed) {
                continue;
            }
            let readings = Expander {
                state,
                source: at.source,
            }
            .word(word);
            for field in readings.iter().flatten() {
                self.path_word(field, state, false);
                if compares_numbers && is_deferred(&field.text) && !field.is_computed() {
                    self.deferred(unit, &field.text, at, state);
                }
            }
        }
        if compares_numbers && state.is_tainted {
            self.deferred(unit, "", at, state);
        }
    }

    /// An arithmetic expression evaluates what variables hold.
    fn arithmetic(&mut self, command: &Command, expression: &Word, at: At<'_>, state: &mut State) {
        self.inner_word(expression, at, state);
        let is_deferred = expression.parts.iter().any(|part| {
            matches!(part, Part::Text { text, quoting, .. }
            if *quoting != permc_grammar::shell::Quoting::None && is_deferred(text))
        });
        if state.is_tainted || is_deferred {
            let text = text_without_redirects(command, at.source);
            let unit = self.unit_or_form(command.span, text, at);
            self.deferred(unit, "", at, state);
        }
    }

    /// A floor for text that a builtin evaluates, and the commands in it.
    pub(super) fn deferred(
        &mut self,
        unit: Option<usize>,
        text: &str,
        at: At<'_>,
        state: &mut State,
    ) {
        let Some(unit) = unit else { return };
        self.floor(unit, Floor::DeferredExpansion, Lift::Never);
        if !text.is_empty() {
            self.payload(unit, text, at, state);
        }
    }

    /// The commands inside a word.
    pub(super) fn inner_word(&mut self, word: &Word, at: At<'_>, state: &mut State) {
        self.inner_parts(&word.parts, at, state);
    }

    fn inner_parts(&mut self, parts: &[Part], at: At<'_>, state: &mut State) {
        let at = at.deeper();
        for part in parts {
            match part {
                Part::Text { .. } => {}
                Part::Quoted { parts, .. } => self.inner_parts(parts, at, state),
                Part::Parameter(parameter) => self.inner_parameter(parameter, at, state),
                Part::Command { inner, .. } => {
                    self.inner(inner, Surrounding::CommandSubstitution, at, state);
                }
                Part::Process { inner, .. } => {
                    self.inner(inner, Surrounding::ProcessSubstitution, at, state);
                }
                Part::Arithmetic { expression, .. } => self.inner_parts(expression, at, state),
                Part::Array { elements, .. } => {
                    for element in elements {
                        self.inner_word(element, at, state);
                    }
                }
            }
        }
    }

    fn inner_parameter(&mut self, parameter: &Parameter, at: At<'_>, state: &mut State) {
        if let Some(subscript) = &parameter.subscript {
            self.inner_parts(subscript, at, state);
        }
        if let Some(operation) = &parameter.operation {
            self.inner_parts(&operation.operand, at, state);
        }
    }

    fn inner(&mut self, inner: &Inner, surrounding: Surrounding, at: At<'_>, state: &State) {
        let mut inside = At {
            surrounding: Some(surrounding),
            input: None,
            is_isolated: false,
            ..at
        };
        if let Some(text) = &inner.text {
            self.n_sources = self.n_sources.saturating_add(1);
            inside = At {
                source: text,
                source_id: self.n_sources,
                ..inside
            };
        }
        self.list(&inner.list, inside, &mut state.clone());
    }
}

impl Unit {
    fn new(text: String, surrounding: Option<Surrounding>, kind: UnitKind) -> Self {
        Self {
            text,
            surrounding,
            kind,
            floors: Vec::new(),
            forms: Vec::new(),
            known_forms: HashSet::new(),
            n_payloads: 0,
            free: Vec::new(),
            with_assignments: None,
        }
    }
}

fn join(after: &mut Option<State>, branch: State) {
    match after {
        Some(after) => after.merge(&branch),
        None => *after = Some(branch),
    }
}

/// Whether a literal text holds what a builtin that evaluates would run.
pub(super) fn is_deferred(text: &str) -> bool {
    text.contains("$(") || text.contains('`')
}
