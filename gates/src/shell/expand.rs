//! Words become fields: quotes removed, brace lists expanded, known variables put in.

use permc_grammar::shell::{CommandKind, Inner, List, Operation, Parameter, Part, Quoting, Word};
use permc_grammar::span::Span;

use super::braces::{self, Token};
use super::field::Field;
use super::printed::printed;
use super::state::{State, Variable};
use crate::text::base_name;

/// Most readings of one word, and of one command.
pub(crate) const MOST_READINGS: usize = 24;
/// How deep expansions inside expansions are read.
const DEEPEST: usize = 12;

/// Reads words under what a shell knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expander<'a> {
    pub(crate) state: &'a State,
    pub(crate) source: &'a str,
}

/// One reading of a word while it grows.
#[derive(Clone, Debug, Default)]
struct Draft {
    done: Vec<Field>,
    current: Field,
    is_open: bool,
}

/// What an expansion may give.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Alternative {
    Text(String),
    /// The elements of `"$@"` or `"${a[@]}"`.
    Elements(Vec<String>),
    Unknown,
}

impl<'a> Expander<'a> {
    /// The readings of a word, each a list of fields; an unquoted empty expansion gives no field.
    pub(crate) fn word(&self, word: &Word) -> Vec<Vec<Field>> {
        // Most words are one unquoted text.
        if let [
            Part::Text {
                text,
                quoting: Quoting::None,
                ..
            },
        ] = word.parts.as_slice()
            && !text.contains('{')
        {
            let mut field = Field::default();
            field.push_unquoted(text);
            return vec![vec![field]];
        }
        self.word_at(word, 0)
    }

    fn word_at(&self, word: &Word, depth: usize) -> Vec<Vec<Field>> {
        let (words, is_list) = braces::expand(word);
        let mut readings: Vec<Vec<Field>> = vec![Vec::new()];
        for tokens in &words {
            let mut drafts = vec![Draft::default()];
            for token in tokens {
                match token {
                    Token::Text(text) => each(&mut drafts, |field| field.push_unquoted(text)),
                    Token::Open => each(&mut drafts, |field| field.push_literal("{")),
                    Token::Close => each(&mut drafts, |field| field.push_literal("}")),
                    Token::Comma => each(&mut drafts, |field| field.push_literal(",")),
                    Token::Number(number) => {
                        each(&mut drafts, |field| field.push_literal(&number.to_string()));
                    }
                    Token::Letter(letter) => {
                        each(&mut drafts, |field| {
                            field.push_literal(letter.encode_utf8(&mut [0; 4]))
                        });
                    }
                    Token::Part(part) => self.part(part, false, &mut drafts, depth),
                }
            }
            let mut next = Vec::new();
            'all: for reading in &readings {
                for draft in &drafts {
                    if next.len() >= MOST_READINGS {
                        break 'all;
                    }
                    let mut fields = reading.clone();
                    fields.extend(draft.done.iter().cloned());
                    if draft.is_open {
                        fields.push(draft.current.clone());
                    }
                    if is_list {
                        fields.iter_mut().for_each(|field| field.is_brace = true);
                    }
                    next.push(fields);
                }
            }
            readings = next;
        }
        readings
    }

    /// The readings of an assigned value: no splitting, no brace lists, elements for an array.
    pub(crate) fn value(&self, word: &Word) -> Variable {
        if let [Part::Array { elements, .. }] = word.parts.as_slice() {
            let mut values = vec![Vec::new()];
            let mut is_open = false;
            for element in elements {
                let readings = self.word(element);
                let mut next = Vec::new();
                for value in &values {
                    for fields in &readings {
                        if next.len() < MOST_READINGS {
                            is_open |= fields.iter().any(Field::is_computed);
                            let mut longer: Vec<String> = value.clone();
                            longer.extend(fields.iter().map(|field| array_value(&field.text)));
                            next.push(longer);
                        }
                    }
                }
                values = next;
            }
            return Variable { values, is_open };
        }
        let mut drafts = vec![Draft {
            is_open: true,
            ..Draft::default()
        }];
        for part in &word.parts {
            self.part(part, true, &mut drafts, 0);
        }
        let mut variable = Variable::default();
        for draft in drafts {
            if draft.current.is_computed() {
                variable.is_open = true;
            } else {
                variable.values.push(vec![draft.current.text]);
            }
        }
        variable
    }

    /// The readings of a word as one text each, what only run time knows as it was typed.
    pub(crate) fn spelled(&self, word: &Word) -> Vec<String> {
        let mut drafts = vec![Draft {
            is_open: true,
            ..Draft::default()
        }];
        for part in &word.parts {
            self.part(part, true, &mut drafts, 0);
        }
        drafts.into_iter().map(|draft| draft.current.text).collect()
    }

    fn part(&self, part: &Part, is_quoted: bool, drafts: &mut Vec<Draft>, depth: usize) {
        match part {
            Part::Text { text, quoting, .. } => {
                let is_quoted = is_quoted && *quoting != Quoting::None;
                each(drafts, |field| {
                    if *quoting == Quoting::None && !is_quoted {
                        field.push_unquoted(text);
                    } else {
                        field.is_quoted = true;
                        field.push_literal(text);
                    }
                });
            }
            Part::Quoted { parts, .. } => {
                each(drafts, |field| field.is_quoted = true);
                for part in parts {
                    self.part(part, true, drafts, depth);
                }
            }
            Part::Parameter(parameter) => {
                let alternatives = self.parameter(parameter, depth);
                let has_place = ["HOME", "PWD", "OLDPWD"].contains(&parameter.name.as_str());
                self.add(&alternatives, parameter.span, is_quoted, has_place, drafts);
            }
            Part::Command { span, inner } => {
                let alternative = match self.printed(inner, depth) {
                    Some(text) => Alternative::Text(text.trim_end_matches('\n').to_owned()),
                    None => Alternative::Unknown,
                };
                self.add(&[alternative], *span, is_quoted, false, drafts);
            }
            Part::Process { span, .. } => {
                each(drafts, |field| field.is_process = true);
                self.add(&[Alternative::Unknown], *span, true, false, drafts);
            }
            Part::Arithmetic { span, .. } => {
                self.add(&[Alternative::Unknown], *span, true, false, drafts);
            }
            Part::Array { span, elements } => {
                // `declare a=(x y)`: its elements are words that are looked at.
                let spelling = slice(self.source, *span);
                each(drafts, |field| field.push_literal(spelling));
                let first = drafts.first().cloned().unwrap_or_default();
                for element in elements {
                    for mut fields in self.word_at(element, depth.saturating_add(1)) {
                        if let Some(draft) = drafts.first_mut() {
                            draft.done.append(&mut fields);
                        }
                    }
                }
                if drafts.is_empty() {
                    drafts.push(first);
                }
            }
        }
    }

    /// Puts the alternatives of an expansion behind each draft.
    fn add(
        &self,
        alternatives: &[Alternative],
        span: Span,
        is_quoted: bool,
        has_place: bool,
        drafts: &mut Vec<Draft>,
    ) {
        let add = |draft: &mut Draft, alternative: &Alternative| {
            self.add_one(draft, alternative, span, is_quoted, has_place);
        };
        // Mostly there is one of each, and a long text has many parts.
        if let ([draft], [alternative]) = (drafts.as_mut_slice(), alternatives) {
            add(draft, alternative);
            return;
        }
        let mut next = Vec::new();
        'all: for draft in drafts.iter() {
            for alternative in alternatives {
                if next.len() >= MOST_READINGS {
                    break 'all;
                }
                let mut draft = draft.clone();
                add(&mut draft, alternative);
                next.push(draft);
            }
        }
        *drafts = next;
    }

    fn add_one(
        &self,
        draft: &mut Draft,
        alternative: &Alternative,
        span: Span,
        is_quoted: bool,
        has_place: bool,
    ) {
        if !is_quoted {
            draft.current.is_expanded = true;
        } else if has_place && !draft.current.is_expanded {
            draft.current.is_home_only = true;
        } else {
            draft.current.is_expanded = true;
        }
        draft.current.has_place |= has_place;
        match alternative {
            Alternative::Unknown => {
                draft.is_open = true;
                draft.current.push_unknown(slice(self.source, span));
            }
            Alternative::Text(text) if is_quoted => {
                draft.is_open = true;
                draft.current.is_quoted = true;
                draft.current.push_literal(text);
            }
            Alternative::Text(text) => split_into(draft, text),
            Alternative::Elements(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        close(draft);
                    }
                    if is_quoted {
                        draft.is_open = true;
                        draft.current.is_quoted = true;
                        draft.current.push_literal(element);
                    } else {
                        split_into(draft, element);
                    }
                }
            }
        }
    }

    /// What a parameter expansion may give; never empty.
    fn parameter(&self, parameter: &Parameter, depth: usize) -> Vec<Alternative> {
        if depth > DEEPEST || parameter.is_length {
            return vec![Alternative::Unknown];
        }
        let name = parameter.name.as_str();
        let mut values = if parameter.is_indirect {
            self.indirect(name)
        } else {
            self.values(name, parameter)
        };
        let Some(operation) = &parameter.operation else {
            return values;
        };
        match operation.operator {
            ":-" | "-" | ":=" | "=" => {
                if values == [Alternative::Unknown] {
                    values.clear();
                }
                values.extend(self.operand(operation, depth));
                values.push(Alternative::Unknown);
                values.dedup();
                values
            }
            ":+" | "+" => {
                let mut alternatives = self.operand(operation, depth);
                alternatives.push(Alternative::Text(String::new()));
                alternatives
            }
            ":?" | "?" => values,
            operator => {
                let operand = match self.operand(operation, depth).as_slice() {
                    [Alternative::Text(text)] => Some(text.clone()),
                    _ => None,
                };
                let changed: Vec<Alternative> = values
                    .iter()
                    .map(|value| match (value, &operand) {
                        (Alternative::Text(text), Some(operand)) => {
                            changed(text, operator, operand)
                                .map_or(Alternative::Unknown, Alternative::Text)
                        }
                        _ => Alternative::Unknown,
                    })
                    .collect();
                if ["HOME", "PWD", "OLDPWD"].contains(&name) {
                    // With an operator it is still a path under the home or working directory.
                    values.extend(changed);
                    values.dedup();
                    return values;
                }
                changed
            }
        }
    }

    fn values(&self, name: &str, parameter: &Parameter) -> Vec<Alternative> {
        if name == "PWD" && self.state.variable("PWD").is_none() {
            let mut bases: Vec<_> = self
                .state
                .bases
                .iter()
                .cloned()
                .map(Alternative::Text)
                .collect();
            if self.state.is_base_open || bases.is_empty() {
                bases.push(Alternative::Unknown);
            }
            return bases;
        }
        let name = if name == "*" { "@" } else { name };
        let Some(variable) = self.state.variable(name) else {
            return vec![Alternative::Unknown];
        };
        let index = match parameter.subscript.as_deref() {
            Some([Part::Text { text, .. }]) => Some(text.as_str()),
            Some(_) => Some("?"),
            None if name == "@" => Some("@"),
            None => None,
        };
        let mut alternatives = Vec::new();
        for elements in &variable.values {
            match index {
                Some("@" | "*") => alternatives.push(Alternative::Elements(elements.clone())),
                Some(number) => match number.parse::<usize>() {
                    Ok(number) => alternatives.push(Alternative::Text(
                        elements.get(number).cloned().unwrap_or_default(),
                    )),
                    // An unknown index may be any element.
                    Err(_) => alternatives.extend(elements.iter().cloned().map(Alternative::Text)),
                },
                None => alternatives.push(Alternative::Text(
                    elements.first().cloned().unwrap_or_default(),
                )),
            }
        }
        if variable.is_open || alternatives.is_empty() {
            alternatives.push(Alternative::Unknown);
        }
        alternatives.truncate(MOST_READINGS);
        alternatives
    }

    fn indirect(&self, name: &str) -> Vec<Alternative> {
        let Some(variable) = self.state.variable(name) else {
            return vec![Alternative::Unknown];
        };
        let mut alternatives = Vec::new();
        for elements in &variable.values {
            let target = elements
                .first()
                .and_then(|target| self.state.variable(target));
            let texts = target.iter().flat_map(|target| &target.values);
            alternatives
                .extend(texts.filter_map(|text| Some(Alternative::Text(text.first()?.clone()))));
        }
        if variable.is_open || alternatives.is_empty() {
            alternatives.push(Alternative::Unknown);
        }
        alternatives
    }

    fn operand(&self, operation: &Operation, depth: usize) -> Vec<Alternative> {
        let mut drafts = vec![Draft {
            is_open: true,
            ..Draft::default()
        }];
        for part in &operation.operand {
            self.part(part, true, &mut drafts, depth.saturating_add(1));
        }
        let alternatives = drafts.into_iter().map(|draft| {
            if draft.current.is_computed() {
                Alternative::Unknown
            } else {
                Alternative::Text(draft.current.text)
            }
        });
        alternatives.collect()
    }

    /// What the commands of a substitution print, where they only print literal text.
    fn printed(&self, inner: &Inner, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let source = inner.text.as_deref().unwrap_or(self.source);
        let inside = Expander {
            state: self.state,
            source,
        };
        inside.printed_list(&inner.list, depth.saturating_add(1))
    }

    fn printed_list(&self, list: &List, depth: usize) -> Option<String> {
        let [pipeline] = list.pipelines.as_slice() else {
            return None;
        };
        let [command] = pipeline.commands.as_slice() else {
            return None;
        };
        let CommandKind::Simple(simple) = &command.kind else {
            return None;
        };
        if !command.redirects.is_empty() || !simple.assignments.is_empty() {
            return None;
        }
        let mut words = Vec::new();
        for word in &simple.words {
            match self.word_at(word, depth).as_slice() {
                [fields] if fields.iter().all(Field::is_literal) => {
                    words.extend(fields.iter().map(|field| field.text.clone()));
                }
                _ => return None,
            }
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (program, arguments) = words.split_first()?;
        let named: Vec<&str> = std::iter::once(base_name(program))
            .chain(arguments.iter().copied())
            .collect();
        printed(&named)
    }
}

/// `[key]=value` of an array gives its value.
fn array_value(text: &str) -> String {
    let value = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]="))
        .map_or(text, |(_, value)| value);
    value.to_owned()
}

fn each(drafts: &mut [Draft], change: impl Fn(&mut Field)) {
    for draft in drafts {
        draft.is_open = true;
        change(&mut draft.current);
    }
}

fn close(draft: &mut Draft) {
    if draft.is_open {
        let field = std::mem::take(&mut draft.current);
        draft.done.push(Field {
            is_expanded: true,
            ..field
        });
        draft.is_open = false;
        draft.current.is_expanded = true;
    }
}

/// Puts an unquoted value in: split at blanks, its globs alive.
fn split_into(draft: &mut Draft, text: &str) {
    let is_blank = |character: char| matches!(character, ' ' | '\t' | '\n');
    if text.starts_with(is_blank) {
        close(draft);
    }
    for (index, piece) in text
        .split(is_blank)
        .filter(|piece| !piece.is_empty())
        .enumerate()
    {
        if index > 0 {
            close(draft);
        }
        draft.is_open = true;
        let had_tilde = draft.current.has_tilde;
        draft.current.push_unquoted(piece);
        // A tilde that comes out of a variable stays a tilde.
        draft.current.has_tilde = had_tilde;
    }
    if text.ends_with(is_blank) {
        close(draft);
    }
}

/// A value under an operator whose operand is literal.
fn changed(value: &str, operator: &str, operand: &str) -> Option<String> {
    let is_plain = !operand.contains(['*', '?', '[', '\\']);
    let changed = match operator {
        "#" | "##" if is_plain => value.strip_prefix(operand).unwrap_or(value).to_owned(),
        "%" | "%%" if is_plain => value.strip_suffix(operand).unwrap_or(value).to_owned(),
        "#" | "##" | "%" | "%%" => trimmed(value, operator, operand)?,
        "^^" if operand.is_empty() => value.to_uppercase(),
        ",," if operand.is_empty() => value.to_lowercase(),
        "^" | "," if operand.is_empty() => {
            let mut characters = value.chars();
            let first: String = characters.next().into_iter().collect();
            let first = if operator == "^" {
                first.to_uppercase()
            } else {
                first.to_lowercase()
            };
            first + characters.as_str()
        }
        "/" | "//" | "/#" | "/%" if is_plain => {
            let (from, to) = operand.split_once('/').unwrap_or((operand, ""));
            match operator {
                _ if from.is_empty() => value.to_owned(),
                "/" => value.replacen(from, to, 1),
                "//" => value.replace(from, to),
                "/#" => value
                    .strip_prefix(from)
                    .map_or_else(|| value.to_owned(), |rest| format!("{to}{rest}")),
                _ => value
                    .strip_suffix(from)
                    .map_or_else(|| value.to_owned(), |rest| format!("{rest}{to}")),
            }
        }
        ":" => {
            let (from, length) = match operand.split_once(':') {
                Some((from, length)) => (from, Some(length.trim().parse::<usize>().ok()?)),
                None => (operand, None),
            };
            let from = from.trim().parse::<usize>().ok()?;
            value
                .chars()
                .skip(from)
                .take(length.unwrap_or(usize::MAX))
                .collect()
        }
        "@" => match operand {
            "U" => value.to_uppercase(),
            "L" => value.to_lowercase(),
            "Q" | "E" => value.to_owned(),
            _ => return None,
        },
        _ => return None,
    };
    Some(changed)
}

/// `${x##*/}` and `${x%/*}`, the everyday globs of trimming.
fn trimmed(value: &str, operator: &str, operand: &str) -> Option<String> {
    if let Some(end) = operand.strip_prefix('*')
        && operator.starts_with('#')
        && !end.is_empty()
        && !end.contains(['*', '?', '[', '\\'])
    {
        let split = if operator == "#" {
            value.split_once(end)
        } else {
            value.rsplit_once(end)
        };
        return Some(split.map_or(value, |(_, rest)| rest).to_owned());
    }
    if let Some(start) = operand.strip_suffix('*')
        && operator.starts_with('%')
        && !start.is_empty()
        && !start.contains(['*', '?', '[', '\\'])
    {
        let split = if operator == "%" {
            value.rsplit_once(start)
        } else {
            value.split_once(start)
        };
        return Some(split.map_or(value, |(rest, _)| rest).to_owned());
    }
    None
}

/// The text of a span.
pub(crate) fn slice(source: &str, span: Span) -> &str {
    source.get(span.start..span.end).unwrap_or_default()
}
