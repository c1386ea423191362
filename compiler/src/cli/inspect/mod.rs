//! `permc inspect`: what is in an artifact, and whether its digest is right.

mod dot;
mod human;
mod json;
mod layout;

use std::path::{Path, PathBuf};

use clap::Args;
use permc_runtime::{Contents, TierGroup, format};

use crate::decode::Artifact;
use crate::encode::digest_of;
use crate::options::Budget;
use crate::suggest::suggest;

use self::dot::{Drawn, Graph};
use self::human::to_text;
use self::json::to_json;
use self::layout::Reader;
use super::ExitStatus;
use super::console::Console;
use super::failure::Failure;
use super::inputs::is_artifact;
use super::policy::read_policy;
use super::text::{counted, shown_path, ticked};

/// Show what is in an artifact, and recompute its digest.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  permc inspect policy.permc\n  permc inspect policy.permc --dot bash | dot -Tsvg -o bash.svg"
)]
pub(crate) struct InspectArgs {
    /// The artifact.
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,
    /// Print the tables that answer for this surface as a graph in Graphviz's language.
    #[arg(long, value_name = "SURFACE")]
    dot: Option<String>,
    /// The agent whose tables are drawn; without it those of the base view.
    #[arg(long, value_name = "NAME", requires = "dot")]
    agent: Option<String>,
    /// States after which drawing stops, those nearest to the start first.
    #[arg(
        long,
        value_name = "STATES",
        default_value_t = 2_000,
        value_parser = clap::value_parser!(u32).range(1..),
        requires = "dot"
    )]
    dot_limit: u32,
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
    if let Some(surface) = &args.dot {
        let budget = artifact.cold().budget.into();
        draw(args, surface, &path, &contents, budget, console)?;
    } else if console.is_json() {
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

/// Prints the graph of one surface.
fn draw(
    args: &InspectArgs,
    surface: &str,
    path: &Path,
    contents: &Contents<'_>,
    budget: Budget,
    console: &mut Console<'_, '_>,
) -> Result<(), Failure> {
    if console.is_json() {
        return Err(
            Failure::usage("`--dot` prints a graph, `--format json` asks for JSON")
                .help("leave one of them out"),
        );
    }
    let agent = args.agent.as_deref();
    let view = match agent {
        None => Some(0),
        Some(_) => contents.views().position(|view| view.agent == agent),
    };
    let Some(view) = view else {
        let agents: Vec<&str> = contents.views().filter_map(|view| view.agent).collect();
        let agent = agent.unwrap_or_default();
        let help = match (suggest(agent, &agents), agents.is_empty()) {
            (Some(near), _) => format!("did you mean {}?", ticked(near)),
            (None, true) => "the policy has no agents; leave `--agent` out".to_owned(),
            (None, false) => {
                let names: Vec<String> = agents.iter().take(8).map(|name| ticked(name)).collect();
                format!("the policy knows {}", names.join(", "))
            }
        };
        let what = format!("there is no agent {}", ticked(agent));
        return Err(Failure::about(path, console.cwd(), what).help(help));
    };
    let Some(class) = contents.class(view, surface) else {
        let what = format!("no class answers for {}", ticked(surface));
        return Err(Failure::about(path, console.cwd(), what));
    };
    if !contents.surfaces().any(|name| name == surface) {
        console.talk(&format!(
            "note: no rule names {} itself: its tables are those of the other surfaces that the same wildcards match",
            ticked(surface)
        ));
    }
    let graph = Graph {
        contents: *contents,
        class,
        surface,
        agent,
        limit: usize::try_from(args.dot_limit).unwrap_or(usize::MAX),
    };
    let Drawn { text, n_left_out } = graph.draw(&mut Reader::new(*contents, budget));
    if n_left_out > 0 {
        console.talk(&format!(
            "note: {} left out; give a higher `--dot-limit` to draw more",
            counted(n_left_out, "state")
        ));
    }
    console.out(text)
}

/// How many classes, and sets of rows of tiers, ask each table.
fn n_askers(contents: &Contents<'_>) -> Vec<usize> {
    let mut askers = vec![0_usize; contents.tables().count()];
    let mut ask = |table: u32| {
        let asked = usize::try_from(table)
            .ok()
            .and_then(|table| askers.get_mut(table));
        if let Some(asked) = asked {
            *asked = asked.saturating_add(1);
        }
    };
    for class in contents.classes() {
        class.tables().for_each(&mut ask);
    }
    for tier in contents.tiers() {
        for (group, of_project) in TierGroup::ALL
            .map(|group| [(group, false), (group, true)])
            .concat()
        {
            let tables = tier.tables(group, of_project);
            tables.into_iter().for_each(|(_, table)| ask(table));
        }
    }
    askers
}

/// Which tables find the class of a surface without a name of its own, and for how many views.
fn surface_tables(contents: &Contents<'_>) -> Vec<(u32, usize)> {
    let mut tables: Vec<(u32, usize)> = Vec::new();
    for view in 0..contents.views().count() {
        let Some(table) = contents.other_table(view) else {
            continue;
        };
        match tables.iter_mut().find(|(known, _)| *known == table) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => tables.push((table, 1)),
        }
    }
    tables
}

fn flags(contents: &Contents<'_>) -> [(&'static str, bool); 3] {
    let has = |flag| contents.flags() & flag != 0;
    [
        ("yoloMode", has(format::CONFIG_YOLO)),
        ("usesHome", has(format::CONFIG_USES_HOME)),
        ("delegation", has(format::CONFIG_DELEGATION)),
    ]
}
