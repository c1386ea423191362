//! Shell globs against files and against permission patterns.

use std::rc::Rc;

use super::Place;
use crate::overlap::{Step, can_be, mark, overlaps};
use crate::text::absolute;

/// Hits beyond which a glob is not expanded.
const MOST_HITS: usize = 1_000;
/// Steps that one expansion may take; everyday ones need a few thousand.
const MOST_STEPS: usize = 20_000_000;
/// Directories that are listed for one glob.
const MOST_DIRECTORIES: usize = 200;

/// A piece of a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text that stands for itself.
    Literal(&'a str),
    /// The same, made here.
    Owned(String),
    /// `*`: any run without `/`.
    Star,
    /// `?`: one character but `/`.
    Question,
    /// `[...]`: one of some characters.
    Class(&'a str),
    /// A part that only run time knows: anything.
    Any,
}

impl Piece<'_> {
    fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Owned(text) => Some(text),
            _ => None,
        }
    }
}

const fn is_run(step: &Step<'_>) -> bool {
    matches!(step, Step::Run | Step::AnyRun)
}

/// What it takes to try a step on one character.
const fn weight(step: &Step<'_>) -> usize {
    match step {
        Step::Class(class) => class.len(),
        _ => 1,
    }
}

fn steps<'p>(glob: &'p [Piece<'_>]) -> Vec<Step<'p>> {
    let mut steps = Vec::new();
    for piece in glob {
        match piece {
            Piece::Literal(text) => steps.extend(text.chars().map(Step::One)),
            Piece::Owned(text) => steps.extend(text.chars().map(Step::One)),
            Piece::Star => steps.push(Step::Run),
            Piece::Question => steps.push(Step::NotSlash),
            Piece::Class(class) => steps.push(Step::Class(class)),
            Piece::Any => steps.push(Step::AnyRun),
        }
    }
    steps
}

/// Whether some text that the glob can match is matched by the permission pattern, whose `*` crosses `/`.
///
/// # Complexity
///
/// O(glob x pattern).
pub(crate) fn glob_overlaps(glob: &[Piece<'_>], pattern: &str, fold: bool) -> bool {
    let steps = steps(glob);
    let short = pattern.strip_suffix(" *");
    std::iter::once(pattern)
        .chain(short)
        .any(|pattern| overlaps(&steps, &pattern.chars().collect::<Vec<_>>(), fold))
}

/// A glob split at `/` into components.
fn components<'a>(glob: &[Piece<'a>]) -> Vec<Vec<Piece<'a>>> {
    let mut components: Vec<Vec<Piece<'a>>> = vec![Vec::new()];
    for piece in glob {
        let Some(text) = piece.literal() else {
            if let Some(last) = components.last_mut() {
                last.push(piece.clone());
            }
            continue;
        };
        for (index, part) in text.split('/').enumerate() {
            if index > 0 {
                components.push(Vec::new());
            }
            if let Some(last) = components.last_mut()
                && !part.is_empty()
            {
                last.push(Piece::Owned(part.to_owned()));
            }
        }
    }
    components
}

/// Existing paths that the glob matches, absolute; `None` where that cannot be told or is too much.
pub(crate) fn expand_glob(
    glob: &[Piece<'_>],
    base: &str,
    place: &Place<'_>,
) -> Option<Vec<String>> {
    if glob.iter().any(|piece| matches!(piece, Piece::Any)) {
        return None;
    }
    let (glob, base) = anchored(glob, base, place);
    let components = components(&glob);
    let mut found = vec![base];
    let mut n_directories = 0_usize;
    let mut left = MOST_STEPS;
    for component in components.iter().filter(|component| !component.is_empty()) {
        let mut next = Vec::new();
        let mut steps = steps(component);
        // A run after a run adds nothing.
        steps.dedup_by(|step, before| is_run(step) && is_run(before));
        let n_ones = steps.iter().filter(|step| !is_run(step)).count();
        let cost = steps
            .iter()
            .map(weight)
            .fold(1_usize, usize::saturating_add);
        let literal = match component.as_slice() {
            [piece] => piece.literal(),
            _ => None,
        };
        for directory in &found {
            if let Some(name) = literal {
                next.push(format!("{directory}/{name}"));
                continue;
            }
            n_directories = n_directories.saturating_add(1);
            if n_directories > MOST_DIRECTORIES {
                return None;
            }
            let listed = if directory.is_empty() { "/" } else { directory };
            let Some(names) = place.files.list(listed) else {
                // What does not exist holds nothing that the glob could reach.
                if place.files.real_path(listed).is_none() {
                    continue;
                }
                return None;
            };
            let wants_dot = matches!(component.first().and_then(Piece::literal), Some(text) if text.starts_with('.'));
            for name in names {
                let is_hidden = name.starts_with('.') && !wants_dot;
                left = left.checked_sub(1)?;
                if is_hidden || name.len() < n_ones {
                    continue;
                }
                left = left.checked_sub(cost.saturating_mul(name.len()))?;
                if matches_name(&steps, &name) {
                    next.push(format!("{directory}/{name}"));
                }
            }
            if next.len() > MOST_HITS {
                return None;
            }
        }
        found = next;
    }
    Some(found)
}

/// Whether a name matches one component of a glob.
fn matches_name(steps: &[Step<'_>], name: &str) -> bool {
    let characters: Vec<char> = name.chars().collect();
    let mut reachable = vec![false; steps.len().saturating_add(1)];
    mark(&mut reachable, 0);
    let skip = |places: &mut Vec<bool>| {
        for (at, step) in steps.iter().enumerate() {
            if matches!(step, Step::Run | Step::AnyRun) && places.get(at) == Some(&true) {
                mark(places, at.saturating_add(1));
            }
        }
    };
    skip(&mut reachable);
    for character in characters {
        let mut next = vec![false; reachable.len()];
        for (at, was) in reachable.iter().enumerate() {
            match steps.get(at) {
                Some(Step::Run | Step::AnyRun) if *was => mark(&mut next, at),
                Some(step) if *was && can_be(*step, character) => {
                    mark(&mut next, at.saturating_add(1))
                }
                _ => {}
            }
        }
        skip(&mut next);
        reachable = next;
    }
    reachable.last().copied().unwrap_or(false)
}

/// The glob without the directory that it begins with, and that directory: `/`, home, or the base.
fn anchored<'a>(glob: &[Piece<'a>], base: &str, place: &Place<'_>) -> (Vec<Piece<'a>>, String) {
    let base = base.strip_suffix('/').unwrap_or(base);
    let Some(first) = glob.first().and_then(Piece::literal) else {
        return (glob.to_vec(), base.to_owned());
    };
    let (head, rest) = match first.rfind('/') {
        Some(slash) => first.split_at_checked(slash).unwrap_or((first, "")),
        None => return (glob.to_vec(), base.to_owned()),
    };
    let directory = if head.is_empty() {
        String::new()
    } else {
        let directory = absolute(head, base, place.home);
        if directory == "/" {
            String::new()
        } else {
            directory
        }
    };
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let mut pieces = vec![Piece::Owned(rest.to_owned())];
    pieces.extend(glob.iter().skip(1).cloned());
    if rest.is_empty() {
        pieces.remove(0);
    }
    (pieces, directory)
}

/// The glob with its directory made absolute, and relative to the working directory, for each base.
pub(crate) fn glob_places<'a>(
    glob: &[Piece<'a>],
    bases: &Rc<[String]>,
    place: &Place<'_>,
) -> Vec<(String, Vec<Piece<'a>>)> {
    let mut places = Vec::new();
    for base in bases.iter() {
        let (rest, directory) = anchored(glob, base, place);
        let cwd = place.cwd.strip_suffix('/').unwrap_or(place.cwd);
        if let Some(relative) = directory.strip_prefix(cwd) {
            match relative.strip_prefix('/') {
                Some(relative) => places.push((format!("{relative}/"), rest.clone())),
                None if relative.is_empty() => places.push((String::new(), rest.clone())),
                None => {}
            }
        }
        places.push((format!("{directory}/"), rest));
    }
    places
}
