//! `permc inspect --format json`.

use permc_runtime::{Contents, TableView, format};
use serde_json::{Value, json};

use super::super::budget::values;
use super::super::text::hex;
use super::layout::{Layout, Reader};
use super::{flags, n_askers, surface_tables};
use crate::cold::ColdWarning;
use crate::decode::Artifact;

pub(super) fn to_json(
    artifact: &Artifact,
    contents: &Contents<'_>,
    recomputed: &[u8; 32],
) -> Value {
    let cold = artifact.cold();
    let stored = artifact.policy().digest();
    let sections = contents
        .sections()
        .into_iter()
        .map(|(_, name, offset, length)| json!({"name": name, "offset": offset, "bytes": length}));
    let sources = cold.sources.iter().map(
        |source| json!({"scope": source.scope, "name": source.name, "sha256": hex(&source.sha256)}),
    );
    let tables = contents
        .tables()
        .zip(n_askers(contents))
        .map(|(table, n_classes)| table_json(&table, n_classes));
    let layouts = Reader::new(*contents, cold.budget.into()).layouts(usize::MAX);
    let other_surfaces = surface_tables(contents)
        .into_iter()
        .map(|(table, views)| json!({"table": table, "views": views}));
    let budget: serde_json::Map<String, Value> = values(&cold.budget.into())
        .into_iter()
        .map(|(name, value)| (camel_case(name), json!(value)))
        .collect();
    let views = contents.views().zip(&cold.views).map(
        |(view, rules)| json!({"agent": view.agent, "clamped": view.clamped, "rules": rules.len()}),
    );
    let shell_tools = contents.shell_tools().map(|(tool, command, workdir)| {
        json!({"tool": tool, "commandArgument": command, "workdirArgument": workdir})
    });
    let mut config = json!({
        "servers": contents.servers().collect::<Vec<_>>(),
        "shellTools": shell_tools.collect::<Vec<_>>(),
        "infrastructureReadPaths": contents.infrastructure_paths().collect::<Vec<_>>(),
        "authorizerChain": contents.authorizer_chain().collect::<Vec<_>>(),
        "allowedSurfaces": contents.delegation_allowed().collect::<Vec<_>>(),
        "excludedSurfaces": contents.delegation_excluded().collect::<Vec<_>>(),
        "secretPatterns": contents.secret_patterns().collect::<Vec<_>>(),
    });
    if let Value::Object(fields) = &mut config {
        fields.extend(flags(contents).map(|(name, is_set)| (name.to_owned(), json!(is_set))));
    }
    json!({
        "schema": "permc/inspect/1",
        "bytes": artifact.policy().bytes().len(),
        "formatVersion": format::VERSION,
        "compiler": cold.compiler,
        "digest": {
            "stored": hex(&stored),
            "recomputed": hex(recomputed),
            "equal": stored == *recomputed,
        },
        "options": {
            "foldPaths": cold.fold_paths,
            "untrustedProject": cold.untrusted_project,
            "failClosed": cold.fail_closed,
            "budget": budget,
        },
        "config": config,
        "sections": sections.collect::<Vec<_>>(),
        "sources": sources.collect::<Vec<_>>(),
        "views": views.collect::<Vec<_>>(),
        "rules": contents.rules().count(),
        "surfaces": contents.surfaces().collect::<Vec<_>>(),
        "surfaceClasses": contents.n_classes(),
        "tables": tables.collect::<Vec<_>>(),
        "layouts": layouts.iter().map(layout_json).collect::<Vec<_>>(),
        "tiers": {
            "tiers": contents.tiers().map(|tier| tier.id()).collect::<Vec<_>>(),
            "rows": contents.n_tier_rows(),
            "models": contents.tier_assignments().count(),
            "defaultTier": contents.default_tier(),
        },
        "surfaceTables": other_surfaces.collect::<Vec<_>>(),
        "warnings": cold.warnings.iter().map(warning_json).collect::<Vec<_>>(),
    })
}

fn table_json(table: &TableView, n_classes: usize) -> Value {
    json!({
        "bytes": table.bytes,
        "states": table.n_states,
        "classes": table.n_classes,
        "cellWidth": table.cell_width,
        "denseRows": table.n_dense,
        "deltaRows": table.n_delta,
        "pathRows": table.n_paths,
        "pathBytes": table.n_path_bytes,
        "lookedAt": table.n_looked_at,
        "lists": table.n_lists,
        "exact": table.n_exact,
        "sharedBy": n_classes,
    })
}

fn layout_json(layout: &Layout<'_>) -> Value {
    let uses = layout.uses.iter().map(|uses| {
        json!({
            "agents": uses.agents,
            "surfaces": uses.surfaces,
            "otherSurfaces": uses.others,
        })
    });
    let tables = layout.asked.iter().map(|asked| {
        json!({
            "table": asked.group.table,
            "layout": asked.kind.as_str(),
            "words": asked.words,
            "rules": asked.n_rules,
            "lookedAt": asked.n_looked_at,
            "session": asked.group.is_session,
            "ofBase": asked.of_base,
            "guard": asked.group.guard,
        })
    });
    json!({
        "class": layout.class,
        "rules": layout.n_rules,
        "folded": layout.is_folded,
        "usedBy": uses.collect::<Vec<_>>(),
        "tables": tables.collect::<Vec<_>>(),
        "reasons": layout.reasons,
    })
}

/// `merged-states` as `mergedStates`.
fn camel_case(name: &str) -> String {
    let mut result = String::new();
    for (index, word) in name.split('-').enumerate() {
        let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        if index == 0 {
            result.push_str(word);
        } else {
            result.push_str(&first.to_uppercase());
            result.push_str(rest);
        }
    }
    result
}

fn warning_json(warning: &ColdWarning) -> Value {
    let place = warning.place.as_ref();
    json!({
        "code": warning.code,
        "message": warning.message,
        "file": place.map(|place| &place.file),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
    })
}
