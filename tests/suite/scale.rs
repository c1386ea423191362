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

fn with_agents(base: &Generator, n_agents: usize, rules: impl Fn(usize, &str) -> Value) -> Output {
    let mut documents = vec![SourceDocument::new(
        Role::Global,
        "policy.jsonc",
        base.document(),
    )];
    for agent in 0..n_agents {
        let name = format!("agent{agent:04}");
        let text = json!({ "permission": { "bash": rules(agent, &name) } }).to_string();
        documents.push(SourceDocument::new(
            Role::Agent(name.clone()),
            format!("{name}.jsonc"),
            text,
        ));
    }
    compiled(&SourceSet::from(documents), &Options::default())
}

#[test]
fn agents_with_the_same_patterns_share_tables() {
    let base = Generator::new(Kind::Prefix, 10, 3);
    let output = with_agents(&base, 200, |agent, _| {
        let rules = (0..5).map(|n| {
            (
                format!("agent{n} run *"),
                json!(["allow", "deny"][(agent + n) % 2]),
            )
        });
        Value::Object(rules.collect())
    });
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    let contents = policy.contents().unwrap();
    assert_eq!(contents.views().count(), 201);
    // The same patterns at the same places: one table for the base view, one for all agents, whatever their actions;
    // and one for surfaces without rules.
    assert_eq!(contents.tables().count(), 3);
}

#[test]
fn a_thousand_agents_take_the_tables_of_the_base_view() {
    let base = Generator::new(Kind::Mixed, 500, 3);
    let patterns: Vec<String> = base
        .rules()
        .iter()
        .map(|(pattern, _)| pattern.clone())
        .collect();
    // Ten patterns of the base view stated again, ten of the agent's own.
    let output = with_agents(&base, 1_000, |agent, name| {
        let again = (0..10).map(|n| (patterns[1 + (agent * 37 + n * 11) % 499].clone(), "deny"));
        let own = (0..10).map(|n| (format!("{name} task{n} *"), ["allow", "deny"][n % 2]));
        let rules = again.chain(own);
        Value::Object(
            rules
                .map(|(pattern, action)| (pattern, json!(action)))
                .collect(),
        )
    });
    assert!(
        output.bytes.len() < 32 << 20,
        "{} bytes",
        output.bytes.len()
    );
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    assert_eq!(policy.contents().unwrap().views().count(), 1_001);
    let session = Session::default();
    for agent in (0..1_000).step_by(97) {
        let name = format!("agent{agent:04}");
        let context = Context {
            agent: Some(&name),
            ..Context::default()
        };
        let bound = policy.bind(context).unwrap();
        let other = format!("agent{:04} task1 x", (agent + 1) % 1_000);
        let own = format!("{name} task1 x");
        let again = patterns[1 + (agent * 37) % 499].replace('*', "x");
        for value in [own.as_str(), &other, &again, "git status", ""] {
            let values = [value];
            let artifact = ask_artifact(&bound, &session, "bash", &values);
            let reference = ask_reference(&output.policy, context, &session, "bash", &values);
            assert_eq!(artifact, reference, "{name} {value:?}");
        }
        assert_eq!(
            ask_artifact(&bound, &session, "bash", &[&own]).state,
            "deny"
        );
        assert_ne!(
            ask_artifact(&bound, &session, "bash", &[&other]).state,
            "deny"
        );
    }
}

#[test]
fn ten_thousand_mixed_rules_fit_their_budget() {
    let mut generator = Generator::new(Kind::Mixed, 10_000, 1);
    let output = compiled(&global(generator.document()), &Options::default());
    assert!(
        output.bytes.len() < 16 << 20,
        "{} bytes",
        output.bytes.len()
    );
    agree(&output, &generator.queries(8));
}

#[test]
fn a_hundred_thousand_exact_rules_compile() {
    let rules: Map<String, Value> = (0..100_000)
        .map(|n| {
            (
                format!("tool{} run item-{}", n % 7, n * 7_919 % 1_000_003),
                json!(["allow", "deny"][n % 2]),
            )
        })
        .collect();
    assert_eq!(rules.len(), 100_000);
    let document = json!({ "permission": { "*": "ask", "bash": rules } });
    let output = compiled(&global(document.to_string()), &Options::default());
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    let bound = policy.bind(Context::default()).unwrap();
    let session = Session::default();
    let ask = |value: &str| ask_artifact(&bound, &session, "bash", &[value]).state;
    for n in (0..100_000).step_by(4_999) {
        let value = format!("tool{} run item-{}", n % 7, n * 7_919 % 1_000_003);
        assert_eq!(ask(&value), ["allow", "deny"][n % 2], "{value}");
        assert_eq!(ask(&format!("{value} ")), "ask", "{value}");
    }
    assert_eq!(ask("tool1 run item-"), "ask");
}
