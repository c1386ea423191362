//! `permc inspect` for people.

use permc_runtime::{Contents, TableView, format};

use super::super::budget::values;
use super::super::console::Console;
use super::super::text::{counted, grouped, hex, place, shown, table, ticked};
use super::layout::{Asked, Layout, Reader};
use super::{flags, n_askers, surface_tables};
use crate::cold::ColdPlace;
use crate::decode::Artifact;
use crate::options::Budget;

/// Classes that the text shows; JSON has all.
const MOST_CLASSES: usize = 40;

/// Tables that the text shows; JSON has all.
const MOST_TABLES: usize = 80;

pub(super) fn to_text(
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
        ("budgets", budgets(&cold.budget.into())),
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
    let n_tiers = contents.tiers().count();
    if n_tiers > 0 {
        let default = contents.default_tier();
        let default = default.map_or_else(
            || "no default".to_owned(),
            |tier| format!("default {}", ticked(tier)),
        );
        let words = [
            n_tiers.to_string(),
            counted(contents.n_tier_rows(), "row"),
            counted(contents.tier_assignments().count(), "model"),
            default,
        ];
        facts.push(("trust tiers", words.join(", ")));
    }
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
    let askers = n_askers(contents);
    let of_names = surface_tables(contents);
    let tables = contents.tables().zip(&askers).enumerate();
    let mut tables: Vec<Vec<String>> = tables
        .take(MOST_TABLES)
        .map(|(index, (table, askers))| table_row(index, &table, *askers, &of_names))
        .collect();
    if let Some(more) = askers
        .len()
        .checked_sub(MOST_TABLES)
        .filter(|more| *more > 0)
    {
        tables.push(vec![format!("and {more} more; `--format json` has all")]);
    }
    part("Tables", tables);
    let warnings = cold.warnings.iter().map(|warning| {
        let at = |at: &ColdPlace| place(&at.file, at.line, at.column);
        let place = warning.place.as_ref().map_or_else(|| "-".to_owned(), at);
        vec![shown(&warning.code), place, shown(&warning.message)]
    });
    part("Warnings of the compilation", warnings.collect());
    text.push_str(&format!(
        "\n{}\n",
        console.strong("Surface classes, with the tables that a lookup asks in order")
    ));
    for layout in Reader::new(*contents, cold.budget.into()).layouts(MOST_CLASSES) {
        text.push_str(&layout_text(&layout));
    }
    let more = contents.n_classes().saturating_sub(MOST_CLASSES);
    if more > 0 {
        text.push_str(&format!("  and {more} more; `--format json` has all\n"));
    }
    text
}

fn layout_text(layout: &Layout<'_>) -> String {
    let folded = if layout.is_folded { ", folded" } else { "" };
    let mut text = format!(
        "  class {}: {}{folded}\n",
        layout.class,
        counted(layout.n_rules, "rule")
    );
    for uses in layout.uses.iter().take(4) {
        text.push_str(&format!("    {}\n", uses.words()));
    }
    if layout.uses.len() > 4 {
        text.push_str(&format!(
            "    and {} more\n",
            layout.uses.len().saturating_sub(4)
        ));
    }
    let asked = |asked: &Asked<'_>| {
        let guard = asked.group.guard.map_or_else(String::new, |guard| {
            format!(" (for surfaces that match {})", ticked(guard))
        });
        let session = if asked.group.is_session {
            " (session layer)"
        } else {
            ""
        };
        format!(
            "    table {}: {}{guard}{session}\n",
            asked.group.table, asked.words
        )
    };
    text.extend(layout.asked.iter().map(asked));
    text.extend(
        layout
            .reasons
            .iter()
            .map(|reason| format!("    why: {reason}\n")),
    );
    text
}

/// One table: its size, its rows, what it looks at, who asks it.
fn table_row(
    index: usize,
    table: &TableView,
    n_classes: usize,
    of_names: &[(u32, usize)],
) -> Vec<String> {
    let id = u32::try_from(index).unwrap_or(u32::MAX);
    let of_names = of_names.iter().find(|(table, _)| *table == id);
    let used = match (of_names, n_classes) {
        (Some((_, views)), 0) => format!("surface names of {}", counted(*views, "view")),
        (Some((_, views)), _) => format!(
            "{n_classes} classes, surface names of {}",
            counted(*views, "view")
        ),
        (None, 1) => "1 class".to_owned(),
        (None, _) => format!("{n_classes} classes"),
    };
    let looked_at = if table.n_lists == 0 {
        String::new()
    } else {
        format!(
            "{} looked at in {}",
            counted(table.n_looked_at, "pattern"),
            counted(table.n_lists, "list")
        )
    };
    if table.n_exact > 0 {
        return vec![
            index.to_string(),
            format!("{} bytes", grouped(table.bytes)),
            format!("{} exact patterns by hash", grouped(table.n_exact)),
            used,
        ];
    }
    vec![
        index.to_string(),
        format!("{} bytes", grouped(table.bytes)),
        format!("{} states", grouped(table.n_states)),
        format!("{} byte classes", table.n_classes),
        format!("{}-byte cells", table.cell_width),
        format!(
            "rows: {} dense, {} delta, {} paths of {} bytes",
            grouped(table.n_dense),
            grouped(table.n_delta),
            grouped(table.n_paths),
            grouped(table.n_path_bytes)
        ),
        used,
        looked_at,
    ]
}

/// The budgets that are not the defaults.
fn budgets(budget: &Budget) -> String {
    let defaults = values(&Budget::default());
    let changed: Vec<String> = values(budget)
        .into_iter()
        .filter(|value| !defaults.contains(value))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if changed.is_empty() {
        "the defaults".to_owned()
    } else {
        changed.join(", ")
    }
}
