//! All integration tests in one binary. What belongs where:
//!
//! - `artifact`: bytes that were cut, changed or forged.
//! - `conformance`: the recorded decisions of the reference system, on both engines.
//! - `differential`: drawn policies and values, the engines against each other.
//! - `examples`: the policies under `examples/`, each query on both engines.
//! - `jsonc`: our reader against another.
//! - `reproducible`: same inputs, same bytes.
//! - `scale`: sizes and patterns that would explode.
//! - `semantics`: what the pages promise beyond the recorded cases.
//! - `tidy`: the repository keeps its own rules.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests: a failure here is what they are for"
)]

mod artifact;
mod conformance;
mod differential;
mod examples;
mod jsonc;
mod reproducible;
mod scale;
mod semantics;
mod tidy;
