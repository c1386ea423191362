//! The section that only tools read: sources, views, merge history, warnings. serde + bincode.
//!
//! bincode is unmaintained (RUSTSEC-2025-0141) and was chosen by the project's owner; it is pinned, bounded by a limit,
//! sits behind the artifact's checksum and never enters the runtime.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::diagnostic::{Diagnostic, Severity};
use crate::options::{Budget, Options};
use crate::rule::{ResolvedPolicy, Rule, Writing};
use crate::source_map::{Location, Role, SourceMap};

/// Most bytes that decoding may claim.
const LIMIT: usize = 256 * 1024 * 1024;

/// Most characters of a source line that are kept.
const MAX_LINE: usize = 160;

/// What the cold section holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cold {
    /// Version of the compiler.
    pub compiler: String,
    /// `--fold-paths`.
    pub fold_paths: bool,
    /// `--untrusted-project`.
    pub untrusted_project: bool,
    /// `--fail-closed`.
    pub fail_closed: bool,
    /// `--budget`.
    pub budget: ColdBudget,
    /// The source files.
    pub sources: Vec<ColdSource>,
    /// For each view its composed rules, lowest first, by number.
    pub views: Vec<Vec<u32>>,
    /// For each rule what the hot columns leave out.
    pub rules: Vec<ColdRule>,
    /// Where each row of the trust tiers stands, in the order of the artifact.
    pub tier_rows: Vec<ColdPlace>,
    /// The warnings of the compilation.
    pub warnings: Vec<ColdWarning>,
}

/// The budgets that the tables were built under; see [`Budget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColdBudget {
    /// [`Budget::merged_states`].
    pub merged_states: u64,
    /// [`Budget::joint_bytes`].
    pub joint_bytes: u64,
    /// [`Budget::group_states`].
    pub group_states: u64,
    /// [`Budget::steps`].
    pub steps: u64,
    /// [`Budget::exact_rules`].
    pub exact_rules: u64,
    /// [`Budget::shared_rules`].
    pub shared_rules: u64,
    /// [`Budget::surface_states`].
    pub surface_states: u64,
    /// [`Budget::search_nodes`].
    pub search_nodes: u64,
}

impl From<Budget> for ColdBudget {
    fn from(budget: Budget) -> Self {
        let wide = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
        Self {
            merged_states: wide(budget.merged_states),
            joint_bytes: wide(budget.joint_bytes),
            group_states: wide(budget.group_states),
            steps: wide(budget.steps),
            exact_rules: wide(budget.exact_rules),
            shared_rules: wide(budget.shared_rules),
            surface_states: wide(budget.surface_states),
            search_nodes: wide(budget.search_nodes),
        }
    }
}

impl From<ColdBudget> for Budget {
    fn from(budget: ColdBudget) -> Self {
        let narrow = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        Self {
            merged_states: narrow(budget.merged_states),
            joint_bytes: narrow(budget.joint_bytes),
            group_states: narrow(budget.group_states),
            steps: narrow(budget.steps),
            exact_rules: narrow(budget.exact_rules),
            shared_rules: narrow(budget.shared_rules),
            surface_states: narrow(budget.surface_states),
            search_nodes: narrow(budget.search_nodes),
        }
    }
}

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColdSource {
    /// The scope.
    pub scope: String,
    /// The name relative to the scope's root.
    pub name: String,
    /// SHA-256 of the text.
    pub sha256: [u8; 32],
}

/// Details of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColdRule {
    /// The agent whose document wrote it.
    pub agent: Option<String>,
    /// The writings, lowest scope first.
    pub history: Vec<ColdWriting>,
}

/// One writing of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColdWriting {
    /// The scope.
    pub origin: String,
    /// The agent, in agent scopes.
    pub agent: Option<String>,
    /// The action.
    pub action: String,
    /// `new`, `restated` or `replaced`.
    pub how: String,
    /// Where it stands.
    pub place: ColdPlace,
}

/// A place in a source with the text that stands there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColdPlace {
    /// File relative to its scope's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The source line, cut where it is long.
    pub text: String,
}

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColdWarning {
    /// The code.
    pub code: String,
    /// The message.
    pub message: String,
    /// Where.
    pub place: Option<ColdPlace>,
}

impl Cold {
    /// Collects what tools will want to know.
    #[must_use]
    pub(crate) fn new(
        policy: &ResolvedPolicy,
        sources: &SourceMap,
        options: &Options,
        diagnostics: &[Diagnostic],
    ) -> Self {
        Self {
            compiler: env!("CARGO_PKG_VERSION").to_owned(),
            fold_paths: options.fold_paths,
            untrusted_project: options.untrusted_project,
            fail_closed: options.fail_closed,
            budget: options.budget.into(),
            sources: sources
                .iter()
                .filter(|(_, file)| file.role != Role::Manifest)
                .map(|(_, file)| ColdSource {
                    scope: file.role.name().to_owned(),
                    name: file.name.clone(),
                    sha256: Sha256::digest(file.text.as_bytes()).into(),
                })
                .collect(),
            views: policy.views.iter().map(|view| view.rules.clone()).collect(),
            rules: policy
                .rules
                .iter()
                .map(|rule| cold_rule(rule, sources))
                .collect(),
            tier_rows: policy
                .tiers
                .rows()
                .map(|(_, row, _)| place(row.location, sources).unwrap_or_default())
                .collect(),
            warnings: diagnostics
                .iter()
                .filter(|diagnostic| diagnostic.severity == Severity::Warning)
                .map(|diagnostic| ColdWarning {
                    code: diagnostic.code.as_str().to_owned(),
                    message: diagnostic.message.clone(),
                    place: diagnostic
                        .primary
                        .as_ref()
                        .and_then(|label| place(label.location, sources)),
                })
                .collect(),
        }
    }

    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        bincode::serde::encode_to_vec(self, bincode::config::standard()).ok()
    }

    /// Reads the section.
    ///
    /// # Errors
    ///
    /// The bytes are not a whole section, or claim more memory than 256 MiB.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let config = bincode::config::standard().with_limit::<LIMIT>();
        let (cold, n_read) = bincode::serde::decode_from_slice(bytes, config)
            .map_err(|error| format!("section `cold` of the artifact is wrong: {error}"))?;
        if n_read == bytes.len() {
            Ok(cold)
        } else {
            Err("section `cold` of the artifact is wrong: bytes follow its end".to_owned())
        }
    }
}

fn cold_rule(rule: &Rule, sources: &SourceMap) -> ColdRule {
    ColdRule {
        agent: rule.agent.clone(),
        history: rule
            .history
            .iter()
            .filter_map(|writing| cold_writing(writing, sources))
            .collect(),
    }
}

fn cold_writing(writing: &Writing, sources: &SourceMap) -> Option<ColdWriting> {
    Some(ColdWriting {
        origin: writing.origin.as_str().to_owned(),
        agent: writing.agent.clone(),
        action: writing.action.as_str().to_owned(),
        how: writing.how.as_str().to_owned(),
        place: place(writing.location, sources)?,
    })
}

fn place(location: Location, sources: &SourceMap) -> Option<ColdPlace> {
    let file = sources.file(location.file)?;
    let at = file.line_column(location.span.start);
    let line = file.line(at.line).unwrap_or_default();
    let text = if line.chars().nth(MAX_LINE).is_none() {
        line.to_owned()
    } else {
        // A document on one line: what stands at the place matters, not what stands before it.
        let rest = file.text.get(location.span.start..).unwrap_or_default();
        let on_line = rest.chars().take_while(|character| *character != '\n');
        on_line.take(MAX_LINE).collect()
    };
    Some(ColdPlace {
        file: file.name.clone(),
        line: at.line,
        column: at.column,
        text,
    })
}
