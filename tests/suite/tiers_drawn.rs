//! Drawn trust tiers: the naive evaluator and globset beside the artifact, and what must not change an answer.

use std::fmt::Write as _;

use globset::GlobBuilder;
use permc::source::SourceDocument;
use permc_runtime::{Action, Policy};
use permc_tests::tiers::{CONTEXT, CWD, HOME, ask, both, global, output, project};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Map, Value, json};

/// A pattern in canonical form, with its parts from a small alphabet so that patterns and paths meet.
fn pattern() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        4 => prop::sample::select(["a", "b", "ab", ".a", "é", "src"].as_slice()).prop_map(str::to_owned),
        2 => prop::sample::select(["*", "a*", "*b", "*a*b*", "?", "a?", "[ab]", "[!a]b", "{a,b/c}", "{ab,*.a}"].as_slice()).prop_map(str::to_owned),
        2 => Just("**".to_owned()),
    ];
    let front =
        prop::sample::select(["", "", "/", "~/", "**/", "/srv/app/", "/home/dev/"].as_slice());
    (front, prop::collection::vec(name, 1..4))
        .prop_map(|(front, names)| format!("{front}{}", names.join("/")))
}

fn effects() -> impl Strategy<Value = Value> {
    let effect = || prop::option::of(prop::sample::select(["allow", "ask", "deny"].as_slice()));
    (effect(), effect(), effect(), effect()).prop_map(|(read, write, execute, network)| {
        let mut row = Map::new();
        for (group, effect) in [
            ("read", read),
            ("write", write),
            ("execute", execute),
            ("network", network),
        ] {
            row.extend(effect.map(|effect| (group.to_owned(), effect.into())));
        }
        Value::Object(row)
    })
}

fn rows() -> impl Strategy<Value = Vec<(String, Value)>> {
    prop::collection::vec((pattern(), effects()), 0..8)
}

fn resource() -> impl Strategy<Value = String> {
    let name = prop::sample::select(
        [
            "a", "b", "ab", ".a", "é", "src", "c", "xaybz", "..", ".", "",
        ]
        .as_slice(),
    );
    let front =
        prop::sample::select(["", "", "/", "~/", "$HOME/", "/srv/app/", "/home/dev/"].as_slice());
    (front, prop::collection::vec(name, 0..5))
        .prop_map(|(front, names)| format!("{front}{}", names.join("/")))
}

const ACTIONS: [&str; 8] = [
    "read",
    "glob",
    "grep",
    "write",
    "edit",
    "bash",
    "webfetch",
    "websearch",
];
const MODELS: [&str; 4] = ["m", "n", "gone", "other"];

#[derive(Clone, Debug)]
struct Case {
    tiers: Vec<Vec<(String, Value)>>,
    more: Option<Vec<(String, Value)>>,
    resources: Vec<String>,
}

fn case(n_resources: usize) -> impl Strategy<Value = Case> {
    (
        prop::collection::vec(rows(), 1..3),
        prop::option::weighted(0.3, rows()),
        prop::collection::vec(resource(), n_resources),
    )
        .prop_map(|(tiers, more, resources)| Case {
            tiers,
            more,
            resources,
        })
}

fn object(rows: &[(String, Value)]) -> Value {
    Value::Object(rows.iter().cloned().collect())
}

impl Case {
    fn documents(&self) -> Vec<SourceDocument> {
        let tiers = self.tiers.iter().enumerate();
        let tiers: Vec<Value> = tiers
            .map(
                |(number, rows)| json!({ "id": format!("t{number}"), "directories": object(rows) }),
            )
            .collect();
        let permissions = json!({
            "defaultTier": "t0",
            "tiers": tiers,
            "assignments": { "m": "t0", "n": format!("t{}", self.tiers.len() - 1), "gone": "t9" },
        });
        let mut documents = vec![global(&permissions)];
        documents.extend(
            self.more
                .as_ref()
                .map(|rows| project(&json!([{ "id": "t0", "directories": object(rows) }]))),
        );
        documents
    }

    /// Every answer, in order.
    fn answers(&self) -> Vec<Option<Action>> {
        let output = output(self.documents());
        let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
        let bound = policy.bind(CONTEXT).unwrap();
        let mut answers = Vec::new();
        for (number, resource) in self.resources.iter().enumerate() {
            let model = MODELS[number % MODELS.len()];
            let action = ACTIONS[number / 3 % ACTIONS.len()];
            answers.push(both(&output, &bound, CONTEXT, model, action, resource));
        }
        answers
    }

    fn map_rows(&self, change: impl Fn(&[(String, Value)]) -> Vec<(String, Value)>) -> Self {
        Self {
            tiers: self.tiers.iter().map(|rows| change(rows)).collect(),
            more: self.more.as_ref().map(|rows| change(rows)),
            resources: self.resources.clone(),
        }
    }
}

fn run(cases: u32, n_resources: usize, check: impl Fn(Case) -> Result<(), TestCaseError>) {
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(20_261_201),
        failure_persistence: None,
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&case(n_resources), check);
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn two_thousand_documents_equal_the_naive_evaluator() {
    run(2_000, 100, |case| {
        prop_assert_eq!(case.answers().len(), 100);
        Ok(())
    });
}

#[test]
fn key_order_reversed_gives_the_same_answers() {
    run(300, 60, |case| {
        let reversed = case.map_rows(|rows| rows.iter().rev().cloned().collect());
        // An object keeps the last of two equal keys, so only documents without any are the same reversed.
        let has_twice = |rows: &[(String, Value)]| {
            rows.iter()
                .enumerate()
                .any(|(at, (key, _))| rows[..at].iter().any(|(other, _)| other == key))
        };
        prop_assume!(
            !case
                .tiers
                .iter()
                .chain(&case.more)
                .any(|rows| has_twice(rows))
        );
        prop_assert_eq!(case.answers(), reversed.answers());
        Ok(())
    });
}

/// The same pattern spelled otherwise, in every way at once.
fn padded(pattern: &str) -> String {
    let mut padded = String::new();
    let names: Vec<&str> = split(pattern);
    let is_recursive = names[0] == "**";
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            padded.push_str("//./");
        }
        match *name {
            "~" => padded.push_str("${HOME}"),
            "**" => padded.push_str("*****/***/**"),
            // One star is a name, two cross names.
            "*" => padded.push('*'),
            name => {
                for letter in name.chars() {
                    match letter {
                        '*' => padded.push_str("****"),
                        'a' if !name.contains(['[', '{']) => padded.push_str("[aa]"),
                        'b' if !name.contains(['[', '{']) => padded.push_str(r"\b"),
                        letter => padded.push(letter),
                    }
                }
            }
        }
    }
    if !padded.starts_with(['/', '$']) && !is_recursive {
        padded.insert_str(0, "././/");
    }
    padded.push_str("///");
    padded
}

/// Names of a pattern; a separator in braces is none.
fn split(pattern: &str) -> Vec<&str> {
    let mut depth = 0;
    pattern
        .split(|letter| {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            letter == '/' && depth == 0
        })
        .collect()
}

#[test]
fn padding_never_changes_an_answer() {
    assert_eq!(padded("~/a*/**"), "${HOME}//./[aa]****//./*****/***/**///");
    run(300, 60, |case| {
        let spelled = case.map_rows(|rows| {
            rows.iter()
                .map(|(pattern, effects)| (padded(pattern), effects.clone()))
                .collect()
        });
        let resources = case
            .resources
            .iter()
            .map(|resource| resource.replace('/', "/.//"));
        let spelled = Case {
            resources: resources.collect(),
            ..spelled
        };
        prop_assert_eq!(case.answers(), spelled.answers());
        Ok(())
    });
}

#[test]
fn a_deny_row_never_loosens_unless_an_allow_row_is_longer() {
    let deny = || json!({ "read": "deny", "write": "deny", "execute": "deny", "network": "deny" });
    run(150, 60, |case| {
        for pattern in ["**", "src/**", "**/a*", "~/a/**"] {
            let mut with = case.clone();
            for rows in &mut with.tiers {
                rows.retain(|(known, _)| known != pattern);
                rows.push((pattern.to_owned(), deny()));
            }
            // A row that said something else in its place is no longer there.
            let mut without = case.clone();
            for rows in &mut without.tiers {
                rows.retain(|(known, _)| known != pattern);
            }
            for (before, after) in without.answers().iter().zip(with.answers()) {
                prop_assert!(after >= *before, "{pattern}: {before:?} became {after:?}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_project_file_never_loosens() {
    run(500, 60, |case| {
        let alone = Case {
            more: None,
            ..case.clone()
        };
        for (before, after) in alone.answers().iter().zip(case.answers()) {
            prop_assert!(after >= *before, "{before:?} became {after:?}");
        }
        Ok(())
    });
}

#[test]
fn a_path_through_its_parent_is_the_same_path() {
    let tier = json!({ "defaultTier": "t", "tiers": [{ "id": "t", "directories": {
        "secrets/**": { "read": "deny" }, "src/**": { "read": "allow" } } }] });
    ask(
        vec![global(&tier)],
        &[
            ("m", "read", "secrets/k", Some("deny")),
            ("m", "read", "src/../secrets/k", Some("deny")),
            ("m", "read", "src/../src/k", Some("allow")),
        ],
    );
    run(300, 60, |case| {
        let round = case
            .resources
            .iter()
            .map(|resource| match resource.strip_prefix('/') {
                Some(rest) => format!("/x/../{rest}"),
                None if resource.starts_with(['~', '$']) => format!("{resource}/x/.."),
                None => format!("src/../{resource}"),
            });
        let round = Case {
            resources: round.collect(),
            ..case.clone()
        };
        prop_assert_eq!(case.answers(), round.answers());
        Ok(())
    });
}

/// Matching by globset, with what page 3 adds to it.
fn globset_matches(pattern: &str) -> impl Fn(&str) -> bool {
    let escaped = |text: &str| -> String {
        text.chars().fold(String::new(), |mut escaped, letter| {
            let _ = if letter == '/' {
                write!(escaped, "/")
            } else {
                write!(escaped, r"\{letter}")
            };
            escaped
        })
    };
    // globset does not see that `x/**/**` is `x/**` with the directory itself.
    let mut pattern = pattern.to_owned();
    while pattern.contains("**/**") {
        pattern = pattern.replace("**/**", "**");
    }
    let absolute = match pattern.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", escaped(HOME)),
        None if pattern.starts_with('/') || pattern.starts_with("**/") || pattern == "**" => {
            pattern.clone()
        }
        None => format!("{}/{pattern}", escaped(CWD)),
    };
    // For globset the name before a leading separator is empty, and `*` matches it.
    let glob = |pattern: &str| {
        let mut builder = GlobBuilder::new(pattern.strip_prefix('/').unwrap_or(pattern));
        builder.literal_separator(true).backslash_escape(true);
        builder.build().unwrap().compile_matcher()
    };
    let mut matchers = vec![glob(&absolute)];
    matchers.extend(absolute.strip_suffix("/**").map(glob));
    move |path| {
        let path = path.strip_prefix('/').unwrap_or(path);
        matchers.iter().any(|matcher| matcher.is_match(path))
    }
}

#[test]
fn globset_agrees_on_what_matches() {
    let mut n_matches = 0;
    let mut runner = TestRunner::new(Config {
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        cases: 1_500,
        ..Config::default()
    });
    let paths: Vec<String> = {
        let names = ["a", "b", "ab", ".a", "é", "src", "c", "xaybz", "b.a"];
        let mut paths = vec![
            "/srv/app".to_owned(),
            "/home/dev".to_owned(),
            "/a".to_owned(),
        ];
        for base in ["", "/srv/app", "/home/dev"] {
            for first in names {
                for second in names {
                    paths.push(format!("{base}/{first}/{second}"));
                    paths.push(format!("{base}/{first}/x/{second}"));
                }
                paths.push(format!("{base}/{first}"));
            }
        }
        paths
    };
    runner
        .run(&pattern(), |pattern| {
            // globset reads `?` and classes byte by byte; nobody means half a character.
            let is_by_byte = pattern.contains(['?', '[']);
            let row = json!({ "defaultTier": "t", "tiers": [{ "id": "t", "directories": { &pattern: { "read": "deny" } } }] });
            let output = output(vec![global(&row)]);
            let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
            let bound = policy.bind(CONTEXT).unwrap();
            let theirs = globset_matches(&pattern);
            for path in &paths {
                if is_by_byte && !path.is_ascii() {
                    continue;
                }
                let ours = bound.resolve_provider_permission("m", "read", path).is_some();
                prop_assert_eq!(ours, theirs(path), "{} {}", pattern, path);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    for (pattern, path) in [
        ("**", "/a"),
        ("src/**", "/srv/app/src"),
        ("~/a?", "/home/dev/ab"),
    ] {
        n_matches += usize::from(globset_matches(pattern)(path));
    }
    assert_eq!(n_matches, 3, "the oracle says yes as well");
}
