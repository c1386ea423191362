//! The short ways of whole calls against the long ones: the same tree, the same decision.

use std::path::Path;

use permc_gates::{Call, Files, Gates, NoFiles, RealFiles};
use permc_grammar::shell::{Limits, parse, parse_in_full};
use permc_runtime::{Context, Policy, Session};
use permc_tests::data::{json_lines, recorded_sources_with};
use permc_tests::engine::compiled;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

/// Words of commands of every kind, those with a meaning to the shell or to a table of programs among them.
const WORDS: &[&str] = &[
    "git",
    "status",
    "log",
    "push",
    "commit",
    "checkout",
    "-s",
    "--short",
    "-n",
    "-m",
    "-f",
    "-p",
    "-v",
    "--",
    "-",
    "-c",
    "-C",
    "ls",
    "-la",
    "-l",
    "cat",
    "rm",
    "-rf",
    "cp",
    "cargo",
    "test",
    "build",
    "run",
    "--workspace",
    "npm",
    "exec",
    "kubectl",
    "get",
    "prod",
    "docker",
    "ps",
    "make",
    "A=1",
    "if",
    "then",
    "time",
    "export",
    "eval",
    "sudo",
    "env",
    "cd",
    "src",
    "src/main.rs",
    ".env",
    "a.env",
    "./x",
    "..",
    "../x",
    ".",
    "/etc/passwd",
    "/w",
    "/w/x",
    "/dev/null",
    "x",
    "~/x",
    "~",
    "user@host:x",
    "a,b",
    "k=v",
    "k=~/x",
    "+x",
    "100%",
    "head",
    "5",
    "gh",
    "pr",
    "view",
    "true",
    ".ssh",
    "keys",
    "keys/a",
    "/w/keys",
    "secret",
];

/// Beginnings of commands that take the short way if nothing else stands in them.
const HEADS: &[&str] = &[
    "git status",
    "git log",
    "git checkout",
    "git commit -m",
    "git push",
    "ls",
    "cat",
    "rm",
    "cp",
    "cargo test",
    "make",
    "npm run",
    "kubectl get -n",
    "kubectl get",
    "docker ps",
    "head -n 5",
    "gh pr",
    "true",
    "git stash",
    "mkdir -p",
];

fn command() -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS);
    let blank = prop_oneof![9 => Just(" "), 1 => Just("  "), 1 => Just("")];
    let any = prop::collection::vec((word, blank), 1..7).prop_map(|pieces| {
        let pieces = pieces.into_iter().flat_map(|(word, blank)| [word, blank]);
        pieces.collect::<String>()
    });
    let word = prop::sample::select(WORDS);
    let everyday = (
        prop::sample::select(HEADS),
        prop::collection::vec(word, 0..4),
    );
    prop_oneof![
        any,
        everyday.prop_map(|(head, words)| {
            let words = std::iter::once(head).chain(words);
            words.collect::<Vec<_>>().join(" ")
        })
    ]
}

/// Everyday commands between operators, behind wrappers, with quotes.
fn compound() -> impl Strategy<Value = String> {
    let joint = prop::sample::select(
        &[
            " && ",
            " | ",
            "; ",
            " || ",
            " > out; ",
            " 'a b' && ",
            " \"$X\" ; ",
            " & ",
            ") && (",
            "; cd src; ",
            "; X=.env; ",
            " $X; ",
            " < .env | ",
            " {a,b} ; ",
            " *.env; ",
            " a=b c:d ; ",
        ][..],
    );
    prop::collection::vec((command(), joint), 1..4).prop_map(|pieces| {
        let pieces: Vec<String> = pieces
            .into_iter()
            .map(|(command, joint)| command + joint)
            .collect();
        let text = pieces.concat();
        if text.contains(") && (") {
            format!("({text})")
        } else {
            text
        }
    })
}

fn policies() -> Vec<Policy> {
    let maps = [
        json!({ "*": "allow", "path": { "*": "allow", "*.env": "deny", "keys/*": "deny", "/w/src/*": "ask" },
                "bash": { "*": "allow", "git push *": "ask", "rm *": "deny", "ls src*": "deny", "* secret": "ask" } }),
        json!({ "*": "ask", "path": { "*": "deny", "src": "allow", "src/*": "allow" },
                "external_directory": { "*": "deny", "/etc/*": "ask" },
                "bash": { "git *": "allow", "ls *": "allow", "git status *": "ask", "git log": "deny" } }),
        json!({ "*": "allow", "path": { "~/*": "deny", ".ssh": "ask", "/w/keys/*": "deny", "*/x": "ask" },
                "external_directory": "ask", "bash": { "*": "allow", "cargo *": "ask", "make": "deny", "*|*": "deny" } }),
        json!({ "bash": { "*": "deny", "git commit -m *": "allow", "kubectl get *": "allow" } }),
    ];
    let compile = |map: &Value| {
        let sources = recorded_sources_with(&json!({ "global": map }), &Value::Null, &Value::Null);
        Policy::from_bytes(compiled(&sources, &permc::Options::default()).bytes).unwrap()
    };
    maps.iter().map(compile).collect()
}

fn sessions() -> Vec<Session> {
    let mut granted = Session::default();
    for (surface, pattern) in [("bash", "git *"), ("bash", "ls src"), ("path", "src/*")] {
        granted.approve(surface, pattern);
    }
    vec![Session::default(), granted]
}

fn assert_same(
    command: &str,
    policies: &[Policy],
    sessions: &[Session],
    files: &dyn Files,
    cwd: &str,
) {
    for policy in policies {
        for home in ["/home/dev", "/w"] {
            let context = Context {
                home: Some(home),
                ..Context::default()
            };
            let short = Gates::new(policy, context).unwrap();
            let long = short.clone().without_short_way();
            for session in sessions {
                let input = [("command", command)];
                let call = Call {
                    tool: "bash",
                    input: &input.as_slice(),
                    cwd,
                    model: None,
                };
                assert_eq!(
                    short.decide(&call, session, files),
                    long.decide(&call, session, files),
                    "{command:?} in {cwd}"
                );
            }
        }
    }
}

thread_local! {
    static SHARED: (Vec<Policy>, Vec<Session>) = (policies(), sessions());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, rng_seed: RngSeed::Fixed(20_261_201), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_of_plain_words_is_the_tree_of_the_reader(text in command()) {
        for text in [text.clone(), format!(" {text}"), text.replace(' ', "_"), format!("{text}\n"), format!("{text};")] {
            for limits in [Limits::default(), Limits { max_bytes: 8, ..Limits::default() }, Limits { max_commands: 0, ..Limits::default() }] {
                prop_assert_eq!(parse(&text, &limits), parse_in_full(&text, &limits), "{:?}", text);
            }
        }
    }

    #[test]
    fn an_everyday_command_is_decided_as_any_other(text in command()) {
        SHARED.with(|(policies, sessions)| assert_same(&text, policies, sessions, &NoFiles, "/w"));
    }

    #[test]
    fn everyday_commands_inside_others_are_decided_as_any_other(text in compound()) {
        SHARED.with(|(policies, sessions)| assert_same(&text, policies, sessions, &NoFiles, "/w"));
    }
}

#[test]
fn recorded_commands_are_decided_the_same_way_with_and_without_the_short_way() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).to_str().unwrap();
    let (policies, sessions) = (policies(), sessions());
    for line in json_lines("conformance/bash-units.jsonl") {
        let command = line["command"].as_str().unwrap();
        for cwd in ["/w", "/w/", "/", "/w/../x", "/home/dev"] {
            assert_same(command, &policies, &sessions, &NoFiles, cwd);
        }
        assert_same(command, &policies, &sessions, &RealFiles, here);
    }
    for command in [
        "ls src",
        "cat ./suite/main.rs",
        "git diff support",
        "rm -rf /tmp/x",
        "cp suite ../x",
    ] {
        assert_same(command, &policies, &sessions, &RealFiles, here);
    }
}
