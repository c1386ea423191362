//! The shell gate: units, their floors and forms against the rules (page 2b, b.2 to b.4).

use permc_runtime::{Action, Decision, Layer, Session, name_matches, pattern_matches};

use crate::decide::{Gates, speaks_of_operators};
use crate::decision::{Gate, UnitAnswer};
use crate::overlap::{covers, patterns_overlap};
use crate::shell::{Analysis, Floor, Lift, Unit, UnitKind};
use crate::suggest;

/// What the shell gate says.
pub(crate) struct Shell<'a> {
    pub(crate) gate: Gate<'a>,
    pub(crate) units: Vec<UnitAnswer<'a>>,
    pub(crate) suggestions: Vec<(String, String)>,
}

pub(crate) const SURFACE: &str = "bash";

impl<'p> Gates<'p> {
    /// Judges a command's units; the strictest wins, the first on ties.
    pub(crate) fn shell<'a>(
        &'a self,
        command: &str,
        analysis: &Analysis,
        session: &'a Session,
    ) -> Shell<'a> {
        let mut strictest: Option<Gate<'a>> = None;
        let mut units = Vec::with_capacity(analysis.units.len());
        let mut suggestions = Vec::new();
        for unit in &analysis.units {
            let (gate, answer, _) = self.unit(unit, session);
            if gate.state == Action::Ask
                && let Some(pattern) = suggest::for_unit(&gate.value, answer.floor)
                && !suggestions.iter().any(|(_, known)| *known == pattern)
            {
                suggestions.push((SURFACE.to_owned(), pattern));
            }
            let counts = unit.kind != UnitKind::Compound || gate.state != Action::Allow;
            if counts
                && strictest
                    .as_ref()
                    .is_none_or(|known| gate.state > known.state)
            {
                strictest = Some(gate);
            }
            units.push(answer);
        }
        let has_commands = analysis
            .units
            .iter()
            .any(|unit| unit.kind != UnitKind::Compound);
        let mut gate = match strictest {
            Some(gate) if has_commands => gate,
            found => {
                let raw = self.bound().check(SURFACE, &[command], session);
                let raw = Gate::of(SURFACE, &raw, command.to_owned());
                let raw = if is_only_comments(command) || raw.state != Action::Allow {
                    raw
                } else {
                    raw.under(Floor::Unparseable)
                };
                match found {
                    Some(found) if found.state >= raw.state => found,
                    _ => raw,
                }
            }
        };
        for text in &analysis.texts {
            if let Some(whole) = self.whole(text, session)
                && whole.state > gate.state
            {
                gate = whole;
            }
        }
        if let Some(floor) = analysis.whole
            && gate.state == Action::Allow
        {
            gate = gate.under(floor);
            gate.value = command.to_owned();
        }
        Shell {
            gate,
            units,
            suggestions,
        }
    }

    /// The floors under a unit, each with whether it is lifted.
    fn floors_under(
        &self,
        unit: &Unit,
        is_granted: bool,
        state: Action,
        session: &Session,
    ) -> Vec<(Floor, bool)> {
        let mut floors: Vec<(Floor, bool)> = unit
            .floors
            .iter()
            .map(|(floor, lift)| {
                (
                    *floor,
                    self.is_lifted(unit, *floor, lift, is_granted, session),
                )
            })
            .collect();
        if unit.kind == UnitKind::Fault {
            floors.push((Floor::Unparsed, false));
        }
        if !is_granted && state == Action::Allow && unit.kind != UnitKind::Compound {
            let overlaps = unit
                .free
                .iter()
                .any(|free| self.may_be_denied(free, &unit.text));
            if overlaps {
                floors.push((Floor::ComputedCommand, false));
            }
        }
        floors
    }

    /// Judges one unit; also tells its floors, each with whether it is lifted.
    pub(crate) fn unit<'a>(
        &'a self,
        unit: &Unit,
        session: &'a Session,
    ) -> (Gate<'a>, UnitAnswer<'a>, Vec<(Floor, bool)>) {
        let decision = self.bound().check(SURFACE, &[&unit.text], session);
        let mut gate = Gate::of(SURFACE, &decision, unit.text.clone());
        gate.surrounding = unit.surrounding;
        let is_compound = unit.kind == UnitKind::Compound;
        if is_compound && !gate.is_specific() {
            gate.state = Action::Allow;
        }
        let is_granted = self.is_granted(&unit.text, session) || is_grant(&gate);
        let form = self.tighten(&mut gate, &unit.forms, is_granted);
        let floors = self.floors_under(unit, is_granted, gate.state, session);
        let standing = floors.iter().find(|(_, is_lifted)| !is_lifted);
        if let Some((floor, _)) = standing
            && gate.state == Action::Allow
        {
            gate = gate.under(*floor);
        }
        let answer = UnitAnswer {
            text: unit.text.clone(),
            surrounding: unit.surrounding,
            floor: floors.first().map(|(floor, _)| *floor),
            state: gate.state,
            matched_pattern: gate.matched_pattern,
            form,
            is_compound,
        };
        (gate, answer, floors)
    }

    /// The gate of a unit by its normal forms: a specific ask or deny for one of them counts. Gives the form that did.
    pub(crate) fn tighten<'a>(
        &'a self,
        gate: &mut Gate<'a>,
        forms: &[String],
        is_granted: bool,
    ) -> Option<String> {
        let mut form = None;
        for text in forms {
            let other = self.bound().check(SURFACE, &[text], self.no_session());
            let tightens = other.state > gate.state && !(is_granted && other.state == Action::Ask);
            if !tightens || !is_specific(&other) {
                continue;
            }
            let lost = other
                .matched_pattern()
                .is_some_and(|pattern| self.matches(pattern, &gate.value));
            if !lost {
                let surrounding = gate.surrounding;
                *gate = Gate::of(SURFACE, &other, std::mem::take(&mut gate.value));
                gate.surrounding = surrounding;
                form = Some(text.clone());
            }
        }
        form
    }

    /// Whether a session's grant other than the bare `*` matches.
    pub(crate) fn is_granted(&self, text: &str, session: &Session) -> bool {
        session.rules().any(|(surface, pattern)| {
            pattern != "*" && name_matches(surface, SURFACE, false) && self.matches(pattern, text)
        })
    }

    fn is_lifted(
        &self,
        unit: &Unit,
        floor: Floor,
        lift: &Lift,
        is_granted: bool,
        session: &Session,
    ) -> bool {
        match lift {
            Lift::Assignment(assignment) => {
                let Some(text) = &unit.with_assignments else {
                    return false;
                };
                self.is_granted(text, session) || self.is_allowed_on_purpose(text, assignment)
            }
            _ if floor == Floor::EnvironmentOverride => false,
            Lift::Never => is_granted,
            Lift::Word(word) => is_granted || self.is_allowed_on_purpose(&unit.text, word),
        }
    }

    /// Whether a configured allow decides whose literal prefix says this word or assignment.
    fn is_allowed_on_purpose(&self, text: &str, word: &str) -> bool {
        let decision = self.bound().check(SURFACE, &[text], self.no_session());
        if decision.state != Action::Allow
            || !matches!(decision.layer, Layer::Config | Layer::Session)
        {
            return false;
        }
        let pattern = decision.matched_pattern().unwrap_or_default();
        let prefix = pattern.split(['*', '?']).next().unwrap_or_default();
        let is_assignment = word.ends_with('=');
        prefix.split([' ', '\t', '\n']).any(|piece| {
            let piece = piece.trim_matches(['\'', '"']);
            if is_assignment {
                piece.starts_with(word)
            } else {
                piece == word
            }
        })
    }

    /// Whether the unit with its computed words free could be something that a specific rule denies.
    fn may_be_denied(&self, free: &str, text: &str) -> bool {
        let rules = self.shell_rules();
        rules.iter().enumerate().any(|(rank, known)| {
            let rule = &known.rule;
            if rule.action != Action::Deny
                || rule.pattern == "*"
                || self.matches(rule.pattern, text)
                || !patterns_overlap(free, &known.pattern)
            {
                return false;
            }
            // A later rule that covers whatever the words may be has the last word.
            let later = rules.get(rank.saturating_add(1)..).unwrap_or_default();
            !later
                .iter()
                .any(|later| later.rule.action != Action::Deny && covers(&later.pattern, free))
        })
    }

    /// The whole command against the patterns that speak of operators.
    fn whole<'a>(&'a self, text: &str, session: &'a Session) -> Option<Gate<'a>> {
        let mut rules = self.whole_rules();
        let winner = rules.find(|rule| self.matches(rule.pattern, text))?;
        let is_granted = session.rules().any(|(surface, pattern)| {
            speaks_of_operators(pattern)
                && name_matches(surface, SURFACE, false)
                && self.matches(pattern, text)
        });
        if winner.action == Action::Allow || (is_granted && winner.action == Action::Ask) {
            return None;
        }
        Some(self.gate_of_rule(winner, text.to_owned()))
    }

    pub(crate) fn matches(&self, pattern: &str, text: &str) -> bool {
        let context = permc_runtime::MatchContext {
            home: self.bound().home(),
            fold: false,
        };
        pattern_matches(pattern, text, context)
    }
}

/// Whether a session's grant other than the bare `*` decides.
pub(crate) fn is_grant(gate: &Gate<'_>) -> bool {
    gate.layer == Layer::Session && gate.matched_pattern != Some("*")
}

/// Decided by a configured or session rule whose pattern is not the bare `*`.
pub(crate) fn is_specific(answer: &Decision<'_>) -> bool {
    is_specific_rule(answer.layer, answer.matched_pattern())
}

/// The same, of a rule's layer and pattern.
pub(crate) fn is_specific_rule(layer: Layer, pattern: Option<&str>) -> bool {
    matches!(layer, Layer::Config | Layer::Session) && pattern.is_some_and(|pattern| pattern != "*")
}

/// Whether a command is blank or nothing but comments.
fn is_only_comments(command: &str) -> bool {
    command.lines().all(|line| {
        let line = permc_runtime::trim(line);
        line.is_empty() || line.starts_with('#')
    })
}
