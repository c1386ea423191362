//! Why a check is answered as it is: the winner, every other rule that matched and why it lost.
//!
//! The answer is the artifact's own; the rules are matched one by one, and an explanation exists only where both agree.

use std::fmt;

use permc_runtime::{
    Action, Bound, Context, Decision, Layer, MatchContext, Origin, RuleRef, Session, format,
    is_path_surface, name_matches, pattern_matches,
};

use crate::cold::ColdWriting;
use crate::decode::{Artifact, EffectiveRule, EffectiveView, view_of};

/// What is to be explained.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The policy.
    pub artifact: &'a Artifact,
    /// The same policy, bound to `context`.
    pub bound: &'a Bound<'a>,
    /// Home, agent and mode.
    pub context: Context<'a>,
    /// Rules approved in a session.
    pub session: &'a Session,
    /// The surface, as typed.
    pub surface: &'a str,
    /// The values; none stands for `*`.
    pub values: &'a [&'a str],
}

/// A rule that matched.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Surface pattern.
    pub surface: &'a str,
    /// Pattern of values.
    pub pattern: &'a str,
    /// What it says.
    pub action: Action,
    /// Why, for a deny.
    pub reason: Option<&'a str>,
    /// Layer.
    pub layer: Layer,
    /// Who wrote it last.
    pub origin: Origin,
    /// The agent whose document wrote it.
    pub agent: Option<&'a str>,
    /// Id and place; `None` where no document holds it.
    pub rule: Option<RuleRef<'a>>,
    /// Who wrote it, lowest scope first.
    pub history: &'a [ColdWriting],
    /// The value that it matched, by index.
    pub value: usize,
}

/// Why a rule that matched did not win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The winner stands later in the same layer.
    LaterRule,
    /// The winner is of a higher layer.
    HigherLayer,
    /// It matches another value than the one that decides.
    OtherValue,
}

impl Lost {
    /// The word of the JSON form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LaterRule => "later-rule",
            Self::HigherLayer => "higher-layer",
            Self::OtherValue => "other-value",
        }
    }
}

/// What yolo mode did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yolo {
    /// It is off.
    Off,
    /// It is asked for, but a broken document clamped this view.
    Clamped,
    /// It is on and the winner does not say ask.
    NoEffect,
    /// It turned an ask into an allow.
    AskToAllow,
}

impl Yolo {
    /// The word of the JSON form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Clamped => "clamped",
            Self::NoEffect => "no-effect",
            Self::AskToAllow => "ask-to-allow",
        }
    }
}

/// A whole explanation.
#[derive(Clone, Debug)]
pub struct Explanation<'a> {
    /// The answer, from the artifact.
    pub decision: Decision<'a>,
    /// The value that decided; `*` where none was given.
    pub value: &'a str,
    /// The rule that decided.
    pub winner: Candidate<'a>,
    /// The other rules that matched, highest first.
    pub others: Vec<(Candidate<'a>, Lost)>,
    /// The agent whose view answered; `None` for the base view.
    pub view: Option<&'a str>,
    /// What yolo mode did.
    pub yolo: Yolo,
    /// Rules of the session overlay that matched.
    pub session_matches: usize,
}

/// The artifact and the rules that it lists give different answers: a fault of permc, not of the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement(String);

impl Disagreement {
    pub(crate) fn new(what: &str) -> Self {
        Self(what.to_owned())
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "internal error: the tables and the rules of the artifact disagree: {}",
            self.0
        )
    }
}

impl std::error::Error for Disagreement {}

/// Explains one check.
///
/// # Errors
///
/// The artifact contradicts itself.
///
/// # Complexity
///
/// O(rules x values x (pattern + value)).
pub fn explain<'a>(question: &Question<'a>) -> Result<Explanation<'a>, Disagreement> {
    let star: &[&str] = &["*"];
    let values = if question.values.is_empty() {
        star
    } else {
        question.values
    };
    let disagree = |what: &str| Disagreement(what.to_owned());
    let decision = question
        .bound
        .check(question.surface, question.values, question.session);
    let views = question
        .artifact
        .views()
        .map_err(|error| Disagreement(error.to_string()))?;
    let view =
        view_of(&views, question.context.agent).ok_or_else(|| disagree("there is no view"))?;
    let flags = question
        .artifact
        .contents()
        .map_or(0, |contents| contents.flags());

    let matching = matching(question, values, view, flags);
    let (at, deciding) = winner(&matching, values.len(), question.surface)
        .ok_or_else(|| disagree("no rule matches"))?;
    let (_, winner) = matching
        .get(at)
        .ok_or_else(|| disagree("no rule matches"))?;
    let winner = Candidate {
        value: deciding,
        ..*winner
    };
    let wants_yolo = question
        .context
        .yolo
        .unwrap_or(flags & format::CONFIG_YOLO != 0);
    let yolo = match (wants_yolo, view.view.clamped, winner.action) {
        (false, _, _) => Yolo::Off,
        (true, true, _) => Yolo::Clamped,
        (true, false, Action::Ask) => Yolo::AskToAllow,
        (true, false, _) => Yolo::NoEffect,
    };
    agree(&decision, &winner, yolo, question.values.is_empty())?;
    let others = matching
        .iter()
        .enumerate()
        .rev()
        .filter(|(index, _)| *index != at);
    let others = others.map(|(_, (hits, candidate))| {
        let decides =
            is_path_surface(question.surface) || hits.get(deciding).copied().unwrap_or(false);
        let lost = if !decides {
            Lost::OtherValue
        } else if candidate.layer < winner.layer {
            Lost::HigherLayer
        } else {
            Lost::LaterRule
        };
        (*candidate, lost)
    });
    Ok(Explanation {
        decision,
        value: values.get(deciding).copied().unwrap_or("*"),
        winner,
        others: others.collect(),
        view: view.view.agent,
        yolo,
        session_matches: matching
            .iter()
            .filter(|(_, candidate)| candidate.layer == Layer::Session && candidate.rule.is_none())
            .count(),
    })
}

/// A rule with, for each value, whether it matches.
type Matching<'a> = (Vec<bool>, Candidate<'a>);

/// All rules that match any of the values, lowest first, the session overlay last.
fn matching<'a>(
    question: &Question<'a>,
    values: &[&str],
    view: &EffectiveView<'a>,
    flags: u32,
) -> Vec<Matching<'a>> {
    let home = question.context.home.filter(|home| !home.is_empty());
    let context = MatchContext {
        home: home.map(|home| home.strip_suffix('/').unwrap_or(home)),
        fold: flags & format::CONFIG_FOLD_PATHS != 0 && is_path_surface(question.surface),
    };
    let overlay = question
        .session
        .rules()
        .map(|(surface, pattern)| Candidate {
            surface,
            pattern,
            action: Action::Allow,
            reason: None,
            layer: Layer::Session,
            origin: Origin::Session,
            agent: None,
            rule: None,
            history: &[],
            value: 0,
        });
    view.rules
        .iter()
        .map(candidate)
        .chain(overlay)
        .filter(|candidate| name_matches(candidate.surface, question.surface, false))
        .filter_map(|candidate| {
            let hits: Vec<bool> = values
                .iter()
                .map(|value| pattern_matches(candidate.pattern, value, context))
                .collect();
            let value = hits.iter().position(|hit| *hit)?;
            Some((hits, Candidate { value, ..candidate }))
        })
        .collect()
}

fn candidate<'a>(EffectiveRule { rule, detail }: &EffectiveRule<'a>) -> Candidate<'a> {
    Candidate {
        surface: rule.surface,
        pattern: rule.pattern,
        action: rule.action,
        reason: rule.reason,
        layer: rule.layer,
        origin: rule.origin,
        agent: detail.agent.as_deref(),
        rule: rule.file.map(|file| RuleRef {
            id: rule.id,
            file,
            line: rule.line,
            column: rule.column,
        }),
        history: &detail.history,
        value: 0,
    }
}

/// The winner among the matching rules, and the value that decides.
fn winner(matching: &[Matching<'_>], n_values: usize, surface: &str) -> Option<(usize, usize)> {
    if is_path_surface(surface) {
        let at = matching.len().checked_sub(1)?;
        let (_, candidate) = matching.get(at)?;
        return Some((at, candidate.value));
    }
    let mut first = None;
    for value in 0..n_values {
        let at = matching
            .iter()
            .rposition(|(hits, _)| hits.get(value).copied().unwrap_or(false))?;
        let (_, candidate) = matching.get(at)?;
        if candidate.layer != Layer::Default {
            return Some((at, value));
        }
        first = first.or(Some((at, value)));
    }
    first
}

fn agree(
    decision: &Decision<'_>,
    winner: &Candidate<'_>,
    yolo: Yolo,
    no_value: bool,
) -> Result<(), Disagreement> {
    let (state, origin) = if yolo == Yolo::AskToAllow {
        (Action::Allow, Origin::Yolo)
    } else {
        (winner.action, winner.origin)
    };
    let pattern = matches!(winner.layer, Layer::Config | Layer::Session).then_some(winner.pattern);
    let value = (!no_value).then_some(winner.value);
    let what = if decision.fault {
        "a table contradicts itself"
    } else if decision.state != state {
        "another action"
    } else if (decision.layer, decision.origin) != (winner.layer, origin) {
        "another origin"
    } else if decision.matched_pattern() != pattern || decision.rule() != winner.rule {
        "another rule"
    } else if decision.value != value {
        "another value"
    } else {
        return Ok(());
    };
    Err(Disagreement(what.to_owned()))
}
