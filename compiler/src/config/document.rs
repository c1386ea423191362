//! The top level of policy and agent documents: which keys there are, and who may set what.

use super::fields::{
    Report, boolean, duplicate_keys, duplicate_members, first_members, names, object, text,
    unknown_key,
};
use super::settings::{RUNTIME_ONLY, check, setting};
use super::{PolicyDocument, chain, permission, shell_tools, tiers};
use crate::diagnostic::{Code, Diagnostic, quote};
use crate::source_map::{FileId, Role};
use crate::suggest::is_near_miss;
use permc_grammar::jsonc::{Member, Value, ValueKind};
use permc_grammar::span::Spanned;

/// Whose document it is, as far as operator policy is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The operator's.
    Global,
    /// The project's.
    Project,
}

/// The keys that decide something, in the order of the documentation.
pub(super) const POLICY_KEYS: [&str; 8] = [
    "$schema",
    "permission",
    "shellTools",
    "authorizerChain",
    "modelDelegation",
    "yoloMode",
    "providerPermissions",
    "piInfrastructureReadPaths",
];

/// The keys that only the operator may set.
const OPERATOR_KEYS: [&str; 4] = [
    "yoloMode",
    "authorizerChain",
    "modelDelegation",
    "providerPermissions",
];

/// Types and validates a policy document of the global or project scope; agents go to [`parse_agent`].
///
/// All mistakes are reported; what is valid, and may be set by the scope, is kept.
///
/// # Example
///
/// ```
/// use permc::config::parse_policy;
/// use permc::source_map::{FileId, Role};
/// use permc_grammar::{jsonc, limits::Limits};
///
/// let tree = jsonc::parse(r#"{ "permission": { "bash": "Allow" } }"#, &Limits::default()).unwrap();
/// let (_, found) = parse_policy(FileId(0), &tree.root, &Role::Global);
/// assert_eq!(found[0].helps, ["did you mean `allow`?"]);
/// ```
#[must_use]
pub fn parse_policy(file: FileId, tree: &Value, role: &Role) -> (PolicyDocument, Vec<Diagnostic>) {
    let scope = match role {
        Role::Global => Scope::Global,
        Role::Agent(_) | Role::ProjectAgent(_) => return parse_agent(file, tree, role),
        _ => Scope::Project,
    };
    let mut report = Report::new(file);
    let mut document = PolicyDocument::default();
    duplicate_keys(&mut report, tree);
    let help = "write `{ \"permission\": { \"*\": \"ask\" } }`";
    let members = object(&mut report, tree, "a policy document", help).unwrap_or_default();
    for member in first_members(members) {
        policy_key(&mut report, &mut document, member, scope);
    }
    (document, report.finish())
}

fn policy_key(report: &mut Report, document: &mut PolicyDocument, member: &Member, scope: Scope) {
    let Member { key, value } = member;
    match key.value.as_str() {
        "$schema" => {
            text(report, value, "`$schema`");
        }
        "permission" => document.permission = permission::parse(report, value),
        "shellTools" => document.shell_tools = shell_tools::parse(report, value),
        "piInfrastructureReadPaths" => {
            document.infrastructure_paths =
                names(report, value, "piInfrastructureReadPaths", "the path");
        }
        "yoloMode" => document.yolo_mode = yolo_mode(report, value, scope),
        "authorizerChain" => {
            let links = chain::parse_chain(report, value);
            if scope == Scope::Global {
                document.authorizer_chain = Some(links);
            } else {
                operator_only(report, key, "a project");
            }
        }
        "modelDelegation" => document.delegation = chain::parse_delegation(report, value, scope),
        "providerPermissions" => document.tiers = tiers::parse(report, value, scope),
        other => match setting(other) {
            Some(setting) => check(report, member, setting),
            None => {
                let runtime = RUNTIME_ONLY.iter().map(|(name, _)| *name);
                let known: Vec<&str> = POLICY_KEYS.into_iter().chain(runtime).collect();
                unknown_key(report, key, "a policy document", &known);
            }
        },
    }
}

fn yolo_mode(report: &mut Report, value: &Value, scope: Scope) -> Option<Spanned<bool>> {
    let yolo = boolean(report, value, "`yoloMode`")?;
    if scope == Scope::Global || !yolo.value {
        return Some(yolo);
    }
    report.add(
        Code::PROJECT_YOLO,
        yolo.span,
        "only `false` in a project",
        "a project may not turn `yoloMode` on".to_owned(),
        "remove the key, or write `\"yoloMode\": false` to turn it off for this project",
    );
    None
}

fn operator_only(report: &mut Report, key: &Spanned<String>, who: &str) {
    report.add(
        Code::OPERATOR_ONLY,
        key.span,
        "only in the global document",
        format!("{who} may not set `{}`", key.value),
        "move the key to the global document",
    );
}

/// Types and validates an agent's JSONC document, which holds `permission` only.
#[must_use]
pub fn parse_agent(file: FileId, tree: &Value, _role: &Role) -> (PolicyDocument, Vec<Diagnostic>) {
    let mut report = Report::new(file);
    let mut document = PolicyDocument::default();
    duplicate_keys(&mut report, tree);
    let help = "write `{ \"permission\": { \"bash\": \"ask\" } }`";
    let members = object(&mut report, tree, "an agent's document", help).unwrap_or_default();
    for Member { key, value } in first_members(members) {
        match key.value.as_str() {
            "$schema" => {
                text(&mut report, value, "`$schema`");
            }
            "permission" => document.permission = permission::parse(&mut report, value),
            other if OPERATOR_KEYS.contains(&other) => {
                operator_only(&mut report, key, "an agent's document");
            }
            other if POLICY_KEYS.contains(&other) || setting(other).is_some() => {
                not_for_agents(&mut report, key);
            }
            _ => {
                let known = ["$schema", "permission"];
                unknown_key(&mut report, key, "an agent's document", &known);
            }
        }
    }
    (document, report.finish())
}

fn not_for_agents(report: &mut Report, key: &Spanned<String>) {
    report.add(
        Code::NOT_FOR_AGENTS,
        key.span,
        "not for one agent",
        format!("an agent's document may not set {}", quote(&key.value)),
        "move the key to the global or the project's document",
    );
}

/// Types and validates the front matter of an agent's Markdown file.
///
/// Keys other than `permission` belong to the agent's host and are ignored, unless they are nearly `permission` or would be
/// operator policy: then the agent would silently run under other rules than its author thinks.
#[must_use]
pub fn parse_front_matter(
    file: FileId,
    tree: &Value,
    _role: &Role,
) -> (PolicyDocument, Vec<Diagnostic>) {
    let mut report = Report::new(file);
    let mut document = PolicyDocument::default();
    let members = match &tree.kind {
        ValueKind::Object(members) => members.as_slice(),
        ValueKind::Null => &[],
        _ => {
            report.add(
                Code::FRONT_MATTER_NOT_MAP,
                tree.span,
                "not a map",
                "front matter has to be a map of keys".to_owned(),
                "put the rules under the key `permission:`",
            );
            &[]
        }
    };
    let ours: Vec<Member> = members
        .iter()
        .filter(|member| member.key.value == "permission")
        .cloned()
        .collect();
    duplicate_members(&mut report, &ours);
    if let Some(first) = ours.first() {
        duplicate_keys(&mut report, &first.value);
        document.permission = front_matter_permission(&mut report, first);
    }
    for Member { key, .. } in members {
        let name = key.value.as_str();
        if is_near_miss(name, "permission") {
            report.add(
                Code::NEAR_MISS_PERMISSION,
                key.span,
                "would be ignored",
                format!("unknown key {} in front matter", quote(name)),
                "did you mean `permission`?",
            );
        } else if OPERATOR_KEYS.contains(&name) {
            operator_only(&mut report, key, "an agent");
        } else if ["shellTools", "piInfrastructureReadPaths"].contains(&name) {
            not_for_agents(&mut report, key);
        }
    }
    (document, report.finish())
}

fn front_matter_permission(report: &mut Report, member: &Member) -> Vec<super::SurfaceEntry> {
    if matches!(member.value.kind, ValueKind::Null) {
        report.add(
            Code::EMPTY_PERMISSION,
            member.key.span,
            "nothing under it",
            "`permission` is given without rules".to_owned(),
            "indent the surfaces under it, such as `bash: ask`, or remove the key",
        );
        return Vec::new();
    }
    permission::parse(report, &member.value)
}
