//! An artifact as tools see it: the loaded policy with the section that the runtime ignores.

use std::fmt;

use permc_runtime::{Contents, LoadError, Policy, RuleView, ViewView};

use crate::cold::{Cold, ColdRule};
use crate::options::Budget;
use crate::reach::{Reach, reachability};
use crate::rule::{ResolvedPolicy, Rule, Tiers, View};

/// A loaded artifact with its cold section.
#[derive(Clone, Debug)]
pub struct Artifact {
    policy: Policy,
    cold: Cold,
}

/// One rule of a view with what both halves of the artifact say about it.
#[derive(Clone, Copy, Debug)]
pub struct EffectiveRule<'a> {
    /// What the runtime has.
    pub rule: RuleView<'a>,
    /// What only tools have.
    pub detail: &'a ColdRule,
}

/// One view with its rules.
#[derive(Clone, Debug)]
pub struct EffectiveView<'a> {
    /// Agent and clamp.
    pub view: ViewView<'a>,
    /// The composed list, lowest rule first.
    pub rules: Vec<EffectiveRule<'a>>,
}

/// Why bytes are not a whole artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The runtime refuses them.
    Load(LoadError),
    /// The cold section is wrong; in words.
    Cold(String),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::Cold(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for DecodeError {}

impl From<LoadError> for DecodeError {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

impl Artifact {
    /// Loads an artifact and checks that its cold section fits the rest.
    ///
    /// # Errors
    ///
    /// The bytes do not load, or the cold section is cut, too large, or speaks of rules that are not there.
    ///
    /// # Complexity
    ///
    /// O(bytes).
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        let policy = Policy::from_bytes(bytes)?;
        let contents = policy.contents()?;
        let cold = Cold::decode(contents.cold()).map_err(DecodeError::Cold)?;
        let n_rules = contents.rules().count();
        let fits = cold.rules.len() == n_rules
            && cold.views.len() == contents.views().count()
            && cold
                .views
                .iter()
                .flatten()
                .all(|rule| usize::try_from(*rule).is_ok_and(|rule| rule < n_rules))
            && cold.tier_rows.len() >= contents.n_tier_rows();
        if fits {
            Ok(Self { policy, cold })
        } else {
            let message =
                "section `cold` of the artifact is wrong: it does not fit the rules and views";
            Err(DecodeError::Cold(message.to_owned()))
        }
    }

    /// The policy as the runtime has it.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The section that only tools read.
    #[must_use]
    pub const fn cold(&self) -> &Cold {
        &self.cold
    }

    /// What the artifact holds.
    ///
    /// # Errors
    ///
    /// None: the bytes were checked when they were loaded.
    pub fn contents(&self) -> Result<Contents<'_>, LoadError> {
        self.policy.contents()
    }

    /// All views with their composed lists; the base view first.
    ///
    /// # Errors
    ///
    /// As [`Artifact::contents`].
    ///
    /// # Complexity
    ///
    /// O(rules x views).
    pub fn views(&self) -> Result<Vec<EffectiveView<'_>>, LoadError> {
        let contents = self.contents()?;
        let rules: Vec<RuleView<'_>> = contents.rules().collect();
        let effective = |id: &u32| {
            let id = usize::try_from(*id).ok()?;
            Some(EffectiveRule {
                rule: *rules.get(id)?,
                detail: self.cold.rules.get(id)?,
            })
        };
        Ok(contents
            .views()
            .zip(&self.cold.views)
            .map(|(view, ids)| EffectiveView {
                view,
                rules: ids.iter().filter_map(effective).collect(),
            })
            .collect())
    }
}

impl Artifact {
    /// For each view and each of its rules whether it can win; see [`reachability`].
    ///
    /// # Errors
    ///
    /// As [`Artifact::contents`].
    pub fn reachability(&self, budget: &Budget) -> Result<Vec<Vec<Reach>>, LoadError> {
        let contents = self.contents()?;
        let rules = contents.rules().map(|rule| Rule {
            surface: rule.surface.to_owned(),
            pattern: rule.pattern.to_owned(),
            action: rule.action,
            reason: None,
            layer: rule.layer,
            origin: rule.origin,
            agent: None,
            location: None,
            history: Vec::new(),
        });
        let views = contents.views().zip(&self.cold.views);
        let policy = ResolvedPolicy {
            rules: rules.collect(),
            views: views
                .map(|(view, rules)| View {
                    agent: view.agent.map(str::to_owned),
                    rules: rules.clone(),
                    clamped: view.clamped,
                })
                .collect(),
            servers: Vec::new(),
            shell_tools: Vec::new(),
            infrastructure_paths: Vec::new(),
            authorizer_chain: Vec::new(),
            delegation: None,
            yolo: false,
            tiers: Tiers::default(),
            fold_paths: self.cold.fold_paths,
        };
        Ok(reachability(&policy, budget))
    }
}

/// The view that an agent has: its own, or the base view where it is unknown or none.
#[must_use]
pub fn view_of<'v, 'a>(
    views: &'v [EffectiveView<'a>],
    agent: Option<&str>,
) -> Option<&'v EffectiveView<'a>> {
    views
        .iter()
        .find(|view| agent.is_some() && view.view.agent == agent)
        .or_else(|| views.first())
}
