//! The manifest `permc.jsonc`: which files make a policy, and with which options it is compiled.

use crate::config::{
    Report, boolean, duplicate_keys, first_members, name, object, text, unknown_key,
};
use crate::diagnostic::Diagnostic;
use crate::source_map::FileId;
use permc_grammar::jsonc::{Member, Value};
use permc_grammar::span::Spanned;

/// The name of a manifest.
pub const FILE_NAME: &str = "permc.jsonc";

/// What a manifest says; paths are relative to its directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The operator's document.
    pub global: Option<Spanned<String>>,
    /// The project's document.
    pub project: Option<Spanned<String>>,
    /// The directory of the operator's agents.
    pub agents: Option<Spanned<String>>,
    /// The directory of the project's agents.
    pub project_agents: Option<Spanned<String>>,
    /// The list of MCP servers.
    pub mcp: Option<Spanned<String>>,
    /// The session rules.
    pub session: Option<Spanned<String>>,
    /// The tiers in a file of their own.
    pub tiers: Option<Spanned<String>>,
    /// Where the artifact goes.
    pub output: Option<Spanned<String>>,
    /// Whether path surfaces fold case.
    pub fold_paths: Option<Spanned<bool>>,
    /// Whether the project's scopes are left out.
    pub untrusted_project: Option<Spanned<bool>>,
    /// Whether a broken file of a project or agent clamps instead of stopping the compile.
    pub fail_closed: Option<Spanned<bool>>,
}

const KEYS: [&str; 12] = [
    "$schema",
    "global",
    "project",
    "agents",
    "projectAgents",
    "mcp",
    "session",
    "tiers",
    "output",
    "foldPaths",
    "untrustedProject",
    "failClosed",
];

/// Types and validates a manifest; all mistakes are reported and what is valid is kept.
///
/// # Example
///
/// ```
/// use permc::manifest::parse_manifest;
/// use permc::source_map::FileId;
/// use permc_grammar::{jsonc, limits::Limits};
///
/// let tree = jsonc::parse(r#"{ "global": "policy.jsonc" }"#, &Limits::default()).unwrap();
/// let (manifest, found) = parse_manifest(FileId(0), &tree.root);
/// assert_eq!(manifest.global.unwrap().value, "policy.jsonc");
/// assert!(found.is_empty());
/// ```
#[must_use]
pub fn parse_manifest(file: FileId, tree: &Value) -> (Manifest, Vec<Diagnostic>) {
    let mut report = Report::new(file);
    let mut manifest = Manifest::default();
    duplicate_keys(&mut report, tree);
    let help = "write `{ \"global\": \"policy.jsonc\" }`";
    let members = object(&mut report, tree, "a manifest", help).unwrap_or_default();
    for Member { key, value } in first_members(members) {
        let what = format!("`{}`", key.value);
        let path = match key.value.as_str() {
            "$schema" => {
                text(&mut report, value, &what);
                continue;
            }
            "foldPaths" => {
                manifest.fold_paths = boolean(&mut report, value, &what);
                continue;
            }
            "untrustedProject" => {
                manifest.untrusted_project = boolean(&mut report, value, &what);
                continue;
            }
            "failClosed" => {
                manifest.fail_closed = boolean(&mut report, value, &what);
                continue;
            }
            "global" => &mut manifest.global,
            "project" => &mut manifest.project,
            "agents" => &mut manifest.agents,
            "projectAgents" => &mut manifest.project_agents,
            "mcp" => &mut manifest.mcp,
            "session" => &mut manifest.session,
            "tiers" => &mut manifest.tiers,
            "output" => &mut manifest.output,
            _ => {
                unknown_key(&mut report, key, "a manifest", &KEYS);
                continue;
            }
        };
        *path = name(&mut report, value, &what);
    }
    (manifest, report.finish())
}
