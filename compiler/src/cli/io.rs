//! What a command has of the outside world besides files.

use std::env;
use std::fmt;
use std::io::{IsTerminal as _, Read, Write, stderr, stdin, stdout};
use std::path::PathBuf;

use super::{ExitStatus, run};

/// The streams and surroundings of one run.
pub struct Io<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn Read,
    /// Standard output: data.
    pub stdout: &'a mut dyn Write,
    /// Standard error: diagnostics and talk.
    pub stderr: &'a mut dyn Write,
    /// Whether somebody looks at standard output.
    pub stdout_is_terminal: bool,
    /// Whether somebody looks at standard error.
    pub stderr_is_terminal: bool,
    /// Columns that help texts are wrapped at; `None`: as wide as the terminal.
    pub width: Option<usize>,
    /// The working directory; absolute.
    pub cwd: PathBuf,
    /// Environment variables.
    pub environment: Environment,
}

/// The environment variables that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `HOME`, unless it is empty or not UTF-8.
    pub home: Option<String>,
    /// `PI_CODING_AGENT_DIR`: where the reference extension keeps the operator's files.
    pub pi_agent_directory: Option<PathBuf>,
    /// Whether `NO_COLOR` is set to anything.
    pub no_color: bool,
}

impl fmt::Debug for Io<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Io")
            .field("cwd", &self.cwd)
            .field("environment", &self.environment)
            .finish_non_exhaustive()
    }
}

/// Runs one command with the streams, arguments and environment of this process.
#[must_use]
pub fn run_process() -> ExitStatus {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
    let environment = Environment {
        home: variable("HOME").and_then(|home| home.into_string().ok()),
        pi_agent_directory: variable("PI_CODING_AGENT_DIR").map(PathBuf::from),
        no_color: variable("NO_COLOR").is_some(),
    };
    let (output, errors) = (stdout(), stderr());
    let (stdout_is_terminal, stderr_is_terminal) = (output.is_terminal(), errors.is_terminal());
    run(
        env::args_os(),
        &mut Io {
            stdin: &mut stdin().lock(),
            stdout: &mut output.lock(),
            stderr: &mut errors.lock(),
            stdout_is_terminal,
            stderr_is_terminal,
            width: None,
            // A removed directory has no name; relative paths then fail when they are used.
            cwd: env::current_dir().unwrap_or_default(),
            environment,
        },
    )
}
