//! A shell command becomes units with floors and normal forms, and words that are paths (page 2b).

mod after;
mod assign;
mod braces;
mod expand;
mod field;
mod forms;
mod judge;
mod printed;
mod redirects;
mod state;
mod walk;
mod words;

use std::collections::HashSet;
use std::rc::Rc;

use permc_grammar::shell::{Limits, parse};

use self::state::State;
use self::walk::{At, Walker};

/// What makes a command at least ask, whatever the rules allow (page 2b, b.1 to b.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Floor {
    /// Text in which no command was found.
    Unparseable,
    /// A part that was not understood.
    Unparsed,
    /// Too long, too many commands, too deeply nested.
    Oversized,
    /// A string that a shell will read: `eval`, `bash -c`.
    Opaque,
    /// A program that runs another one: `sudo`, `xargs`.
    Indirection,
    /// A shell or interpreter whose program is its input.
    ProgramFromInput,
    /// A program given as an argument: `python -c`.
    InlineProgram,
    /// What runs is only known at run time.
    ComputedCommand,
    /// An assignment changes what runs.
    EnvironmentOverride,
    /// A literal substitution that a builtin will evaluate.
    DeferredExpansion,
}

impl Floor {
    /// The sentinel that stands where a rule's pattern would.
    ///
    /// # Example
    ///
    /// ```
    /// use permc_gates::Floor;
    ///
    /// assert_eq!(Floor::Opaque.sentinel(), "<opaque-bash-wrapper>");
    /// ```
    #[must_use]
    pub const fn sentinel(self) -> &'static str {
        match self {
            Self::Unparseable => "<unparseable-bash-command>",
            Self::Unparsed => "<unparsed-bash-subtree>",
            Self::Oversized => "<oversized-bash-command>",
            Self::Opaque => "<opaque-bash-wrapper>",
            Self::Indirection => "<indirection-bash-wrapper>",
            Self::ProgramFromInput => "<program-from-input>",
            Self::InlineProgram => "<inline-program>",
            Self::ComputedCommand => "<computed-command>",
            Self::EnvironmentOverride => "<environment-override>",
            Self::DeferredExpansion => "<deferred-expansion>",
        }
    }
}

/// Where a unit stands, if not at the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surrounding {
    /// `$( )`, backticks, `${ ; }`.
    CommandSubstitution,
    /// `<( )`, `>( )`.
    ProcessSubstitution,
    /// `( )`.
    Subshell,
}

impl Surrounding {
    /// The name that results show, such as `command_substitution`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CommandSubstitution => "command_substitution",
            Self::ProcessSubstitution => "process_substitution",
            Self::Subshell => "subshell",
        }
    }
}

/// What a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// A simple command, an assignment, a test: judged by all rules.
    Simple,
    /// A compound command's own text: only a specific ask or deny counts.
    Compound,
    /// A part that was not understood: judged, then at least ask.
    Fault,
}

/// What lifts a floor beside a session's grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lift {
    /// Nothing in the policy.
    Never,
    /// A configured allow whose literal prefix holds this word.
    Word(String),
    /// A configured allow for the unit with its assignments whose literal prefix holds this text.
    Assignment(String),
}

/// One command that can run.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) text: String,
    pub(crate) surrounding: Option<Surrounding>,
    pub(crate) kind: UnitKind,
    pub(crate) floors: Vec<(Floor, Lift)>,
    /// Normal forms: they only tighten.
    pub(crate) forms: Vec<String>,
    known_forms: HashSet<String>,
    /// Payloads that were read for it.
    n_payloads: usize,
    /// The unit as patterns in which computed words are free.
    pub(crate) free: Vec<String>,
    /// The text with the assignments in front, where there are some.
    pub(crate) with_assignments: Option<String>,
}

/// Why a word is looked at as a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum PathKind {
    /// It looks like a path: both gates count.
    Candidate,
    /// It only counts where a specific rule asks or denies.
    Bare,
    /// A part of a word: it only counts where a rule denies.
    Part,
}

/// A word of a command that may be a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PathWord {
    pub(crate) text: String,
    pub(crate) wilds: Vec<(usize, usize, u8)>,
    pub(crate) kind: PathKind,
    /// The directories against which it may be resolved.
    pub(crate) bases: Rc<[String]>,
    /// Whether it may also be resolved against one that only run time knows.
    pub(crate) is_base_open: bool,
    /// Whether the command writes to it by a redirection.
    pub(crate) is_write: bool,
    /// Whether it is outside whatever it resolves to: `~user`, a directory that only run time knows.
    pub(crate) is_unknown_place: bool,
}

/// All that a policy is asked about a command.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    pub(crate) units: Vec<Unit>,
    pub(crate) paths: Vec<PathWord>,
    /// The floor of the whole command.
    pub(crate) whole: Option<Floor>,
    /// The command's text without comments and here-document bodies, in one or two spellings.
    pub(crate) texts: Vec<String>,
    /// Directories beside the first one in which commands run.
    pub(crate) directories: Vec<String>,
    /// Whether one may run where only run time knows.
    pub(crate) runs_anywhere: bool,
}

/// Where and as whom a command runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    /// The working directory in which it starts, absolute.
    pub(crate) directory: &'a str,
    /// The working directory of the call, against which inside and outside are told.
    pub(crate) cwd: &'a str,
    pub(crate) home: Option<&'a str>,
    /// Whether the policy has patterns about whole commands, which want [`Analysis::texts`].
    pub(crate) wants_texts: bool,
    /// Whether everyday commands need not be looked at by every table; off for the twin in tests.
    pub(crate) has_short_way: bool,
}

/// Takes a command apart.
pub(crate) fn analyze(command: &str, setting: &Setting<'_>) -> Analysis {
    let script = parse(command, &Limits::default());
    let mut walker = Walker::new(*setting);
    let mut state = State::new(setting.directory, setting.home);
    let at = At::top(command);
    walker.list(&script.list, at, &mut state);
    for fault in &script.faults {
        let text = command
            .get(fault.span.start..fault.span.end)
            .unwrap_or_default();
        walker.fault(text);
    }
    let is_oversized = script.oversized || walker.is_oversized;
    let mut analysis = Analysis {
        texts: if setting.wants_texts {
            redirects::whole_texts(command, &script.list)
        } else {
            Vec::new()
        },
        units: walker.units,
        paths: walker.paths,
        directories: walker.directories,
        runs_anywhere: walker.runs_anywhere,
        whole: None,
    };
    if is_oversized {
        analysis.whole = Some(Floor::Oversized);
    } else if !script.faults.is_empty() {
        analysis.whole = Some(Floor::Unparsed);
    }
    analysis
}
