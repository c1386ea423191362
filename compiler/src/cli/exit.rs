//! Exit statuses, all of them.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// It did what was asked; for a query: any answer, or allow with `--exit-code`.
    Success,
    /// Diagnostics with errors, or a finding such as a stale artifact or a bad line in a stream.
    Findings,
    /// Wrong arguments, or a file that cannot be read or written.
    Usage,
    /// The answer is ask, with `--exit-code`.
    Ask,
    /// The answer is deny, with `--exit-code`.
    Deny,
}

impl ExitStatus {
    /// The number that the process ends with.
    ///
    /// # Example
    ///
    /// ```
    /// assert_eq!(permc::cli::ExitStatus::Deny.code(), 11);
    /// ```
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Ask => 10,
            Self::Deny => 11,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
