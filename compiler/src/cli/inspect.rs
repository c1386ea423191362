//! `permc inspect`: what is in an artifact, and whether its digest is right.

use std::path::PathBuf;

use clap::Args;
use permc_runtime::Contents;
use permc_runtime::format;
use serde_json::{Value, json};

use crate::cold::{ColdPlace, ColdWarning};
use crate::decode::Artifact;
use crate::encode::digest_of;

use super::ExitStatus;
use super::console::Console;
use super::failure::Failure;
use super::inputs::is_artifact;
use super::policy::read_policy;
use super::text::{counted, hex, place, shown, shown_path, table, ticked};

/// Show what is in an artifact, and recompute its digest.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  permc inspect policy.permc")]
pub(crate) struct InspectArgs {
    /// The artifact.
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,
}

pub(crate) fn run(
    args: &InspectArgs,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let path = console.typed(&args.artifact);
    let bytes = read_policy(&path, console.cwd())?;
    if !is_artifact(&bytes) && matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'/')) {
        return Err(Failure::about(
            &path,
            console.cwd(),
            "this is a document, but an artifact is wanted",
        )
        .help("compile it first; `permc list` shows the rules of a manifest"));
    }
    let recomputed = digest_of(&bytes).unwrap_or_default();
    let artifact =
        Artifact::from_bytes(bytes).map_err(|error| Failure::about(&path, console.cwd(), error))?;
    let contents = artifact
        .contents()
        .map_err(|error| Failure::about(&path, console.cwd(), error))?;
    let is_right = artifact.policy().digest() == recomputed;
    if console.is_json() {
        console.json(&to_json(&artifact, &contents, &recomputed))?;
    } else {
        let text = to_text(&artifact, &contents, &recomputed, console);
        console.out(text)?;
    }
    if is_right {
        return Ok(ExitStatus::Success);
    }
    Err(Failure::Message {
        status: ExitStatus::Findings,
        message: format!(
            "{}: the stored digest is not that of the content",
            shown_path(&path, console.cwd())
        ),
        help: Some("do not use the artifact; compile the policy again".to_owned()),
    })
}

fn flags(contents: &Contents<'_>) -> [(&'static str, bool); 3] {
    let has = |flag| contents.flags() & flag != 0;
    [
        ("yoloMode", has(format::CONFIG_YOLO)),
        ("usesHome", has(format::CONFIG_USES_HOME)),
        ("delegation", has(format::CONFIG_DELEGATION)),
    ]
}

fn to_json(artifact: &Artifact, contents: &Contents<'_>, recomputed: &[u8; 32]) -> Value {
    let cold = artifact.cold();
    let stored = artifact.policy().digest();
    let sections = contents
        .sections()
        .into_iter()
        .map(|(_, name, offset, length)| json!({"name": name, "offset": offset, "bytes": length}));
    let sources = cold.sources.iter().map(
        |source| json!({"scope": source.scope, "name": source.name, "sha256": hex(&source.sha256)}),
    );
    let tables = contents.tables().map(|table| {
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
        })
    });
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
        },
        "config": config,
        "sections": sections.collect::<Vec<_>>(),
        "sources": sources.collect::<Vec<_>>(),
        "views": views.collect::<Vec<_>>(),
        "rules": contents.rules().count(),
        "surfaces": contents.surfaces().collect::<Vec<_>>(),
        "surfaceClasses": contents.n_classes(),
        "tables": tables.collect::<Vec<_>>(),
        "warnings": cold.warnings.iter().map(warning_json).collect::<Vec<_>>(),
    })
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

fn to_text(
    artifact: &Artifact,
    contents: &Contents<'_>,
    recomputed: &[u8; 32],
    console: &Console<'_, '_>,
) -> String {
    let (cold, stored) = (artifact.cold(), artifact.policy().digest());
    let digest = if stored == *recomputed {
        format!("{} (recomputed: equal)", hex(&stored))
    } else {
        format!("{} (recomputed: {})", hex(&stored), hex(recomputed))
    };
    let options = [
        ("fold-paths", cold.fold_paths),
        ("untrusted-project", cold.untrusted_project),
        ("fail-closed", cold.fail_closed),
    ];
    let set = |flags: &[(&str, bool)]| {
        let names: Vec<&str> = flags
            .iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(name, _)| *name)
            .collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    };
    let mut facts = vec![
        ("format version", format::VERSION.to_string()),
        ("compiler", shown(&cold.compiler)),
        ("size", counted(artifact.policy().bytes().len(), "byte")),
        ("digest", digest),
        ("options", set(&options)),
        ("flags", set(&flags(contents))),
        ("rules", contents.rules().count().to_string()),
        ("surface classes", contents.n_classes().to_string()),
    ];
    let names = |names: Vec<String>| (!names.is_empty()).then(|| names.join(", "));
    let lists = [
        ("surfaces", names(contents.surfaces().map(ticked).collect())),
        ("servers", names(contents.servers().map(ticked).collect())),
        (
            "shell tools",
            names(
                contents
                    .shell_tools()
                    .map(|(tool, _, _)| ticked(tool))
                    .collect(),
            ),
        ),
        (
            "infrastructure reads",
            names(contents.infrastructure_paths().map(ticked).collect()),
        ),
        (
            "authorizer chain",
            names(contents.authorizer_chain().map(ticked).collect()),
        ),
    ];
    facts.extend(
        lists
            .into_iter()
            .filter_map(|(name, list)| Some((name, list?))),
    );
    let rows: Vec<_> = facts
        .into_iter()
        .map(|(name, value)| vec![name.to_owned(), value])
        .collect();
    let mut text = table(&rows, "");
    let mut part = |title: &str, rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            text.push_str(&format!("\n{}\n", console.strong(title)));
            text.push_str(&table(&rows, "  "));
        }
    };
    let sections = contents
        .sections()
        .into_iter()
        .map(|(_, name, offset, length)| {
            vec![
                name.to_owned(),
                format!("at {offset}"),
                format!("{length} bytes"),
            ]
        });
    part("Sections", sections.collect());
    let sources = cold.sources.iter();
    let sources = sources.map(|source| {
        vec![
            shown(&source.scope),
            shown(&source.name),
            hex(&source.sha256),
        ]
    });
    part("Sources (SHA-256)", sources.collect());
    let views = contents.views().zip(&cold.views).map(|(view, rules)| {
        let agent = view.agent.map_or_else(
            || "base".to_owned(),
            |agent| format!("agent {}", ticked(agent)),
        );
        let clamped = if view.clamped { "clamped" } else { "" };
        vec![agent, counted(rules.len(), "rule"), clamped.to_owned()]
    });
    part("Views", views.collect());
    let tables = contents.tables().enumerate().map(|(index, table)| {
        vec![
            index.to_string(),
            counted(table.n_states, "state"),
            counted(table.bytes, "byte"),
        ]
    });
    part("Tables", tables.collect());
    let warnings = cold.warnings.iter().map(|warning| {
        let at = |at: &ColdPlace| place(&at.file, at.line, at.column);
        let place = warning.place.as_ref().map_or_else(|| "-".to_owned(), at);
        vec![shown(&warning.code), place, shown(&warning.message)]
    });
    part("Warnings of the compilation", warnings.collect());
    text
}
