//! Which words of a command are paths (page 2b, b.5).

use std::rc::Rc;

use super::field::{Field, WildKind};
use super::state::State;
use super::walk::{At, Walker};
use super::{PathKind, PathWord};
use crate::programs::{self, Role};
use crate::text::absolute;

/// Most parts of one word that are looked at.
const MOST_PARTS: usize = 24;

impl Walker<'_> {
    /// The words of a simple command. `fields[0]` is the command word, which is not looked at.
    pub(super) fn command_words(&mut self, fields: &[Field], at: At<'_>, state: &State) {
        let mut roles = vec![Role::Plain; fields.len()];
        let all: Vec<usize> = (0..fields.len()).collect();
        assign_roles(fields, &all, at.is_isolated, &mut roles, 0);
        let words = names(fields);
        let moved = self.moved(fields, &words, state);
        let state = moved.as_ref().unwrap_or(state);
        for (index, (field, role)) in fields.iter().zip(&roles).enumerate() {
            match role {
                Role::Program | Role::Text | Role::Container => {}
                Role::Option => {
                    let Some((value, role)) = programs::glued_value(&words, index) else {
                        continue;
                    };
                    let from = field.text.len().saturating_sub(value.len());
                    match role {
                        Role::Text | Role::Container => {}
                        Role::Mount => self.mount(&field.tail(from), at, state),
                        _ => self.path_word(&field.tail(from), at, state, false),
                    }
                }
                Role::Mount => self.mount(field, at, state),
                Role::Path | Role::Plain => self.path_word(field, at, state, false),
            }
        }
    }

    /// A mount of a container: its source is a path of this machine.
    fn mount(&mut self, field: &Field, at: At<'_>, state: &State) {
        let (start, end) = programs::mount_source(&field.text);
        let mut source = field.part(start, end);
        source.has_place = field.has_place && start == 0;
        self.path_word(&source, at, state, false);
    }

    /// The state in the directories of `-C DIR` and its like, if the command has some.
    fn moved(&self, fields: &[Field], words: &[&str], state: &State) -> Option<State> {
        let directories = programs::directories(words);
        let mut moved: Option<State> = None;
        for (index, from) in directories {
            let field = fields.get(index)?.tail(from);
            let state = moved.get_or_insert_with(|| state.clone());
            if field.is_computed() {
                state.enter_unknown();
            } else {
                let bases = state.bases.iter();
                let bases = bases.map(|base| absolute(&field.text, base, self.setting.home));
                state.bases = bases.collect();
            }
        }
        moved
    }

    /// A word that may be a path: itself, its `NAME=VALUE`, its parts.
    pub(super) fn path_word(&mut self, field: &Field, _at: At<'_>, state: &State, is_write: bool) {
        if field.text.is_empty() || field.text == "-" || field.text == "--" {
            return;
        }
        if is_remote(&field.text) {
            return;
        }
        if let Some((name, value)) = field.text.split_once('=')
            && is_name(name)
        {
            let from = name.len().saturating_add(1);
            if !value.is_empty() {
                self.path_word(&field.tail(from), _at, state, is_write);
            }
            return;
        }
        if let Some(kind) = classify(field) {
            self.add_path(field, kind, state, is_write);
        }
        self.parts(field, state);
    }

    /// The target of a redirection: always a candidate.
    pub(super) fn redirect_word(&mut self, field: &Field, state: &State, is_write: bool) {
        if !field.text.is_empty() {
            self.add_path(field, PathKind::Candidate, state, is_write);
        }
    }

    /// The parts of a word behind `=`, `:`, `,` and `@`, for denies.
    fn parts(&mut self, field: &Field, state: &State) {
        let text = &field.text;
        if !text.contains(['=', ':', ',', '@']) {
            return;
        }
        let mut ends: Vec<usize> = text
            .char_indices()
            .filter(|(_, character)| matches!(character, '=' | ':' | ',' | '@'))
            .map(|(index, _)| index)
            .take(MOST_PARTS)
            .collect();
        let starts: Vec<usize> = std::iter::once(0)
            .chain(ends.iter().map(|end| end.saturating_add(1)))
            .collect();
        ends.push(text.len());
        for (start, end) in starts.iter().zip(&ends) {
            let part = field.part(*start, *end);
            if !part.text.is_empty() && part.text != *text {
                self.add_path(&part, PathKind::Part, state, false);
            }
            if *start > 0 && *end < text.len() {
                let tail = field.tail(*start);
                self.add_path(&tail, PathKind::Part, state, false);
            }
        }
    }

    /// A directory that only run time knows.
    pub(super) fn unknown_place(&mut self, field: &Field) {
        let word = PathWord {
            text: field.text.clone(),
            wilds: Vec::new(),
            kind: PathKind::Candidate,
            bases: Rc::from([]),
            is_write: false,
            is_unknown_place: true,
        };
        self.push_path(word);
    }

    fn add_path(&mut self, field: &Field, kind: PathKind, state: &State, is_write: bool) {
        let mut text = field.text.clone();
        let mut is_unknown_place = false;
        let mut shift = 0_isize;
        if field.has_tilde {
            match text.strip_prefix('~') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {}
                Some(rest) if rest == "+" || rest.starts_with("+/") => {
                    let base = state.bases.first().map_or("~+", String::as_str);
                    shift = isize::try_from(base.len()).unwrap_or(0).saturating_sub(2);
                    text = format!("{base}{}", rest.strip_prefix('+').unwrap_or(rest));
                }
                _ => is_unknown_place = kind == PathKind::Candidate,
            }
        }
        let moved = |at: usize| at.checked_add_signed(shift).unwrap_or(at);
        let wilds = field.wilds.iter().map(|wild| {
            let kind = match wild.kind {
                WildKind::Unknown => 0,
                WildKind::Star => 1,
                WildKind::Question => 2,
                WildKind::Class => 3,
            };
            (moved(wild.start), moved(wild.end), kind)
        });
        let bases = if state.is_base_open && state.bases.is_empty() {
            Rc::from([])
        } else {
            Rc::from(state.bases.as_slice())
        };
        let word = PathWord {
            text,
            wilds: wilds.collect(),
            kind,
            bases,
            is_write,
            is_unknown_place,
        };
        self.push_path(word);
    }

    fn push_path(&mut self, word: PathWord) {
        if self.known_paths.len() >= 4_096 {
            self.is_oversized = true;
        } else if self.known_paths.insert(word.clone()) {
            self.paths.push(word);
        }
    }
}

/// The command word's base name and the other words.
pub(super) fn names(fields: &[Field]) -> Vec<&str> {
    let texts = fields.iter().enumerate().map(|(index, field)| {
        if index == 0 {
            crate::text::base_name(&field.text)
        } else {
            field.text.as_str()
        }
    });
    texts.collect()
}

/// The roles of words by index; those of a command inside a wrapper are the inner program's.
fn assign_roles(
    fields: &[Field],
    indices: &[usize],
    is_isolated: bool,
    roles: &mut [Role],
    depth: usize,
) {
    let own: Vec<Field> = indices
        .iter()
        .filter_map(|index| fields.get(*index).cloned())
        .collect();
    let words = names(&own);
    for (index, role) in indices.iter().zip(programs::roles(&words, is_isolated)) {
        if let Some(place) = roles.get_mut(*index) {
            *place = role;
        }
    }
    if depth >= super::walk::DEEPEST {
        return;
    }
    for inner in programs::wrapped(&words) {
        let inner: Vec<usize> = inner
            .words
            .iter()
            .filter_map(|index| indices.get(*index).copied())
            .collect();
        if !inner.is_empty() {
            assign_roles(fields, &inner, is_isolated, roles, depth.saturating_add(1));
        }
    }
}

/// Whether a word is a URL of another scheme than `file`.
fn is_remote(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        return false;
    };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    is_scheme && !scheme.eq_ignore_ascii_case("file")
}

/// Whether a text is what may stand left of `=` in an operand.
fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "_-.".contains(character))
}

fn classify(field: &Field) -> Option<PathKind> {
    let text = field.text.as_str();
    let has_parent = text.contains("..") && text.split('/').any(|part| part == "..");
    let is_candidate = text.contains('/')
        || field.has_place
        || text.starts_with('~')
        || has_parent
        || (text.starts_with('.') && text.len() > 1)
        || text
            .get(..5)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    // A word of nothing but an expansion says nothing about a path.
    let is_only_unknown = matches!(field.wilds.as_slice(),
        [wild] if wild.kind == WildKind::Unknown && wild.start == 0 && wild.end == text.len());
    if is_only_unknown && !field.has_place {
        return None;
    }
    Some(if is_candidate {
        PathKind::Candidate
    } else {
        PathKind::Bare
    })
}
