//! How a decision came about: every command with its floors and spellings, every path with its aliases.

use std::panic::{AssertUnwindSafe, catch_unwind};

use permc_runtime::{Action, Session, trim};

use crate::call::{self, Kind};
use crate::decide::{Call, Gates};
use crate::decision::{Decision, Gate};
use crate::files::Files;
use crate::paths::{Looked, Paths};
use crate::shell::{Floor, PathKind, PathWord, Surrounding, Unit, UnitKind};

/// All that was looked at for one decision.
#[derive(Clone, Debug)]
pub struct Explanation<'a> {
    /// The decision, as [`Gates::decide`] gives it.
    pub decision: Decision<'a>,
    /// The commands of a shell call, in the order of the decision's units.
    pub units: Vec<UnitExplanation<'a>>,
    /// What was looked at as a path, in the order in which it was.
    pub paths: Vec<PathExplanation<'a>>,
}

/// One command of a shell call.
///
/// # Example
///
/// ```
/// use permc_gates::UnitExplanation;
///
/// /// The form that made the answer stricter.
/// fn deciding_form<'u>(unit: &'u UnitExplanation<'_>) -> Option<&'u str> {
///     let form = unit.forms.iter().find(|form| form.decides)?;
///     Some(&form.text)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct UnitExplanation<'a> {
    /// Its text.
    pub text: String,
    /// What it is.
    pub kind: UnitSort,
    /// Where it stands, if not at the top.
    pub surrounding: Option<Surrounding>,
    /// What the rules say about the text alone.
    pub own: Answer<'a>,
    /// What holds after forms and floors.
    pub state: Action,
    /// Its floors, each with whether a grant or an allow that spells the command out lifts it.
    pub floors: Vec<(Floor, bool)>,
    /// Its normal forms: what else it runs or could be written as. A specific ask or deny for one of them counts.
    pub forms: Vec<FormExplanation<'a>>,
    /// The text with each computed part as `*`, held against denies.
    pub open: Vec<String>,
}

/// What a unit is.
///
/// # Example
///
/// ```
/// assert_eq!(permc_gates::UnitSort::NotUnderstood.as_str(), "not_understood");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnitSort {
    /// A simple command, an assignment, a test.
    Simple,
    /// A compound command's own text: only a specific ask or deny counts.
    Compound,
    /// A part that was not understood.
    NotUnderstood,
}

impl UnitSort {
    /// The name that results show.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Compound => "compound",
            Self::NotUnderstood => "not_understood",
        }
    }
}

/// What a surface says about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Allow, ask or deny.
    pub state: Action,
    /// The pattern that decided, or a sentinel; `None`: the default.
    pub matched_pattern: Option<&'a str>,
}

/// One normal form of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormExplanation<'a> {
    /// Its text.
    pub text: String,
    /// What the rules say about it.
    pub answer: Answer<'a>,
    /// Whether it is what made the command's answer stricter.
    pub decides: bool,
}

/// One path that was looked at.
///
/// # Example
///
/// ```
/// use permc_gates::PathExplanation;
///
/// /// Whether a path is outside, or a rule stops it.
/// fn is_stopped(path: &PathExplanation<'_>) -> bool {
///     path.path.is_some() || path.external.is_some()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct PathExplanation<'a> {
    /// As it was typed.
    pub text: String,
    /// Why it was looked at.
    pub why: PathSort,
    /// The directories against which it may be resolved.
    pub bases: Vec<String>,
    /// Whether it may also be resolved against one that only run time knows.
    pub is_base_open: bool,
    /// The names under which it was looked up.
    pub aliases: Vec<String>,
    /// The gate `path`; `None`: it has nothing to say.
    pub path: Option<Gate<'a>>,
    /// The gate `external_directory`; `None`: inside, or not asked.
    pub external: Option<Gate<'a>>,
}

/// Why a text was looked at as a path.
///
/// # Example
///
/// ```
/// assert_eq!(permc_gates::PathSort::Candidate.as_str(), "candidate");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathSort {
    /// An argument of a tool that holds a path.
    Argument,
    /// A word that looks like a path: both gates count.
    Candidate,
    /// Another word: only a specific ask or deny counts.
    Word,
    /// A part of a word, or a text among the arguments: only a deny counts.
    Part,
}

impl PathSort {
    /// The name that results show.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Candidate => "candidate",
            Self::Word => "word",
            Self::Part => "part",
        }
    }
}

impl<'p> Gates<'p> {
    /// Decides a whole call and tells what was looked at. Never panics; takes the call apart twice.
    ///
    /// # Complexity
    ///
    /// As [`Gates::decide`], with a check for each form and each alias.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_gates::{Call, Gates, NoFiles};
    /// use permc_runtime::{Context, Policy, Session};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let gates = Gates::new(&policy, Context { home: Some("/home/dev"), ..Context::default() })?;
    /// let input = [("command", "sudo rm -rf build")];
    /// let call = Call { tool: "bash", input: &input.as_slice(), cwd: "/srv/app", model: None };
    /// let session = Session::default();
    /// let explanation = gates.explain(&call, &session, &NoFiles);
    /// for unit in &explanation.units {
    ///     println!("{}: {:?}", unit.text, unit.floors);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain<'a>(
        &'a self,
        call: &Call<'_>,
        session: &'a Session,
        files: &dyn Files,
    ) -> Explanation<'a> {
        let decision = self.decide(call, session, files);
        let looked_at = || self.looked_at(call, session, files);
        let (units, paths) = catch_unwind(AssertUnwindSafe(looked_at)).unwrap_or_default();
        Explanation {
            decision,
            units,
            paths,
        }
    }

    fn looked_at<'a>(
        &'a self,
        call: &Call<'_>,
        session: &'a Session,
        files: &dyn Files,
    ) -> (Vec<UnitExplanation<'a>>, Vec<PathExplanation<'a>>) {
        let tool = trim(call.tool);
        let paths = Paths::new(self, call.cwd, files, session);
        let mut found = Vec::new();
        let kind = call::kind_of(tool, self.bound());
        if kind != Kind::Shell {
            for path in call::path_arguments(kind, call.input) {
                let mut looked = Looked::default();
                self.look_at_shown(tool, path, &paths, &mut looked);
                found.push(path_explanation(path, PathSort::Argument, &paths, looked));
            }
            for extra in call::extra_paths(kind, call.input) {
                let mut looked = Looked::default();
                paths.look_for_denies(&extra, &mut looked);
                found.push(path_explanation(&extra, PathSort::Part, &paths, looked));
            }
            for pattern in call::search_patterns(call.input) {
                let mut looked = Looked::default();
                paths.look_at_search(pattern, &mut looked);
                if looked.path.is_some() {
                    found.push(path_explanation(pattern, PathSort::Part, &paths, looked));
                }
            }
            return (Vec::new(), found);
        }
        let Some(command) = self.command(tool, call) else {
            return (Vec::new(), found);
        };
        if let Some(directory) = command.directory {
            let mut looked = Looked::default();
            paths.look_at_argument(directory, &mut looked);
            found.push(path_explanation(
                directory,
                PathSort::Argument,
                &paths,
                looked,
            ));
        }
        let analysis = self.analysis(&command, call);
        for word in &analysis.paths {
            found.push(word_explanation(word, &paths));
        }
        let units = analysis.units.iter();
        let units = units.map(|unit| self.unit_explanation(unit, session));
        (units.collect(), found)
    }

    fn unit_explanation<'a>(&'a self, unit: &Unit, session: &'a Session) -> UnitExplanation<'a> {
        let own = self
            .bound()
            .check(crate::bash::SURFACE, &[&unit.text], session);
        let (_, judged, floors) = self.unit(unit, session);
        let forms = unit.forms.iter().map(|text| {
            let checked = self
                .bound()
                .check(crate::bash::SURFACE, &[text], self.no_session());
            FormExplanation {
                decides: judged.form.as_ref() == Some(text),
                text: text.clone(),
                answer: Answer::of(&checked),
            }
        });
        UnitExplanation {
            text: unit.text.clone(),
            kind: match unit.kind {
                UnitKind::Simple => UnitSort::Simple,
                UnitKind::Compound => UnitSort::Compound,
                UnitKind::Fault => UnitSort::NotUnderstood,
            },
            surrounding: unit.surrounding,
            own: Answer::of(&own),
            state: judged.state,
            floors,
            forms: forms.collect(),
            open: unit.free.clone(),
        }
    }
}

impl<'a> Answer<'a> {
    fn of(decision: &permc_runtime::Decision<'a>) -> Self {
        Self {
            state: decision.state,
            matched_pattern: decision.matched_pattern(),
        }
    }
}

fn path_explanation<'a>(
    text: &str,
    why: PathSort,
    paths: &Paths<'a, '_>,
    looked: Looked<'a>,
) -> PathExplanation<'a> {
    PathExplanation {
        text: text.to_owned(),
        why,
        bases: vec![paths.cwd().to_owned()],
        is_base_open: false,
        aliases: paths.values(text),
        path: looked.path,
        external: looked.external,
    }
}

fn word_explanation<'a>(word: &PathWord, paths: &Paths<'a, '_>) -> PathExplanation<'a> {
    let mut looked = Looked::default();
    paths.look_at(word, &mut looked);
    let mut aliases: Vec<String> = Vec::new();
    for base in word.bases.iter().filter(|_| !word.is_unknown_place) {
        for value in paths.values_at(&word.text, base) {
            if !aliases.contains(&value) {
                aliases.push(value);
            }
        }
    }
    if aliases.is_empty() {
        aliases.push(word.text.clone());
    }
    PathExplanation {
        text: word.text.clone(),
        why: match word.kind {
            PathKind::Candidate => PathSort::Candidate,
            PathKind::Bare => PathSort::Word,
            PathKind::Part => PathSort::Part,
        },
        bases: word.bases.to_vec(),
        is_base_open: word.is_base_open || word.is_unknown_place,
        aliases,
        path: looked.path,
        external: looked.external,
    }
}
