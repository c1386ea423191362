//! Typed, spanned policy documents: what page 1.3 allows in a file, before scopes are merged.

mod chain;
mod document;
mod fields;
mod lists;
mod permission;
mod settings;
mod shell_tools;
mod tiers;

pub use self::document::{parse_agent, parse_front_matter, parse_policy};
pub use self::lists::{SessionRule, parse_mcp, parse_session, parse_tiers_file};

pub(crate) use self::fields::{
    Report, boolean, duplicate_keys, first_members, name, object, text, unknown_key,
};

use permc_grammar::span::Spanned;
use permc_runtime::Action;
pub use permc_runtime::TierGroup;

/// A policy document of any scope. Keys that the scope may not set have been reported and left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyDocument {
    /// `permission`, in source order.
    pub permission: Vec<SurfaceEntry>,
    /// `shellTools`, in source order.
    pub shell_tools: Vec<ShellTool>,
    /// `piInfrastructureReadPaths`.
    pub infrastructure_paths: Vec<Spanned<String>>,
    /// `yoloMode`.
    pub yolo_mode: Option<Spanned<bool>>,
    /// `authorizerChain`.
    pub authorizer_chain: Option<Vec<Spanned<String>>>,
    /// `modelDelegation`.
    pub delegation: Option<ModelDelegation>,
    /// `providerPermissions`.
    pub tiers: Option<ProviderPermissions>,
}

/// One key of `permission`.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceEntry {
    /// The surface pattern.
    pub surface: Spanned<String>,
    /// What it holds.
    pub value: SurfaceValue,
}

/// The value of a surface key.
#[derive(Clone, Debug, PartialEq)]
pub enum SurfaceValue {
    /// An action string, short for `{"*": action}`.
    Action(Spanned<Action>),
    /// A map of patterns, in source order.
    Map(Vec<PatternEntry>),
}

/// One pattern of a surface map.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternEntry {
    /// The pattern.
    pub pattern: Spanned<String>,
    /// The action; the span is that of the whole value.
    pub action: Spanned<Action>,
    /// The reason of a deny.
    pub reason: Option<Spanned<String>>,
}

/// One entry of `shellTools`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShellTool {
    /// The tool's name; the span is that of the key.
    pub tool: Spanned<String>,
    /// The argument that holds the command.
    pub command_argument: Spanned<String>,
    /// The argument that holds the working directory.
    pub workdir_argument: Option<Spanned<String>>,
}

/// `modelDelegation`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelDelegation {
    /// Surfaces on which a link may allow.
    pub allowed_surfaces: Vec<Spanned<String>>,
    /// Surfaces on which no link may allow.
    pub excluded_surfaces: Vec<Spanned<String>>,
    /// Further secret-shaped file patterns.
    pub secret_patterns: Vec<Spanned<String>>,
}

/// `providerPermissions` (page 3).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProviderPermissions {
    /// The tier of models that are not assigned.
    pub default_tier: Option<Spanned<String>>,
    /// The tiers, in source order.
    pub tiers: Vec<Tier>,
    /// Model to tier, in source order.
    pub assignments: Vec<(Spanned<String>, Spanned<String>)>,
}

/// One trust tier.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// The id.
    pub id: Spanned<String>,
    /// The label that people see.
    pub label: Option<Spanned<String>>,
    /// Directory pattern to effects, in source order.
    pub rows: Vec<TierRow>,
}

/// One row of a tier.
#[derive(Clone, Debug, PartialEq)]
pub struct TierRow {
    /// The directory pattern.
    pub pattern: Spanned<String>,
    /// The effects that the row states, in source order.
    pub effects: Vec<(TierGroup, Spanned<Action>)>,
}
