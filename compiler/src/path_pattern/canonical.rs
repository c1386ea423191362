//! One alternative in its canonical form.

use permc_runtime::fold_char;

use super::expand::Spelled;
use super::{Alternative, Anchor, Atom, CharSet, Component, PathPatternError};

/// Takes an alternative apart.
pub(super) fn canonical(spelled: &[Spelled], fold: bool) -> Result<Alternative, PathPatternError> {
    let (anchor, rest) = anchored(spelled, fold);
    let mut components = Vec::new();
    for component in rest.split(|part| *part == Spelled::Separator) {
        match letters(component).as_deref() {
            Some("" | ".") => {}
            Some("..") => return Err(PathPatternError::Parent),
            _ => components.push(name(component, fold)),
        }
    }
    Ok(Alternative {
        anchor,
        components: merged(anchor, components),
    })
}

/// The anchor and what follows it.
fn anchored(spelled: &[Spelled], fold: bool) -> (Anchor, &[Spelled]) {
    for home in ["~", "$HOME"] {
        if let Some(rest) = without_prefix(spelled, home)
            && matches!(rest.first(), None | Some(Spelled::Separator))
        {
            return (Anchor::Home, rest);
        }
    }
    let first = spelled.split(|part| *part == Spelled::Separator).next();
    let first = first.unwrap_or_default();
    let is_recursive = first.len() > 1 && first.iter().all(|part| *part == Spelled::Star);
    let is_drive = fold
        && matches!(first, [Spelled::Char(drive, _), Spelled::Char(':', _)] if drive.is_ascii_alphabetic());
    if spelled.first() == Some(&Spelled::Separator) || is_recursive || is_drive {
        (Anchor::Root, spelled)
    } else {
        (Anchor::Cwd, spelled)
    }
}

fn without_prefix<'s>(spelled: &'s [Spelled], prefix: &str) -> Option<&'s [Spelled]> {
    prefix.chars().try_fold(spelled, |rest, letter| {
        let (first, rest) = rest.split_first()?;
        (*first == Spelled::Char(letter, false)).then_some(rest)
    })
}

/// The text of a component that is nothing but letters.
fn letters(component: &[Spelled]) -> Option<String> {
    let letter = |part: &Spelled| match part {
        Spelled::Char(letter, _) => Some(*letter),
        _ => None,
    };
    component.iter().map(letter).collect()
}

fn name(component: &[Spelled], fold: bool) -> Component {
    if component.len() > 1 && component.iter().all(|part| *part == Spelled::Star) {
        return Component::Any;
    }
    let mut atoms = Vec::new();
    for part in component {
        let atom = match part {
            Spelled::Char(letter, _) if fold => Atom::Char(fold_char(*letter)),
            Spelled::Char(letter, _) => Atom::Char(*letter),
            Spelled::AnyChar => Atom::AnyChar,
            Spelled::Star => Atom::Star,
            Spelled::Class(class) => Atom::Class(CharSet::new(class, fold)),
            Spelled::Separator => continue,
        };
        // `*?` and `?*` are one: the star stands behind the characters that have to be there.
        match (atoms.last(), &atom) {
            (Some(Atom::Star), Atom::Star) => {}
            (Some(Atom::Star), Atom::AnyChar) => {
                atoms.pop();
                atoms.extend([atom, Atom::Star]);
            }
            _ => atoms.push(atom),
        }
    }
    Component::Name(atoms)
}

/// `**/**` is `**`, and `*/**` is `**/*`: a run of both has one `**`, from the root in front of the components that have
/// to be there, elsewhere behind them, which is the shorter text each.
fn merged(anchor: Anchor, components: Vec<Component>) -> Vec<Component> {
    let star = Component::Name(vec![Atom::Star]);
    let mut merged: Vec<Component> = Vec::with_capacity(components.len());
    let is_wild = |component: &Component| *component == Component::Any || *component == star;
    for run in components.chunk_by(|left, right| is_wild(left) == is_wild(right)) {
        let has_any = run.contains(&Component::Any);
        let names = run
            .iter()
            .filter(|component| **component != Component::Any)
            .cloned();
        let any = has_any.then_some(Component::Any);
        if anchor == Anchor::Root {
            merged.extend(any.into_iter().chain(names));
        } else {
            merged.extend(names.chain(any));
        }
    }
    merged
}
