//! Diagnostics: what is wrong with the user's input, where, and the way out.

mod code;
mod human;
mod json;
mod quote;

pub use self::code::{CODES, Code, CodeInfo};
pub use self::human::{Color, render_human};
pub use self::json::render_json;
pub use self::quote::quote;

use crate::source_map::Location;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Hint,
    /// Probably not what was meant; the policy still compiles.
    Warning,
    /// The policy does not compile.
    Error,
}

impl Severity {
    /// `hint`, `warning` or `error`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A place with a few words about its part in the diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub location: Location,
    /// The words; may be empty for the primary label.
    pub text: String,
}

/// One finding.
///
/// Messages are one sentence that starts in lower case and has no final period; what the user wrote stands in
/// backticks; the fix is a help of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// The sentence that names the thing.
    pub message: String,
    /// The place, where there is one.
    pub primary: Option<Label>,
    /// Related places, such as the first declaration.
    pub secondary: Vec<Label>,
    /// Causes.
    pub notes: Vec<String>,
    /// Ways out.
    pub helps: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic of the code's own severity, without a place.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
        }
    }

    /// Sets the place and the words under it.
    #[must_use]
    pub fn at(mut self, location: Location, text: impl Into<String>) -> Self {
        self.primary = Some(Label {
            location,
            text: text.into(),
        });
        self
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, location: Location, text: impl Into<String>) -> Self {
        self.secondary.push(Label {
            location,
            text: text.into(),
        });
        self
    }

    /// Adds a cause.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a way out.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }
}

/// Whether any of the findings is an error.
#[must_use]
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}
