//! Writing to the two output streams, in the format and colors that were asked for.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use permc_runtime::Action;
use serde_json::Value;

use crate::diagnostic::{Color, Severity, render_human};

use super::ExitStatus;
use super::args::{ColorWhen, Format, GlobalArgs};
use super::failure::{Failure, Findings};
use super::io::{Environment, Io};

/// Bytes of output that are collected before they are written.
const BUFFER: usize = 64 * 1024;

/// The streams of one run with its settings.
pub(crate) struct Console<'c, 'a> {
    io: &'c mut Io<'a>,
    buffer: Vec<u8>,
    format: Option<Format>,
    quiet: bool,
    verbose: bool,
    stdout_color: bool,
    stderr_color: bool,
}

impl<'c, 'a> Console<'c, 'a> {
    pub(crate) fn new(io: &'c mut Io<'a>, settings: &GlobalArgs) -> Self {
        let color = |is_terminal| match settings.color {
            ColorWhen::Auto => is_terminal && !io.environment.no_color,
            ColorWhen::Always => true,
            ColorWhen::Never => false,
        };
        Self {
            stdout_color: color(io.stdout_is_terminal),
            stderr_color: color(io.stderr_is_terminal),
            format: settings.format,
            quiet: settings.quiet,
            verbose: settings.verbose,
            buffer: Vec::new(),
            io,
        }
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.io.cwd
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.io.environment
    }

    /// A path that the user typed.
    pub(crate) fn typed(&self, path: &Path) -> PathBuf {
        self.io.cwd.join(path)
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Some(Format::Json)
    }

    /// Whether a stream of answers is JSON, which it is unless people are to read it.
    pub(crate) fn is_json_stream(&self) -> bool {
        self.format != Some(Format::Human)
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Adds to standard output; what was added appears at the latest with [`Console::flush`].
    pub(crate) fn out(&mut self, text: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.buffer.extend_from_slice(text.as_ref());
        if self.buffer.len() < BUFFER {
            return Ok(());
        }
        self.write_buffer()
    }

    /// Adds one JSON document: indented, as it is alone on standard output.
    pub(crate) fn json(&mut self, value: &Value) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|error| Failure::usage(format!("cannot write the JSON: {error}")))?;
        self.out(text)?;
        self.out("\n")
    }

    /// Makes everything so far visible.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.write_buffer()?;
        self.io
            .stdout
            .flush()
            .map_err(|error| output_failure(&error))
    }

    fn write_buffer(&mut self) -> Result<(), Failure> {
        let result = self.io.stdout.write_all(&self.buffer);
        self.buffer.clear();
        result.map_err(|error| output_failure(&error))
    }

    /// Reads standard input into `bytes`; 0 at its end.
    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Failure> {
        loop {
            match self.io.stdin.read(bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(Failure::usage(format!(
                        "cannot read standard input: {error}"
                    )));
                }
                Ok(count) => return Ok(count),
            }
        }
    }

    /// A line for people on standard error, unless they want less.
    pub(crate) fn talk(&mut self, line: &str) {
        if !self.quiet {
            self.say(line);
        }
    }

    /// A line for people who want more.
    pub(crate) fn detail(&mut self, line: &str) {
        if self.verbose {
            self.say(line);
        }
    }

    /// Does something without a word about it.
    pub(crate) fn silently<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> T {
        let (quiet, verbose) = (self.quiet, self.verbose);
        (self.quiet, self.verbose) = (true, false);
        let result = action(self);
        (self.quiet, self.verbose) = (quiet, verbose);
        result
    }

    fn say(&mut self, line: &str) {
        // Standard error is the last resort: where it is closed nothing can be said about that.
        let _ = writeln!(self.io.stderr, "{line}");
    }

    /// Diagnostics on standard error; of warnings and hints only those that the user wants to see.
    pub(crate) fn diagnostics(&mut self, findings: &Findings) {
        let wanted: Vec<_> = findings
            .diagnostics
            .iter()
            .filter(|diagnostic| !self.quiet || diagnostic.severity == Severity::Error)
            .cloned()
            .collect();
        let color = if self.stderr_color {
            Color::Always
        } else {
            Color::Never
        };
        let text = render_human(&wanted, &findings.sources, color);
        let _ = self.io.stderr.write_all(text.as_bytes());
    }

    /// Reports a failure and gives the status that it means.
    pub(crate) fn report(&mut self, failure: &Failure) -> ExitStatus {
        // What was found out before the failure stays true.
        let flushed = self.flush();
        match failure {
            Failure::Message {
                status,
                message,
                help,
            } => {
                self.say(&format!("{}: {message}", paint_error(self.stderr_color)));
                if let Some(help) = help {
                    self.say(&format!("  help: {help}"));
                }
                *status
            }
            Failure::Findings(findings) => {
                self.diagnostics(findings);
                findings.status()
            }
            Failure::Closed => match flushed {
                Ok(()) | Err(Failure::Closed) => ExitStatus::Success,
                Err(_) => ExitStatus::Usage,
            },
        }
    }

    /// The action as text, colored by its meaning.
    pub(crate) fn action(&self, action: Action) -> String {
        let color = match action {
            Action::Allow => "32",
            Action::Ask => "33",
            Action::Deny => "31",
        };
        paint(action.as_str(), color, self.stdout_color)
    }

    /// Text that stands out.
    pub(crate) fn strong(&self, text: &str) -> String {
        paint(text, "1", self.stdout_color)
    }
}

/// `error`, as it begins a message.
pub(crate) fn paint_error(color: bool) -> String {
    paint("error", "1;31", color)
}

fn paint(text: &str, style: &str, color: bool) -> String {
    if color {
        format!("\u{1b}[{style}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// A reader that went away is how pipelines end, not an error.
fn output_failure(error: &std::io::Error) -> Failure {
    if error.kind() == ErrorKind::BrokenPipe {
        Failure::Closed
    } else {
        Failure::usage(format!("cannot write to standard output: {error}"))
    }
}
