//! Every layout of tables, forced one by one: that it was taken, the recorded decisions, and drawn rules whose literals
//! overlap.

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc_runtime::{Contents, Context, Policy, Session, TableView};
use permc_tests::data::say;
use permc_tests::engine::{ask_artifact, ask_reference, compiled};
use permc_tests::layouts::{Layout, layouts, rare_layouts, wide_layouts};
use permc_tests::recorded::{N_CASES, evaluate};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::corners::{Corner, owned};

/// Rules of every shape: heads, many tails behind one head, anywhere, two inner literals, wild letters.
const SHAPES: [&str; 18] = [
    "ls -la",
    "git *",
    "npm run *",
    "*.env",
    "*/secret/*",
    "git push * --force",
    "rm * -rf",
    "a*1",
    "a*2",
    "a*3",
    "a*4",
    "a*5",
    "a*6",
    "*b*c*d",
    "x*y*z",
    "c?t *",
    "*k??k*",
    "~/.ssh/*",
];

/// The tables of a surface's class, in the order in which they are asked.
fn tables(contents: &Contents<'_>, surface: &str) -> Vec<TableView> {
    let all: Vec<TableView> = contents.tables().collect();
    let class = contents.class(0, surface).unwrap();
    class
        .tables()
        .map(|table| all[usize::try_from(table).unwrap()])
        .collect()
}

/// That the layout was taken for [`SHAPES`].
fn check_shape(layout: &Layout, policy: &Policy<&[u8]>) {
    let contents = policy.contents().unwrap();
    let tables = tables(&contents, "bash");
    let name = layout.name;
    let with_lists = tables.iter().filter(|table| table.n_lists > 0).count();
    let n_looked_at: usize = tables.iter().map(|table| table.n_looked_at).sum();
    match name.trim_start_matches("wide ") {
        "whole" | "guarded" | "shared" => {
            assert_eq!(tables.len(), 1, "{name}");
            assert_eq!(with_lists, 0, "{name}");
        }
        "joint" | "shared joint" => {
            // The tails behind one head have a table of their own.
            assert_eq!(tables.len(), 2, "{name}");
            assert_eq!(with_lists, 1, "{name}");
            assert_eq!(n_looked_at, 4, "{name}");
        }
        "parts" | "guarded parts" => {
            assert_eq!(tables.len(), 3, "{name}");
            assert_eq!(with_lists, 2, "{name}");
            assert_eq!(n_looked_at, 4, "{name}");
        }
        "by hash" => {
            assert_eq!(tables.len(), 4, "{name}");
            let n_exact: Vec<usize> = tables.iter().map(|table| table.n_exact).collect();
            assert_eq!(n_exact.iter().sum::<usize>(), 1, "{name}: {n_exact:?}");
        }
        "looked at" => {
            assert_eq!(tables.len(), 1, "{name}");
            assert_eq!(with_lists, 1, "{name}");
            // All rules and the default.
            assert_eq!(n_looked_at, SHAPES.len() + 1, "{name}");
        }
        other => panic!("what does {other} look like?"),
    }
    let widest = tables.iter().map(|table| table.cell_width).max();
    assert_eq!(widest, Some(if layout.ballast { 4 } else { 2 }), "{name}");
}

#[test]
fn each_budget_forces_its_layout_and_answers_right() {
    let values = [
        "git push origin --force",
        "/home/dev/.ssh/x",
        "/home/dev/.ssh",
        "/home/dev",
        "a/home/dev/.ssh/1",
        "git",
        "gitx",
        "a 1",
        "a1",
        "a6",
        "a7",
        "abcd",
        "ab c.d",
        "xyz",
        "xyzy",
        "xzyz",
        "cat",
        "cat x",
        "c\u{E9}t x",
        "k\u{65E5}\u{1F642}k",
        "kk",
        "kakk",
        "kkkk",
        ".env",
        "a/secret/1",
        "a/secret/.env",
        "git b c d",
        "rm -rf",
        "rm x -rf",
        "rm x -rf ",
        "npm run",
        "npm run b/secret/c d",
        "",
    ];
    let all = [layouts(), rare_layouts(), wide_layouts()].concat();
    Corner::new(&SHAPES, &values).check_and(&all, check_shape);
}

#[test]
fn surfaces_are_guarded_where_no_automaton_finds_them() {
    let document = r#"{ "permission": { "*": "ask",
        "web_*": { "a*": "allow" }, "*_search": { "*b": "deny" }, "w?b": "deny" } }"#;
    let sources = SourceSet::from(vec![SourceDocument::new(
        Role::Global,
        "policy.jsonc",
        document,
    )]);
    for layout in [layouts(), rare_layouts()].concat() {
        let output = compiled(&sources, &layout.options(false));
        let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
        let contents = policy.contents().unwrap();
        let of = |surface| -> Vec<u32> { contents.class(0, surface).unwrap().tables().collect() };
        let is_guarded = layout.budget.surface_states == 1;
        // Behind guards all names share a class that holds all tables.
        assert_eq!(of("web_x") == of("odd"), is_guarded, "{}", layout.name);
        assert_eq!(
            of("odd").len(),
            if is_guarded { 4 } else { 1 },
            "{}",
            layout.name
        );
        let bound = policy.bind(Context::default()).unwrap();
        let session = Session::default();
        for surface in [
            "web_x",
            "code_search",
            "web_search",
            "web",
            "w\u{65E5}b",
            "odd",
            "web_",
            "",
            "_search",
        ] {
            for value in ["a", "b", "ab", "", "xb"] {
                assert_eq!(
                    ask_artifact(&bound, &session, surface, &[value]),
                    ask_reference(
                        &output.policy,
                        Context::default(),
                        &session,
                        surface,
                        &[value]
                    ),
                    "{}: {surface:?} {value:?}",
                    layout.name
                );
            }
        }
    }
}

#[test]
fn recorded_decisions_through_every_layout() {
    // Small policies share a table by default, which the other test of these decisions takes.
    let mut layouts = layouts();
    layouts.retain(|layout| layout.name != "whole");
    layouts.extend(rare_layouts().into_iter().skip(1));
    let artifacts: Vec<_> = layouts
        .iter()
        .map(|layout| (layout.name, layout.options(false)))
        .collect();
    let evaluated = evaluate(&artifacts, |bytes| {
        Policy::from_bytes(bytes.to_vec()).unwrap()
    });
    let (n_cases, failures) = (evaluated.n_cases, evaluated.failures);
    say(&format!(
        "evaluate.jsonl: {n_cases} cases through {} layouts",
        layouts.len()
    ));
    assert!(
        failures.is_empty(),
        "{}\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
    assert_eq!(n_cases, N_CASES, "the recorded number of cases");
}

#[test]
fn literals_that_end_others_and_heads_that_end_with_literals() {
    let sets: [&[&str]; 6] = [
        &["xab*q", "*ab*c*d", "*b*z*", "*xab*y*y", "ab*q"],
        &[
            "*abc*1*", "*bc*2*", "*c*3*", "*zabc*4*", "*bcd*5*", "*abcd*6*",
        ],
        &[
            "a*1", "a*2", "a*3", "a*4", "a*5", "a*6", "ab*1", "ab*2", "*a*b*", "*b*1",
        ],
        &[
            "~/a*q",
            "*/a*z*z",
            "*a*q*",
            "~/a*r",
            "/home/dev/a*q",
            "~/*a*b",
        ],
        &["*a*a*a*", "*aa*aa*", "a*a", "aa*a", "*aaa", "aaa*aaa"],
        &["*", "a *", "*a *", "a*b *", "*a*b *", "* *", "a* *b"],
    ];
    let mut values: Vec<String> = vec![String::new()];
    for length in 1..=4_u32 {
        let letters = ["a", "b", "c", "x", "z", "1", " "];
        for number in 0..letters.len().pow(length).min(2_401) {
            let word: String = (0..length)
                .map(|place| letters[number / letters.len().pow(place) % 7])
                .collect();
            values.push(word);
        }
    }
    values.retain(|value| value.len() < 4 || value.starts_with('a') || value.ends_with('a'));
    values.extend(owned(&[
        "xabq",
        "xab c d",
        "xabyyq",
        "xabcdz",
        "zabc4",
        "zabc1",
        "abcd56",
        "abcd65",
        "zabcd3",
        "a6",
        "ab1",
        "ab2a",
        "ab1b1",
        "/home/dev/aq",
        "/home/dev/azzq",
        "/home/dev/aab",
        "/home/dev/ar",
        "aaaaaa",
        "aaabaaa",
        "xabcdq",
        "xab",
        "yxaby",
    ]));
    for set in sets {
        let mut corner = Corner::new(set, &[]);
        corner.values = values.clone();
        corner.check(&layouts());
    }
}

/// Patterns of few, overlapping pieces: heads, tails and literals that begin and end one another.
fn pattern() -> impl Strategy<Value = String> {
    let pieces = [
        "a", "b", "ab", "ba", "aab", "abc", "x", "xa", "/", "\u{E9}", "?", " ", "*", "*", "*", "*",
    ];
    let head = prop::sample::select(vec![
        "", "", "x", "xab", "ab", "*", "*", "~/", "a*", "a*", "*b*",
    ]);
    let body = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..6);
    let tail = prop::sample::select(vec!["", "", "*", " *", "*q", "*ab", "*b*"]);
    (head, body, tail)
        .prop_map(|(head, body, tail)| format!("{head}{}{tail}", body.concat()))
        .prop_filter("a pattern is not empty", |pattern| !pattern.is_empty())
}

fn value() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "b",
        "ab",
        "ba",
        "aab",
        "abc",
        "x",
        "xa",
        "/",
        "\u{E9}",
        "q",
        " ",
        "c",
        "\u{1F642}",
        "/home/dev/",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..9)
        .prop_map(|pieces| pieces.concat())
}

#[test]
fn drawn_rules_with_overlapping_literals() {
    const CASES: u32 = 100;
    let layouts = layouts();
    let run = |seed| {
        let config = Config {
            cases: CASES,
            rng_seed: RngSeed::Fixed(seed),
            failure_persistence: None,
            ..Config::default()
        };
        let rules = prop::collection::vec(pattern(), 1..24);
        let values = prop::collection::vec(value(), 12);
        let drawn = TestRunner::new(config).run(
            &(rules, values, any::<bool>()),
            |(mut rules, values, on_path)| {
                let mut seen = std::collections::BTreeSet::new();
                rules.retain(|rule| seen.insert(rule.clone()));
                let mut corner = Corner::new(&[], &[]);
                (corner.surface, corner.fold) = if on_path {
                    ("path", true)
                } else {
                    ("bash", false)
                };
                let filled = rules.iter().map(|rule| {
                    rule.replacen('~', "/home/dev", 1)
                        .replace('*', "xab")
                        .replace('?', "\u{E9}")
                });
                corner.values = values.into_iter().chain(filled).collect();
                corner.rules = rules;
                corner.check(&layouts);
                Ok(())
            },
        );
        drawn.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
    };
    std::thread::scope(|scope| {
        for seed in [20_261_203, 42] {
            scope.spawn(move || run(seed));
        }
    });
    say(&format!(
        "layouts: {} drawn rule sets through {} layouts",
        2 * CASES,
        layouts.len()
    ));
}
