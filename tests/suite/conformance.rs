//! `conformance/evaluate.jsonl` and `mcp-targets.jsonl`, field by field.

use permc::Options;
use permc_runtime::{Context, Policy, Session, mcp_targets};
use permc_tests::data::{JsonInput, json_lines, recorded_sources, say};
use permc_tests::engine::{
    Answer, ask_artifact, ask_reference, compiled, reference_tool_permission, through_the_disk,
};
use serde_json::{Map, Value};

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

#[test]
fn evaluate_on_both_engines() {
    let mut n_cases = 0;
    let mut failures = Vec::new();
    for (line, policy) in json_lines("conformance/evaluate.jsonl").iter().enumerate() {
        let output = compiled(
            &recorded_sources(&policy["scopes"], &policy["mcpServers"]),
            &Options::default(),
        );
        let artifact: Policy = through_the_disk(&output.bytes);
        for (number, case) in policy["cases"].as_array().unwrap().iter().enumerate() {
            n_cases += 1;
            let context = Context {
                home: policy["home"].as_str(),
                agent: case["agent"].as_str(),
                yolo: case["yolo"].as_bool(),
            };
            let bound = artifact.bind(context).unwrap();
            let session = session(case);
            let expected = &case["expect"];
            let answers: [(&str, Value); 2] = if let Some(tool) = case["toolPermission"].as_str() {
                let reference = reference_tool_permission(&output.policy, context, tool);
                [
                    ("artifact", bound.tool_permission(tool).as_str().into()),
                    ("reference", reference.as_str().into()),
                ]
            } else {
                let query = &case["query"];
                let surface = query["surface"].as_str().unwrap();
                let input = JsonInput(&query["input"]);
                let call = (query["kind"] == "tool").then(|| bound.normalize(surface, &input));
                let (surface, values, command) = match &call {
                    Some(call) => (
                        call.surface,
                        call.values.iter().map(AsRef::as_ref).collect(),
                        call.command,
                    ),
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
                let by_artifact = ask_artifact(&bound, &session, surface, &values);
                let by_reference =
                    ask_reference(&output.policy, context, &session, surface, &values);
                assert_eq!(
                    by_artifact.rule,
                    by_reference.rule,
                    "line {} case {number}",
                    line + 1
                );
                [
                    ("artifact", show(&by_artifact)),
                    ("reference", show(&by_reference)),
                ]
            };
            for (engine, answer) in answers {
                if answer != *expected {
                    failures.push(format!(
                        "line {} case {number} on {engine}: {case}\n  expected {expected}\n  answered {answer}",
                        line + 1
                    ));
                }
            }
        }
    }
    say(&format!(
        "evaluate.jsonl: {n_cases} cases on 2 engines, {} failures",
        failures.len()
    ));
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
    assert_eq!(n_cases, 3_578, "the recorded number of cases");
}

#[test]
fn mcp_targets_in_order() {
    let cases = json_lines("conformance/mcp-targets.jsonl");
    for (line, case) in cases.iter().enumerate() {
        let servers: Vec<&str> = case["servers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|server| server.as_str().unwrap())
            .collect();
        let expected: Vec<&str> = case["targets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|target| target.as_str().unwrap())
            .collect();
        let targets = mcp_targets(&JsonInput(&case["input"]), &servers);
        assert_eq!(targets, expected, "line {}: {case}", line + 1);
    }
    say(&format!("mcp-targets.jsonl: {} cases", cases.len()));
    assert_eq!(cases.len(), 186, "the recorded number of cases");
}
