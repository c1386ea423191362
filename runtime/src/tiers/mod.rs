//! Trust tiers: a model's tier, and what it says about a path (page 3).

mod path;
mod stored;

pub(crate) use self::path::Places;
pub use self::stored::TierView;
pub(crate) use self::stored::{Set, Tier, Tiers, validate};

use core::fmt;

use crate::automaton::{AnyAutomaton, Automaton, Cell, Walk};
use crate::bytes::index;
use crate::decision::{Action, RuleRef};
use crate::format;
use crate::lookup::feed_folded;
use crate::parts::Parts;
use crate::query::Bound;

use self::path::Path;

/// What a tier's effect is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TierGroup {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Running commands.
    Execute,
    /// Talking to the network.
    Network,
}

impl TierGroup {
    /// All groups, in the order of the artifact.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Execute, Self::Network];

    /// `read`, `write`, `execute` or `network`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
            Self::Network => "network",
        }
    }

    /// The group of this exact lower-case name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.as_str() == name)
    }

    /// The group of an action; none for an action that tiers say nothing about.
    ///
    /// # Example
    ///
    /// ```
    /// use permc_runtime::TierGroup;
    ///
    /// assert_eq!(TierGroup::of_action("edit"), Some(TierGroup::Write));
    /// assert_eq!(TierGroup::of_action("Edit"), None);
    /// ```
    #[must_use]
    pub fn of_action(action: &str) -> Option<Self> {
        match action {
            "read" | "glob" | "grep" => Some(Self::Read),
            "write" | "edit" => Some(Self::Write),
            "bash" => Some(Self::Execute),
            "webfetch" | "websearch" => Some(Self::Network),
            _ => None,
        }
    }

    pub(crate) const fn number(self) -> usize {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::Execute => 2,
            Self::Network => 3,
        }
    }
}

/// The row of a tier that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierRow<'a> {
    /// Its number among all rows of the artifact.
    pub number: u32,
    /// The pattern as it was typed.
    pub pattern: &'a str,
    /// Id and place.
    pub rule: RuleRef<'a>,
    /// Whether the project wrote it.
    pub is_project: bool,
}

/// What a tier says about a resource, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TierAnswer<'a> {
    /// The effect; `None`: no opinion, so that rules decide.
    pub effect: Option<Action>,
    /// The model's tier.
    pub tier: Option<&'a str>,
    /// Its label.
    pub label: Option<&'a str>,
    /// Whether the model is not assigned to a tier that exists, so that the default tier counts.
    pub via_default: bool,
    /// The action's group.
    pub group: Option<TierGroup>,
    /// The row that decided; of operator and project the stricter one, the operator's on a tie.
    pub row: Option<TierRow<'a>>,
    /// The artifact contradicted itself, or the working directory is not absolute; the effect is then a deny.
    pub is_fault: bool,
}

/// Trust tiers at a working directory.
///
/// # Example
///
/// ```no_run
/// use permc_runtime::{Context, Policy};
///
/// let policy = Policy::open("policy.permc")?;
/// let bound = policy.bind(Context { cwd: Some("/srv/app"), ..Context::default() })?;
/// let answer = bound.tiers_at("/srv/other").explain("some-provider/some-model", "read", "src");
/// println!("{:?} by {:?}", answer.effect, answer.row.map(|row| row.pattern));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TiersAt<'b, 'p> {
    bound: &'b Bound<'p>,
    places: Places,
}

impl<'p> TiersAt<'_, 'p> {
    /// As [`Bound::explain_provider_permission`].
    #[must_use]
    pub fn explain(&self, model: &str, action: &str, resource: &str) -> TierAnswer<'p> {
        self.bound.answer(&self.places, model, action, resource)
    }
}

impl<'p> Bound<'p> {
    /// The effect of a model's trust tier on an action and a resource, a path; `None` is no opinion.
    ///
    /// The longest pattern that matches and says something about the action's group decides, of equally long ones the
    /// strictest. A relative resource is below the bound working directory. Pure; never panics.
    ///
    /// # Complexity
    ///
    /// O(model + resource) for each table of the tier, whatever the number of tiers, models and rows; no allocation for a
    /// resource below 1 KiB, nor for any that is absolute and clean.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let context = Context { home: Some("/home/dev"), cwd: Some("/srv/app"), ..Context::default() };
    /// let bound = policy.bind(context)?;
    /// let effect = bound.resolve_provider_permission("some-provider/some-model", "write", "src/main.rs");
    /// println!("{}", effect.map_or("no opinion", |effect| effect.as_str()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn resolve_provider_permission(
        &self,
        model: &str,
        action: &str,
        resource: &str,
    ) -> Option<Action> {
        let (parts, _) = self.tables();
        let group = TierGroup::of_action(action)?;
        let (tier, _) = parts.tiers.of_model(&parts.strings, model)?;
        let tier = parts.tiers.tier(tier);
        let decided = tier.and_then(|tier| decide(parts, &tier, group, self.places(), resource));
        match decided {
            Some(decided) => decided.map(|decided| decided.effect),
            None => Some(Action::Deny),
        }
    }

    /// The same with tier, group and row.
    ///
    /// # Complexity
    ///
    /// As [`Self::resolve_provider_permission`].
    #[must_use]
    pub fn explain_provider_permission(
        &self,
        model: &str,
        action: &str,
        resource: &str,
    ) -> TierAnswer<'p> {
        self.answer(self.places(), model, action, resource)
    }

    /// The tiers for calls whose working directory is another than the bound one.
    ///
    /// # Complexity
    ///
    /// O(working directory); it is copied.
    #[must_use]
    pub fn tiers_at(&self, cwd: &str) -> TiersAt<'_, 'p> {
        TiersAt {
            places: self.places().at(cwd),
            bound: self,
        }
    }

    /// Whether the policy has trust tiers.
    #[must_use]
    pub fn has_tiers(&self) -> bool {
        let (parts, _) = self.tables();
        !parts.tiers.is_empty()
    }

    fn answer(&self, places: &Places, model: &str, action: &str, resource: &str) -> TierAnswer<'p> {
        let (parts, _) = self.tables();
        let mut answer = TierAnswer {
            group: TierGroup::of_action(action),
            ..TierAnswer::default()
        };
        let Some((tier, via_default)) = parts.tiers.of_model(&parts.strings, model) else {
            return answer;
        };
        answer.via_default = via_default;
        let describe = |answer: &mut TierAnswer<'p>| {
            let tier = parts.tiers.tier(tier)?;
            answer.tier = Some(parts.strings.get(tier.id)?);
            answer.label = parts.strings.optional(tier.label);
            let Some(group) = answer.group else {
                return Some(());
            };
            if let Some(decided) = decide(parts, &tier, group, places, resource)? {
                let row = parts
                    .tiers
                    .row(&parts.strings, decided.row, decided.is_project)?;
                answer.row = Some(row);
                answer.effect = Some(decided.effect);
            }
            Some(())
        };
        if describe(&mut answer).is_none() {
            // INVARIANT: a loaded policy has every number in range, so only an unknown working directory ends here.
            answer.effect = Some(Action::Deny);
            answer.row = None;
            answer.is_fault = true;
        }
        answer
    }
}

/// The row that decides.
struct Decided {
    row: u32,
    effect: Action,
    is_project: bool,
}

/// What a tier says about a path; the outer `None` is a fault.
fn decide(
    parts: &Parts<'_>,
    tier: &Tier<'_>,
    group: TierGroup,
    places: &Places,
    resource: &str,
) -> Option<Option<Decided>> {
    // Rows below a working directory that nobody knows would match nothing, denies among them.
    places.cwd.as_ref()?;
    places.path(resource, |path| {
        let mut decided: Option<Decided> = None;
        for (sets, is_project) in [(tier.operator, false), (tier.project, true)] {
            let set = u32::from_le_bytes(*sets.get(group.number())?);
            let Some(set) = set.checked_sub(1) else {
                continue;
            };
            let set = parts.tiers.set(set)?;
            let Some(rank) = best(parts, &set, &path, places)?.checked_sub(1) else {
                continue;
            };
            let (row, effect) = set.rank(rank)?;
            if decided.as_ref().is_none_or(|known| effect > known.effect) {
                decided = Some(Decided {
                    row,
                    effect,
                    is_project,
                });
            }
        }
        Some(decided)
    })?
}

/// The highest rank + 1 of a set's rows that matches.
fn best(parts: &Parts<'_>, set: &Set<'_>, path: &Path<'_>, places: &Places) -> Option<u32> {
    let mut best = 0;
    for (anchor, table) in set.tables() {
        let below = match anchor {
            format::ANCHOR_HOME => places.below_home(path),
            format::ANCHOR_CWD => places.below_cwd(path),
            _ => Some(*path),
        };
        let Some(below) = below else {
            continue;
        };
        let entry = parts.tables.get(table)?;
        if entry.bound <= best {
            continue;
        }
        best = match AnyAutomaton::read(entry.kind, entry.bytes)? {
            AnyAutomaton::Narrow(table) => walk(&table, &below, places.fold, best)?,
            AnyAutomaton::Wide(table) => walk(&table, &below, places.fold, best)?,
        };
    }
    Some(best)
}

fn walk<C: Cell>(table: &Automaton<'_, C>, path: &Path<'_>, fold: bool, best: u32) -> Option<u32> {
    // The tables of tiers have no lists.
    let mut visit = |_, best| Some(best);
    let mut walk = Walk::new(table, table.start, best, &mut visit)?;
    for piece in [path.base, path.rest] {
        if fold {
            feed_folded(&mut walk, piece, &mut visit)?;
        } else {
            walk.feed(piece.as_bytes(), &mut visit)?;
        }
    }
    walk.finish()
}

impl fmt::Display for TierGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Rows and tables are counted in words.
pub(crate) fn at(number: u32, words: usize) -> Option<usize> {
    index(number).checked_mul(words)
}
