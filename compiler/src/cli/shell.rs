//! `permc completions` and `permc man`: generated from the argument definitions.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use super::ExitStatus;
use super::args::Cli;
use super::console::Console;
use super::failure::Failure;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  permc completions bash > ~/.local/share/bash-completion/completions/permc"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Print a man page, of permc or of one of its commands.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  permc man query > permc-query.1")]
pub(crate) struct ManArgs {
    /// The command.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(crate) fn completions(
    args: &CompletionsArgs,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "permc", &mut script);
    console.out(script)?;
    Ok(ExitStatus::Success)
}

pub(crate) fn man(args: &ManArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let mut command = Cli::command();
    // Names and global flags reach the subcommands only now.
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => command.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::usage(format!(
                "there is no command {}",
                crate::diagnostic::quote(name)
            ))
            .help("`permc --help` lists all commands")
        })?,
    };
    let mut text = Vec::new();
    Man::new(page)
        .render(&mut text)
        .map_err(|error| Failure::usage(format!("cannot make the man page: {error}")))?;
    console.out(text)?;
    Ok(ExitStatus::Success)
}
