//! The `permc` command line, runnable in process: arguments and streams in, an exit status out.
//!
//! Data goes to standard output, diagnostics and talk to standard error. Each subcommand has a file of its own and ends in
//! an [`ExitStatus`] or in a failure that is reported here, once.

mod args;
mod budget;
mod check;
mod compile;
mod console;
mod contexts;
mod decide;
mod exit;
mod explain;
mod explain_call;
mod explain_code;
mod failure;
mod init;
mod inputs;
mod inspect;
mod io;
mod lines;
mod list;
mod policy;
mod query;
mod shell;
mod text;
mod tier;
mod write;

pub use self::exit::ExitStatus;
pub use self::io::{Environment, Io, run_process};

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _};

use self::args::{Cli, Command};
use self::console::{Console, paint_error};
use self::failure::Failure;

/// Runs one command.
///
/// `args` starts with the program's name. Nothing outside `io` and the files that the command names is touched. Never
/// panics, whatever the arguments, the files and the input hold.
///
/// # Example
///
/// ```
/// use permc::cli::{Environment, ExitStatus, Io, run};
///
/// let (mut input, mut output, mut errors) = (std::io::empty(), Vec::new(), Vec::new());
/// let mut io = Io {
///     stdin: &mut input,
///     stdout: &mut output,
///     stderr: &mut errors,
///     stdout_is_terminal: false,
///     stderr_is_terminal: false,
///     width: Some(100),
///     cwd: std::env::temp_dir(),
///     environment: Environment::default(),
/// };
/// let args = ["permc", "explain-code", "PC0101"].map(Into::into);
/// assert_eq!(run(args, &mut io), ExitStatus::Success);
/// assert!(String::from_utf8_lossy(&output).contains("PC0101"));
/// ```
pub fn run(args: impl IntoIterator<Item = OsString>, io: &mut Io<'_>) -> ExitStatus {
    let mut command = Cli::command();
    if let Some(width) = io.width {
        command = command.term_width(width);
    }
    let parsed = command
        .try_get_matches_from(args)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return usage(&error, io),
    };
    let mut console = Console::new(io, &cli.global);
    let result = dispatch(&cli.command, &mut console).and_then(|status| {
        console.flush()?;
        Ok(status)
    });
    match result {
        Ok(status) => status,
        Err(failure) => console.report(&failure),
    }
}

fn dispatch(command: &Command, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    match command {
        Command::Init(args) => init::run(args, console),
        Command::Compile(args) => compile::run(args, console),
        Command::Check(args) => check::run(args, console),
        Command::Query(args) => query::run(args, console),
        Command::Decide(args) => decide::run(args, console),
        Command::Explain(args) => explain::run(args, console),
        Command::List(args) => list::run(args, console),
        Command::Inspect(args) => inspect::run(args, console),
        Command::ExplainCode(args) => explain_code::run(args, console),
        Command::Completions(args) => shell::completions(args, console),
        Command::Man(args) => shell::man(args, console),
    }
}

/// Help and version are data; a mistake in the arguments is talk.
fn usage(error: &clap::Error, io: &mut Io<'_>) -> ExitStatus {
    let rendered = error.render();
    let is_help = !error.use_stderr();
    let terminal = if is_help {
        io.stdout_is_terminal
    } else {
        io.stderr_is_terminal
    };
    let text = if terminal && !io.environment.no_color {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    let written = if is_help {
        io.stdout
            .write_all(text.as_bytes())
            .and_then(|()| io.stdout.flush())
    } else {
        io.stderr
            .write_all(text.as_bytes())
            .and_then(|()| io.stderr.flush())
    };
    match written {
        Err(error) if is_help && error.kind() != std::io::ErrorKind::BrokenPipe => {
            let line = format!(
                "{}: cannot write to standard output: {error}\n",
                paint_error(false)
            );
            // Nothing is left to say it with if this fails as well.
            let _ = io.stderr.write_all(line.as_bytes());
            ExitStatus::Usage
        }
        _ if is_help => ExitStatus::Success,
        _ => ExitStatus::Usage,
    }
}
