//! Sizes: every policy compiles, and what it answers stays right.

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, Output};
use permc_runtime::{Context, Policy, Session};
use permc_tests::engine::{ask_artifact, ask_reference, compiled};
use permc_tests::generator::{Generator, Kind};
use serde_json::{Map, Value, json};

fn global(text: String) -> SourceSet {
    SourceSet::from(vec![SourceDocument::new(
        Role::Global,
        "policy.jsonc",
        text,
    )])
}

/// Asks both engines; the reference is slow, so a part of the values is enough for large policies.
fn agree(output: &Output, values: &[String]) {
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    let context = Context {
        home: Some("/home/dev"),
        ..Context::default()
    };
    let bound = policy.bind(context).unwrap();
    let session = Session::default();
    for value in values {
        let values = [value.as_str()];
        let artifact = ask_artifact(&bound, &session, "bash", &values);
        let reference = ask_reference(&output.policy, context, &session, "bash", &values);
        assert_eq!(artifact, reference, "{value:?}");
    }
}

#[test]
fn the_generator_draws_what_the_notes_draw() {
    // From the generator of the benchmark notes: kind mixed, 30 rules, seed 7.
    let mut generator = Generator::new(Kind::Mixed, 30, 7);
    let tail: Vec<(&str, &str)> = generator.rules()[25..]
        .iter()
        .map(|(pattern, action)| (pattern.as_str(), *action))
        .collect();
    assert_eq!(
        tail,
        [
            ("*.pull815", "deny"),
            ("*.stash349", "deny"),
            ("helm pull --rm327 *", "deny"),
            ("gh delete --rm833 *", "allow"),
            ("cargo build --delete949 *", "allow"),
        ]
    );
    assert_eq!(
        generator.queries(4),
        [
            "psql add340 foo/bar baz --config",
            "gh delete --rm833 ",
            "ssh describe344 x --install",
            "gcloud get --apply210 x"
        ]
    );
}

#[test]
fn every_kind_and_size_answers_right() {
    for kind in [
        Kind::Prefix,
        Kind::Exact,
        Kind::Suffix,
        Kind::Infix,
        Kind::Mid,
        Kind::Two,
        Kind::Mixed,
    ] {
        for n_rules in [10, 30, 300] {
            let mut generator = Generator::new(kind, n_rules, 1);
            let output = compiled(&global(generator.document()), &Options::default());
            agree(&output, &generator.queries(30));
        }
    }
}

#[test]
fn two_thousand_mixed_rules_compile() {
    let mut generator = Generator::new(Kind::Mixed, 2_000, 1);
    let output = compiled(&global(generator.document()), &Options::default());
    agree(&output, &generator.queries(40));
}

#[test]
fn fifty_rules_with_two_inner_literals_compile() {
    let rules: Map<String, Value> = (0..50)
        .map(|n| {
            (
                format!("*a{n}x*b{n}y*"),
                json!(["allow", "ask", "deny"][n % 3]),
            )
        })
        .collect();
    let output = compiled(
        &global(json!({ "permission": { "bash": rules } }).to_string()),
        &Options::default(),
    );
    let values: Vec<String> = (0..50)
        .flat_map(|n| {
            [
                format!("1a{n}x2b{n}y3"),
                format!("b{n}ya{n}x"),
                format!("a{n}xb{n}yb{n}xa49xb49y"),
            ]
        })
        .collect();
    agree(&output, &values);
}

#[test]
fn what_would_explode_compiles() {
    let sets: [(&str, Vec<String>); 7] = [
        (
            "*a*b*c*",
            (0..500).map(|n| format!("*a{n}*b{n}*c{n}*")).collect(),
        ),
        (
            "one letter among wild ones",
            (0..200)
                .map(|n| format!("{}a{}", "?".repeat(n), "?".repeat(199 - n)))
                .collect(),
        ),
        (
            "alternating stars",
            vec!["*a".repeat(100) + "*", "*b".repeat(100), "a*".repeat(100)],
        ),
        (
            "nested prefixes",
            (1..300)
                .map(|n| format!("{}*x{n}", "a".repeat(n)))
                .collect(),
        ),
        (
            "long patterns",
            vec![
                "ab".repeat(32_768),
                format!("*{}*", "ba".repeat(32_768)),
                "a*".repeat(20_000),
            ],
        ),
        (
            "letters anywhere",
            ('a'..='z').map(|letter| format!("*{letter}*")).collect(),
        ),
        (
            "wild letters after a star",
            (1..60).map(|n| format!("*a{}b", "?".repeat(n))).collect(),
        ),
    ];
    for (name, patterns) in sets {
        let rules: Map<String, Value> = patterns
            .iter()
            .enumerate()
            .map(|(n, pattern)| (pattern.clone(), json!(["allow", "deny"][n % 2])))
            .collect();
        assert_eq!(
            rules.len(),
            patterns.len(),
            "{name}: no pattern stands twice"
        );
        let output = compiled(
            &global(json!({ "permission": { "bash": rules } }).to_string()),
            &Options::default(),
        );
        let values: Vec<String> = patterns
            .iter()
            .step_by(patterns.len().div_ceil(8))
            .filter(|pattern| pattern.len() < 1_000)
            .flat_map(|pattern| {
                [
                    pattern.replace(['*', '?'], "a"),
                    pattern.replace('*', "").replace('?', "é"),
                ]
            })
            .collect();
        agree(&output, &values);
    }
}

#[test]
fn many_agents_share_tables() {
    let base = Generator::new(Kind::Prefix, 100, 3).document();
    let mut documents = vec![SourceDocument::new(Role::Global, "policy.jsonc", base)];
    for agent in 0..200 {
        let rules: Map<String, Value> = (0..5)
            .map(|n| {
                (
                    format!("agent{n} run *"),
                    json!(["allow", "deny"][(agent + n) % 2]),
                )
            })
            .collect();
        let name = format!("agent{agent:03}");
        let text = json!({ "permission": { "bash": rules } }).to_string();
        documents.push(SourceDocument::new(
            Role::Agent(name.clone()),
            format!("{name}.jsonc"),
            text,
        ));
    }
    let output = compiled(&SourceSet::from(documents), &Options::default());
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    let contents = policy.contents().unwrap();
    assert_eq!(contents.views().count(), 201);
    // The same patterns at the same places: one table for the base view, one for all agents, whatever their actions.
    assert!(
        contents.tables().count() <= 4,
        "{} tables",
        contents.tables().count()
    );
}
