//! `conformance/evaluate.jsonl` and `mcp-targets.jsonl`, field by field.

use permc::Options;
use permc_runtime::mcp_targets;
use permc_tests::data::{JsonInput, json_lines, say};
use permc_tests::engine::through_the_disk;
use permc_tests::recorded::{N_CASES, evaluate};

#[test]
fn evaluate_on_both_engines() {
    let artifacts = [("artifact", Options::default())];
    let evaluated = evaluate(&artifacts, through_the_disk);
    let (n_cases, failures) = (evaluated.n_cases, evaluated.failures);
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
    assert_eq!(n_cases, N_CASES, "the recorded number of cases");
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
