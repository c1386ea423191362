//! The corpus of the benchmarks: drawn policies, compiled, with the values that are asked.

#![expect(
    clippy::panic,
    reason = "benchmark support: a failure here is a failed benchmark"
)]

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, Output, compile};
use permc_tests::generator::{Generator, Kind};

/// The seed of all drawn policies.
pub const SEED: u64 = 1;

/// A drawn policy in every form that a benchmark needs.
#[derive(Debug)]
pub struct Corpus {
    /// The documents.
    pub sources: SourceSet,
    /// Patterns in rule order.
    pub patterns: Vec<String>,
    /// The compiled policy.
    pub output: Output,
    /// Values to ask about.
    pub values: Vec<String>,
}

/// Draws and compiles a policy with one `bash` map.
#[must_use]
pub fn corpus(kind: Kind, n_rules: usize) -> Corpus {
    let mut generator = Generator::new(kind, n_rules, SEED);
    let document = SourceDocument::new(Role::Global, "policy.jsonc", generator.document());
    let sources = SourceSet::from(vec![document]);
    let Some(output) = compile(&sources, &Options::default()).output else {
        panic!("a drawn policy must compile")
    };
    let patterns = generator
        .rules()
        .iter()
        .map(|(pattern, _)| pattern.clone())
        .collect();
    Corpus {
        sources,
        patterns,
        output,
        values: generator.queries(256),
    }
}
