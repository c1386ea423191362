//! The authorizer chain, step by step: composition, envelope and the events in their order (pages 4.1 to 4.4).

use std::cell::RefCell;

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, compile};
use permc_runtime::chain::{
    AuthorizerLog as _, ChainRun, Details, Ending, Entry, Field, LinkError, LinkKind, LinkLog,
    Refusal, ReviewSink, Step, TerminalVerdict, Verdict,
};
use permc_runtime::{Bound, Context, Policy};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

/// Keeps what a chain reports, as `event name why` words.
#[derive(Default)]
struct Kept(RefCell<Vec<String>>);

impl ReviewSink for Kept {
    fn write(&self, entry: &Entry<'_>) {
        assert_eq!(entry.request_id, "r1");
        let mut line = entry.event.to_owned();
        for (name, field) in entry.fields {
            match field {
                Field::Text(text) => line.push_str(&format!(" {name}={text}")),
                Field::Texts(texts) => line.push_str(&format!(" {name}={}", texts.join("+"))),
                other => line.push_str(&format!(" {name}={other:?}")),
            }
        }
        self.0.borrow_mut().push(line);
    }
}

pub(crate) fn policy(chain: Value, delegation: Option<Value>) -> Policy {
    let mut document = json!({
        "permission": { "*": "ask", "bash": { "git *": "allow" }, "gh_*": "ask", "web_fetch": "ask" },
        "authorizerChain": chain,
    });
    if let Some(delegation) = delegation {
        document["modelDelegation"] = delegation;
    }
    let sources = SourceSet::from(vec![SourceDocument::new(
        Role::Global,
        "policy.jsonc",
        document.to_string().as_str(),
    )]);
    let compilation = compile(&sources, &Options::default());
    let output = compilation.output.unwrap();
    Policy::from_bytes(output.bytes).unwrap()
}

fn bind(policy: &Policy) -> Bound<'_> {
    policy.bind(Context::default()).unwrap()
}

pub(crate) fn details(surface: &str, value: &str) -> Details {
    Details {
        request_id: "r1".to_owned(),
        surface: surface.to_owned(),
        value: value.to_owned(),
        ..Details::default()
    }
}

type Answer = Result<Verdict, LinkError>;

fn deny() -> Answer {
    Ok(Verdict::Deny { reason: None })
}

/// Runs the chain with one answer a registered link; gives the ending, who was consulted and the events.
fn run(
    policy: &Policy,
    details: &Details,
    links: &[(&str, LinkKind, Answer)],
    terminal: TerminalVerdict,
) -> (Ending, Vec<String>, Vec<String>) {
    let chain = bind(policy).chain();
    let kept = Kept::default();
    let find = |name: &str| links.iter().find(|(known, _, _)| *known == name);
    let mut run = ChainRun::new(&chain, details, &kept, |name| find(name).map(|link| link.1));
    let mut consulted = Vec::new();
    let ending = loop {
        match run.step() {
            Step::Consult { name, .. } => {
                let answer = find(&name).unwrap().2.clone();
                consulted.push(name);
                run.link_answers(answer);
            }
            Step::Terminal => run.terminal_answers(Ok(terminal.clone())),
            Step::Done(ending) => break ending,
        }
    };
    drop(run);
    (ending, consulted, kept.0.into_inner())
}

const ALL: [&str; 8] = [
    "bash",
    "read",
    "mcp",
    "skill",
    "web_fetch",
    "gh_list",
    "path",
    "external_directory",
];

#[test]
fn config_order_wins_and_registration_alone_grants_nothing() {
    let policy = policy(json!(["b", "gone", "a"]), None);
    let links = [
        ("a", LinkKind::Other, Ok(Verdict::Defer)),
        ("b", LinkKind::Model, Ok(Verdict::Defer)),
        ("unnamed", LinkKind::Other, deny()),
    ];
    let (ending, consulted, events) = run(
        &policy,
        &details("bash", "ls"),
        &links,
        TerminalVerdict::Allow,
    );
    assert_eq!(ending, Ending::Terminal(TerminalVerdict::Allow));
    assert_eq!(consulted, ["b", "a"]);
    assert_eq!(
        events,
        [
            "authorizer_chain_unregistered_link name=gone",
            "authorizer_chain_resolved links=b+a"
        ]
    );
}

#[test]
fn the_first_verdict_that_stands_decides_on_every_surface() {
    let open = policy(
        json!(["one", "two"]),
        Some(json!({ "allowedSurfaces": ALL })),
    );
    for surface in ALL {
        let resolved = "authorizer_chain_resolved links=one+two";
        let failed = Err(LinkError::new("no answer"));
        let cases: [(Answer, Option<&str>, bool); 4] = [
            (Ok(Verdict::Allow), None, true),
            (deny(), None, true),
            (Ok(Verdict::Defer), None, false),
            (
                failed,
                Some("authorizer_link_failed name=one error=no answer"),
                false,
            ),
        ];
        for (answer, event, is_end) in cases {
            let links = [
                ("two", LinkKind::Other, deny()),
                ("one", LinkKind::Model, answer.clone()),
            ];
            let (ending, consulted, events) = run(
                &open,
                &details(surface, "src/x"),
                &links,
                TerminalVerdict::Allow,
            );
            let kind = LinkKind::Model;
            let expected = match &answer {
                Ok(Verdict::Allow) => Ending::LinkAllowed {
                    name: "one".to_owned(),
                    kind,
                },
                Ok(Verdict::Deny { .. }) => Ending::LinkDenied {
                    name: "one".to_owned(),
                    kind,
                    reason: None,
                },
                _ => Ending::LinkDenied {
                    name: "two".to_owned(),
                    kind: LinkKind::Other,
                    reason: None,
                },
            };
            assert_eq!(ending, expected, "{surface} {answer:?}");
            assert_eq!(consulted.len(), if is_end { 1 } else { 2 });
            let all: Vec<&str> = std::iter::once(resolved).chain(event).collect();
            assert_eq!(events, all, "{surface} {answer:?}");
        }
    }
}

#[test]
fn an_allow_outside_the_envelope_is_passed_on_and_said() {
    let named = |surfaces: &[&str]| Some(json!({ "allowedSurfaces": surfaces }));
    let excluded = Some(json!({
        "allowedSurfaces": ["bash"], "excludedSurfaces": ["mcp", "read"], "secretPatterns": ["vault/"]
    }));
    let cases: [(Option<Value>, &str, &str, Option<Refusal>); 16] = [
        (None, "bash", "ls", Some(Refusal::NoDelegation)),
        (
            Some(json!({})),
            "bash",
            "ls",
            Some(Refusal::SurfaceNotAllowed),
        ),
        (named(&["bash"]), "bash", "ls", None),
        (
            named(&["bash"]),
            "mcp",
            "gh",
            Some(Refusal::SurfaceNotAllowed),
        ),
        (
            named(&["bash"]),
            "path",
            "src/x",
            Some(Refusal::SurfaceExcluded),
        ),
        (
            named(&["bash"]),
            "external_directory",
            "/x",
            Some(Refusal::SurfaceExcluded),
        ),
        (named(&["path"]), "path", "src/x", None),
        (
            named(&["external_directory"]),
            "external_directory",
            "/x",
            None,
        ),
        (named(&["bash"]), "tier", "src/x", Some(Refusal::Tier)),
        (
            excluded.clone(),
            "mcp",
            "gh",
            Some(Refusal::SurfaceExcluded),
        ),
        (
            excluded.clone(),
            "read",
            "src/x",
            Some(Refusal::SurfaceExcluded),
        ),
        (excluded, "bash", "cat src/x", None),
        (named(&["gh_list"]), "gh_list", "*", None),
        (
            named(&["gh_lost"]),
            "gh_list",
            "*",
            Some(Refusal::SurfaceNotAllowed),
        ),
        (
            named(&["nobody"]),
            "nobody",
            "*",
            Some(Refusal::SurfaceUnknown),
        ),
        (
            named(&["read"]),
            "read",
            "a/.env",
            Some(Refusal::SecretPath),
        ),
    ];
    for (delegation, surface, value, refusal) in cases {
        let label = format!("{delegation:?} {surface}");
        let policy = policy(json!(["one"]), delegation);
        let links = [("one", LinkKind::Other, Ok(Verdict::Allow))];
        let terminal = TerminalVerdict::Deny { reason: None };
        let (ending, _, events) = run(&policy, &details(surface, value), &links, terminal.clone());
        let mut expected = vec!["authorizer_chain_resolved links=one".to_owned()];
        match refusal {
            None => {
                let name = "one".to_owned();
                assert_eq!(
                    ending,
                    Ending::LinkAllowed {
                        name,
                        kind: LinkKind::Other
                    },
                    "{label}"
                );
            }
            Some(refusal) => {
                assert_eq!(ending, Ending::Terminal(terminal), "{label}");
                let why = refusal.as_str();
                expected.push(format!(
                    "authorizer_envelope_downgraded name=one surface={surface} why={why}"
                ));
            }
        }
        assert_eq!(events, expected, "{label}");
    }
}

#[test]
fn any_path_of_the_call_that_is_secret_shaped_keeps_links_from_allowing() {
    let delegation = json!({ "allowedSurfaces": ["bash"], "secretPatterns": ["vault/"] });
    let policy = policy(json!(["one"]), Some(delegation));
    let bound = bind(&policy);
    let chain = bound.chain();
    let plain = details("bash", "cat x");
    assert_eq!(chain.refusal(&plain), None);
    for (aliases, open, expected) in [
        (["/w/README.md", "README.md"], "src/*.rs", None),
        (["/w/README.md", "/w/.env"], "", Some(Refusal::SecretPath)),
        (["/w/vault/x", "vault/x"], "", Some(Refusal::SecretPath)),
        (
            ["/w/README.md", "README.md"],
            "*",
            Some(Refusal::SecretPath),
        ),
    ] {
        let ask = Details {
            aliases: aliases.map(str::to_owned).to_vec(),
            open_paths: vec![open.to_owned()],
            ..plain.clone()
        };
        assert_eq!(chain.refusal(&ask), expected, "{aliases:?} {open}");
    }
}

#[test]
fn a_relaying_node_runs_no_link_and_misses_none() {
    let policy = policy(json!(["one", "two"]), None);
    let (bound, details, kept) = (bind(&policy), details("bash", "ls"), Kept::default());
    let chain = bound.chain();
    let mut run = ChainRun::delegated(&chain, &details, &kept);
    assert_eq!(run.step(), Step::Terminal);
    run.terminal_answers(Ok(TerminalVerdict::Unavailable));
    assert_eq!(
        run.step(),
        Step::Done(Ending::Terminal(TerminalVerdict::Unavailable))
    );
    assert!(run.unregistered().is_empty());
    drop(run);
    assert_eq!(
        kept.0.into_inner(),
        ["authorizer_chain_delegated links=one+two"]
    );
}

#[test]
fn a_deadline_of_the_chain_leads_to_the_terminal_and_late_answers_are_lost() {
    let policy = policy(
        json!(["one", "two"]),
        Some(json!({ "allowedSurfaces": ["bash"] })),
    );
    let (bound, details, kept) = (bind(&policy), details("bash", "ls"), Kept::default());
    let chain = bound.chain();
    let mut run = ChainRun::new(&chain, &details, &kept, |_| Some(LinkKind::Other));
    // The terminal's turn has not come.
    run.terminal_answers(Ok(TerminalVerdict::Allow));
    assert!(matches!(run.step(), Step::Consult { name, .. } if name == "one"));
    run.out_of_time(&LinkError::new("too late"));
    run.link_answers(Ok(Verdict::Allow));
    assert_eq!(run.step(), Step::Terminal);
    let failure = LinkError::new("no screen");
    run.terminal_answers(Err(failure.clone()));
    run.link_answers(Ok(Verdict::Allow));
    assert_eq!(run.step(), Step::Done(Ending::TerminalFailed(failure)));
    drop(run);
    assert_eq!(
        kept.0.into_inner(),
        [
            "authorizer_chain_resolved links=one+two",
            "authorizer_link_failed name=one error=too late"
        ]
    );
}

#[test]
fn a_link_cannot_sign_for_another() {
    let (kept, details) = (Kept::default(), details("bash", "ls"));
    let log = LinkLog::new(&kept, &details, "one");
    log.review(
        "judged",
        &[
            ("name", "two".into()),
            ("requestId", "r2".into()),
            ("note", "fine".into()),
        ],
    );
    assert_eq!(kept.0.into_inner(), ["judged name=one note=fine"]);
}

fn drawn_answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        Just(Ok(Verdict::Allow)),
        Just(deny()),
        Just(Ok(Verdict::Defer)),
        Just(Err(LinkError::new("x"))),
    ]
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn is_allow(ending: &Ending) -> bool {
    matches!(
        ending,
        Ending::LinkAllowed { .. }
            | Ending::Terminal(TerminalVerdict::Allow | TerminalVerdict::AllowForSession)
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(20_261_207), failure_persistence: None, ..ProptestConfig::default() })]

    /// More than the terminal alone allows only what the envelope admits; without a link that does not deny, nothing
    /// more is allowed.
    #[test]
    fn a_chain_allows_no_more_than_terminal_and_envelope(
        answers in proptest::collection::vec(drawn_answer(), 0..=5),
        surface in prop_oneof![Just("bash"), Just("read"), Just("mcp"), Just("path"), Just("tier")],
        value in prop_oneof![Just("src/x"), Just(".env")],
        has_delegation in any::<bool>(),
        terminal_allows in any::<bool>(),
        skipped in 0_usize..5,
    ) {
        let names = &NAMES[..answers.len()];
        let delegation = has_delegation.then(|| json!({ "allowedSurfaces": ["bash", "read"] }));
        let policy = policy(json!(names), delegation);
        let links: Vec<(&str, LinkKind, Answer)> = names
            .iter()
            .zip(&answers)
            .map(|(name, answer)| (*name, LinkKind::Other, answer.clone()))
            .collect();
        let terminal = if terminal_allows {
            TerminalVerdict::Allow
        } else {
            TerminalVerdict::Deny { reason: None }
        };
        let ask = details(surface, value);
        let (ending, _, _) = run(&policy, &ask, &links, terminal.clone());
        // The naive twin, in the words of the page.
        let admits = has_delegation && (surface == "bash" || (surface == "read" && value != ".env"));
        let first = answers.iter().find(|answer| match answer {
            Ok(Verdict::Allow) => admits,
            Ok(Verdict::Deny { .. }) => true,
            _ => false,
        });
        let expected = match first {
            Some(Ok(Verdict::Allow)) => true,
            Some(_) => false,
            None => terminal_allows,
        };
        prop_assert_eq!(is_allow(&ending), expected);
        prop_assert!(!is_allow(&ending) || terminal_allows || admits);
        let mut fewer = links.clone();
        let is_denying = fewer.get(skipped).is_some_and(|link| link.2 == deny());
        if skipped < fewer.len() && !is_denying {
            let _ = fewer.remove(skipped);
            let (without, _, _) = run(&policy, &ask, &fewer, terminal);
            prop_assert!(!is_allow(&without) || is_allow(&ending));
        }
    }
}
