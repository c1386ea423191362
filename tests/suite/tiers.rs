//! Trust tiers (page 3): the required tests by name.

use permc::diagnostic::Code;
use permc::source::SourceSet;
use permc::{Compilation, Options, compile};
use permc_runtime::{Action, Context, Policy, TierGroup};
use permc_tests::engine::compiled;
use permc_tests::tiers::{CONTEXT, ask, both, codes, global, many, output, page, project};
use serde_json::{Value, json};

#[test]
fn trusted_tier_allows_all() {
    let mut questions = Vec::new();
    for action in [
        "read",
        "glob",
        "grep",
        "write",
        "edit",
        "bash",
        "webfetch",
        "websearch",
    ] {
        for resource in ["", "src/x", "/etc/shadow", "~/secrets/k", "../.."] {
            questions.push(("big/model", action, resource, Some("allow")));
        }
    }
    ask(vec![global(&page())], &questions);
}

#[test]
fn limited_tier_reads_only() {
    let model = "some-provider/some-model";
    ask(
        vec![global(&page())],
        &[
            (model, "read", "src/x", Some("allow")),
            (model, "write", "src/x", Some("deny")),
            (model, "edit", "/tmp/x", Some("deny")),
            (model, "bash", "", Some("deny")),
            (model, "webfetch", "", Some("deny")),
            (model, "read", "~/secrets/k", Some("deny")),
            (model, "read", "~/secrets", Some("deny")),
            (model, "read", "/home/dev/secrets/a/b", Some("deny")),
            (model, "read", "~/secrets2", Some("allow")),
            (
                model,
                "read",
                "/srv/app/../../home/dev/./secrets//k",
                Some("deny"),
            ),
        ],
    );
}

#[test]
fn unassigned_falls_to_default() {
    ask(
        vec![global(&page())],
        &[
            ("nobody/knows", "read", "x", Some("ask")),
            ("", "write", "x", Some("deny")),
            ("nobody/knows", "bash", "", None),
        ],
    );
    let mut without = page();
    without["defaultTier"] = "gone".into();
    ask(
        vec![global(&without)],
        &[
            ("nobody/knows", "read", "x", None),
            ("big/model", "read", "x", Some("allow")),
        ],
    );
    without.as_object_mut().unwrap().remove("defaultTier");
    ask(
        vec![global(&without)],
        &[("nobody/knows", "read", "x", None)],
    );
}

#[test]
fn most_specific_glob_wins() {
    let tier = json!({ "defaultTier": "t", "tiers": [{ "id": "t", "directories": {
        "src/**": { "write": "allow" },
        "**": { "write": "deny" },
        "src/gen/**": { "write": "ask" },
        "src/gen/keep.rs": { "write": "allow" },
        "**/*.pem": { "write": "deny" },
        "src/[a-c]*": { "write": "deny" },
    } }] });
    ask(
        vec![global(&tier)],
        &[
            ("m", "write", "README.md", Some("deny")),
            ("m", "write", "src/main.rs", Some("allow")),
            ("m", "write", "src", Some("allow")),
            ("m", "write", "src/gen/x", Some("ask")),
            ("m", "write", "src/gen", Some("ask")),
            ("m", "write", "src/gen/keep.rs", Some("allow")),
            ("m", "write", "src/x/key.pem", Some("deny")),
            ("m", "write", "src/x.pem", Some("deny")),
            ("m", "write", "srcx/main.rs", Some("deny")),
            // A class counts as one character: `src/[a-c]*` and `src/**` are equally long.
            ("m", "write", "src/build.rs", Some("deny")),
            ("m", "write", "src/a/x", Some("allow")),
        ],
    );
}

#[test]
fn each_actions_group() {
    let tier = json!({ "defaultTier": "t", "tiers": [{ "id": "t", "directories": {
        "**": { "read": "allow", "write": "ask", "execute": "deny" } } }] });
    ask(
        vec![global(&tier)],
        &[
            ("m", "read", "x", Some("allow")),
            ("m", "glob", "x", Some("allow")),
            ("m", "grep", "x", Some("allow")),
            ("m", "write", "x", Some("ask")),
            ("m", "edit", "x", Some("ask")),
            ("m", "bash", "x", Some("deny")),
            ("m", "webfetch", "x", None),
            ("m", "websearch", "x", None),
            ("m", "Read", "x", None),
            ("m", "BASH", "x", None),
            ("m", "execute", "x", None),
            ("m", "network", "x", None),
            ("m", "mcp", "x", None),
            ("m", "", "x", None),
        ],
    );
}

#[test]
fn none_when_no_row_matches() {
    let tier = json!({ "defaultTier": "t", "tiers": [
        { "id": "t", "directories": { "src/**": { "read": "deny" } } }, { "id": "empty" } ],
        "assignments": { "e": "empty" } });
    ask(
        vec![global(&tier)],
        &[
            ("m", "read", "docs/x", None),
            ("m", "write", "src/x", None),
            ("m", "read", "src/x", Some("deny")),
            ("e", "read", "src/x", None),
        ],
    );
    let none = output(vec![global(&json!({}))]);
    let policy = Policy::from_bytes(none.bytes).unwrap();
    // Without tiers nothing has to be known about directories.
    let bound = policy.bind(Context::default()).unwrap();
    assert_eq!(bound.resolve_provider_permission("m", "read", "x"), None);
    assert!(!bound.has_tiers());
}

#[test]
fn a_model_assigned_to_a_deleted_tier() {
    ask(
        vec![global(&page())],
        &[
            ("old/model", "read", "x", Some("ask")),
            ("old/model", "write", "x", Some("deny")),
        ],
    );
    assert_eq!(codes(&page()), [Code::UNKNOWN_ASSIGNED_TIER]);
}

#[test]
fn ids_constructor_and_proto() {
    let tiers = json!({
        "defaultTier": "__proto__",
        "tiers": [
            { "id": "constructor", "directories": { "**": { "read": "deny" } } },
            { "id": "__proto__", "directories": { "**": { "read": "ask" } } },
            { "id": "hasOwnProperty", "directories": { "**": { "read": "allow" } } },
        ],
        "assignments": { "__proto__": "constructor", "constructor": "hasOwnProperty", "toString": "__proto__" },
    });
    ask(
        vec![global(&tiers)],
        &[
            ("__proto__", "read", "x", Some("deny")),
            ("constructor", "read", "x", Some("allow")),
            ("toString", "read", "x", Some("ask")),
            ("valueOf", "read", "x", Some("ask")),
        ],
    );
}

/// The time is in `benches/benches/tiers.rs`; here is why it is flat: a lookup asks as few tables as with ten tiers.
#[test]
fn ten_thousand_tiers_with_flat_lookup_time() {
    let shape = |n_tiers: usize| {
        let output = output(vec![global(&many(n_tiers))]);
        let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
        let bound = policy.bind(CONTEXT).unwrap();
        for tier in (0..n_tiers).step_by(n_tiers.div_ceil(50)) {
            let model = format!("provider/model-{tier}");
            for row in 0..20 {
                let resource = match row % 4 {
                    0 => format!("~/team{tier}/dir{row}/x"),
                    1 => format!("work{tier}/dir{row}/a/b"),
                    2 => format!("/srv/team{tier}/dir{row}"),
                    _ => format!("/a/b.ext{row}"),
                };
                let expected = ["allow", "ask", "deny"][(tier + row) % 3];
                let effect = bound.resolve_provider_permission(&model, "read", &resource);
                assert_eq!(
                    effect.map(Action::as_str),
                    Some(expected),
                    "{model} {resource}"
                );
            }
            assert_eq!(
                bound.resolve_provider_permission(&model, "read", "/other"),
                None
            );
        }
        let contents = policy.contents().unwrap();
        contents
            .tiers()
            .flat_map(|tier| TierGroup::ALL.map(|group| tier.tables(group, false).len()))
            .max()
            .unwrap()
    };
    assert_eq!(shape(10), 3, "one table an anchor");
    assert_eq!(shape(10_000), 3);
}

#[test]
fn a_project_only_tightens() {
    let operator = json!({
        "defaultTier": "t",
        "tiers": [{ "id": "t", "directories": {
            "**": { "read": "allow", "write": "ask", "execute": "deny" } } }],
    });
    let rows = |rows: Value| project(&json!([{ "id": "t", "directories": rows }]));
    ask(
        vec![
            global(&operator),
            rows(json!({
                "secrets/**": { "read": "deny", "write": "allow" },
                "very/long/pattern/of/a/project/**": { "execute": "allow", "network": "deny", "write": "deny" },
            })),
        ],
        &[
            ("m", "read", "secrets/k", Some("deny")),
            ("m", "read", "src/k", Some("allow")),
            ("m", "write", "secrets/k", Some("ask")),
            ("m", "bash", "very/long/pattern/of/a/project", Some("deny")),
            (
                "m",
                "webfetch",
                "very/long/pattern/of/a/project",
                Some("deny"),
            ),
            (
                "m",
                "write",
                "very/long/pattern/of/a/project/x",
                Some("deny"),
            ),
            ("m", "webfetch", "", None),
        ],
    );
    let Compilation { diagnostics, .. } = compile(
        &SourceSet::from(vec![
            global(&operator),
            project(&json!([{ "id": "new", "directories": {} }])),
        ]),
        &Options::default(),
    );
    assert_eq!(diagnostics[0].code, Code::PROJECT_NEW_TIER);
}

#[test]
fn home_and_working_directory_are_bound_at_load() {
    let tiers = json!({ "defaultTier": "t", "tiers": [{ "id": "t", "directories": {
        "~/x/**": { "read": "deny" }, "y/**": { "read": "ask" }, "**": { "read": "allow" } } }] });
    let output = output(vec![global(&tiers)]);
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    assert!(
        policy
            .bind(Context {
                home: None,
                ..CONTEXT
            })
            .unwrap_err()
            .is_home_unknown()
    );
    for cwd in [None, Some("relative"), Some("")] {
        assert!(
            policy
                .bind(Context { cwd, ..CONTEXT })
                .unwrap_err()
                .is_cwd_unknown(),
            "{cwd:?}"
        );
    }
    for (home, cwd) in [
        ("/", "/"),
        ("/h/", "/w//./"),
        ("/h", "/h"),
        ("/h/*?[a]", "/w {a,b}"),
        ("/é", "/é/日"),
    ] {
        let context = Context {
            home: Some(home),
            cwd: Some(cwd),
            ..CONTEXT
        };
        let bound = policy.bind(context).unwrap();
        for resource in [
            "~/x/k",
            "x/k",
            "y/k",
            "/x/k",
            "/y/k",
            "~/y",
            "./y",
            "/h/x",
            "/w/y",
            "/h/*?[a]/x",
            "",
        ] {
            let _ = both(&output, &bound, context, "m", "read", resource);
        }
        let effect = |resource: &str| bound.resolve_provider_permission("m", "read", resource);
        assert_eq!(effect("~/x/k"), Some(Action::Deny), "{home} {cwd}");
        assert_eq!(effect("y"), Some(Action::Ask));
        assert_eq!(effect("/nowhere"), Some(Action::Allow));
        let other = bound.tiers_at("/else");
        assert_eq!(
            other.explain("m", "read", "/else/y").effect,
            Some(Action::Ask)
        );
        assert_eq!(
            other.explain("m", "read", "y/z").row.map(|row| row.pattern),
            Some("y/**")
        );
        let unknown = bound.tiers_at("else").explain("m", "read", "y");
        assert!(unknown.is_fault && unknown.effect == Some(Action::Deny) && unknown.row.is_none());
    }
}

#[test]
fn paths_that_fold() {
    let tiers = json!({ "defaultTier": "t", "tiers": [{ "id": "t", "directories": {
        "~/Secrets/**": { "read": "deny" }, "**": { "read": "allow" }, r"SRC\Gen/**": { "read": "ask" },
        r"C:\Windows/**": { "read": "deny" }, "**/[A-C]?.Ü": { "read": "deny" } } }] });
    let options = Options {
        fold_paths: true,
        ..Options::default()
    };
    let output = compiled(&SourceSet::from(vec![global(&tiers)]), &options);
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    let context = Context {
        home: Some(r"C:\Users\Dev"),
        cwd: Some(r"D:\Work"),
        ..CONTEXT
    };
    let bound = policy.bind(context).unwrap();
    for (resource, expected) in [
        (r"~\SECRETS\k", "deny"),
        (r"c:/users/DEV/secrets", "deny"),
        (r"c:\users\devil\secrets", "allow"),
        (r"src\gen\x", "ask"),
        (r"src/x\..\GEN", "ask"),
        (r"\src\gen", "allow"),
        (r"C:\WINDOWS\x", "deny"),
        ("/c:/windows", "deny"),
        ("x/b9.ü", "deny"),
        ("x/d9.ü", "allow"),
    ] {
        let found = both(&output, &bound, context, "m", "read", resource);
        assert_eq!(found.map(Action::as_str), Some(expected), "{resource}");
    }
}

#[test]
fn questions_and_names_of_any_kind_are_answered() {
    let output = output(vec![global(&page())]);
    let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
    let bound = policy.bind(CONTEXT).unwrap();
    let long = "x/".repeat(40_000);
    for resource in [
        "\0",
        "\u{FEFF}",
        "\n",
        "~~",
        "$",
        "${HOME",
        "...",
        long.as_str(),
        "\u{10FFFF}/é",
    ] {
        let _ = both(&output, &bound, CONTEXT, "big/model", "read", resource);
    }
    let long = "m".repeat(100_000);
    assert_eq!(
        bound.resolve_provider_permission(&long, "read", "x"),
        Some(Action::Ask)
    );
}
