//! Page 3 read literally: one row after another, the longest pattern that matches.
//!
//! It shares the canonical form of patterns with the compiler, and no code with the automata or the runtime.

use permc_runtime::{Action, TierGroup, fold_char};

use crate::path_pattern::{Anchor, PathPattern};
use crate::rule::{Tier, TierRow, Tiers};

/// Where relative things are, and whether case is folded.
#[derive(Clone, Copy, Debug, Default)]
pub struct TierPlace<'a> {
    /// The home directory.
    pub home: Option<&'a str>,
    /// The working directory.
    pub cwd: &'a str,
    /// Whether case is folded and `\` is `/`.
    pub fold: bool,
}

/// The tier of a model, and whether it is the default one.
#[must_use]
pub fn tier_of<'t>(tiers: &'t Tiers, model: &str) -> Option<(&'t Tier, bool)> {
    let assigned = tiers.assignments.iter().find(|(known, _)| known == model);
    let own = assigned.and_then(|(_, tier)| *tier);
    let tier = |index: usize| tiers.tiers.get(index);
    match own {
        Some(own) => Some((tier(own)?, false)),
        None => Some((tier(tiers.default?)?, true)),
    }
}

/// The effect; none is no opinion.
///
/// # Complexity
///
/// O(rows x (pattern + resource)).
///
/// # Example
///
/// ```
/// use permc::reference::tiers::{TierPlace, resolve};
/// use permc::rule::Tiers;
///
/// let place = TierPlace { home: None, cwd: "/srv/app", fold: false };
/// assert_eq!(resolve(&Tiers::default(), &place, "some-model", "read", "src"), None);
/// ```
#[must_use]
pub fn resolve(
    tiers: &Tiers,
    place: &TierPlace<'_>,
    model: &str,
    action: &str,
    resource: &str,
) -> Option<Action> {
    let group = group(action)?;
    let (tier, _) = tier_of(tiers, model)?;
    let of = |rows: &[TierRow]| {
        let found = rows
            .iter()
            .filter_map(|row| Some((length(&row.pattern, place, resource)?, row.effect(group)?)));
        found.max().map(|(_, effect)| effect)
    };
    of(&tier.operator).max(of(&tier.project))
}

fn group(action: &str) -> Option<TierGroup> {
    Some(match action {
        "read" | "glob" | "grep" => TierGroup::Read,
        "write" | "edit" => TierGroup::Write,
        "bash" => TierGroup::Execute,
        "webfetch" | "websearch" => TierGroup::Network,
        _ => return None,
    })
}

/// The length of a pattern that matches a resource.
pub(crate) fn length(pattern: &str, place: &TierPlace<'_>, resource: &str) -> Option<usize> {
    let pattern = PathPattern::parse(pattern, place.fold).ok()?;
    let path = names(resource, place, true);
    let home = place.home.map(|home| names(home, place, false));
    let cwd = names(place.cwd, place, false);
    let matches = Anchor::ALL.into_iter().any(|anchor| {
        let base = match anchor {
            Anchor::Root => Some(&[][..]),
            Anchor::Home => home.as_deref(),
            Anchor::Cwd => Some(cwd.as_slice()),
        };
        let below = base.and_then(|base| path.strip_prefix(base));
        let Some(below) = below else {
            return false;
        };
        let text: String = below.iter().map(|name| format!("/{name}")).collect();
        pattern
            .at(anchor)
            .any(|alternative| alternative.matches_path(&text))
    });
    matches.then_some(pattern.length)
}

/// The names of an absolute path; a relative one is below the working directory, or below home.
fn names(path: &str, place: &TierPlace<'_>, is_resource: bool) -> Vec<String> {
    let path = if place.fold {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    let drive = path.split('/').next().unwrap_or_default();
    let is_drive = place.fold
        && drive.len() == 2
        && drive.ends_with(':')
        && drive.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let mut names: Vec<String> = Vec::new();
    let mut rest = path.as_str();
    if is_resource && !path.starts_with('/') && !is_drive {
        names = self::names(place.cwd, place, false);
        let homes = ["~", "$HOME", "${HOME}"].into_iter();
        let mut below = homes.filter_map(|spelling| path.strip_prefix(spelling));
        let below = below.find(|rest| rest.is_empty() || rest.starts_with('/'));
        if let (Some(below), Some(home)) = (below, place.home) {
            names = self::names(home, place, false);
            rest = below;
        }
    }
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name if place.fold => names.push(name.chars().map(fold_char).collect()),
            name => names.push(name.to_owned()),
        }
    }
    names
}
