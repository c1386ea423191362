//! Shell calls that benchmarks ask about, and how they ask.

#![expect(
    clippy::panic,
    reason = "benchmark support: a failure here is a failed benchmark"
)]

use permc_gates::{Call, Decision, Gates, NoFiles};
use permc_runtime::{Policy, Session};

use crate::corpus::CONTEXT;

/// The working directory of all calls.
const CWD: &str = "/srv/app";

/// Commands of plain words, as agents run them all day.
pub const PLAIN: &[&str] = &[
    "git status -s",
    "ls -la src",
    "cargo test --workspace",
    "npm run build",
    "kubectl get pods -n prod",
];

/// Lists, pipes, substitutions.
pub const COMPOUND: &[&str] = &[
    "git add -A && git commit -m 'a change'",
    "git log --oneline | head -20",
    "echo $(git rev-parse HEAD)",
    "cargo fmt --check && cargo test 2>&1 | tail -5",
];

/// Both, with their names in results.
pub const CALLS: [(&str, &[&str]); 2] = [("plain", PLAIN), ("compound", COMPOUND)];

/// Binds a policy for whole calls.
#[must_use]
pub fn gates<D: AsRef<[u8]>>(policy: &Policy<D>) -> Gates<'_> {
    match Gates::new(policy, CONTEXT) {
        Ok(gates) => gates,
        Err(error) => panic!("a compiled policy must bind: {error}"),
    }
}

/// Decides one command; no file is looked at.
#[must_use]
pub fn decide<'a>(gates: &'a Gates<'_>, command: &str, session: &'a Session) -> Decision<'a> {
    let input = [("command", command)];
    let call = Call {
        tool: "bash",
        input: &input.as_slice(),
        cwd: CWD,
        model: None,
    };
    gates.decide(&call, session, &NoFiles)
}
