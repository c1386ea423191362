//! That answering allocates nothing, and loading little: counted by an allocator that this whole binary uses.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests: a failure here is what they are for"
)]

use std::hint::black_box;

use allocation_counter::measure;
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc_runtime::{Action, Bound, Context, Policy, Session};
use permc_tests::engine::compiled;
use permc_tests::forge::{Artifact, Count, field};
use permc_tests::layouts::{Layout, layouts, rare_layouts, wide_layouts};
use permc_tests::tiers::{CONTEXT, global, output, page};

/// Allocations while a closure runs on this thread.
fn allocations<T>(run: impl FnOnce() -> T) -> u64 {
    let mut result = None;
    let counted = measure(|| result = Some(run()));
    drop(result);
    counted.count_total
}

/// Rules of every shape, wildcard surfaces, home, an agent, compiled session rules, and paths that fold.
fn artifact(layout: &Layout) -> Vec<u8> {
    let global = r#"{ "permission": {
        "*": "ask",
        "bash": {
            "git *": "allow", "git push * --force": "deny", "*.env": { "action": "deny", "reason": "secrets" },
            "*b*c*d": "deny", "a*1": "allow", "a*2": "allow", "a*3": "allow", "a*4": "allow", "a*5": "allow",
            "x*y*z": "allow", "c?t *": "deny"
        },
        "path": { "*": "allow", "~/.SSH/*": "deny", "*\\Secret\\*": "deny", "*é*x*": "ask" },
        "read": { "~/*": "allow", "*é*x*y": "deny" },
        "mcp": { "exa:*": "allow" },
        "web_*": "allow", "*_search": { "*q*": "deny" }, "w?b": "deny"
    } }"#;
    let agent = r#"{ "permission": { "bash": { "npm *": "allow" } } }"#;
    let session = r#"[["bash", "make *"], ["path", "~/tmp/*"]]"#;
    let mut sources = SourceSet::from(vec![
        SourceDocument::new(Role::Global, "policy.jsonc", global),
        SourceDocument::new(Role::Agent("a".into()), "a.jsonc", agent),
        SourceDocument::new(Role::Session, "session.json", session),
    ]);
    if layout.ballast {
        sources
            .documents
            .extend(
                layout
                    .sources("bash", &[])
                    .documents
                    .into_iter()
                    .map(|document| SourceDocument {
                        role: Role::Project,
                        ..document
                    }),
            );
    }
    compiled(&sources, &layout.options(true)).bytes
}

/// Every question of [`check_nothing_is_allocated`], and how many there were.
fn ask_everything(bound: &Bound<'_>, sessions: &[Session], long: &str) -> usize {
    let values: [&[&str]; 12] = [
        &[],
        &["*"],
        &["git status", "git push x --force"],
        &["xb.c d", "abcd", "a .env", "b c b c d"],
        &["a 1", "a 5", "x y z", "cat x", "c\u{E9}t"],
        &["/home/dev/.ssh/id", "/HOME/Dev/.SSH\\id"],
        &["\\a\\SECRET\\b", "\u{C9}tax", "\u{130}\u{1F642}\n\u{0}"],
        &["make all"],
        &["npm test"],
        &["exa:search", "exa_search", "exa"],
        &["q", ""],
        &[long, "~/tmp/x"],
    ];
    let surfaces = [
        "bash",
        "path",
        "read",
        "write",
        "mcp",
        "skill",
        "web_x",
        "code_search",
        "web",
        "odd",
        "",
    ];
    let mut n_asked = 0;
    for surface in surfaces {
        for values in values {
            for session in sessions {
                let decision = bound.check(surface, values, session);
                // What an answer is asked for is part of it.
                black_box((
                    decision.matched_pattern(),
                    decision.reason(),
                    decision.rule().map(|rule| rule.id),
                ));
                assert!(!decision.fault);
                n_asked += 1;
            }
            for value in values {
                black_box(bound.check(surface, &[value], &sessions[0]).state);
                n_asked += 1;
            }
        }
        black_box(bound.tool_permission(surface));
        black_box(bound.tool_exposed(surface, &sessions[1]));
    }
    n_asked
}

fn check_nothing_is_allocated(layout: &Layout) {
    let bytes = artifact(layout);
    let policy = Policy::from_bytes(bytes.as_slice()).unwrap();
    let approvals = [
        ("bash", "rm *"),
        ("*", "*tmp*"),
        ("path", "~/x?/*"),
        ("web_*", "a b *"),
    ];
    let sessions = [Session::default(), approvals.into_iter().collect()];
    let long = "b\u{E9}".repeat(5_000);
    for agent in [None, Some("a"), Some("nobody")] {
        for yolo in [None, Some(true)] {
            for home in ["/home/dev", "/"] {
                let context = Context {
                    home: Some(home),
                    agent,
                    yolo,
                    ..Context::default()
                };
                let bound = policy.bind(context).unwrap();
                let mut n_asked = 0;
                let counted = allocations(|| n_asked = ask_everything(&bound, &sessions, &long));
                assert_eq!(counted, 0, "{} {context:?}", layout.name);
                assert!(n_asked > 400);
            }
        }
    }
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| black_box(1_u64)), 0);
    assert_eq!(allocations(|| black_box(Box::new(1_u64))), 1);
    assert_eq!(allocations(|| black_box("a".repeat(black_box(100)))), 1);
    // What allocates on the way to an answer is seen through the same functions: binding keeps the home directory.
    let bytes = artifact(&layouts()[0]);
    let policy = Policy::from_bytes(bytes.as_slice()).unwrap();
    let context = Context {
        home: Some("/home/dev"),
        ..Context::default()
    };
    assert!(allocations(|| policy.bind(context).is_ok()) > 0);
    let bound = policy.bind(context).unwrap();
    let asked = |session: &Session| bound.check("bash", &["rm x"], session).state;
    let mut session = Session::default();
    assert_eq!(allocations(|| asked(&session)), 0);
    let seen = allocations(|| {
        session.approve("bash", "rm *");
        assert_eq!(asked(&session), Action::Allow);
    });
    assert!(seen > 0, "an approval is kept somewhere");
}

#[test]
fn answering_allocates_nothing_in_any_layout() {
    for layout in [layouts(), rare_layouts()].concat() {
        check_nothing_is_allocated(&layout);
    }
    check_nothing_is_allocated(&wide_layouts()[0]);
}

#[test]
fn the_layouts_have_what_is_to_be_counted() {
    let has_lists = |name: &str| {
        let layout = layouts()
            .into_iter()
            .find(|layout| layout.name == name)
            .unwrap();
        let policy = Policy::from_bytes(artifact(&layout)).unwrap();
        assert!(policy.uses_home());
        policy
            .contents()
            .unwrap()
            .tables()
            .any(|table| table.n_lists > 0)
    };
    assert!(!has_lists("whole"));
    assert!(has_lists("joint"));
    assert!(has_lists("looked at"));
}

#[test]
fn a_tier_lookup_allocates_nothing_below_a_kibibyte() {
    let policy = Policy::from_bytes(output(vec![global(&page())]).bytes).unwrap();
    let bound = policy.bind(CONTEXT).unwrap();
    let below = format!("../{}", "x/".repeat(510));
    assert!(below.len() < 1_024);
    let clean = format!("/{}", "x".repeat(100_000));
    let beyond = "x/".repeat(600);
    let resources = ["", "src/../x", "~/secrets/k", "//a//", &below, &clean];
    let asked = |resources: &[&str]| {
        allocations(|| {
            for model in [
                "big/model",
                "some-provider/some-model",
                "old/model",
                "nobody",
            ] {
                for action in ["read", "edit", "bash", "webfetch", "mcp"] {
                    for resource in resources {
                        black_box(bound.resolve_provider_permission(model, action, resource));
                        let answer = bound.explain_provider_permission(model, action, resource);
                        black_box((answer.tier, answer.row.map(|row| row.pattern)));
                        assert!(!answer.is_fault);
                    }
                }
            }
        })
    };
    assert_eq!(asked(&resources), 0);
    assert!(
        asked(&[&beyond]) > 0,
        "the counter sees what is longer and not clean"
    );
}

/// The most bytes that loading holds at a time, and whether the bytes loaded.
fn peak(bytes: &[u8]) -> (u64, bool) {
    let mut loads = false;
    let counted = measure(|| loads = Policy::from_bytes(bytes).is_ok());
    assert_eq!(counted.bytes_current, 0, "what loading takes it gives back");
    (counted.bytes_max, loads)
}

fn check_peak(bytes: &[u8], loads: bool, what: &str) {
    let allowed = u64::try_from(bytes.len()).unwrap() / 8 + 4_096;
    let (peak, loaded) = peak(bytes);
    assert!(
        peak <= allowed,
        "{what}: {peak} bytes for a file of {}",
        bytes.len()
    );
    assert_eq!(loaded, loads, "{what}");
}

#[test]
fn loading_takes_a_small_part_of_the_file() {
    for layout in [layouts(), rare_layouts(), wide_layouts()].concat() {
        let bytes = artifact(&layout);
        check_peak(&bytes, true, layout.name);
        assert!(
            peak(&bytes).0 > 0,
            "the validation marks the rows that it has seen"
        );
        for length in (0..bytes.len()).step_by(bytes.len().div_ceil(200)) {
            check_peak(&bytes[..length], false, "cut");
        }
    }
}

#[test]
fn claims_take_no_memory() {
    let layout = layouts()
        .into_iter()
        .find(|layout| layout.name == "parts")
        .unwrap();
    let bytes = artifact(&layout);
    for claim in [
        u32::MAX,
        u32::MAX - 1,
        1 << 31,
        1 << 30,
        u32::MAX / 3,
        u32::MAX / 4 + 1,
        u32::MAX / 16,
        1 << 20,
    ] {
        for count in Count::ALL {
            let mut artifact = Artifact::read(&bytes);
            count.claim(&mut artifact, claim);
            check_peak(&artifact.write(), false, &format!("{count:?} {claim:#x}"));
        }
        for table in 0..Artifact::read(&bytes).tables().len() {
            for field in [
                field::CLASSES,
                field::CELLS,
                field::HEADS,
                field::LISTS,
                field::ENTRIES,
            ] {
                let mut artifact = Artifact::read(&bytes);
                let mut tables = artifact.tables();
                tables[table].counts[field] = claim;
                artifact.set_tables(&tables);
                check_peak(
                    &artifact.write(),
                    false,
                    &format!("table {table} field {field} {claim:#x}"),
                );
            }
        }
    }
}
