//! What a simple command leaves behind: directory, variables, functions that run, files.

use permc_grammar::shell::Simple;

use super::assign::{declared, forget_arguments, is_tainted, set_arguments};
use super::expand::Expander;
use super::field::Field;
use super::judge::pick;
use super::state::{State, Variable};
use super::walk::{At, DEEPEST, Input, Walker, is_deferred};
use super::words::names;
use super::{Floor, Lift};
use crate::path::LONGEST;
use crate::programs;

/// Builtins that set variables by arguments `NAME=VALUE`.
const DECLARING: [&str; 5] = ["export", "declare", "typeset", "readonly", "local"];

impl Walker<'_> {
    /// What a command leaves behind in the shell: directory, variables, functions' effects, files.
    pub(super) fn after(
        &mut self,
        unit: usize,
        fields: &[Field],
        simple: &Simple,
        at: At<'_>,
        state: &mut State,
    ) {
        let words = names(fields);
        let Some((program, arguments)) = words.split_first() else {
            return;
        };
        if matches!(*program, "command" | "builtin") {
            self.after_builtin(unit, (&words, fields), simple, at, state);
            return;
        }
        match *program {
            "cd" | "pushd" => self.change_directory(program, fields, state),
            "popd" => {
                self.unknown_place(&Field::literal("popd"));
                state.enter_unknown();
            }
            "set" => {
                let operands = arguments.iter().position(|word| *word == "--");
                if let Some(operands) = operands {
                    let texts = arguments
                        .get(operands.saturating_add(1)..)
                        .unwrap_or_default();
                    set_arguments(state, texts.iter().map(|text| (*text).to_owned()).collect());
                }
            }
            "unset" => {
                // A subscript may run something; names only go.
                for name in arguments {
                    if !programs::overrides_environment(name, None) {
                        state.forget(name);
                    }
                }
            }
            "printf" if arguments.first() == Some(&"-v") => {
                let named: Vec<&str> = std::iter::once("printf")
                    .chain(arguments.iter().skip(2).copied())
                    .collect();
                if let Some(name) = arguments.get(1) {
                    let text = super::printed::printed(&named);
                    self.set(name, text.as_deref(), fields, state);
                }
            }
            "read" | "mapfile" | "readarray" => self.read(arguments, fields, at, state),
            "getopts" => {
                if let Some(name) = arguments.get(1) {
                    state.assign(name, Variable::unknown());
                }
            }
            name if DECLARING.contains(&name) => self.declare(unit, simple, fields, at, state),
            "eval" => {
                for payload in programs::payloads(&words) {
                    self.payload(
                        unit,
                        &payload.text,
                        At {
                            parent: Some(unit),
                            ..at
                        },
                        state,
                    );
                }
            }
            name => self.call(name, unit, arguments, at, state),
        }
        for file in programs::written_files(&words) {
            self.wrote(&file, None, state);
            if *program == "tee"
                && let Some(Input::Text(text)) = at.input
            {
                let text = text.as_ref().map(ToString::to_string);
                self.wrote(&file, text, state);
            }
        }
    }

    /// `command cd x` and `builtin cd x` leave behind what `cd x` does.
    fn after_builtin(
        &mut self,
        unit: usize,
        (words, fields): (&[&str], &[Field]),
        simple: &Simple,
        at: At<'_>,
        state: &mut State,
    ) {
        let mut words = words.to_vec();
        let mut kept: Vec<usize> = (0..words.len()).collect();
        for _ in 0..DEEPEST {
            if !matches!(words.first(), Some(&("command" | "builtin"))) {
                break;
            }
            let inner = programs::wrapped(&words).into_iter().next();
            let inner = inner.unwrap_or_default().words;
            let outer = inner.iter().filter_map(|index| kept.get(*index).copied());
            kept = outer.collect();
            let own = inner.iter().filter_map(|index| words.get(*index).copied());
            words = own.collect();
        }
        if words.is_empty() || matches!(words.first(), Some(&("command" | "builtin"))) {
            return;
        }
        // Where expansions made more or fewer fields of the words, what is declared is not known one by one.
        let is_same = simple.words.len() == fields.len();
        let typed = kept.iter().filter(|_| is_same);
        let typed = typed.filter_map(|index| simple.words.get(*index).cloned());
        let inner = Simple {
            assignments: Vec::new(),
            words: typed.collect(),
        };
        self.after(unit, &pick(fields, &kept), &inner, at, state);
    }

    /// A function that the text defined runs with these arguments.
    fn call(&mut self, name: &str, unit: usize, arguments: &[&str], at: At<'_>, state: &mut State) {
        let Some(bodies) = state.functions.get(name).cloned() else {
            return;
        };
        if at.depth >= DEEPEST {
            self.floor(unit, Floor::ComputedCommand, Lift::Never);
            return;
        }
        // A function that calls itself is looked at once more, with the arguments of that call, and then known.
        if self
            .running
            .iter()
            .filter(|running| *running == name)
            .count()
            > 1
        {
            return;
        }
        self.running.push(name.to_owned());
        let before = state.variable("@").cloned();
        for body in bodies {
            set_arguments(
                state,
                arguments.iter().map(|text| (*text).to_owned()).collect(),
            );
            let inside = At {
                source: &body.source,
                source_id: body.source_id,
                depth: at.depth.saturating_add(1),
                ..at
            };
            self.command(&body.command, inside.deeper(), state);
        }
        self.running.pop();
        match before {
            Some(arguments) => {
                let texts = arguments.values.first().cloned().unwrap_or_default();
                set_arguments(state, texts);
            }
            None => forget_arguments(state),
        }
    }

    fn change_directory(&mut self, program: &str, fields: &[Field], state: &mut State) {
        let operand = fields
            .iter()
            .skip(1)
            .find(|field| field.text == "-" || !field.text.starts_with('-') || field.is_computed());
        let Some(field) = operand else {
            match self.setting.home.filter(|_| program == "cd") {
                Some(home) => {
                    self.redirect_word(&Field::literal(home), state, false);
                    state.enter(vec![home.to_owned()]);
                }
                None => {
                    self.unknown_place(&Field::literal(program));
                    state.enter_unknown();
                }
            }
            return;
        };
        let is_other_home = field.has_tilde
            && field.text.strip_prefix('~').is_some_and(|rest| {
                !rest.is_empty() && !rest.starts_with('/') && !rest.starts_with('+')
            });
        if field.text == "-" || field.is_computed() || field.is_glob() || is_other_home {
            self.unknown_place(field);
            state.enter_unknown();
            return;
        }
        let target = match field.text.strip_prefix("~+").filter(|_| field.has_tilde) {
            Some(rest) => format!("./{rest}"),
            None => field.text.clone(),
        };
        let is_absolute = target.starts_with('/') || target.starts_with('~');
        if state.bases.is_empty() && !is_absolute {
            return;
        }
        let mut froms = state.bases.clone();
        if !is_absolute
            && !target.starts_with('.')
            && let Some(path) = state.variable("CDPATH")
        {
            let listed: Vec<String> = path
                .values
                .iter()
                .flatten()
                .flat_map(|list| list.split(':'))
                .map(str::to_owned)
                .collect();
            for directory in listed {
                let from = state.bases.first().map_or("/", String::as_str);
                froms.push(crate::text::absolute(&directory, from, self.setting.home));
            }
        }
        if is_absolute && froms.is_empty() {
            froms.push("/".to_owned());
        }
        let mut bases: Vec<String> = Vec::new();
        for from in &froms {
            let base = crate::text::absolute(&target, from, self.setting.home);
            if !bases.contains(&base) {
                bases.push(base);
            }
        }
        if bases.iter().any(|base| base.len() > LONGEST) {
            self.is_oversized = true;
            state.enter_unknown();
        } else {
            state.enter(bases);
        }
    }

    fn set(&mut self, name: &str, text: Option<&str>, fields: &[Field], state: &mut State) {
        let name = name.split_once('[').map_or(name, |(name, _)| name);
        let is_known = text.is_some() && fields.iter().all(Field::is_literal);
        let value = text.filter(|_| is_known);
        if programs::overrides_environment(name, value) {
            state.overridden = Some(name.to_owned());
        }
        if text.is_some_and(is_deferred) {
            state.is_tainted = true;
        }
        let variable = value.map_or_else(Variable::unknown, Variable::known);
        state.assign(name, variable);
    }

    fn read(&mut self, arguments: &[&str], fields: &[Field], at: At<'_>, state: &mut State) {
        let names: Vec<&str> = arguments
            .iter()
            .copied()
            .filter(|word| {
                word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            })
            .collect();
        let text = match at.input {
            Some(Input::Text(Some(text))) => Some(text.trim_end_matches('\n').to_owned()),
            _ => None,
        };
        for name in names {
            self.set(name, text.as_deref(), fields, state);
            // Each name may get any word of the line.
            if let Some(text) = &text {
                let mut variable = Variable::known(text.as_str());
                let words = text.split_whitespace().take(8);
                variable
                    .values
                    .extend(words.map(|word| vec![word.to_owned()]));
                variable.values.dedup();
                state.assign(name, variable);
            }
        }
    }

    fn declare(
        &mut self,
        unit: usize,
        simple: &Simple,
        fields: &[Field],
        at: At<'_>,
        state: &mut State,
    ) {
        let is_integer = |field: &Field| {
            field
                .text
                .strip_prefix('-')
                .is_some_and(|letters| letters.contains('i'))
        };
        state.has_integer |= fields.iter().skip(1).any(is_integer);
        for word in simple.words.iter().skip(1) {
            let expander = Expander {
                state,
                source: at.source,
            };
            let Some((name, variable)) = declared(&expander, word) else {
                continue;
            };
            let is_overriding = if variable.is_open {
                programs::overrides_environment(&name, None)
            } else {
                let values = variable.values.iter();
                values
                    .map(|value| value.first().map(String::as_str))
                    .any(|value| programs::overrides_environment(&name, value))
            };
            if is_overriding {
                state.overridden = Some(name.clone());
            }
            if is_tainted(word) {
                state.is_tainted = true;
                if state.has_integer {
                    self.floor(unit, Floor::DeferredExpansion, Lift::Never);
                }
            }
            state.assign(&name, variable);
        }
    }
}
