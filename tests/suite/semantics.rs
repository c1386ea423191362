//! What pages 1 and 2 promise beyond the recorded cases: home at load, the overlay, exposure, folding, layers, clamps.

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, Output, compile};
use permc_runtime::{Action, Context, Policy, Session};
use permc_tests::engine::compiled;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

fn global(permission: &serde_json::Value) -> SourceDocument {
    SourceDocument::new(
        Role::Global,
        "policy.jsonc",
        json!({ "permission": permission }).to_string(),
    )
}

fn one(permission: &serde_json::Value) -> Output {
    compiled(
        &SourceSet::from(vec![global(permission)]),
        &Options::default(),
    )
}

fn load(output: &Output) -> Policy {
    Policy::from_bytes(output.bytes.clone()).unwrap()
}

fn home(home: &str) -> Context<'_> {
    Context {
        home: Some(home),
        ..Context::default()
    }
}

#[test]
fn one_artifact_serves_every_home() {
    let policy = load(&one(
        &json!({ "*": "allow", "path": { "~/.ssh/*": "deny", "$HOME": "ask", "${HOME}/x": "deny" } }),
    ));
    assert!(policy.uses_home());
    let none = Session::default();
    for (user, others) in [
        ("/home/dev", "/Users/eve"),
        ("/Users/eve", "/home/dev"),
        ("/h*?", "/hxx"),
    ] {
        let bound = policy.bind(home(user)).unwrap();
        let state = |path: String| bound.check("path", &[&path], &none).state;
        assert_eq!(state(format!("{user}/.ssh/id")), Action::Deny);
        assert_eq!(state(user.to_owned()), Action::Ask);
        assert_eq!(state(format!("{user}/x")), Action::Deny);
        assert_eq!(state(format!("{others}/.ssh/id")), Action::Allow);
        assert_eq!(
            state("~/.ssh/id".to_owned()),
            Action::Allow,
            "values are not expanded here"
        );
    }
    // A trailing slash is dropped; the root as home leaves an empty prefix.
    assert_eq!(
        policy
            .bind(home("/home/dev/"))
            .unwrap()
            .check("path", &["/home/dev/.ssh/id"], &none)
            .state,
        Action::Deny
    );
    assert_eq!(
        policy
            .bind(home("/"))
            .unwrap()
            .check("path", &["/.ssh/id"], &none)
            .state,
        Action::Deny
    );
}

#[test]
fn home_patterns_need_a_home_and_others_do_not() {
    let with_home = load(&one(&json!({ "path": { "~/.ssh/*": "deny" } })));
    for home in [None, Some("")] {
        let error = with_home
            .bind(Context {
                home,
                ..Context::default()
            })
            .unwrap_err();
        assert!(error.is_home_unknown());
    }
    let without = load(&one(
        &json!({ "path": { "~user/*": "deny", "a~/x": "deny" } }),
    ));
    assert!(without.bind(Context::default()).is_ok());
}

#[test]
fn the_overlay_beats_the_policy_and_names_its_pattern() {
    let policy = load(&one(
        &json!({ "*": "ask", "bash": { "git push*": "deny" }, "mcp": "ask" }),
    ));
    let bound = policy.bind(home("/home/dev")).unwrap();
    let mut session = Session::default();
    session.approve("bash", "git push *");
    session.approve("web_*", "*");
    session.approve("path", "~/notes/*");
    let decision = bound.check("bash", &["git push origin"], &session);
    assert_eq!(
        (decision.state, decision.matched_pattern()),
        (Action::Allow, Some("git push *"))
    );
    assert_eq!(decision.rule(), None);
    assert_eq!(
        bound.check("bash", &["git pushx"], &session).state,
        Action::Deny,
        "the nearest other command"
    );
    assert_eq!(bound.check("web_fetch", &[], &session).state, Action::Allow);
    assert_eq!(bound.check("webfetch", &[], &session).state, Action::Ask);
    assert_eq!(
        bound
            .check("path", &["x", "/home/dev/notes/a"], &session)
            .value,
        Some(1)
    );
    assert_eq!(
        bound.tool_permission("bash"),
        Action::Ask,
        "session rules do not count"
    );
    session.clear();
    assert_eq!(
        bound.check("bash", &["git push origin"], &session).state,
        Action::Deny
    );
}

#[test]
fn compiled_session_rules_do_not_count_for_tool_permission() {
    let sources = SourceSet::from(vec![
        global(&json!({ "*": "ask", "bash": { "*": "deny" } })),
        SourceDocument::new(
            Role::Session,
            "session.json",
            r#"[["bash", "*"], ["web_*", "*"]]"#,
        ),
    ]);
    let compilation = compile(&sources, &Options::default());
    let codes: Vec<&str> = compilation
        .diagnostics
        .iter()
        .map(|found| found.code.as_str())
        .collect();
    assert_eq!(
        codes,
        ["PC0502"],
        "the session rule that overrides the deny, and no other"
    );
    let policy = load(&compilation.output.unwrap());
    let bound = policy.bind(Context::default()).unwrap();
    let none = Session::default();
    assert_eq!(bound.check("bash", &["x"], &none).state, Action::Allow);
    assert_eq!(bound.tool_permission("bash"), Action::Deny);
    assert_eq!(bound.tool_permission("web_x"), Action::Ask);
    assert!(bound.tool_exposed("bash", &none));
}

#[test]
fn exposure_follows_what_can_win() {
    for (bash, exposed) in [
        (json!({ "*": "deny", "git *": "allow" }), true),
        (json!({ "git *": "allow", "*": "deny" }), false),
        (
            json!({ "*": "deny", "git *": "allow", "git*": "deny" }),
            false,
        ),
        (
            json!({ "*": "deny", "git *": "allow", "git?*": "deny" }),
            true,
        ),
        (json!({ "*": "deny", "a*b": "ask", "a*": "deny" }), false),
        (json!({ "*": "deny", "a*b": "ask", "*b": "deny" }), false),
        (json!({ "*": "deny", "a*b": "ask", "a*c": "deny" }), true),
        (json!("deny"), false),
        (json!("ask"), true),
        (json!({ "git *": "deny" }), true),
    ] {
        let output = one(&json!({ "*": "ask", "bash": bash }));
        let policy = load(&output);
        let bound = policy.bind(Context::default()).unwrap();
        let mut session = Session::default();
        assert_eq!(bound.tool_exposed(" bash ", &session), exposed, "{bash}");
        session.approve("ba*", "anything");
        assert!(
            bound.tool_exposed("bash", &session),
            "a session rule exposes the tool"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, rng_seed: RngSeed::Fixed(20_261_201), failure_persistence: None, ..ProptestConfig::default() })]

    /// Over two letters every value up to length 5 decides whether short patterns leave something that is not denied.
    #[test]
    fn exposure_equals_enumeration(rules in prop::collection::vec(("[ab*?]{1,3}", prop::sample::select(vec!["allow", "deny", "deny"])), 1..6)) {
        let map: serde_json::Map<String, serde_json::Value> =
            rules.into_iter().map(|(pattern, action)| (pattern, action.into())).collect();
        let output = one(&json!({ "*": "deny", "tool": map }));
        let policy = load(&output);
        let bound = policy.bind(Context::default()).unwrap();
        let none = Session::default();
        // A letter that no pattern spells stands for all others.
        let mut values = vec![String::new()];
        let mut from = 0;
        for _ in 0..5 {
            let to = values.len();
            for index in from..to {
                for letter in ['a', 'b', 'z'] {
                    values.push(format!("{}{letter}", values[index]));
                }
            }
            from = to;
        }
        let open = values.iter().any(|value| bound.check("tool", &[value], &none).state != Action::Deny);
        prop_assert_eq!(bound.tool_exposed("tool", &none), open);
    }
}

#[test]
fn folding_is_for_path_surfaces_only() {
    let permission =
        json!({ "*": "allow", "path": { "*/Secrets/*": "deny" }, "bash": { "RM *": "deny" } });
    let sources = SourceSet::from(vec![global(&permission)]);
    let none = Session::default();
    for (fold_paths, expected) in [(true, Action::Deny), (false, Action::Allow)] {
        let options = Options {
            fold_paths,
            ..Options::default()
        };
        let policy = load(&compiled(&sources, &options));
        let bound = policy.bind(Context::default()).unwrap();
        assert_eq!(
            bound.check("path", &["C:\\SECRETS\\x"], &none).state,
            expected
        );
        assert_eq!(
            bound.check("path", &["c:/Secrets/x"], &none).state,
            Action::Deny
        );
        assert_eq!(bound.check("bash", &["rm x"], &none).state, Action::Allow);
        assert_eq!(bound.check("bash", &["RM x"], &none).state, Action::Deny);
    }
}

#[test]
fn the_baseline_needs_an_allow_about_mcp() {
    for (permission, expected) in [
        (
            json!({ "*": "deny", "mcp": { "exa:*": "allow" } }),
            Action::Allow,
        ),
        (
            json!({ "*": "deny", "mcp": { "exa:*": "ask" } }),
            Action::Deny,
        ),
        (
            json!({ "*": "deny", "mc?": { "exa:*": "allow" } }),
            Action::Deny,
        ),
        (
            json!({ "*": "deny", "mcp": { "exa:*": "allow", "mcp_status": "deny" } }),
            Action::Deny,
        ),
    ] {
        let policy = load(&one(&permission));
        let bound = policy.bind(Context::default()).unwrap();
        let none = Session::default();
        let input = [].as_slice();
        let decision = bound.check_tool("mcp", &input, &none);
        assert_eq!(decision.decision.state, expected, "{permission}");
        assert_eq!(decision.target.as_deref(), Some("mcp_status"));
    }
}

#[test]
fn fail_closed_clamps_only_what_the_broken_file_touches() {
    let documents = |project: &str, agent: &str| {
        SourceSet::from(vec![
            SourceDocument::new(
                Role::Global,
                "policy.jsonc",
                r#"{ "yoloMode": true, "permission": { "*": "ask", "bash": { "git *": "allow", "rm *": "deny" } } }"#,
            ),
            SourceDocument::new(Role::Project, "project.jsonc", project),
            SourceDocument::new(Role::Agent("bad".into()), "bad.jsonc", agent),
            SourceDocument::new(
                Role::Agent("good".into()),
                "good.jsonc",
                r#"{ "permission": { "web_fetch": "deny" } }"#,
            ),
        ])
    };
    let fine = r#"{ "permission": {} }"#;
    let broken = r#"{ "permission": { "bash": "alow" } }"#;
    let closed = Options {
        fail_closed: true,
        ..Options::default()
    };
    let none = Session::default();
    for (project, agent, clamped_views) in [
        (fine, fine, vec![]),
        (fine, broken, vec![Some("bad")]),
        (broken, fine, vec![None, Some("bad"), Some("good")]),
        (fine, "{", vec![Some("bad")]),
    ] {
        let sources = documents(project, agent);
        assert_eq!(
            compile(&sources, &Options::default()).output.is_some(),
            clamped_views.is_empty()
        );
        let policy = load(
            &compile(&sources, &closed)
                .output
                .expect("fail-closed compiles"),
        );
        for agent in [None, Some("bad"), Some("good")] {
            let bound = policy
                .bind(Context {
                    agent,
                    ..Context::default()
                })
                .unwrap();
            let clamped = clamped_views.contains(&agent);
            let git = bound.check("bash", &["git status"], &none).state;
            assert_eq!(
                git,
                if clamped { Action::Ask } else { Action::Allow },
                "{agent:?}"
            );
            assert_eq!(bound.check("bash", &["rm x"], &none).state, Action::Deny);
            let yolo = bound.check("bash", &["ls"], &none).state;
            assert_eq!(
                yolo,
                if clamped { Action::Ask } else { Action::Allow },
                "yolo of {agent:?}"
            );
        }
    }
    let global_broken =
        SourceSet::from(vec![SourceDocument::new(Role::Global, "policy.jsonc", "{")]);
    assert!(
        compile(&global_broken, &closed).output.is_none(),
        "a broken global document always stops"
    );
}

#[test]
fn an_untrusted_project_is_left_out_and_said() {
    let sources = SourceSet::from(vec![
        global(&json!({ "*": "ask" })),
        SourceDocument::new(
            Role::Project,
            "project.jsonc",
            r#"{ "permission": { "bash": "allow" } }"#,
        ),
        SourceDocument::new(Role::ProjectAgent("a".into()), "a.jsonc", "this is broken"),
    ]);
    let options = Options {
        untrusted_project: true,
        ..Options::default()
    };
    let compilation = compile(&sources, &options);
    assert_eq!(compilation.diagnostics.len(), 1);
    let message = &compilation.diagnostics[0].message;
    assert!(
        message.contains("project.jsonc") && message.contains("a.jsonc"),
        "{message}"
    );
    let policy = load(&compilation.output.unwrap());
    let bound = policy.bind(Context::default()).unwrap();
    let none = Session::default();
    assert_eq!(bound.check("bash", &["x"], &none).state, Action::Ask);
}

#[test]
fn integer_like_keys_keep_their_place_and_are_reported_where_the_reference_differs() {
    let none = Session::default();
    for (text, reported) in [
        (
            r#"{ "permission": { "tool": { "*": "deny", "7": "allow" } } }"#,
            true,
        ),
        (
            r#"{ "permission": { "tool": { "7": "allow", "8": "deny", "*": "ask" } } }"#,
            false,
        ),
        (
            r#"{ "permission": { "tool": { "8": "allow", "7": "deny" } } }"#,
            true,
        ),
        (
            r#"{ "permission": { "tool": { "*": "deny", "07": "allow" } } }"#,
            false,
        ),
        (
            r#"{ "permission": { "tool": { "*": "deny", "4294967295": "allow" } } }"#,
            false,
        ),
        (r#"{ "permission": { "tool": "ask", "7": "allow" } }"#, true),
    ] {
        let sources = SourceSet::from(vec![SourceDocument::new(
            Role::Global,
            "policy.jsonc",
            text,
        )]);
        let compilation = compile(&sources, &Options::default());
        let codes: Vec<&str> = compilation
            .diagnostics
            .iter()
            .map(|found| found.code.as_str())
            .collect();
        assert_eq!(
            codes,
            if reported { vec!["PC0501"] } else { vec![] },
            "{text}"
        );
    }
    let policy = load(&one(&json!({ "tool": { "*": "deny", "7": "allow" } })));
    let bound = policy.bind(Context::default()).unwrap();
    assert_eq!(bound.check("tool", &["7"], &none).state, Action::Allow);
}

#[test]
fn shell_tools_are_asked_as_bash_and_a_project_changes_none() {
    let global = r#"{ "permission": { "*": "ask", "bash": { "git *": "allow" } }, "shellTools": { "exec": { "commandArgument": "cmd" } } }"#;
    let sources = |project: &str| {
        SourceSet::from(vec![
            SourceDocument::new(Role::Global, "policy.jsonc", global),
            SourceDocument::new(Role::Project, "project.jsonc", project),
        ])
    };
    let more = r#"{ "shellTools": { "exec": { "commandArgument": "cmd" }, "run": { "commandArgument": "line", "workdirArgument": "in" } } }"#;
    let policy = load(&compiled(&sources(more), &Options::default()));
    let bound = policy.bind(Context::default()).unwrap();
    let none = Session::default();
    for (tool, key) in [("exec", "cmd"), ("run", "line"), ("bash", "command")] {
        let input = [(key, "# why\ngit status")];
        let input = input.as_slice();
        let answer = bound.check_tool(tool, &input, &none);
        assert_eq!(
            (answer.decision.state, answer.command),
            (Action::Allow, Some("# why\ngit status")),
            "{tool}"
        );
    }
    let other = [("cmd", "git status")];
    let other = other.as_slice();
    assert_eq!(
        bound.check_tool("other", &other, &none).decision.state,
        Action::Ask
    );
    assert_eq!(bound.shell_tool("run"), Some(("line", Some("in"))));
    let changed = r#"{ "shellTools": { "exec": { "commandArgument": "harmless" } } }"#;
    let compilation = compile(&sources(changed), &Options::default());
    assert!(compilation.output.is_none());
    assert_eq!(compilation.diagnostics[0].code.as_str(), "PC0207");
}

#[test]
fn a_project_tightens_tiers_and_defines_none() {
    let tiers = |id: &str| {
        json!({ "providerPermissions": { "tiers": [
            { "id": id, "directories": { "**": { "read": "ask" } } }
        ] } })
        .to_string()
    };
    for (id, codes) in [("limited", [].as_slice()), ("limitd", &["PC0205"])] {
        let sources = SourceSet::from(vec![
            SourceDocument::new(Role::Global, "policy.jsonc", tiers("limited")),
            SourceDocument::new(Role::Project, "project.jsonc", tiers(id)),
        ]);
        let compilation = compile(&sources, &Options::default());
        let found: Vec<&str> = compilation
            .diagnostics
            .iter()
            .map(|found| found.code.as_str())
            .collect();
        assert_eq!(found, codes, "{id}");
    }
}

#[test]
fn a_broken_project_document_takes_the_delegation_away() {
    let closed = Options {
        fail_closed: true,
        ..Options::default()
    };
    let global =
        r#"{ "modelDelegation": { "allowedSurfaces": ["bash"] }, "authorizerChain": ["judge"] }"#;
    for (project, excluded, delegated) in [
        (
            r#"{ "modelDelegation": { "excludedSurfaces": ["mcp"] } }"#,
            vec!["mcp"],
            true,
        ),
        (
            r#"{ "modelDelegation": { "excludedSurface": ["mcp"] } }"#,
            vec![],
            false,
        ),
    ] {
        let sources = SourceSet::from(vec![
            SourceDocument::new(Role::Global, "policy.jsonc", global),
            SourceDocument::new(Role::Project, "project.jsonc", project),
        ]);
        let output = compile(&sources, &closed)
            .output
            .expect("fail-closed compiles");
        let policy = load(&output);
        let contents = policy.contents().unwrap();
        let flag = contents.flags() & permc_runtime::format::CONFIG_DELEGATION != 0;
        assert_eq!(flag, delegated);
        assert_eq!(
            contents.delegation_allowed().count(),
            usize::from(delegated)
        );
        assert_eq!(contents.delegation_excluded().collect::<Vec<_>>(), excluded);
    }
}

#[test]
fn policies_are_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let policy = load(&one(&json!({ "*": "allow" })));
    shared(&policy);
    let bound = policy.bind(Context::default()).unwrap();
    shared(&bound);
    let states: Vec<Action> = std::thread::scope(|scope| {
        let ask = || bound.check("bash", &["x"], &Session::default()).state;
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(states, [Action::Allow; 4]);
}
