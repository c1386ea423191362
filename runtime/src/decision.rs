//! The vocabulary of an answer: action, layer, origin, source, and the decision that carries them.

use core::fmt;

use crate::bytes::{index, word};
use crate::parts::{Rules, Strings};

/// What a rule says and what a check answers.
///
/// Ordered by strictness: `Allow < Ask < Deny`.
///
/// # Example
///
/// ```
/// use permc_runtime::Action;
///
/// assert_eq!(Action::from_name("ask"), Some(Action::Ask));
/// assert_eq!(Action::from_name("Ask"), None);
/// assert!(Action::Deny > Action::Allow);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Go on.
    Allow,
    /// Somebody must rule on it.
    Ask,
    /// Refused.
    Deny,
}

impl Action {
    /// `allow`, `ask` or `deny`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The action of this exact lower-case name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "allow" => Some(Self::Allow),
            "ask" => Some(Self::Ask),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }

    /// The byte that stands for the action in an artifact.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Allow => 0,
            Self::Ask => 1,
            Self::Deny => 2,
        }
    }

    /// The action of an artifact byte.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Allow),
            1 => Some(Self::Ask),
            2 => Some(Self::Deny),
            _ => None,
        }
    }
}

/// Where a rule sits in the composed list, lowest first (page 1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The one rule that matches everything.
    Default,
    /// Rules that permc adds below the configuration.
    Baseline,
    /// Rules of the policy documents.
    Config,
    /// Rules approved in a session.
    Session,
}

impl Layer {
    /// `default`, `baseline`, `config` or `session`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Baseline => "baseline",
            Self::Config => "config",
            Self::Session => "session",
        }
    }

    /// The byte that stands for the layer in an artifact.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Default => 0,
            Self::Baseline => 1,
            Self::Config => 2,
            Self::Session => 3,
        }
    }

    /// The layer of an artifact byte.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Default),
            1 => Some(Self::Baseline),
            2 => Some(Self::Config),
            3 => Some(Self::Session),
            _ => None,
        }
    }
}

/// Who wrote what decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The default that holds when no document names one.
    Builtin,
    /// A rule that permc adds itself.
    Baseline,
    /// The operator's own document.
    Global,
    /// The project's document.
    Project,
    /// The operator's document for this agent.
    Agent,
    /// The project's document for this agent.
    ProjectAgent,
    /// A rule approved in a session.
    Session,
    /// Yolo mode turned an ask into an allow.
    Yolo,
}

impl Origin {
    /// The name that results show, such as `project-agent`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Baseline => "baseline",
            Self::Global => "global",
            Self::Project => "project",
            Self::Agent => "agent",
            Self::ProjectAgent => "project-agent",
            Self::Session => "session",
            Self::Yolo => "yolo",
        }
    }

    /// The byte that stands for the origin in an artifact.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Builtin => 0,
            Self::Baseline => 1,
            Self::Global => 2,
            Self::Project => 3,
            Self::Agent => 4,
            Self::ProjectAgent => 5,
            Self::Session => 6,
            Self::Yolo => 7,
        }
    }

    /// The origin of an artifact byte; no rule is written with origin yolo.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Builtin),
            1 => Some(Self::Baseline),
            2 => Some(Self::Global),
            3 => Some(Self::Project),
            4 => Some(Self::Agent),
            5 => Some(Self::ProjectAgent),
            6 => Some(Self::Session),
            _ => None,
        }
    }
}

/// What kind of gate answered (page 1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A rule approved in a session.
    Session,
    /// One of the cross-cutting surfaces `path` and `external_directory`.
    Special,
    /// A rule about an MCP target.
    Mcp,
    /// The surface `skill`.
    Skill,
    /// The surface `bash`.
    Bash,
    /// A built-in file tool, or a rule about another tool.
    Tool,
    /// No rule: the default decided.
    Default,
}

impl Source {
    /// The name that results show.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Special => "special",
            Self::Mcp => "mcp",
            Self::Skill => "skill",
            Self::Bash => "bash",
            Self::Tool => "tool",
            Self::Default => "default",
        }
    }

    /// The source of an answer for `surface` by a rule of `layer`: the table of page 1.6, first row that holds.
    ///
    /// # Example
    ///
    /// ```
    /// use permc_runtime::{Layer, Source};
    ///
    /// assert_eq!(Source::of("bash", Layer::Default), Source::Bash);
    /// assert_eq!(Source::of("web_fetch", Layer::Default), Source::Default);
    /// assert_eq!(Source::of("path", Layer::Session), Source::Session);
    /// ```
    #[must_use]
    pub fn of(surface: &str, layer: Layer) -> Self {
        Self::of_known(Known::of(surface), layer)
    }

    pub(crate) const fn of_known(surface: Option<Known>, layer: Layer) -> Self {
        match (surface, layer) {
            (_, Layer::Session) => Self::Session,
            (Some(Known::Path | Known::ExternalDirectory), _) => Self::Special,
            (Some(Known::Mcp), Layer::Default) => Self::Default,
            (Some(Known::Mcp), _) => Self::Mcp,
            (Some(Known::Skill), _) => Self::Skill,
            (Some(Known::Bash), _) => Self::Bash,
            (Some(_), _) => Self::Tool,
            (None, Layer::Default) => Self::Default,
            (None, _) => Self::Tool,
        }
    }
}

/// A surface that pages name; those of paths come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    Read,
    Write,
    Edit,
    Find,
    Grep,
    Ls,
    Path,
    ExternalDirectory,
    Bash,
    Mcp,
    Skill,
}

impl Known {
    pub(crate) const ALL: [(Self, &'static str); 11] = [
        (Self::Read, "read"),
        (Self::Write, "write"),
        (Self::Edit, "edit"),
        (Self::Find, "find"),
        (Self::Grep, "grep"),
        (Self::Ls, "ls"),
        (Self::Path, "path"),
        (Self::ExternalDirectory, "external_directory"),
        (Self::Bash, "bash"),
        (Self::Mcp, "mcp"),
        (Self::Skill, "skill"),
    ];

    /// The surface of a name: a comparison of few words, with no call.
    #[inline]
    pub(crate) fn of(surface: &str) -> Option<Self> {
        Some(match surface.as_bytes() {
            b"bash" => Self::Bash,
            b"read" => Self::Read,
            b"write" => Self::Write,
            b"edit" => Self::Edit,
            b"find" => Self::Find,
            b"grep" => Self::Grep,
            b"ls" => Self::Ls,
            b"path" => Self::Path,
            b"external_directory" => Self::ExternalDirectory,
            b"mcp" => Self::Mcp,
            b"skill" => Self::Skill,
            _ => return None,
        })
    }

    /// Its place in [`Self::ALL`].
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::Edit => 2,
            Self::Find => 3,
            Self::Grep => 4,
            Self::Ls => 5,
            Self::Path => 6,
            Self::ExternalDirectory => 7,
            Self::Bash => 8,
            Self::Mcp => 9,
            Self::Skill => 10,
        }
    }

    pub(crate) fn is_path(self) -> bool {
        self < Self::Bash
    }
}

/// The surfaces whose values are paths: any alias may match (page 1.6).
pub const PATH_SURFACES: [&str; 8] = [
    "read",
    "write",
    "edit",
    "find",
    "grep",
    "ls",
    "path",
    "external_directory",
];

/// Whether the values of a surface are paths.
#[must_use]
pub fn is_path_surface(surface: &str) -> bool {
    Known::of(surface).is_some_and(Known::is_path)
}

/// The rule that decided, as far as people need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleRef<'a> {
    /// Stable id: a hash of origin, agent, surface and pattern.
    pub id: u64,
    /// The file, relative to its scope's root.
    pub file: &'a str,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// The answer of one check.
///
/// Texts that only people need are looked up when they are asked for, so that an answer costs no more than its verdict.
#[derive(Clone, Copy)]
pub struct Decision<'a> {
    /// Allow, ask or deny.
    pub state: Action,
    /// What kind of gate answered.
    pub source: Source,
    /// Who wrote the winner.
    pub origin: Origin,
    /// The layer of the winner.
    pub layer: Layer,
    /// Which of the given values decided, by index; `None` where the list was empty and `*` stood in.
    pub value: Option<usize>,
    /// Set where the artifact's tables contradicted themselves: the answer is then a deny.
    pub fault: bool,
    pub(crate) winner: Winner<'a>,
}

/// Where a decision's texts are.
#[derive(Clone, Copy)]
pub(crate) enum Winner<'a> {
    /// A rule of the artifact.
    Rule {
        rules: &'a Rules<'a>,
        strings: &'a Strings<'a>,
        rule: u32,
    },
    /// A pattern of the session overlay.
    Approval(&'a str),
    None,
}

impl<'a> Decision<'a> {
    /// The reason that the rule gives for a deny.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        let Winner::Rule {
            rules,
            strings,
            rule,
        } = self.winner
        else {
            return None;
        };
        strings.optional(word(rules.reasons, index(rule))?)
    }

    /// The winner's pattern; only for rules of the configuration and the session.
    #[must_use]
    pub fn matched_pattern(&self) -> Option<&'a str> {
        match (self.winner, self.layer) {
            (Winner::Approval(pattern), _) => Some(pattern),
            (
                Winner::Rule {
                    rules,
                    strings,
                    rule,
                },
                Layer::Config | Layer::Session,
            ) => strings.get(word(rules.patterns, index(rule))?),
            _ => None,
        }
    }

    /// The winner; `None` for the builtin default, the baseline and rules of the session overlay.
    #[must_use]
    pub fn rule(&self) -> Option<RuleRef<'a>> {
        let Winner::Rule {
            rules,
            strings,
            rule,
        } = self.winner
        else {
            return None;
        };
        let at = index(rule);
        Some(RuleRef {
            file: strings.optional(word(rules.files, at)?)?,
            id: u64::from_le_bytes(*rules.ids.get(at)?),
            line: word(rules.lines, at)?,
            column: word(rules.columns, at)?,
        })
    }
}

impl PartialEq for Decision<'_> {
    fn eq(&self, other: &Self) -> bool {
        let plain = |decision: &Self| {
            let Decision {
                state,
                source,
                origin,
                layer,
                value,
                fault,
                winner: _,
            } = *decision;
            (state, source, origin, layer, value, fault)
        };
        plain(self) == plain(other)
            && self.reason() == other.reason()
            && self.matched_pattern() == other.matched_pattern()
            && self.rule() == other.rule()
    }
}

impl Eq for Decision<'_> {}

impl fmt::Debug for Decision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("state", &self.state)
            .field("reason", &self.reason())
            .field("matched_pattern", &self.matched_pattern())
            .field("source", &self.source)
            .field("origin", &self.origin)
            .field("layer", &self.layer)
            .field("value", &self.value)
            .field("rule", &self.rule())
            .field("fault", &self.fault)
            .finish()
    }
}
