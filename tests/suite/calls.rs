//! Whole tool calls: reported faults, attacks, everyday commands, and the decisions of the reference system.

use std::collections::{BTreeMap, BTreeSet};

use permc_tests::calls::{Judge, session, shown};
use permc_tests::data::{json_lines, say};
use serde_json::Value;

/// Cases that we hold to be wrong, with the reason; each is asserted to come out as we say.
const WRONG_CASES: [(&str, &str, &str); 0] = [];

#[test]
fn reported_faults_attacks_and_everyday_commands_come_out_right() {
    let mut failures = Vec::new();
    for (file, expected) in [("reported", 71), ("attacks", 205), ("everyday", 62)] {
        let cases = json_lines(&format!("cases/{file}.jsonl"));
        assert_eq!(cases.len(), expected, "{file}");
        let mut judges: BTreeMap<String, Judge> = BTreeMap::new();
        let mut n_right = 0;
        for case in &cases {
            let key = format!(
                "{}{}{}{}",
                case["permission"], case["mcpServers"], case["home"], case["cwd"]
            );
            let judge = judges.entry(key).or_insert_with(|| {
                Judge::new(
                    &serde_json::json!({ "global": case["permission"] }),
                    &case["mcpServers"],
                    &Value::Null,
                    case["home"].as_str().unwrap_or("/home/dev"),
                    case["cwd"].as_str().unwrap_or("/w"),
                )
            });
            let call = &case["call"];
            let id = case["id"].as_str().unwrap();
            let wrong = WRONG_CASES.iter().find(|(wrong, _, _)| *wrong == id);
            let wanted =
                wrong.map_or_else(|| case["expect"].as_str().unwrap(), |(_, state, _)| state);
            judge.decide(
                call["tool"].as_str().unwrap(),
                &call["input"],
                &session(case),
                None,
                |decision| {
                    let state = decision.state.as_str();
                    let is_right = match wanted {
                        "ask+" => state != "allow",
                        exact => state == exact,
                    };
                    if is_right {
                        n_right += 1;
                    } else {
                        failures.push(format!(
                            "{file} {id} ({}): {}\n  wanted {wanted}, got {}",
                            case["kind"],
                            call["input"],
                            shown(decision)
                        ));
                    }
                },
            );
        }
        say(&format!(
            "calls: {n_right} of {} cases of {file}",
            cases.len()
        ));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The recorded cases, each with what ours says.
fn recorded(mut each: impl FnMut(&str, &Value, &permc_gates::Decision<'_>)) -> usize {
    let mut n_cases = 0;
    for line in json_lines("conformance/decide.jsonl") {
        let judge = Judge::new(
            &line["scopes"],
            &line["mcpServers"],
            &line["shellTools"],
            line["home"].as_str().unwrap(),
            line["cwd"].as_str().unwrap(),
        );
        for case in line["cases"].as_array().unwrap() {
            n_cases += 1;
            let tool = case["tool"].as_str().unwrap();
            let agent = case["agent"].as_str();
            judge.decide(tool, &case["input"], &session(case), agent, |decision| {
                each(line["policy"].as_str().unwrap(), case, decision);
            });
        }
    }
    n_cases
}

fn strictness(state: &str) -> usize {
    ["allow", "ask", "deny"]
        .iter()
        .position(|known| *known == state)
        .unwrap()
}

/// What identifies a case in the ledger.
fn key(policy: &str, case: &Value) -> String {
    format!(
        "{policy} {} {} {}",
        case["tool"], case["input"], case["session"]
    )
}

#[test]
fn no_decision_is_looser_than_the_reference_and_every_stricter_one_is_in_the_ledger() {
    let ledger = json_lines("ledger.jsonl");
    let reasons: BTreeMap<&str, &str> = json_lines_reasons();
    let mut listed: BTreeMap<String, (String, bool)> = BTreeMap::new();
    for entry in &ledger {
        let reason = entry["reason"].as_str().unwrap();
        assert!(
            reasons.contains_key(reason),
            "the ledger's reason {reason} is not explained"
        );
        let key = entry["case"].as_str().unwrap().to_owned();
        let ours = entry["ours"].as_str().unwrap().to_owned();
        assert!(
            listed.insert(key, (ours, false)).is_none(),
            "{entry} stands twice"
        );
    }
    let mut failures = Vec::new();
    let n_cases = recorded(|policy, case, decision| {
        let (theirs, ours) = (case["expect"].as_str().unwrap(), decision.state.as_str());
        let key = key(policy, case);
        if strictness(ours) < strictness(theirs) {
            failures.push(format!(
                "looser than {theirs}: {key}\n  {}",
                shown(decision)
            ));
        } else if ours != theirs {
            match listed.get_mut(&key) {
                Some((wanted, is_met)) if wanted == ours => *is_met = true,
                _ => failures.push(format!(
                    "stricter than {theirs}, not in the ledger: {key}\n  {}",
                    shown(decision)
                )),
            }
        }
    });
    assert_eq!(n_cases, 1_269);
    let unmet = listed.iter().filter(|(_, (_, is_met))| !is_met);
    failures.extend(unmet.map(|(key, _)| format!("in the ledger, but no longer stricter: {key}")));
    say(&format!(
        "calls: {n_cases} recorded decisions, {} stricter, all in the ledger",
        listed.len()
    ));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The reasons that the ledger may give, each with the page that it comes from.
fn json_lines_reasons() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([
        (
            "inline",
            "2b, b.3: `<inline-program>`, a floor that the reference does not have",
        ),
        (
            "environment",
            "2b, b.3: `<environment-override>`, a floor that the reference does not have",
        ),
        (
            "input",
            "2b, b.3: `<program-from-input>`, a floor that the reference does not have",
        ),
        (
            "computed",
            "2b, b.3: `<computed-command>`, a floor that the reference does not have",
        ),
        (
            "indirection",
            "2b: wrappers that the reference does not list, and the prefixes of zsh",
        ),
        (
            "unparsed",
            "2b, b.1: what is not understood is at least ask",
        ),
        ("bodies", "2b, b.2: bodies of compound commands are units"),
        (
            "forms",
            "2b, b.4: deny wide, allow narrow: normal forms and payloads",
        ),
        (
            "whole",
            "2b, b.4 item 7: the whole command against patterns that speak of operators",
        ),
        (
            "paths",
            "2b, b.5: redirect targets, `$HOME` and a directory itself are paths",
        ),
    ])
}

#[test]
fn every_unit_of_the_reference_is_among_ours() {
    let judge = Judge::of(&serde_json::json!({"*": "ask"}));
    let mut n_units = 0;
    let mut failures = Vec::new();
    for line in json_lines("conformance/bash-units.jsonl") {
        let input = serde_json::json!({ "command": line["command"] });
        judge.decide("bash", &input, &session(&line), None, |decision| {
            let ours: BTreeSet<(&str, Option<&str>)> = decision
                .units
                .iter()
                .map(|unit| {
                    (
                        unit.text.as_str(),
                        unit.surrounding.map(|context| context.as_str()),
                    )
                })
                .collect();
            let is_broken = decision
                .units
                .iter()
                .any(|unit| unit.floor == Some(permc_gates::Floor::Unparsed));
            for unit in line["units"].as_array().unwrap() {
                n_units += 1;
                let wanted = (unit["text"].as_str().unwrap(), unit["context"].as_str());
                let floor = unit["wrapper"].as_str();
                let found = ours.contains(&wanted);
                let has_floor = floor.is_none_or(|floor| {
                    let wanted_floor = match floor {
                        "opaque-payload" => permc_gates::Floor::Opaque,
                        _ => permc_gates::Floor::Indirection,
                    };
                    let same = |answer: &&permc_gates::UnitAnswer<'_>| answer.text == wanted.0;
                    let answer = decision.units.iter().find(same);
                    answer.is_some_and(|answer| answer.floor == Some(wanted_floor))
                });
                if !(is_broken || found && has_floor) {
                    failures.push(format!("{}: {unit}, ours {ours:?}", line["command"]));
                }
            }
        });
    }
    say(&format!("calls: {n_units} units of the reference"));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_spelling_of_a_path_hides_another() {
    let judge = Judge::of(&serde_json::json!({
        "*": "allow",
        "path": { "*": "allow", "/etc/passwd": "deny", "src/*": "allow" },
        "external_directory": { "*": "ask", "/opt/data/*": "allow", "../near/*": "allow" },
        "read": { "*": "ask", "src/*": "allow" },
        "mcp": "allow",
    }));
    let none = session(&serde_json::json!({}));
    for (tool, input, expected) in [
        ("read", r#"{"path":"src/a"}"#, "allow"),
        ("read", r#"{"path":"/etc/passwd"}"#, "deny"),
        ("read", r#"{"path":" ","file_path":"/etc/passwd"}"#, "deny"),
        (
            "read",
            r#"{"path":"src/a","file_path":"/etc/passwd"}"#,
            "deny",
        ),
        (
            "read",
            r#"{"path":"src/a","file_path":"/etc/hosts"}"#,
            "ask",
        ),
        ("read", r#"{"path":"src/a","filePath":"src/b"}"#, "allow"),
        ("read", r#"{"path":"src/../b"}"#, "ask"),
        ("read", r#"{"path":"src/sub/../a"}"#, "allow"),
        ("write", r#"{"path":"/opt/data/x"}"#, "allow"),
        ("write", r#"{"path":"/opt/data/a/../x"}"#, "allow"),
        ("write", r#"{"path":"/opt/data/../../etc/x"}"#, "ask"),
        ("write", r#"{"path":"../near/x"}"#, "allow"),
        ("write", r#"{"path":"../near/../far/x"}"#, "ask"),
        ("bash", r#"{"command":"cat /opt/data/x"}"#, "allow"),
        ("bash", r#"{"command":"cat /opt/data/../../etc/x"}"#, "ask"),
        (
            "mcp",
            r#"{"tool":"a:b","arguments":{"q":"@/etc/passwd"}}"#,
            "deny",
        ),
        (
            "mcp",
            r#"{"tool":"a:b","arguments":{"q":" /etc/passwd"}}"#,
            "deny",
        ),
        (
            "mcp",
            r#"{"tool":"a:b","arguments":{"q":"about /etc/passwd"}}"#,
            "allow",
        ),
    ] {
        let input = serde_json::from_str(input).unwrap();
        judge.decide(tool, &input, &none, None, |decision| {
            assert_eq!(decision.state.as_str(), expected, "{tool} {input}");
        });
    }
    // A session grant is no cover either.
    let granted = session(&serde_json::json!({ "session": [["external_directory", "/mnt/x/*"]] }));
    for (path, expected) in [("/mnt/x/a", "allow"), ("/mnt/x/../../etc/a", "ask")] {
        let input = serde_json::json!({ "path": path });
        judge.decide("write", &input, &granted, None, |decision| {
            assert_eq!(decision.state.as_str(), expected, "{path}");
        });
    }
}
