//! The intermediate form: what the documents mean, before it becomes tables.

use permc_runtime::{Action, Layer, Origin, TierGroup};
use sha2::{Digest as _, Sha256};

use crate::source_map::Location;

/// One rule of a composed list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Surface pattern.
    pub surface: String,
    /// Pattern of values.
    pub pattern: String,
    /// What it says, after any clamp.
    pub action: Action,
    /// Why, for a deny.
    pub reason: Option<String>,
    /// Where it sits in the composed list.
    pub layer: Layer,
    /// Which scope wrote it last.
    pub origin: Origin,
    /// The agent whose document wrote it last.
    pub agent: Option<String>,
    /// Where it was written last: the pattern's key, or the surface's for a shorthand.
    pub location: Option<Location>,
    /// What stood at this surface and pattern, lowest scope first; the last entry is the rule itself.
    pub history: Vec<Writing>,
}

/// One writing of a surface and pattern by one document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Writing {
    /// The scope.
    pub origin: Origin,
    /// The agent, in agent scopes.
    pub agent: Option<String>,
    /// What it said.
    pub action: Action,
    /// How it met what stood there.
    pub how: Written,
    /// Where.
    pub location: Location,
}

/// How a writing met what lower scopes had written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// Nothing stood there.
    New,
    /// The same pattern stood there: the position stays, action and origin are new.
    Restated,
    /// An action string or a map stood at the surface and was replaced as a whole.
    Replaced,
}

impl Written {
    /// The word that `explain` shows.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Restated => "restated",
            Self::Replaced => "replaced",
        }
    }
}

impl Rule {
    /// The stable id: a hash of origin, agent, surface and pattern, so that moving a line changes nothing.
    #[must_use]
    pub fn id(&self) -> u64 {
        let agent = self.agent.as_deref().unwrap_or("");
        stable_id(&[self.origin.as_str(), agent, &self.surface, &self.pattern])
    }
}

/// A hash of texts that say what something is.
fn stable_id(fields: &[&str]) -> u64 {
    let mut hash = Sha256::new();
    for field in fields {
        // The length in front keeps ("a", "bc") apart from ("ab", "c").
        hash.update(u64::try_from(field.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(field);
    }
    let digest: [u8; 32] = hash.finalize().into();
    digest.first_chunk().copied().map_or(0, u64::from_le_bytes)
}

/// The composed list of one agent, lowest rule first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The agent; `None` for the base view.
    pub agent: Option<String>,
    /// Indexes into [`ResolvedPolicy::rules`].
    pub rules: Vec<u32>,
    /// Whether a broken file clamped every allow to ask; yolo has no effect then.
    pub clamped: bool,
}

/// A tool that is gated as bash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellTool {
    /// Tool name.
    pub tool: String,
    /// Argument that holds the command.
    pub command_argument: String,
    /// Argument that holds the working directory.
    pub workdir_argument: Option<String>,
}

/// What a link of the authorizer chain may allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delegation {
    /// Surfaces on which a link may allow.
    pub allowed_surfaces: Vec<String>,
    /// Surfaces on which no link may allow.
    pub excluded_surfaces: Vec<String>,
    /// Further secret-shaped patterns.
    pub secret_patterns: Vec<String>,
}

/// Trust tiers (page 3), references resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tiers {
    /// The tiers in the order of the operator's document.
    pub tiers: Vec<Tier>,
    /// Index of the tier of models that are not assigned; none where none is named, or one that does not exist.
    pub default: Option<usize>,
    /// Model and index of its tier, by model; none where it is assigned to a tier that does not exist.
    pub assignments: Vec<(String, Option<usize>)>,
}

/// One trust tier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tier {
    /// The id.
    pub id: String,
    /// The label that people see.
    pub label: Option<String>,
    /// The operator's rows, in source order.
    pub operator: Vec<TierRow>,
    /// The project's rows, in source order.
    pub project: Vec<TierRow>,
}

/// One row of a tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierRow {
    /// The pattern as it was typed.
    pub pattern: String,
    /// What it says, each group once.
    pub effects: Vec<(TierGroup, Action)>,
    /// Where the pattern stands.
    pub location: Location,
}

impl Tiers {
    /// All rows in the order of the artifact: tier by tier, the operator's before the project's.
    pub fn rows(&self) -> impl Iterator<Item = (&Tier, &TierRow, bool)> {
        self.tiers.iter().flat_map(|tier| {
            let scopes = tier.scopes().into_iter();
            scopes.flat_map(move |(rows, is_project)| {
                rows.iter().map(move |row| (tier, row, is_project))
            })
        })
    }
}

impl Tier {
    /// Rows and whether they are the project's.
    pub fn scopes(&self) -> [(&[TierRow], bool); 2] {
        [(&self.operator, false), (&self.project, true)]
    }
}

impl TierRow {
    /// The stable id: a hash of scope, tier and pattern.
    #[must_use]
    pub fn id(&self, tier: &str, is_project: bool) -> u64 {
        let origin = if is_project {
            Origin::Project
        } else {
            Origin::Global
        };
        stable_id(&["tier", origin.as_str(), tier, &self.pattern])
    }

    /// What the row says about a group.
    #[must_use]
    pub fn effect(&self, group: TierGroup) -> Option<Action> {
        let mut effects = self.effects.iter();
        effects.find_map(|(known, effect)| (*known == group).then_some(*effect))
    }
}

/// A policy with scopes merged and layers composed: one ordered list a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPolicy {
    /// Every distinct rule.
    pub rules: Vec<Rule>,
    /// The base view, then one a known agent, by name.
    pub views: Vec<View>,
    /// MCP servers in configured order.
    pub servers: Vec<String>,
    /// Shell tools.
    pub shell_tools: Vec<ShellTool>,
    /// Infrastructure reads.
    pub infrastructure_paths: Vec<String>,
    /// The authorizer chain.
    pub authorizer_chain: Vec<String>,
    /// The delegation envelope.
    pub delegation: Option<Delegation>,
    /// Yolo mode unless the caller says otherwise.
    pub yolo: bool,
    /// Trust tiers.
    pub tiers: Tiers,
    /// Path surfaces fold case and backslashes.
    pub fold_paths: bool,
}

impl ResolvedPolicy {
    /// The rule with this index.
    #[must_use]
    pub fn rule(&self, index: u32) -> Option<&Rule> {
        self.rules.get(usize::try_from(index).ok()?)
    }

    /// The view of an agent; the base view for an unknown one.
    #[must_use]
    pub fn view(&self, agent: Option<&str>) -> Option<&View> {
        self.views
            .iter()
            .find(|view| agent.is_some() && view.agent.as_deref() == agent)
            .or_else(|| self.views.first())
    }
}
