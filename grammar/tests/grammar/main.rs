//! The two syntaxes from the outside: what they accept, and where and how they refuse.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails is a test that fails"
)]

mod glob;
mod hostile;
mod jsonc;
mod pattern;
mod refusals;
mod shell;
