//! `permc-bench-corpus KIND N` prints a drawn policy, the values and whole commands to ask and permc's answers as JSON,
//! for peers that are not written in Rust.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::process::ExitCode;

use permc_benches::calls::{COMPOUND, PLAIN, decide, gates};
use permc_benches::corpus::{Corpus, KINDS, SEED, bound, kind};
use permc_runtime::Session;
use permc_tests::generator::Generator;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match print(&arguments) {
        Some(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        None => {
            let kinds = KINDS.map(|(name, _)| name).join(", ");
            println!("usage: permc-bench-corpus KIND N; kinds: {kinds}");
            ExitCode::from(2)
        }
    }
}

fn print(arguments: &[String]) -> Option<Value> {
    let [name, n_rules] = arguments else {
        return None;
    };
    let (kind, n_rules) = (kind(name)?, n_rules.parse().ok()?);
    let document = Generator::new(kind, n_rules, SEED).document();
    let corpus = Corpus::drawn(kind, n_rules);
    let policy = corpus.policy();
    let bound = bound(&policy);
    let session = Session::default();
    let answers: Vec<Value> = corpus
        .values
        .iter()
        .map(|value| {
            let decision = bound.check("bash", &[value.as_str()], &session);
            json!({ "state": decision.state.as_str(), "pattern": decision.matched_pattern() })
        })
        .collect();
    let gates = gates(&policy);
    let calls = |commands: &[&str]| -> Vec<Value> {
        let answers = commands.iter().map(|command| {
            let state = decide(&gates, command, &session).state;
            json!({ "command": command, "state": state.as_str() })
        });
        answers.collect()
    };
    Some(json!({
        "kind": name,
        "rules": n_rules,
        "policy": serde_json::from_str::<Value>(&document).ok()?,
        "values": corpus.values,
        "answers": answers,
        "calls": { "plain": calls(PLAIN), "compound": calls(COMPOUND) },
    }))
}
