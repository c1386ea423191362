#![no_main]
//! Arbitrary bytes as a command, a path and arguments: every answer comes, soon, is no `gate_error`, and is the same
//! without the short ways.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use libfuzzer_sys::fuzz_target;
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, compile};
use permc_grammar::shell::{Limits, parse, parse_in_full};
use permc_gates::{Call, Gates, NoFiles, Resolution};
use permc_runtime::{Context, Policy, Session};

const POLICY: &str = r#"{ "permission": { "*": "allow",
    "bash": { "*": "allow", "rm *": "deny", "git push*": "ask", "curl * | sh": "deny" },
    "path": { "*": "allow", "*.env": "deny", "~/.ssh/*": "deny", "src/*": "ask" },
    "mcp": { "*": "ask", "gh_*": "deny" }, "external_directory": "ask" } }"#;

fn policy() -> &'static Policy {
    static LOADED: OnceLock<Policy> = OnceLock::new();
    LOADED.get_or_init(|| {
        let document = SourceDocument::new(Role::Global, "policy.jsonc", POLICY);
        let output = compile(&SourceSet::from(vec![document]), &Options::default()).output;
        Policy::from_bytes(output.expect("the policy compiles").bytes).expect("what is written loads")
    })
}

/// Generous beside the 10 ms that are wanted of a release build: a fuzzer's build takes fifty times as long, and its
/// machine is busy.
const SOON: Duration = Duration::from_secs(1);

fuzz_target!(|data: &[u8]| {
    let Some((kind, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let context = Context { home: Some("/home/dev"), ..Context::default() };
    let gates = Gates::new(policy(), context).expect("home is known");
    let (tool, key) = match kind % 5 {
        0 => ("read", "path"),
        1 => ("mcp", "tool"),
        2 => ("mcp__gh__x", "path"),
        _ => ("bash", "command"),
    };
    let input = [(key, text)];
    let call = Call { tool, input: &input.as_slice(), cwd: "/w", model: None };
    let session = Session::default();
    let start = Instant::now();
    let decision = gates.decide(&call, &session, &NoFiles);
    let mut took = start.elapsed();
    // A machine may sleep; a slow command is slow each time.
    for _ in 0..2 {
        if took > SOON {
            let start = Instant::now();
            let _ = gates.decide(&call, &session, &NoFiles);
            took = took.min(start.elapsed());
        }
    }
    assert_eq!(decision.resolution, Resolution::Policy, "{tool} {text:?}");
    assert!(text.len() > 4_096 || took < SOON, "{took:?} for {text:?}");
    if tool == "bash" {
        let tree = parse(text, &Limits::default());
        assert_eq!(tree, parse_in_full(text, &Limits::default()), "{text:?}");
        let twin = gates.clone().without_short_way();
        assert_eq!(decision, twin.decide(&call, &session, &NoFiles), "{text:?}");
    }
});
