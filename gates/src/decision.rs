//! The answer about a whole call.

use std::borrow::Cow;

use permc_runtime::{Action, Layer, Origin, RuleRef, Source};

use crate::bash::is_specific_rule;
use crate::shell::{Floor, Surrounding};

/// The answer about a whole tool call.
///
/// # Example
///
/// ```no_run
/// use permc_gates::{Call, Gates, NoFiles};
/// use permc_runtime::{Action, Context, Policy, Session};
///
/// let policy = Policy::open("policy.permc")?;
/// let gates = Gates::new(&policy, Context { home: Some("/home/dev"), ..Context::default() })?;
/// let input = [("command", "git push origin main")];
/// let call = Call { tool: "bash", input: &input.as_slice(), cwd: "/srv/app", model: None };
/// let session = Session::default();
/// let decision = gates.decide(&call, &session, &NoFiles);
/// if decision.state == Action::Ask {
///     for (surface, pattern) in &decision.suggestions {
///         println!("for this session: {surface} {pattern}");
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<'a> {
    /// The strictest gate: any deny denies, else any ask asks.
    pub state: Action,
    /// Every gate that had a say, in gate order: `path`, `external_directory`, the tool's own surface, `tier`.
    pub gates: Vec<Gate<'a>>,
    /// The commands of a shell call, in source order.
    pub units: Vec<UnitAnswer<'a>>,
    /// For each ask the session rule that would settle it, as surface and pattern. Empty where none is safe to offer, and
    /// where the call is denied, since nobody is asked then.
    pub suggestions: Vec<(String, String)>,
    /// How the decision came about.
    pub resolution: Resolution,
}

/// How a decision came about, before anybody is asked.
///
/// # Example
///
/// ```
/// use permc_gates::Resolution;
///
/// assert_eq!(Resolution::GateError.as_str(), "gate_error");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// The rules decide, or somebody must be asked.
    Policy,
    /// Something inside failed: the answer is a deny.
    GateError,
}

impl Resolution {
    /// The name that results show.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::GateError => "gate_error",
        }
    }
}

/// What one gate says.
///
/// # Example
///
/// ```
/// use permc_gates::Decision;
///
/// /// The reasons that the rules behind a deny give.
/// fn reasons<'a>(decision: &Decision<'a>) -> Vec<&'a str> {
///     let gates = decision.gates.iter().filter(|gate| gate.state == decision.state);
///     gates.filter_map(|gate| gate.reason).collect()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate<'a> {
    /// Its surface, or `tier`.
    pub gate: Cow<'static, str>,
    /// What it says.
    pub state: Action,
    /// The pattern of the rule that decided, or the sentinel of a floor.
    pub matched_pattern: Option<&'a str>,
    /// The value that decided: a path as it was typed, a command, a target.
    pub value: String,
    /// What kind of gate answered.
    pub source: Source,
    /// Who wrote what decided; [`Origin::Builtin`] for a floor.
    pub origin: Origin,
    /// The layer of the winner.
    pub layer: Layer,
    /// The reason that the rule gives.
    pub reason: Option<&'a str>,
    /// The rule.
    pub rule: Option<RuleRef<'a>>,
    /// The floor that turned an allow into this ask.
    pub floor: Option<Floor>,
    /// Where the deciding command stands, in a shell call.
    pub surrounding: Option<Surrounding>,
    /// Whether the tables contradicted themselves; the state is then a deny.
    pub is_fault: bool,
}

impl<'a> Gate<'a> {
    /// A gate that answers as a check did.
    pub(crate) fn of(gate: &str, decision: &permc_runtime::Decision<'a>, value: String) -> Self {
        Self {
            gate: named(gate),
            state: decision.state,
            matched_pattern: decision.matched_pattern(),
            value,
            source: decision.source,
            origin: decision.origin,
            layer: decision.layer,
            reason: decision.reason(),
            rule: decision.rule(),
            floor: None,
            surrounding: None,
            is_fault: decision.fault,
        }
    }

    /// Whether a configured or session rule decided whose pattern is not the bare `*`.
    pub(crate) fn is_specific(&self) -> bool {
        is_specific_rule(self.layer, self.matched_pattern)
    }

    /// The same gate under a floor.
    pub(crate) fn under(mut self, floor: Floor) -> Self {
        self.state = Action::Ask;
        self.matched_pattern = Some(floor.sentinel());
        self.origin = Origin::Builtin;
        self.reason = None;
        self.rule = None;
        self.floor = Some(floor);
        self
    }
}

/// A gate's name; those of every day are not copied.
pub(crate) fn named(gate: &str) -> Cow<'static, str> {
    Cow::Borrowed(match gate {
        "bash" => "bash",
        "path" => "path",
        "external_directory" => "external_directory",
        "mcp" => "mcp",
        other => return Cow::Owned(other.to_owned()),
    })
}

/// One command of a shell call.
///
/// # Example
///
/// ```
/// use permc_gates::{Decision, Floor};
///
/// /// Whether something in the command was not understood.
/// fn has_gaps(decision: &Decision<'_>) -> bool {
///     decision.units.iter().any(|unit| unit.floor == Some(Floor::Unparsed))
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitAnswer<'a> {
    /// Its text.
    pub text: String,
    /// Where it stands, if not at the top.
    pub surrounding: Option<Surrounding>,
    /// The floor under it, lifted or not.
    pub floor: Option<Floor>,
    /// What holds for it.
    pub state: Action,
    /// The pattern that decided, or a sentinel.
    pub matched_pattern: Option<&'a str>,
    /// The normal form that tightened the answer, if one did.
    pub form: Option<String>,
    /// Whether it is a compound command's own text, for which only specific rules count.
    pub is_compound: bool,
}
