//! Drawn policies and values: the reference and the artifact must agree on every field.

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Budget, Options};
use permc_runtime::{Context, Policy, Session};
use permc_tests::data::{say, tests_folder};
use permc_tests::engine::{ask_artifact, ask_reference, compiled, reference_tool_permission};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestRunner};
use serde_json::{Map, Value, json};

/// Pieces of patterns and values: few enough to meet often, odd enough to meet every rule of page 1.2.
const PIECES: [&str; 30] = [
    "a",
    "b",
    "aa",
    "ab",
    "git",
    " ",
    " ",
    "/",
    "é",
    "日",
    "\u{1F642}",
    "\n",
    "\t",
    ".env",
    "-f",
    "~",
    "~/",
    "$HOME",
    "${HOME}/",
    "[",
    "]",
    "\\",
    ".",
    "A",
    "É",
    "x",
    "/home/dev",
    "/h",
    "{a,b}",
    "\u{301}",
];

const SURFACES: [&str; 16] = [
    "bash",
    "mcp",
    "skill",
    "read",
    "write",
    "path",
    "external_directory",
    "web_fetch",
    "web_search",
    "task",
    "web_*",
    "*_search",
    "t?sk",
    "*e*",
    "web *",
    "database",
];

const ASKED: [&str; 16] = [
    "bash",
    "mcp",
    "skill",
    "read",
    "write",
    "ls",
    "path",
    "external_directory",
    "web_fetch",
    "web_search",
    "task",
    "tésk",
    "code_search",
    "web",
    "database",
    "unknown",
];

const AGENTS: [&str; 3] = ["reviewer", "writer", "a b"];

#[derive(Clone, Debug)]
struct Case {
    /// One `permission` object for global, project, each agent and each project agent; null where there is none.
    scopes: Vec<Value>,
    compiled_session: Vec<(String, String)>,
    session: Vec<(String, String)>,
    agent: Option<&'static str>,
    home: &'static str,
    yolo: Option<bool>,
    policy_yolo: bool,
    fold_paths: bool,
    budget: Budget,
    queries: Vec<(&'static str, Vec<String>)>,
}

fn text(max_pieces: usize, wildcards: u32) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(PIECES.as_slice()),
        wildcards => Just("*"),
        1 => Just("?"),
        1 => Just(" *"),
    ];
    prop::collection::vec(piece, 0..=max_pieces).prop_map(|pieces| pieces.concat())
}

fn pattern() -> impl Strategy<Value = String> {
    text(6, 3).prop_map(|text| {
        if text.is_empty() {
            "*".to_owned()
        } else {
            text
        }
    })
}

fn action() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(json!("allow")),
        3 => Just(json!("ask")),
        3 => Just(json!("deny")),
        1 => Just(json!({ "action": "deny", "reason": "because of é" })),
    ]
}

fn word_action() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("allow")),
        Just(json!("ask")),
        Just(json!("deny"))
    ]
}

fn permission() -> impl Strategy<Value = Value> {
    let map = prop::collection::vec((pattern(), action()), 0..6).prop_map(|rules| {
        // `action` as a pattern of its own is refused at surface level; nothing here spells it.
        Value::Object(rules.into_iter().collect::<Map<String, Value>>())
    });
    let value = prop_oneof![1 => word_action(), 3 => map];
    let surfaces = prop::collection::vec((prop::sample::select(SURFACES.as_slice()), value), 0..5);
    (prop::option::of(word_action()), surfaces).prop_map(|(default, surfaces)| {
        let mut permission = Map::new();
        if let Some(default) = default {
            permission.insert("*".into(), default);
        }
        permission.extend(
            surfaces
                .into_iter()
                .map(|(surface, value)| (surface.to_owned(), value)),
        );
        Value::Object(permission)
    })
}

fn budget() -> impl Strategy<Value = Budget> {
    let default = Budget::default();
    // Small budgets force every layout: groups by shape, patterns one by one, guarded classes.
    prop_oneof![
        3 => Just(default),
        1 => Just(Budget { merged_states: 1, ..default }),
        1 => Just(Budget { merged_states: 1, group_states: 4, ..default }),
        1 => Just(Budget { merged_states: 12, surface_states: 2, ..default }),
        1 => Just(Budget { merged_states: 1, joint_bytes: 1, ..default }),
        1 => Just(Budget { merged_states: 1, exact_rules: 1, ..default }),
        1 => Just(Budget { merged_states: 1, joint_bytes: 1, exact_rules: 1, group_states: 4, ..default }),
        1 => Just(Budget { shared_rules: 0, ..default }),
        1 => Just(Budget { merged_states: 1, shared_rules: 0, ..default }),
        1 => Just(Budget { merged_states: 1, group_states: 1, surface_states: 1, search_nodes: 1, ..default }),
    ]
}

fn session(max: usize) -> impl Strategy<Value = Vec<(String, String)>> {
    let surface = prop::sample::select(SURFACES.as_slice()).prop_map(str::to_owned);
    prop::collection::vec((surface, pattern()), 0..max)
}

fn case() -> impl Strategy<Value = Case> {
    let scope = prop::option::weighted(0.6, permission());
    let scopes = prop::collection::vec(
        scope.prop_map(|scope| scope.unwrap_or(Value::Null)),
        2 + 2 * AGENTS.len(),
    );
    let queries = prop::collection::vec(
        (
            prop::sample::select(ASKED.as_slice()),
            prop::collection::vec(text(7, 1), 0..4),
        ),
        4,
    );
    let flags = (
        any::<bool>(),
        any::<bool>(),
        prop::option::of(any::<bool>()),
    );
    let agent = prop::option::of(prop::sample::select(
        ["reviewer", "writer", "a b", "nobody"].as_slice(),
    ));
    let home = prop::sample::select(["/home/dev", "/", "/h/", "/h\u{e9}*?"].as_slice());
    let sessions = (
        prop_oneof![4 => Just(Vec::new()), 1 => session(3)],
        prop_oneof![2 => Just(Vec::new()), 1 => session(3)],
    );
    (scopes, queries, flags, agent, home, sessions, budget()).prop_map(
        |(
            scopes,
            queries,
            (fold_paths, policy_yolo, yolo),
            agent,
            home,
            (compiled_session, session),
            budget,
        )| Case {
            scopes,
            compiled_session,
            session,
            agent,
            home,
            yolo,
            policy_yolo,
            fold_paths,
            budget,
            queries,
        },
    )
}

impl Case {
    fn sources(&self) -> SourceSet {
        let mut roles = vec![Role::Global, Role::Project];
        roles.extend(AGENTS.map(|agent| Role::Agent(agent.to_owned())));
        roles.extend(AGENTS.map(|agent| Role::ProjectAgent(agent.to_owned())));
        let mut documents = Vec::new();
        for (role, permission) in roles.into_iter().zip(&self.scopes) {
            let mut document = Map::new();
            if !permission.is_null() {
                document.insert("permission".into(), permission.clone());
            } else if role != Role::Global {
                continue;
            }
            if role == Role::Global && self.policy_yolo {
                document.insert("yoloMode".into(), true.into());
            }
            let name = match &role {
                Role::Agent(name) | Role::ProjectAgent(name) => format!("{name}.jsonc"),
                _ => format!("{}.jsonc", role.name()),
            };
            documents.push(SourceDocument::new(
                role,
                name,
                Value::Object(document).to_string(),
            ));
        }
        if !self.compiled_session.is_empty() {
            let rules = json!(self.compiled_session).to_string();
            documents.push(SourceDocument::new(Role::Session, "session.json", rules));
        }
        SourceSet::from(documents)
    }

    /// Values of the query, and values that fill the stars of the policy's own patterns.
    fn check(&self) {
        let options = Options {
            fold_paths: self.fold_paths,
            budget: self.budget,
            ..Options::default()
        };
        let output = compiled(&self.sources(), &options);
        let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
        let context = Context {
            home: Some(self.home),
            agent: self.agent,
            yolo: self.yolo,
            ..Context::default()
        };
        let bound = policy.bind(context).unwrap();
        let session: Session = self.session.iter().cloned().collect();
        let filled: Vec<String> = output
            .policy
            .rules
            .iter()
            .map(|rule| {
                rule.pattern
                    .replacen('*', "x/é", 1)
                    .replace('*', "")
                    .replace('?', "日")
            })
            .map(|value| value.replacen('~', self.home, 1))
            .collect();
        for (number, (surface, values)) in self.queries.iter().enumerate() {
            let filled = filled
                .iter()
                .map(String::as_str)
                .skip(number)
                .step_by(5)
                .take(2);
            let values: Vec<&str> = values.iter().map(String::as_str).chain(filled).collect();
            let artifact = ask_artifact(&bound, &session, surface, &values);
            let reference = ask_reference(&output.policy, context, &session, surface, &values);
            assert_eq!(artifact, reference, "{surface} {values:?}");
            assert_eq!(
                bound.tool_permission(surface),
                reference_tool_permission(&output.policy, context, surface),
                "tool permission of {surface}"
            );
        }
    }
}

/// Draws the cases of one seed; a failure shows its smallest case.
fn run(seed: u64) -> u32 {
    const CASES: u32 = 5_000;
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/data/differential.proptest-regressions"
        )))),
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&case(), |case| {
            case.check();
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
    CASES
}

#[test]
fn engines_agree_on_drawn_policies() {
    let seeds =
        std::fs::read_to_string(tests_folder().join("data/differential-seeds.txt")).unwrap();
    let seeds: Vec<u64> = seeds
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.parse().unwrap())
        .collect();
    let n_cases: u32 = std::thread::scope(|scope| {
        let runs: Vec<_> = seeds
            .iter()
            .map(|seed| scope.spawn(|| run(*seed)))
            .collect();
        runs.into_iter()
            .map(|run| run.join().expect("a seed failed"))
            .sum()
    });
    say(&format!(
        "differential: {n_cases} drawn policies, 4 questions each, no difference"
    ));
    assert!(n_cases >= 20_000, "the promised number of cases");
}
