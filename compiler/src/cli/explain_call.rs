//! `permc explain` for whole calls: gates, commands with floors and forms, paths with aliases, the deciding rule.

use permc_gates::{Decision, Explanation, Gate, PathExplanation, UnitExplanation};
use permc_runtime::Session;
use serde_json::{Value, json};

use crate::decode::Artifact;
use crate::explain::{Question, explain};
use crate::explain_tier::{TierExplanation, TierQuestion, explain_tier};

use super::console::Console;
use super::decide::answer;
use super::explain::{check_json, check_text};
use super::text::{shown, ticked};
use super::tier;

/// An explanation with what it is about.
pub(super) struct Explained<'a> {
    pub(super) tool: &'a str,
    pub(super) artifact: &'a Artifact,
    pub(super) gates: &'a permc_gates::Gates<'a>,
    pub(super) context: permc_runtime::Context<'a>,
    pub(super) session: &'a Session,
    pub(super) model: Option<&'a str>,
    pub(super) cwd: &'a str,
    pub(super) explanation: &'a Explanation<'a>,
}

/// The check behind the gate that decides: its surface and values, and whether the session counts.
struct Deciding<'e> {
    surface: &'e str,
    values: Vec<String>,
    with_session: bool,
}

fn strictest<'d, 'a>(decision: &'d Decision<'a>) -> Option<&'d Gate<'a>> {
    let mut gates = decision.gates.iter();
    gates.find(|gate| gate.state == decision.state)
}

/// The checks that a gate may have answered with: its value; for paths all aliases, those without `..`, those of
/// directories, `D/` beside `D`.
fn candidates<'e>(gate: &'e Gate<'_>, explanation: &'e Explanation<'_>) -> Vec<Deciding<'e>> {
    let of = |values: Vec<String>, with_session: bool| Deciding {
        surface: &gate.gate,
        values,
        with_session,
    };
    let mut found = Vec::new();
    match &*gate.gate {
        "tier" => return found,
        "bash" => {
            let mut units = explanation.units.iter();
            let unit = units.find(|unit| unit.text == gate.value && unit.state == gate.state);
            let form = unit.and_then(|unit| unit.forms.iter().find(|form| form.decides));
            found.extend(form.map(|form| of(vec![form.text.clone()], false)));
        }
        _ => {
            let is_it = |path: &&PathExplanation<'_>| {
                let own = [&path.path, &path.external];
                own.contains(&&Some(gate.clone())) || path.text == gate.value
            };
            for path in explanation.paths.iter().filter(is_it) {
                let all = path.aliases.clone();
                let turns = |alias: &String| alias.split('/').any(|part| part == "..");
                let straight: Vec<String> =
                    all.iter().filter(|alias| !turns(alias)).cloned().collect();
                let below = straight.iter().map(|alias| format!("{alias}/"));
                let wide: Vec<String> = straight.iter().cloned().chain(below).collect();
                found.extend([of(all, true), of(straight, true), of(wide, true)]);
            }
        }
    }
    found.push(of(vec![gate.value.clone()], true));
    found
}

impl Explained<'_> {
    /// The row behind the tier gate.
    fn with_tier<T>(
        &self,
        read: impl FnOnce(&TierQuestion<'_>, &TierExplanation<'_>) -> T,
    ) -> Option<T> {
        let mut gates = self.explanation.decision.gates.iter();
        let gate = gates.find(|gate| gate.gate == "tier")?;
        let mut found = ["read", "write", "bash", "webfetch"]
            .into_iter()
            .filter_map(|action| {
                let question = TierQuestion {
                    artifact: self.artifact,
                    bound: self.gates.bound(),
                    home: self.context.home,
                    cwd: self.cwd,
                    model: self.model?,
                    action,
                    resource: &gate.value,
                };
                let explanation = explain_tier(&question).ok()?;
                let row = explanation.answer.row.map(|row| row.rule);
                (explanation.answer.effect == Some(gate.state) && row == gate.rule)
                    .then_some((question, explanation))
            });
        let (question, explanation) = found.next()?;
        Some(read(&question, &explanation))
    }

    fn with_deciding<T>(
        &self,
        read: impl FnOnce(&Question<'_>, &crate::explain::Explanation<'_>) -> T,
    ) -> Option<T> {
        let gate = strictest(&self.explanation.decision)?;
        let none = Session::default();
        let bound = self.gates.bound();
        let session = |deciding: &Deciding<'_>| {
            if deciding.with_session {
                self.session
            } else {
                &none
            }
        };
        // Under a floor another rule, or none, stands in the gate.
        let has_answered = |deciding: &Deciding<'_>| {
            let values: Vec<&str> = deciding.values.iter().map(String::as_str).collect();
            let answer = bound.check(deciding.surface, &values, session(deciding));
            let is_same =
                answer.state == gate.state && answer.matched_pattern() == gate.matched_pattern;
            is_same || gate.floor.is_some()
        };
        let mut candidates = candidates(gate, self.explanation).into_iter();
        let deciding = candidates.find(has_answered)?;
        let values: Vec<&str> = deciding.values.iter().map(String::as_str).collect();
        let question = Question {
            artifact: self.artifact,
            bound,
            context: self.context,
            session: session(&deciding),
            surface: deciding.surface,
            values: &values,
        };
        // The artifact and its rules may disagree only where the artifact is broken; the gates stand all the same.
        let explanation = explain(&question).ok()?;
        Some(read(&question, &explanation))
    }

    /// One object.
    pub(super) fn to_json(&self, digest: &str) -> Value {
        let explanation = self.explanation;
        json!({
            "schema": "permc/explain-call/1",
            "tool": self.tool,
            "decision": answer::to_json(&explanation.decision, digest),
            "units": explanation.units.iter().map(unit_json).collect::<Vec<_>>(),
            "paths": explanation.paths.iter().map(path_json).collect::<Vec<_>>(),
            "deciding": self.with_deciding(check_json),
            "tier": self.with_tier(|question, explanation| tier::to_json(question, explanation, digest)),
        })
    }

    /// Several lines for people.
    pub(super) fn to_text(&self, console: &Console<'_, '_>) -> String {
        let explanation = self.explanation;
        let decision = &explanation.decision;
        let mut text = answer::verdict(decision, &console.action(decision.state));
        if !explanation.units.is_empty() {
            text.push_str(&format!("\n{}\n", console.strong("Commands:")));
            for (number, unit) in explanation.units.iter().enumerate() {
                unit_text(number.saturating_add(1), unit, &mut text);
            }
        }
        if !explanation.paths.is_empty() {
            text.push_str(&format!("\n{}\n", console.strong("Looked at as paths:")));
            for path in &explanation.paths {
                path_text(path, &mut text);
            }
        }
        text.push_str(&answer::approvals(decision));
        let tier =
            self.with_tier(|question, explanation| tier::to_text(question, explanation, console));
        if let Some(tier) = tier {
            text.push_str(&format!(
                "\n{}\n{tier}",
                console.strong("The model's trust tier:")
            ));
        }
        let check = self.with_deciding(|question, check| check_text(question, check, console));
        if let Some(check) = check {
            text.push_str(&format!(
                "\n{}\n{check}",
                console.strong("The check behind the gate that decides:")
            ));
        }
        text
    }
}

fn unit_json(unit: &UnitExplanation<'_>) -> Value {
    let floors = unit
        .floors
        .iter()
        .map(|(floor, is_lifted)| json!({ "floor": floor.sentinel(), "lifted": is_lifted }));
    let forms = unit.forms.iter().map(|form| {
        json!({
            "text": form.text,
            "state": form.answer.state.as_str(),
            "matchedPattern": form.answer.matched_pattern,
            "decides": form.decides,
        })
    });
    json!({
        "text": unit.text,
        "kind": unit.kind.as_str(),
        "context": unit.surrounding.map(permc_gates::Surrounding::as_str),
        "state": unit.state.as_str(),
        "own": {
            "state": unit.own.state.as_str(),
            "matchedPattern": unit.own.matched_pattern,
        },
        "floors": floors.collect::<Vec<_>>(),
        "forms": forms.collect::<Vec<_>>(),
        "open": unit.open,
    })
}

fn path_json(path: &PathExplanation<'_>) -> Value {
    let gate = |gate: &Option<Gate<'_>>| gate.as_ref().map(answer::gate_json);
    json!({
        "text": path.text,
        "why": path.why.as_str(),
        "bases": path.bases,
        "baseOpen": path.is_base_open,
        "aliases": path.aliases,
        "path": gate(&path.path),
        "external": gate(&path.external),
    })
}

fn by(pattern: Option<&str>) -> String {
    pattern.map_or_else(|| "the default".to_owned(), ticked)
}

fn unit_text(number: usize, unit: &UnitExplanation<'_>, text: &mut String) {
    text.push_str(&format!(
        "  {number}. {}  {}\n",
        unit.state.as_str(),
        ticked(&unit.text)
    ));
    let mut line = |name: &str, rest: String| {
        text.push_str(&format!("     {name:<9}{rest}\n"));
    };
    match unit.kind.as_str() {
        "compound" => line(
            "is",
            "a compound command: only a specific ask or deny counts".to_owned(),
        ),
        "not_understood" => line(
            "is",
            "a part that was not understood: at least ask".to_owned(),
        ),
        _ => {}
    }
    if let Some(surrounding) = unit.surrounding {
        line("inside", surrounding.as_str().replace('_', " "));
    }
    let own = &unit.own;
    line(
        "rules",
        format!("{} by {}", own.state.as_str(), by(own.matched_pattern)),
    );
    for (floor, is_lifted) in &unit.floors {
        let lifted = if *is_lifted { ", lifted" } else { "" };
        line("floor", format!("{}{lifted}", floor.sentinel()));
    }
    for form in &unit.forms {
        let answer = &form.answer;
        let decides = if form.decides { ", which decides" } else { "" };
        line(
            "also",
            format!(
                "{}: {} by {}{decides}",
                ticked(&form.text),
                answer.state.as_str(),
                by(answer.matched_pattern)
            ),
        );
    }
    for open in &unit.open {
        line("open", format!("{}, held against denies", ticked(open)));
    }
}

fn path_text(path: &PathExplanation<'_>, text: &mut String) {
    let why = match path.why.as_str() {
        "argument" => "an argument",
        "candidate" => "looks like a path",
        "word" => "a word: only a specific ask or deny counts",
        _ => "a part of a word: only a deny counts",
    };
    text.push_str(&format!("  {}  {why}\n", ticked(&path.text)));
    let aliases: Vec<String> = path.aliases.iter().map(|alias| ticked(alias)).collect();
    text.push_str(&format!("     {:<9}{}\n", "as", aliases.join(", ")));
    if path.is_base_open {
        text.push_str(&format!(
            "     {:<9}a directory that only run time knows\n",
            "in"
        ));
    }
    for (name, gate) in [("path", &path.path), ("outside", &path.external)] {
        let Some(gate) = gate else { continue };
        let reason = gate
            .reason
            .map(|reason| format!(": {}", shown(reason)))
            .unwrap_or_default();
        text.push_str(&format!(
            "     {name:<9}{} by {}{reason}\n",
            gate.state.as_str(),
            by(gate.matched_pattern)
        ));
    }
}
