//! The decision about a whole call, for machines and for people.

use permc_gates::{Decision, Gate, UnitAnswer};
use serde_json::{Map, Value, json};

use super::super::text::{rule_id, rule_place, shown, table, ticked};

/// The answer as page 6 has it, with what else is known.
pub(crate) fn to_json(decision: &Decision<'_>, digest: &str) -> Value {
    let mut answer = Map::new();
    answer.insert("state".to_owned(), json!(decision.state.as_str()));
    let resolution = decision.resolution.as_str();
    if resolution == "gate_error" {
        answer.insert("resolution".to_owned(), json!(resolution));
    }
    answer.insert(
        "gates".to_owned(),
        decision.gates.iter().map(gate_json).collect(),
    );
    if !decision.units.is_empty() {
        answer.insert(
            "units".to_owned(),
            decision.units.iter().map(unit_json).collect(),
        );
    }
    answer.insert("suggestions".to_owned(), json!(decision.suggestions));
    answer.insert("digest".to_owned(), json!(digest));
    Value::Object(answer)
}

pub(crate) fn gate_json(gate: &Gate<'_>) -> Value {
    let mut value = json!({
        "gate": gate.gate,
        "state": gate.state.as_str(),
        "matchedPattern": gate.matched_pattern,
        "value": gate.value,
        "source": gate.source.as_str(),
        "origin": gate.origin.as_str(),
        "rule": gate.rule.map(|rule| json!({
            "id": rule_id(rule.id),
            "file": rule.file,
            "line": rule.line,
            "column": rule.column,
        })),
    });
    if let Value::Object(fields) = &mut value {
        if let Some(reason) = gate.reason {
            fields.insert("reason".to_owned(), json!(reason));
        }
        if let Some(surrounding) = gate.surrounding {
            fields.insert("commandContext".to_owned(), json!(surrounding.as_str()));
        }
    }
    value
}

fn unit_json(unit: &UnitAnswer<'_>) -> Value {
    let mut value = json!({ "text": unit.text });
    if let Value::Object(fields) = &mut value {
        if let Some(surrounding) = unit.surrounding {
            fields.insert("context".to_owned(), json!(surrounding.as_str()));
        }
        if let Some(floor) = unit.floor {
            fields.insert("floor".to_owned(), json!(floor.sentinel()));
        }
        fields.insert("state".to_owned(), json!(unit.state.as_str()));
        fields.insert("matchedPattern".to_owned(), json!(unit.matched_pattern));
        if let Some(form) = &unit.form {
            fields.insert("form".to_owned(), json!(form));
        }
        if unit.is_compound {
            fields.insert("compound".to_owned(), json!(true));
        }
    }
    value
}

/// Several lines for people: the verdict, then gates, units and what would settle an ask.
pub(crate) fn to_text(decision: &Decision<'_>, state: &str) -> String {
    let mut text = verdict(decision, state);
    if decision.units.len() > 1
        || decision
            .units
            .iter()
            .any(|unit| unit.floor.is_some() || unit.form.is_some())
    {
        let rows: Vec<Vec<String>> = decision.units.iter().map(unit_row).collect();
        text.push_str("\nCommands:\n");
        text.push_str(&table(&rows, "  "));
    }
    text.push_str(&approvals(decision));
    text
}

/// The verdict and the gates.
pub(crate) fn verdict(decision: &Decision<'_>, state: &str) -> String {
    let mut text = format!("{state}\n");
    if decision.resolution.as_str() == "gate_error" {
        text.push_str(
            "  the call could not be judged, so it is denied; please report it with the policy\n",
        );
    }
    let rows: Vec<Vec<String>> = decision.gates.iter().map(gate_row).collect();
    if !rows.is_empty() {
        text.push_str("\nGates:\n");
        text.push_str(&table(&rows, "  "));
    }
    text
}

/// What would settle an ask for the session.
pub(crate) fn approvals(decision: &Decision<'_>) -> String {
    let mut text = String::new();
    if !decision.suggestions.is_empty() {
        text.push_str("\nApproving for the session:\n");
        for (surface, pattern) in &decision.suggestions {
            text.push_str(&format!("  {surface} {}\n", ticked(pattern)));
        }
    }
    text
}

fn gate_row(gate: &Gate<'_>) -> Vec<String> {
    let mut why = gate
        .matched_pattern
        .map_or_else(|| "default".to_owned(), ticked);
    if let Some(rule) = &gate.rule {
        why.push_str(&format!(" at {}", rule_place(rule)));
    }
    if gate.origin.as_str() == "yolo" {
        why.push_str(" (yolo)");
    }
    if let Some(reason) = gate.reason {
        why.push_str(&format!(": {}", shown(reason)));
    }
    vec![
        gate.state.as_str().to_owned(),
        shown(&gate.gate),
        ticked(&gate.value),
        why,
    ]
}

fn unit_row(unit: &UnitAnswer<'_>) -> Vec<String> {
    let mut why = unit
        .matched_pattern
        .map_or_else(|| "default".to_owned(), ticked);
    if let Some(form) = &unit.form {
        why.push_str(&format!(", as it also runs {}", ticked(form)));
    }
    if let Some(floor) = unit.floor
        && unit.matched_pattern != Some(floor.sentinel())
    {
        why.push_str(&format!(", floor {}", floor.sentinel()));
    }
    let context = match (unit.surrounding, unit.is_compound) {
        (_, true) => "compound",
        (Some(surrounding), _) => surrounding.as_str(),
        (None, _) => "",
    };
    vec![
        unit.state.as_str().to_owned(),
        context.to_owned(),
        ticked(&unit.text),
        why,
    ]
}

/// The decision on one line.
pub(crate) fn to_line(decision: &Decision<'_>) -> String {
    let strictest = decision
        .gates
        .iter()
        .find(|gate| gate.state == decision.state);
    let mut text = decision.state.as_str().to_owned();
    if let Some(gate) = strictest {
        for piece in gate_row(gate).iter().skip(1) {
            text.push_str("  ");
            text.push_str(piece);
        }
    }
    text.push('\n');
    text
}
