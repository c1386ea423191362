//! Our own cases of page 2b, kind by kind in both directions, and attacks that really run in a sandboxed bash.

use std::collections::BTreeMap;

use permc_runtime::Action;
use permc_tests::calls::{Judge, session, shown};
use permc_tests::data::json_lines;
use permc_tests::sandbox::Sandbox;
use serde_json::{Value, json};

use crate::shell::Draw;

/// The policies that cases name. All of them allow what no rule stops.
fn policies() -> BTreeMap<&'static str, Judge> {
    let files = json!({ "*": "allow", "*.env": "deny", "~/.ssh/*": "deny", "secret": "deny" });
    let policy = |bash: Value| {
        Judge::of(
            &json!({ "*": "allow", "external_directory": "ask", "path": files.clone(), "bash": bash }),
        )
    };
    BTreeMap::from([
        (
            "guard",
            policy(json!({
                "*": "allow", "rm *": "deny", "git push*": "ask", "cargo publish*": "deny", "npm publish*": "deny",
                "kubectl delete *": "deny", "docker compose push*": "deny", "./deploy.sh": "deny", "./deploy.sh *": "deny",
            })),
        ),
        (
            "lifts",
            policy(json!({
                "*": "allow", "python3 -c *": "allow", "ssh build-host *": "allow", "LD_PRELOAD=x *": "allow",
            })),
        ),
        (
            "lifts-wide",
            policy(json!({ "*": "allow", "python3 *": "allow" })),
        ),
        (
            "whole",
            policy(json!({ "*": "allow", "wget * | sh": "deny" })),
        ),
    ])
}

fn command(case: &Value) -> String {
    let times = case["times"].as_u64().unwrap_or(1);
    case["command"]
        .as_str()
        .unwrap()
        .repeat(usize::try_from(times).unwrap())
}

#[test]
fn every_kind_of_the_page_stops_what_it_should_and_lets_the_rest_through() {
    let policies = policies();
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in json_lines("own/shell.jsonl") {
        let command = command(&case);
        let stops = case["want"] == "stops";
        assert!(stops || case["want"] == "passes", "{case}");
        counts
            .entry(case["kind"].as_str().unwrap().to_owned())
            .or_default()[usize::from(!stops)] += 1;
        let judge = &policies[case["policy"].as_str().unwrap()];
        let input = json!({ "command": command });
        judge.decide("bash", &input, &session(&case), None, |decision| {
            if (decision.state == Action::Allow) == stops {
                wrong.push(format!(
                    "{}: {case}\n  {}",
                    if stops { "let through" } else { "stopped" },
                    shown(decision)
                ));
            }
        });
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
    assert!(counts.len() >= 26, "{counts:#?}");
    for (kind, [stops, passes]) in &counts {
        println!("own: {kind}: {stops} stopped, {passes} let through");
        assert!(*stops >= 5 && *passes >= 5, "{kind}: {stops} and {passes}");
    }
}

#[test]
fn attacks_really_run() {
    let Some(sandbox) = Sandbox::new() else {
        return;
    };
    let (mut n_run, mut wrong) = (0, Vec::new());
    for case in json_lines("own/shell.jsonl") {
        let Some(harm) = case["runs"].as_str() else {
            continue;
        };
        assert_eq!(case["want"], "stops", "{case}");
        n_run += 1;
        let log = sandbox.run(&command(&case));
        if !log.iter().any(|line| line == harm) {
            wrong.push(format!("{case}: {log:?}"));
        }
    }
    println!("own: {n_run} attacks run in a sandbox");
    assert!(wrong.is_empty(), "these do no harm:\n{}", wrong.join("\n"));
    assert!(n_run > 100, "{n_run}");
}

/// What may stand around a command so that it still runs: `@` is the command, `%` the command in single quotes.
const AROUND: &[&str] = &[
    "@",
    "ls; @",
    "true && @",
    "false || @",
    "ls | @",
    "@ &",
    "{ @; }",
    "(@)",
    "if true; then @; fi",
    "! @",
    "time @",
    "for i in a; do @; done",
    "while true; do @; break; done",
    "case a in *) @;; esac",
    "f() { @; }; f",
    "echo $(@)",
    "echo \"`@`\"",
    "cat <(@)",
    "a=$(@)",
    "export A=$(@)",
    "cat <<E\n$(@)\nE",
    "cat <<< $(@)",
    "echo ${a:-$(@)}",
    "eval %",
    "bash -c %",
    "sh -c %",
    "bash <<< %",
    "echo % | bash",
    "printf %b % | sh",
    "c=%; eval \"$c\"",
    "bash <<'E'\n@\nE",
    "trap % EXIT",
    "[[ -n $(@) ]]",
    "echo $(( $(@; echo 1) ))",
    "a=($(@))",
    "command eval %",
    "set -- %; eval \"$1\"",
    "read -r c <<< %; eval \"$c\"",
    "f() { eval \"$1\"; }; f %",
    "echo % > s.sh; bash s.sh",
    "env A=1 bash -c %",
    "ls\n@\nls",
    "ls > out; @ > out 2>&1",
    "nice timeout 5 sh -c %",
    "for c in %; do eval \"$c\"; done",
    "coproc { @; }; wait",
];

/// The harm in its own disguises.
const HARMS: &[&str] = &[
    "rm x",
    "\\rm x",
    "'rm' x",
    "r''m x",
    "X=rm; $X x",
    "{ rm x; }",
    "command rm x",
    "env rm x",
    "echo x | xargs rm",
    "nice rm x",
    "rm    x",
    "a=(rm x); \"${a[@]}\"",
    "printf -v c rm; $c x",
];

#[test]
fn whatever_bash_runs_against_a_deny_is_not_let_through() {
    let Some(sandbox) = Sandbox::new() else {
        return;
    };
    let judge = &policies()["guard"];
    let mut draw = Draw(20_261_201);
    let (mut n_run, mut wrong) = (0, Vec::new());
    for _ in 0..400 {
        let mut text = draw.of(HARMS).to_owned();
        for _ in 0..=draw.below(2) {
            let quoted = format!("'{}'", text.replace('\'', "'\\''"));
            text = draw
                .of(AROUND)
                .replace('%', "\u{1}")
                .replace('@', &text)
                .replace('\u{1}', &quoted);
        }
        let log = sandbox.run(&text);
        if log.iter().any(|line| line == "rm x") {
            n_run += 1;
            if judge.command(&text) == Action::Allow {
                wrong.push(text);
            }
        }
    }
    println!("own: {n_run} of 400 drawn texts ran the harm");
    assert!(wrong.is_empty(), "let through: {wrong:#?}");
    assert!(n_run > 250, "{n_run}");
}
