//! Why a command could not do what was asked, as something to report.

use std::fmt;
use std::path::Path;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source_map::SourceMap;

use super::ExitStatus;
use super::text::shown_path;

/// A command's end without success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// One sentence and perhaps the way out.
    Message {
        status: ExitStatus,
        message: String,
        help: Option<String>,
    },
    /// Findings about the user's documents.
    Findings(Box<Findings>),
    /// Whoever read standard output is gone: nothing is left to say.
    Closed,
}

/// Diagnostics with the texts that they point into.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// A file that cannot be read is the system's failure, everything else the documents'.
    pub(crate) fn status(&self) -> ExitStatus {
        let mut errors = self
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .peekable();
        if errors.peek().is_none() {
            ExitStatus::Success
        } else if errors.any(|error| error.code == Code::UNREADABLE_FILE) {
            ExitStatus::Usage
        } else {
            ExitStatus::Findings
        }
    }
}

impl Failure {
    /// Wrong usage, or a file that cannot be read or written.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Message {
            status: ExitStatus::Usage,
            message: message.into(),
            help: None,
        }
    }

    /// The same about a file.
    pub(crate) fn about(path: &Path, cwd: &Path, what: impl fmt::Display) -> Self {
        Self::usage(format!("{}: {what}", shown_path(path, cwd)))
    }

    /// Adds the way out.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        if let Self::Message { help, .. } = &mut self {
            *help = Some(text.into());
        }
        self
    }
}

impl From<Findings> for Failure {
    fn from(findings: Findings) -> Self {
        Self::Findings(Box::new(findings))
    }
}
