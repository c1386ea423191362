//! Shell calls that benchmarks ask about.

/// The working directory of all calls.
pub const CWD: &str = "/srv/app";

/// Commands of plain words.
pub const PLAIN: &[&str] = &[
    "git status -s",
    "ls -la src",
    "cargo test --workspace",
    "npm run build",
    "kubectl get pods -n prod",
];

/// Commands that need the reader.
pub const COMPOUND: &[&str] = &[
    "git add -A && git commit -m 'a change'",
    "git log --oneline | head -20",
    "echo $(git rev-parse HEAD)",
    "cargo fmt --check && cargo test 2>&1 | tail -5",
];
