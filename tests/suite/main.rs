//! All integration tests in one binary. What belongs where:
//!
//! - `artifact`: bytes that were cut, changed or forged.
//! - `calls`: whole tool calls: the recorded decisions of the reference system, reported faults, attacks, everyday commands.
//! - `chain`, `chain_run`: the authorizer chain, its envelope and its events; panics and deadlines.
//! - `conformance`: the recorded decisions of the reference system, on both engines.
//! - `corners`: corner cases of patterns, through every layout.
//! - `differential`: drawn policies and values, the engines against each other.
//! - `examples`: the policies under `examples/`, each query on both engines.
//! - `golden`: artifacts that were written once and stay readable.
//! - `hostile`, `hostile_tiers`: artifacts that were made to do harm, behind a right checksum.
//! - `jsonc`: our reader against another.
//! - `layouts`: every layout of tables, forced one by one.
//! - `oracle`: another reader of shell commands beside ours; with the feature `oracle` only.
//! - `own`: our own cases of shell commands, kind by kind, and attacks that run in a sandboxed bash.
//! - `reproducible`: same inputs, same bytes.
//! - `scale`: sizes and patterns that would explode.
//! - `semantics`: what the pages promise beyond the recorded cases.
//! - `shell`: our own cases of shell commands, and properties of drawn ones.
//! - `tables`: tables that were made to do harm.
//! - `tidy`: the repository keeps its own rules.
//! - `tiers`, `tiers_calls`, `tiers_drawn`, `tiers_refused`: trust tiers: what page 3 requires, whole calls under them, drawn
//!   ones with the naive evaluator and globset beside them, and rows that are refused or decide nothing.
//! - `twins`: the short ways of whole calls against the long ones.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests: a failure here is what they are for"
)]

mod artifact;
mod calls;
mod chain;
mod chain_run;
mod conformance;
mod corners;
mod differential;
mod examples;
mod golden;
mod hostile;
mod hostile_tiers;
mod jsonc;
mod layouts;
#[cfg(feature = "oracle")]
mod oracle;
#[cfg(unix)]
mod own;
mod reproducible;
mod scale;
mod semantics;
mod shell;
mod tables;
mod tidy;
mod tiers;
mod tiers_calls;
mod tiers_drawn;
mod tiers_refused;
mod twins;
