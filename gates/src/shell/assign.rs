//! Assignments: what a word sets, what a variable holds afterwards, positional parameters.

use permc_grammar::shell::{Part, Quoting, Word};

use super::expand::{Expander, MOST_READINGS};
use super::state::{State, Variable};
use super::walk::is_deferred;

/// `NAME=VALUE` of a declaring builtin.
pub(super) fn declared(expander: &Expander<'_>, word: &Word) -> Option<(String, Variable)> {
    let Some(Part::Text {
        text,
        quoting: Quoting::None,
        span,
    }) = word.parts.first()
    else {
        return None;
    };
    let (name, value) = text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').map_or(name, |(name, _)| name);
    let mut rest = Word {
        span: word.span,
        parts: Vec::new(),
    };
    if !value.is_empty() {
        rest.parts.push(Part::Text {
            span: *span,
            text: value.to_owned(),
            quoting: Quoting::None,
        });
    }
    rest.parts.extend(word.parts.iter().skip(1).cloned());
    Some((name.to_owned(), expander.value(&rest)))
}

/// Whether a quoted part of a word holds a literal substitution.
pub(super) fn is_tainted(word: &Word) -> bool {
    fn tainted(parts: &[Part]) -> bool {
        parts.iter().any(|part| match part {
            Part::Text { text, quoting, .. } => {
                let is_literal = matches!(
                    quoting,
                    Quoting::Single | Quoting::Ansi | Quoting::Escaped | Quoting::Double
                );
                is_literal && (is_deferred(text) || (*quoting == Quoting::Escaped && text == "$"))
            }
            Part::Quoted { parts, .. } => tainted(parts),
            Part::Array { elements, .. } => elements.iter().any(is_tainted),
            _ => false,
        })
    }
    tainted(&word.parts)
}

/// What a variable holds after `+=` or after one of its elements was set.
pub(super) fn appended(before: Option<&Variable>, added: Variable, is_element: bool) -> Variable {
    let Some(before) = before else {
        return added;
    };
    let mut variable = Variable {
        values: Vec::new(),
        is_open: before.is_open || added.is_open,
    };
    for old in &before.values {
        for new in &added.values {
            if variable.values.len() >= MOST_READINGS {
                variable.is_open = true;
                return variable;
            }
            let is_scalar = !is_element && old.len() <= 1 && new.len() == 1;
            variable.values.push(if is_scalar {
                let old = old.first().cloned().unwrap_or_default();
                vec![old + new.first().map_or("", String::as_str)]
            } else {
                old.iter().chain(new).cloned().collect()
            });
        }
    }
    variable
}

/// Sets the positional parameters.
pub(super) fn set_arguments(state: &mut State, arguments: Vec<String>) {
    forget_arguments(state);
    for (number, argument) in (1..10).zip(&arguments) {
        state.assign(&number.to_string(), Variable::known(argument.as_str()));
    }
    state.assign(
        "@",
        Variable {
            values: vec![arguments],
            is_open: false,
        },
    );
}

pub(super) fn forget_arguments(state: &mut State) {
    for number in 1..10 {
        state.forget(&number.to_string());
    }
    state.forget("@");
}
