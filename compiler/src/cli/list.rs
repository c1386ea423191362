//! `permc list`: the rules that are in force, in the order in which they count.

use std::path::PathBuf;

use clap::Args;
use permc_runtime::{Layer, name_matches};
use serde_json::{Value, json};

use crate::decode::{Artifact, EffectiveRule, EffectiveView, view_of};
use crate::options::Budget;
use crate::reach::Reach;

use super::ExitStatus;
use super::budget::BudgetArgs;
use super::console::Console;
use super::failure::Failure;
use super::policy::resolve;
use super::text::{hex, place, rule_id, shown, table, ticked};
use super::tier;

/// List the effective rules of each agent, lowest first: the last one that matches wins.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  permc list\n  permc list --policy policy.permc --agent reviewer --surface bash\n  permc list --tiers"
)]
pub(crate) struct ListArgs {
    /// An artifact, a manifest, or a directory that holds one.
    #[arg(long, value_name = "POLICY")]
    policy: Option<PathBuf>,
    /// Only this agent's rules.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only rules that count for this surface.
    #[arg(long, value_name = "SURFACE")]
    surface: Option<String>,
    /// Only rules that can never win, because later rules cover everything that they match.
    #[arg(long)]
    unreachable: bool,
    /// The trust tiers instead: what each says about each directory and group.
    #[arg(long, conflicts_with_all = ["agent", "surface", "unreachable"])]
    tiers: bool,
    #[command(flatten)]
    budget: BudgetArgs,
}

pub(crate) fn run(args: &ListArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let policy = resolve(
        args.policy.as_deref(),
        &args.budget,
        args.unreachable,
        console,
    )?;
    let artifact = policy.decode(console.cwd())?;
    if args.tiers {
        return tier::list(&artifact, console);
    }
    let mut views = artifact
        .views()
        .map_err(|error| Failure::usage(error.to_string()))?;
    if args.unreachable {
        keep_unreachable(
            &artifact,
            &args.budget.bounds()?.budget,
            &mut views,
            console,
        )?;
    }
    if let Some(agent) = &args.agent {
        let own = view_of(&views, Some(agent)).cloned();
        if own.as_ref().is_some_and(|view| view.view.agent.is_none()) {
            console.talk(&format!(
                "note: {} is not known to the policy and has the base view",
                ticked(agent)
            ));
        }
        views = own.into_iter().collect();
    }
    if let Some(surface) = &args.surface {
        for view in &mut views {
            view.rules.retain(|rule| counts_for(rule, surface));
        }
    }
    if console.is_json() {
        console.json(&json!({
            "schema": "permc/list/1",
            "digest": hex(&artifact.policy().digest()),
            "views": views.iter().map(view_json).collect::<Vec<_>>(),
        }))?;
        return Ok(ExitStatus::Success);
    }
    for (index, view) in views.iter().enumerate() {
        let blank = if index > 0 { "\n" } else { "" };
        let title = match view.view.agent {
            Some(agent) => format!("agent {}", ticked(agent)),
            None => "base view (no agent, or an unknown one)".to_owned(),
        };
        let clamped = if view.view.clamped {
            ", clamped by a broken document"
        } else {
            ""
        };
        let title = console.strong(&format!("{title}{clamped}"));
        console.out(format!("{blank}{title}\n"))?;
        let rows: Vec<_> = view.rules.iter().map(row).collect();
        console.out(table(&rows, "  "))?;
    }
    Ok(ExitStatus::Success)
}

/// Keeps the written rules that can never win; says how many could not be decided.
fn keep_unreachable(
    artifact: &Artifact,
    budget: &Budget,
    views: &mut [EffectiveView<'_>],
    console: &mut Console<'_, '_>,
) -> Result<(), Failure> {
    let reaches = artifact
        .reachability(budget)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let mut n_undecided = 0_usize;
    for (view, reaches) in views.iter_mut().zip(&reaches) {
        let mut reaches = reaches.iter();
        view.rules.retain(|rule| {
            let reach = reaches.next();
            let undecided = reach == Some(&Reach::Undecided);
            n_undecided = n_undecided.saturating_add(usize::from(undecided));
            reach == Some(&Reach::Never) && rule.rule.file.is_some()
        });
    }
    if n_undecided > 0 {
        console.talk(&format!(
            "note: {n_undecided} more could not be decided within the search budget"
        ));
    }
    Ok(())
}

/// Whether a rule's surface covers the surface; typed as the rule has it, it is found as well.
fn counts_for(rule: &EffectiveRule<'_>, surface: &str) -> bool {
    rule.rule.surface == surface || name_matches(rule.rule.surface, surface, false)
}

fn view_json(view: &EffectiveView<'_>) -> Value {
    let rules = view.rules.iter().map(|EffectiveRule { rule, detail }| {
        let is_written = rule.file.is_some();
        json!({
            "surface": rule.surface,
            "pattern": rule.pattern,
            "action": rule.action.as_str(),
            "reason": rule.reason,
            "layer": rule.layer.as_str(),
            "origin": rule.origin.as_str(),
            "agent": detail.agent,
            "id": is_written.then(|| rule_id(rule.id)),
            "file": rule.file,
            "line": is_written.then_some(rule.line),
            "column": is_written.then_some(rule.column),
        })
    });
    json!({
        "agent": view.view.agent,
        "clamped": view.view.clamped,
        "rules": rules.collect::<Vec<_>>(),
    })
}

fn row(EffectiveRule { rule, .. }: &EffectiveRule<'_>) -> Vec<String> {
    let origin = match rule.layer {
        Layer::Default => format!("{} (default)", rule.origin.as_str()),
        _ => rule.origin.as_str().to_owned(),
    };
    let place = rule.file.map_or_else(
        || "-".to_owned(),
        |file| place(file, rule.line, rule.column),
    );
    vec![
        rule.action.as_str().to_owned(),
        shown(rule.surface),
        ticked(rule.pattern),
        origin,
        place,
    ]
}
