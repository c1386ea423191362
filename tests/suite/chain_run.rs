//! The chain run to its end: panics, hanging links, deadlines, and what is said too late (pages 4.1, 4.2).

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use permc_runtime::chain::{
    Authorizer, AuthorizerLog, ChainRuling, Deadlines, Details, Ending, Entry, LinkError, LinkKind,
    PermissionQuery, QueryAnswer, Registry, ReviewSink, SharedLink, TerminalAuthorizer,
    TerminalVerdict, Verdict, run_chain,
};
use permc_runtime::{Action, Context};
use serde_json::json;

use crate::chain::{details, policy};

type Says =
    dyn Fn(&dyn PermissionQuery, &dyn AuthorizerLog) -> Result<Verdict, LinkError> + Send + Sync;

struct Link(Box<Says>);

impl Authorizer for Link {
    fn authorize(
        &self,
        _: &Details,
        query: &dyn PermissionQuery,
        log: &dyn AuthorizerLog,
    ) -> Result<Verdict, LinkError> {
        self.0(query, log)
    }
}

fn link(
    says: impl Fn(&dyn PermissionQuery, &dyn AuthorizerLog) -> Result<Verdict, LinkError>
    + Send
    + Sync
    + 'static,
) -> SharedLink {
    Arc::new(Link(Box::new(says)))
}

/// Hangs until the test lets go, then allows and logs; the receiver tells that it did.
fn hanging() -> (SharedLink, Sender<()>, Receiver<()>) {
    let ((go, wait), (done, ended)) = (channel(), channel());
    let wait: Mutex<Receiver<()>> = Mutex::new(wait);
    let done: Mutex<Sender<()>> = Mutex::new(done);
    let link = link(move |query, log| {
        let _ = wait.lock().unwrap().recv();
        assert_eq!(
            query.check_permission("bash", Some("ls"), None),
            QueryAnswer::denied()
        );
        log.review("too.late", &[]);
        done.lock().unwrap().send(()).unwrap();
        Ok(Verdict::Allow)
    });
    (link, go, ended)
}

/// Allows everything but values that hold `panic`, at which it panics.
struct Query;

impl PermissionQuery for Query {
    fn check_permission(&self, _: &str, value: Option<&str>, agent: Option<&str>) -> QueryAnswer {
        assert!(value != Some("panic"), "no such value");
        QueryAnswer {
            state: Action::Allow,
            matched_pattern: value.map(str::to_owned),
            reason: agent.map(str::to_owned),
        }
    }

    fn tool_permission(&self, _: &str, _: Option<&str>) -> Action {
        Action::Ask
    }
}

#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

impl ReviewSink for Kept {
    fn write(&self, entry: &Entry<'_>) {
        let fields: Vec<String> = entry
            .fields
            .iter()
            .map(|field| format!("{field:?}"))
            .collect();
        let line = format!("{} {}", entry.event, fields.join(" "));
        self.0.lock().unwrap().push(line);
    }
}

struct Terminal(Result<TerminalVerdict, LinkError>);

impl TerminalAuthorizer for Terminal {
    fn authorize(
        &self,
        _: &Details,
        _: &dyn PermissionQuery,
    ) -> Result<TerminalVerdict, LinkError> {
        self.0.clone()
    }
}

struct Panics;

impl TerminalAuthorizer for Panics {
    fn authorize(
        &self,
        _: &Details,
        _: &dyn PermissionQuery,
    ) -> Result<TerminalVerdict, LinkError> {
        panic!("no screen")
    }
}

/// Links `a`, `b` under an envelope that admits commands.
fn run(
    links: [SharedLink; 2],
    terminal: &dyn TerminalAuthorizer,
    deadlines: Deadlines,
    kept: &Kept,
) -> ChainRuling {
    let policy = policy(
        json!(["a", "b"]),
        Some(json!({ "allowedSurfaces": ["bash"] })),
    );
    let chain = policy.bind(Context::default()).unwrap().chain();
    let registry = Registry::new();
    let [a, b] = links;
    // Registered the other way round: the policy's order counts.
    let _b = registry.register("b", LinkKind::Other, b).unwrap();
    let _a = registry.register("a", LinkKind::Other, a).unwrap();
    let details = Arc::new(details("bash", "ls"));
    run_chain(
        &chain,
        &details,
        &registry,
        (&Query, kept),
        terminal,
        deadlines,
    )
}

const DENYING: Terminal = Terminal(Ok(TerminalVerdict::Unavailable));
const UNAVAILABLE: Ending = Ending::Terminal(TerminalVerdict::Unavailable);

fn within(link: Option<u64>, chain: Option<u64>) -> Deadlines {
    Deadlines {
        link: link.map(Duration::from_millis),
        chain: chain.map(Duration::from_millis),
    }
}

fn allowed_by(name: &str) -> Ending {
    Ending::LinkAllowed {
        name: name.to_owned(),
        kind: LinkKind::Other,
    }
}

/// The events after the first, which tells the links.
fn events(kept: &Kept) -> Vec<String> {
    let events = kept.0.lock().unwrap();
    assert_eq!(
        events[0],
        "authorizer_chain_resolved (\"links\", Texts([\"a\", \"b\"]))"
    );
    events[1..].to_vec()
}

fn failed(name: &str, error: &str) -> String {
    format!("authorizer_link_failed (\"name\", Text({name:?})) (\"error\", Text({error:?}))")
}

/// Far more than anything here takes.
const AGES: Option<u64> = Some(60_000);

#[test]
fn a_link_that_panics_defers_with_and_without_a_deadline() {
    for deadlines in [within(None, None), within(AGES, None), within(None, AGES)] {
        let kept = Kept::default();
        let links = [
            link(|_, _| panic!("out of {}", "ideas")),
            link(|_, _| Ok(Verdict::Allow)),
        ];
        let ruling = run(links, &DENYING, deadlines, &kept);
        assert_eq!(ruling.ending, allowed_by("b"));
        assert_eq!(ruling.consulted, ["a", "b"]);
        assert_eq!(events(&kept), [failed("a", "panicked: out of ideas")]);
    }
}

#[test]
fn a_question_that_panics_is_the_failure_of_the_link_that_asked() {
    for deadlines in [within(None, None), within(AGES, None)] {
        let kept = Kept::default();
        let asks = link(|query, _| {
            query.check_permission("bash", Some("panic"), None);
            Ok(Verdict::Allow)
        });
        let ruling = run(
            [asks, link(|_, _| Ok(Verdict::Defer))],
            &DENYING,
            deadlines,
            &kept,
        );
        assert_eq!(ruling.ending, UNAVAILABLE);
        assert_eq!(events(&kept), [failed("a", "panicked: no such value")]);
    }
}

#[test]
fn a_link_past_its_deadline_defers_and_is_heard_no_more() {
    let (kept, (slow, go, ended)) = (Kept::default(), hanging());
    let links = [slow, link(|_, _| Ok(Verdict::Deny { reason: None }))];
    let ruling = run(
        links,
        &Terminal(Ok(TerminalVerdict::Allow)),
        within(Some(30), None),
        &kept,
    );
    let (name, kind) = ("b".to_owned(), LinkKind::Other);
    assert_eq!(
        ruling.ending,
        Ending::LinkDenied {
            name,
            kind,
            reason: None
        }
    );
    go.send(()).unwrap();
    ended.recv().unwrap();
    assert_eq!(events(&kept), [failed("a", "passed its deadline")]);
}

#[test]
fn past_the_deadline_of_the_chain_only_the_terminal_is_asked() {
    let (kept, (slow, go, ended)) = (Kept::default(), hanging());
    let links = [slow, link(|_, _| Ok(Verdict::Allow))];
    let ruling = run(links, &DENYING, within(AGES, Some(30)), &kept);
    assert_eq!(ruling.ending, UNAVAILABLE);
    assert_eq!(ruling.consulted, ["a"]);
    go.send(()).unwrap();
    ended.recv().unwrap();
    assert_eq!(events(&kept), [failed("a", "passed its deadline")]);
}

#[test]
fn query_and_log_reach_a_link_on_its_own_thread() {
    for deadlines in [within(None, None), within(AGES, AGES)] {
        let kept = Kept::default();
        let asks = link(|query, log| {
            let answer = query.check_permission("bash", Some("make"), Some("reviewer"));
            assert_eq!(query.tool_permission("bash", None), Action::Ask);
            let pattern = answer.matched_pattern.as_deref();
            log.review(
                "asked",
                &[("pattern", pattern.into()), ("all", [].as_slice().into())],
            );
            log.debug(
                "permission_request.approved",
                &[("n", 3.into()), ("sure", true.into())],
            );
            Ok(Verdict::Deny {
                reason: answer.reason,
            })
        });
        let ruling = run(
            [asks, link(|_, _| Ok(Verdict::Allow))],
            &DENYING,
            deadlines,
            &kept,
        );
        let (name, kind, reason) = ("a".to_owned(), LinkKind::Other, Some("reviewer".to_owned()));
        assert_eq!(ruling.ending, Ending::LinkDenied { name, kind, reason });
        assert_eq!(
            events(&kept),
            [
                "asked (\"name\", Text(\"a\")) (\"pattern\", Text(\"make\")) (\"all\", Texts([]))",
                "link.permission_request.approved (\"name\", Text(\"a\")) (\"n\", Number(3)) (\"sure\", Flag(true))",
            ]
        );
    }
}

#[test]
fn a_link_that_rules_leaves_the_terminal_alone_and_one_that_cannot_denies() {
    let kept = Kept::default();
    let defers = || link(|_, _| Ok(Verdict::Defer));
    let allows = link(|_, _| Ok(Verdict::Allow));
    let ruling = run([allows, defers()], &Panics, within(None, None), &kept);
    assert_eq!(ruling.ending, allowed_by("a"));
    let ruling = run([defers(), defers()], &Panics, within(None, None), &kept);
    let error = LinkError::new("panicked: no screen");
    assert_eq!(ruling.ending, Ending::TerminalFailed(error));
    let error = LinkError::new("no tty");
    let failing = Terminal(Err(error.clone()));
    let ruling = run([defers(), defers()], &failing, within(None, None), &kept);
    assert_eq!(ruling.ending, Ending::TerminalFailed(error));
}
