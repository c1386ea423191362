//! The arguments that every command shares; those of one command stand with it.

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use super::{check, compile, decide, explain, explain_code, init, inspect, list, query, shell};

/// Compiles permission policies for AI agents, checks them and answers for them.
#[derive(Debug, Parser)]
#[command(
    name = "permc",
    version,
    after_help = "Example:\n  permc init\n  permc compile\n  permc query bash 'git status'"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// For people or for programs; without it for people, except that `query --stdin` speaks JSON.
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Whether to use colors; `auto`: on a terminal, unless `NO_COLOR` is set.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN"
    )]
    pub(crate) color: ColorWhen,
    /// Say less: no warnings, no summaries.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more: which files were read.
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    pub(crate) verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::InitArgs),
    Compile(compile::CompileArgs),
    Check(check::CheckArgs),
    Query(query::QueryArgs),
    Decide(decide::DecideArgs),
    Explain(explain::ExplainArgs),
    List(list::ListArgs),
    Inspect(inspect::InspectArgs),
    ExplainCode(explain_code::ExplainCodeArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}
