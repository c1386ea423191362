//! Which words of a command are paths (page 2b, b.5).

use std::rc::Rc;

use super::field::{Field, WildKind};
use super::state::State;
use super::walk::Walker;
use super::{PathKind, PathWord};
use crate::programs::{self, Role};
use crate::text::absolute;

/// Most parts of one word that are looked at.
const MOST_PARTS: usize = 24;
/// Most options of one command that change its directory.
const MOST_DIRECTORIES: usize = 16;

impl Walker<'_> {
    /// The words of a simple command. `fields[0]` is the command word, which is not looked at.
    pub(super) fn command_words(&mut self, fields: &[Field], state: &State, is_isolated: bool) {
        let mut reader = Reader {
            fields,
            home: self.setting.home,
            is_isolated,
            looks: vec![Look::default(); fields.len()],
            moved: Vec::new(),
            is_oversized: false,
        };
        reader.read(&(0..fields.len()).collect::<Vec<_>>(), None, state, 0);
        let Reader {
            looks,
            moved,
            is_oversized,
            ..
        } = reader;
        self.is_oversized |= is_oversized;
        for (field, look) in fields.iter().zip(&looks) {
            let place = look.place.and_then(|place| moved.get(place));
            let state = place.unwrap_or(state);
            let glued;
            let (part, role) = match (look.role, look.glued) {
                (Role::Option, Some((from, role))) => {
                    glued = field.tail(from);
                    (&glued, role)
                }
                (role, _) => (field, role),
            };
            match role {
                Role::Program | Role::Text | Role::Container | Role::Option => {}
                Role::Mount => self.mount(part, state),
                Role::Path | Role::Plain => self.path_word(part, state, false),
            }
        }
    }

    /// A mount of a container: its source is a path of this machine.
    fn mount(&mut self, field: &Field, state: &State) {
        let (start, end) = programs::mount_source(&field.text);
        let mut source = field.part(start, end);
        source.has_place = field.has_place && start == 0;
        self.path_word(&source, state, false);
    }

    /// A word that may be a path: itself, its `NAME=VALUE`, its parts.
    pub(super) fn path_word(&mut self, field: &Field, state: &State, is_write: bool) {
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
                self.path_word(&field.tail(from), state, is_write);
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
            is_base_open: true,
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
        // Where the shell was before its first `cd`: nobody knows.
        let is_before = ["$OLDPWD", "${OLDPWD"]
            .iter()
            .any(|name| text.starts_with(name));
        is_unknown_place |= is_before && field.has_place && kind == PathKind::Candidate;
        let moved = |at: usize| at.checked_add_signed(shift).unwrap_or(at);
        let wilds = field
            .wilds
            .iter()
            .map(|wild| (moved(wild.start), moved(wild.end), wild.kind.number()));
        let word = PathWord {
            text,
            wilds: wilds.collect(),
            kind,
            bases: Rc::from(state.bases.as_slice()),
            is_base_open: state.is_base_open,
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

impl PathWord {
    /// A glob that stands in a tool's argument.
    pub(crate) fn of_glob(text: &str, cwd: &str) -> Self {
        let mut field = Field::default();
        field.push_unquoted(text);
        let wilds = field.wilds.iter();
        let wilds = wilds.map(|wild| (wild.start, wild.end, wild.kind.number()));
        Self {
            wilds: wilds.collect(),
            text: field.text,
            kind: PathKind::Part,
            bases: Rc::from([cwd.to_owned()]),
            is_base_open: false,
            is_write: false,
            is_unknown_place: false,
        }
    }
}

/// The command word's base name and the other words.
pub(super) fn names<'f>(fields: impl IntoIterator<Item = &'f Field>) -> Vec<&'f str> {
    let texts = fields.into_iter().enumerate().map(|(index, field)| {
        if index == 0 {
            crate::text::base_name(&field.text)
        } else {
            field.text.as_str()
        }
    });
    texts.collect()
}

/// How one word is looked at.
#[derive(Clone, Copy, Debug)]
struct Look {
    role: Role,
    /// Where the value that is glued to an option begins, and what it is.
    glued: Option<(usize, Role)>,
    /// Which of the reader's states its bases are in; `None`: the command's own.
    place: Option<usize>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            role: Role::Plain,
            glued: None,
            place: None,
        }
    }
}

/// Reads a command's words as its program does, those of a command inside a wrapper as the inner program does.
struct Reader<'f> {
    fields: &'f [Field],
    home: Option<&'f str>,
    is_isolated: bool,
    looks: Vec<Look>,
    /// The states in the directories of `-C DIR` and its like.
    moved: Vec<State>,
    /// Whether there were too many of them.
    is_oversized: bool,
}

impl Reader<'_> {
    fn read(&mut self, indices: &[usize], place: Option<usize>, state: &State, depth: usize) {
        let own = indices.iter().filter_map(|index| self.fields.get(*index));
        let own: Vec<&Field> = own.collect();
        let words = names(own.iter().copied());
        let places = self.places(&own, &words, place, state);
        let roles = programs::roles(&words, self.is_isolated);
        for (at, (index, role)) in indices.iter().zip(roles).enumerate() {
            let glued = programs::glued_value(&words, at).and_then(|(value, role)| {
                let word = words.get(at)?;
                Some((word.len().checked_sub(value.len())?, role))
            });
            if let Some(look) = self.looks.get_mut(*index) {
                *look = Look {
                    role,
                    glued,
                    place: places.get(at).copied().flatten(),
                };
            }
        }
        if depth >= super::walk::DEEPEST {
            return;
        }
        let last = places.last().copied().flatten();
        for inner in programs::wrapped(&words) {
            let inner = inner
                .words
                .iter()
                .filter_map(|index| indices.get(*index).copied());
            let inner: Vec<usize> = inner.collect();
            if !inner.is_empty() {
                self.read(&inner, last, state, depth.saturating_add(1));
            }
        }
    }

    /// The place of each word. tar changes its directory where the option stands, others before they look at anything.
    fn places(
        &mut self,
        own: &[&Field],
        words: &[&str],
        place: Option<usize>,
        state: &State,
    ) -> Vec<Option<usize>> {
        let in_order = matches!(words.first(), Some(&("tar" | "gtar" | "bsdtar")));
        let mut places = vec![place; words.len()];
        let mut current = place;
        for (index, from) in programs::directories(words) {
            let Some(directory) = own.get(index).map(|field| field.tail(from)) else {
                continue;
            };
            if self.moved.len() >= MOST_DIRECTORIES {
                self.is_oversized = true;
                break;
            }
            let before = current.and_then(|current| self.moved.get(current));
            let mut after = before.unwrap_or(state).clone();
            if directory.is_computed() {
                after.enter_unknown();
            } else {
                let bases = after.bases.iter();
                let bases = bases.map(|base| absolute(&directory.text, base, self.home));
                after.bases = bases.collect();
            }
            let own_place = current;
            current = Some(self.moved.len());
            self.moved.push(after);
            let first = if in_order { index } else { 0 };
            for place in places.iter_mut().skip(first) {
                *place = current;
            }
            // The directory itself is told from where the command was before.
            if let Some(place) = places.get_mut(index) {
                *place = own_place;
            }
        }
        places
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
