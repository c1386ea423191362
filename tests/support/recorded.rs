//! The recorded decisions of `conformance/evaluate.jsonl`, asked of the reference and of any number of artifacts.

use permc::{Options, Output};
use permc_runtime::{Context, Policy, Session};
use serde_json::{Map, Value};

use crate::data::{JsonInput, json_lines, recorded_sources};
use crate::engine::{Answer, ask_artifact, ask_reference, compiled, reference_tool_permission};

/// Recorded cases.
pub const N_CASES: usize = 3_578;

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Evaluated {
    /// Cases, each asked of every engine.
    pub n_cases: usize,
    /// What was answered otherwise than recorded.
    pub failures: Vec<String>,
}

/// Compiles each recorded policy once an option set, and asks all its cases of the reference and of each artifact.
#[must_use]
pub fn evaluate(artifacts: &[(&str, Options)], load: impl Fn(&[u8]) -> Policy) -> Evaluated {
    let mut evaluated = Evaluated::default();
    for (line, policy) in json_lines("conformance/evaluate.jsonl").iter().enumerate() {
        let sources = recorded_sources(&policy["scopes"], &policy["mcpServers"]);
        let artifacts: Vec<(&str, Output, Policy)> = artifacts
            .iter()
            .map(|(name, options)| {
                let output = compiled(&sources, options);
                let policy = load(&output.bytes);
                (*name, output, policy)
            })
            .collect();
        for (number, case) in policy["cases"].as_array().unwrap().iter().enumerate() {
            evaluated.n_cases += 1;
            let context = Context {
                home: policy["home"].as_str(),
                agent: case["agent"].as_str(),
                yolo: case["yolo"].as_bool(),
                ..Context::default()
            };
            for (engine, answer) in answers(case, context, &artifacts) {
                if answer != case["expect"] {
                    evaluated.failures.push(format!(
                        "line {} case {number} on {engine}: {case}\n  expected {}\n  answered {answer}",
                        line + 1,
                        case["expect"]
                    ));
                }
            }
        }
    }
    evaluated
}

/// The answer of the reference, then that of each artifact, in the form of the record.
fn answers(
    case: &Value,
    context: Context<'_>,
    artifacts: &[(&str, Output, Policy)],
) -> Vec<(String, Value)> {
    let session = session(case);
    let mut answers = Vec::new();
    let mut rule = None;
    for (name, output, policy) in artifacts {
        let is_first = answers.is_empty();
        let bound = policy.bind(context).unwrap();
        if let Some(tool) = case["toolPermission"].as_str() {
            if is_first {
                let reference = reference_tool_permission(&output.policy, context, tool);
                answers.push(("reference".to_owned(), reference.as_str().into()));
            }
            answers.push((
                (*name).to_owned(),
                bound.tool_permission(tool).as_str().into(),
            ));
            continue;
        }
        let query = &case["query"];
        let surface = query["surface"].as_str().unwrap();
        let input = JsonInput(&query["input"]);
        let call = (query["kind"] == "tool").then(|| bound.normalize(surface, &input));
        let (surface, values, command) = match &call {
            Some(call) => {
                let values = call.values.iter().map(AsRef::as_ref).collect();
                (call.surface, values, call.command)
            }
            None => {
                let values = query["values"].as_array().unwrap();
                let values: Vec<&str> =
                    values.iter().map(|value| value.as_str().unwrap()).collect();
                (surface, values, None)
            }
        };
        let is_mcp = call.as_ref().is_some_and(|call| call.is_mcp);
        let show = |answer: &Answer| {
            let target = answer.value.filter(|_| is_mcp).map(|index| values[index]);
            shown(answer, command, target)
        };
        if is_first {
            let answer = ask_reference(&output.policy, context, &session, surface, &values);
            answers.push(("reference".to_owned(), show(&answer)));
            rule = answer.rule;
        }
        let answer = ask_artifact(&bound, &session, surface, &values);
        assert_eq!(answer.rule, rule, "the rule on {name}: {case}");
        answers.push(((*name).to_owned(), show(&answer)));
    }
    answers
}

/// The expectation's fields in the order in which a failure shows them.
fn shown(answer: &Answer, command: Option<&str>, target: Option<&str>) -> Value {
    let mut shown = Map::new();
    shown.insert("state".into(), answer.state.into());
    shown.insert(
        "matchedPattern".into(),
        answer.matched_pattern.clone().into(),
    );
    shown.insert("source".into(), answer.source.into());
    shown.insert("origin".into(), answer.origin.into());
    for (key, value) in [
        ("reason", answer.reason.as_deref()),
        ("target", target),
        ("command", command),
    ] {
        if let Some(value) = value {
            shown.insert(key.into(), value.into());
        }
    }
    Value::Object(shown)
}

fn session(case: &Value) -> Session {
    let rules = case["session"].as_array().into_iter().flatten();
    rules
        .map(|rule| (rule[0].as_str().unwrap(), rule[1].as_str().unwrap()))
        .collect()
}
