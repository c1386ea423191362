//! Trust tiers: documents, and two evaluators that have to agree.

use permc::diagnostic::Code;
use permc::reference::tiers::{TierPlace, resolve, tier_of};
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, Output, compile};
use permc_runtime::{Action, Bound, Context, Policy};
use serde_json::{Map, Value, json};

use crate::engine::compiled;

/// The home directory.
pub const HOME: &str = "/home/dev";
/// The working directory.
pub const CWD: &str = "/srv/app";

/// A global document with these tiers.
#[must_use]
pub fn global(permissions: &Value) -> SourceDocument {
    let text = json!({ "providerPermissions": permissions }).to_string();
    SourceDocument::new(Role::Global, "policy.jsonc", text)
}

/// A project document with rows for these tiers.
#[must_use]
pub fn project(tiers: &Value) -> SourceDocument {
    let text = json!({ "providerPermissions": { "tiers": tiers } }).to_string();
    SourceDocument::new(Role::Project, "project.jsonc", text)
}

/// Compiles.
#[must_use]
pub fn output(documents: Vec<SourceDocument>) -> Output {
    compiled(&SourceSet::from(documents), &Options::default())
}

/// The codes of all findings.
#[must_use]
pub fn codes(permissions: &Value) -> Vec<Code> {
    let permc::Compilation { diagnostics, .. } = compile(
        &SourceSet::from(vec![global(permissions)]),
        &Options::default(),
    );
    diagnostics.iter().map(|found| found.code).collect()
}

/// Both, bound.
pub const CONTEXT: Context<'static> = Context {
    home: Some(HOME),
    cwd: Some(CWD),
    agent: None,
    model: None,
    yolo: None,
};

/// Asks artifact and naive evaluator, which have to agree, and hands the answer over.
pub fn ask(documents: Vec<SourceDocument>, questions: &[(&str, &str, &str, Option<&str>)]) {
    let output = output(documents);
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    let bound = policy.bind(CONTEXT).unwrap();
    for (model, action, resource, expected) in questions {
        let found = both(&output, &bound, CONTEXT, model, action, resource);
        assert_eq!(
            found.map(Action::as_str),
            *expected,
            "{model} {action} {resource:?}"
        );
    }
}

/// The answer of artifact and naive evaluator.
pub fn both(
    output: &Output,
    bound: &Bound<'_>,
    context: Context<'_>,
    model: &str,
    action: &str,
    resource: &str,
) -> Option<Action> {
    let answer = bound.explain_provider_permission(model, action, resource);
    assert!(!answer.is_fault, "a validated artifact contradicts itself");
    assert_eq!(answer.effect.is_some(), answer.row.is_some());
    assert_eq!(
        bound.resolve_provider_permission(model, action, resource),
        answer.effect
    );
    let tiers = &output.policy.tiers;
    let place = TierPlace {
        home: context.home,
        cwd: context.cwd.unwrap(),
        fold: output.policy.fold_paths,
    };
    let naive = resolve(tiers, &place, model, action, resource);
    assert_eq!(
        answer.effect, naive,
        "{model} {action} {resource:?} in {:?}",
        tiers
    );
    let tier = tier_of(tiers, model);
    assert_eq!(answer.tier, tier.map(|(tier, _)| tier.id.as_str()));
    assert_eq!(
        answer.via_default,
        tier.is_some_and(|(_, via_default)| via_default)
    );
    answer.effect
}

/// The policy of the page: trusted, limited, and a default.
#[must_use]
pub fn page() -> Value {
    json!({
        "defaultTier": "unassigned",
        "tiers": [
            { "id": "trusted", "directories": {
                "**": { "read": "allow", "write": "allow", "execute": "allow", "network": "allow" } } },
            { "id": "limited", "label": "Limited", "directories": {
                "**": { "read": "allow", "write": "deny", "execute": "deny", "network": "deny" },
                "~/secrets/**": { "read": "deny" } } },
            { "id": "unassigned", "directories": { "**": { "read": "ask", "write": "deny" } } },
        ],
        "assignments": { "big/model": "trusted", "some-provider/some-model": "limited", "old/model": "deleted" },
    })
}

/// As the benchmark does: 20 rows a tier, with names of its own.
#[must_use]
pub fn many(n_tiers: usize) -> Value {
    let tiers = (0..n_tiers).map(|tier| {
        let rows: Map<String, Value> = (0..20)
            .map(|row| {
                let effect = ["allow", "ask", "deny"][(tier + row) % 3];
                let pattern = match row % 4 {
                    0 => format!("~/team{tier}/dir{row}/**"),
                    1 => format!("work{tier}/dir{row}/**"),
                    2 => format!("/srv/team{tier}/dir{row}/**"),
                    _ => format!("**/*.ext{row}"),
                };
                (pattern, json!({ "read": effect }))
            })
            .collect();
        json!({ "id": format!("tier{tier}"), "directories": rows })
    });
    let assignments: Map<String, Value> = (0..n_tiers)
        .map(|tier| {
            (
                format!("provider/model-{tier}"),
                format!("tier{tier}").into(),
            )
        })
        .collect();
    json!({ "tiers": tiers.collect::<Vec<_>>(), "assignments": assignments })
}
