//! Why an artifact does not load or bind.

use core::fmt;

use alloc::string::String;

use crate::format::{self, section};

/// Why bytes are not a usable artifact.
///
/// Never an allow: a host that gets this keeps the policy that it had, or denies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Empty,
    NotAnArtifact,
    LineEnds,
    Version(u32),
    Features(u32),
    Length {
        stated: u64,
        actual: usize,
    },
    Checksum,
    Header(&'static str),
    Section {
        id: u32,
        what: &'static str,
    },
    #[cfg_attr(
        not(feature = "std"),
        expect(dead_code, reason = "only files can be unreadable")
    )]
    Unreadable(String),
}

impl LoadError {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self { kind }
    }

    pub(crate) const fn section(id: u32, what: &'static str) -> Self {
        Self::new(Kind::Section { id, what })
    }

    /// Whether the bytes are some other kind of file.
    #[must_use]
    pub const fn is_not_an_artifact(&self) -> bool {
        matches!(self.kind, Kind::Empty | Kind::NotAnArtifact)
    }

    /// Whether another version of permc wrote the artifact: compile it again.
    #[must_use]
    pub const fn is_version_mismatch(&self) -> bool {
        matches!(self.kind, Kind::Version(_) | Kind::Features(_))
    }

    /// Whether the artifact was cut, changed on the way, or made to do harm.
    #[must_use]
    pub const fn is_corrupt(&self) -> bool {
        matches!(
            self.kind,
            Kind::LineEnds
                | Kind::Length { .. }
                | Kind::Checksum
                | Kind::Header(_)
                | Kind::Section { .. }
        )
    }

    /// Whether the file could not be read at all.
    #[must_use]
    pub const fn is_unreadable(&self) -> bool {
        matches!(self.kind, Kind::Unreadable(_))
    }

    /// The section that is wrong, where one is.
    #[must_use]
    pub const fn section_name(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Section { id, .. } => Some(section::name(id)),
            _ => None,
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Empty => f.write_str("the artifact is empty; compile the policy again"),
            Kind::NotAnArtifact => f.write_str(
                "not a permc artifact (the first bytes are wrong); give the file that `permc compile` wrote",
            ),
            Kind::LineEnds => f.write_str(
                "the artifact's line ends were changed on the way; transfer it as a binary file",
            ),
            Kind::Version(found) => write!(
                f,
                "the artifact has format version {found}, this runtime reads version {}; compile the policy again or \
                 use the permc version that wrote it",
                format::VERSION
            ),
            Kind::Features(unknown) => write!(
                f,
                "the artifact needs features that this runtime does not know (bits {unknown:#x}); update the runtime"
            ),
            Kind::Length { stated, actual } => write!(
                f,
                "the artifact is {actual} bytes long but says {stated}; it was cut or appended to, compile it again"
            ),
            Kind::Checksum => f.write_str(
                "the artifact's checksum is wrong, its bytes were changed; compile the policy again",
            ),
            Kind::Header(what) => write!(f, "the artifact's header is wrong: {what}; compile the policy again"),
            Kind::Section { id, what } => write!(
                f,
                "section `{}` of the artifact is wrong: {what}; compile the policy again",
                section::name(*id)
            ),
            Kind::Unreadable(why) => write!(f, "cannot read the artifact: {why}"),
        }
    }
}

impl core::error::Error for LoadError {}

/// Why a policy cannot be bound to a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindError(BindKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BindKind {
    Home,
    Cwd,
    Changed,
}

impl BindError {
    pub(crate) const fn home() -> Self {
        Self(BindKind::Home)
    }

    pub(crate) const fn cwd() -> Self {
        Self(BindKind::Cwd)
    }

    pub(crate) const fn changed() -> Self {
        Self(BindKind::Changed)
    }

    /// Whether the policy means a home directory that the context does not name.
    #[must_use]
    pub const fn is_home_unknown(&self) -> bool {
        matches!(self.0, BindKind::Home)
    }

    /// Whether the policy has trust tiers and the context no absolute working directory.
    #[must_use]
    pub const fn is_cwd_unknown(&self) -> bool {
        matches!(self.0, BindKind::Cwd)
    }
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            BindKind::Home => {
                "the policy has patterns under the home directory, but no home directory is known; set it in the context"
            }
            BindKind::Cwd => {
                "the policy has trust tiers, but no absolute working directory is known; set it in the context"
            }
            BindKind::Changed => "the artifact's bytes changed after it was loaded; load it again",
        })
    }
}

impl core::error::Error for BindError {}
