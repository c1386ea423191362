//! Policies, compiled, with the values that are asked: drawn ones of any size and a real one.

#![expect(
    clippy::panic,
    reason = "benchmark support: a failure here is a failed benchmark"
)]

use std::collections::HashMap;
use std::path::Path;

use permc::parse::parse_manifest_source;
use permc::source::{self, Inputs, SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, Output, compile, manifest};
use permc_runtime::{Bound, Context, Policy, Session, name_matches};
use permc_tests::data::{json_lines, root};
use permc_tests::generator::{Generator, Kind};

/// The seed of all drawn policies.
pub const SEED: u64 = 1;

/// Values that are asked about a drawn policy.
pub const N_VALUES: usize = 256;

/// Sizes of drawn policies.
pub const SIZES: [usize; 5] = [10, 30, 100, 1_000, 10_000];

/// Kinds of drawn policies and their names in the results.
pub const KINDS: [(&str, Kind); 6] = [
    ("mixed", Kind::Mixed),
    ("prefix", Kind::Prefix),
    ("suffix", Kind::Suffix),
    ("infix", Kind::Infix),
    ("mid", Kind::Mid),
    ("two", Kind::Two),
];

/// The example with the most rules for `bash`; it has about 200 rules.
pub const REAL: &str = "infra";

/// What all policies are bound to.
pub const CONTEXT: Context<'static> = Context {
    home: Some("/home/dev"),
    agent: None,
    yolo: None,
    cwd: None,
    model: None,
};

/// A policy in every form that a benchmark needs.
#[derive(Debug)]
pub struct Corpus {
    /// The documents.
    pub sources: SourceSet,
    /// Patterns of the surface `bash` in rule order.
    pub patterns: Vec<String>,
    /// The compiled policy.
    pub output: Output,
    /// Values to ask about.
    pub values: Vec<String>,
}

impl Corpus {
    /// Draws and compiles a policy with one `bash` map.
    #[must_use]
    pub fn drawn(kind: Kind, n_rules: usize) -> Self {
        let mut generator = Generator::new(kind, n_rules, SEED);
        let values = generator.queries(N_VALUES);
        Self::new(drawn_sources(kind, n_rules), values)
    }

    /// The example [`REAL`], asked about the recorded shell commands.
    #[must_use]
    pub fn real() -> Self {
        let values = json_lines("conformance/bash-units.jsonl")
            .iter()
            .filter_map(|line| line.get("command")?.as_str().map(str::to_owned))
            .collect();
        Self::new(real_sources(), values)
    }

    fn new(sources: SourceSet, values: Vec<String>) -> Self {
        let output = compiled(&sources);
        let rules = output.policy.view(None).map(|view| view.rules.as_slice());
        let patterns = rules
            .unwrap_or_default()
            .iter()
            .filter_map(|rule| output.policy.rule(*rule))
            .filter(|rule| rule.surface != "*" && name_matches(&rule.surface, "bash", false))
            .map(|rule| rule.pattern.clone())
            .collect();
        Self {
            sources,
            patterns,
            output,
            values,
        }
    }

    /// Loads the artifact.
    #[must_use]
    pub fn policy(&self) -> Policy<&[u8]> {
        match Policy::from_bytes(self.output.bytes.as_slice()) {
            Ok(policy) => policy,
            Err(error) => panic!("a compiled policy must load: {error}"),
        }
    }

    /// The index of the pattern that wins, for each value, as the artifact answers.
    #[must_use]
    pub fn winners(&self) -> Vec<Option<usize>> {
        let numbers: HashMap<&str, usize> = self
            .patterns
            .iter()
            .enumerate()
            .map(|(number, pattern)| (pattern.as_str(), number))
            .collect();
        let policy = self.policy();
        let bound = bound(&policy);
        let session = Session::default();
        self.values
            .iter()
            .map(|value| {
                let decision = bound.check("bash", &[value.as_str()], &session);
                let pattern = decision.matched_pattern()?;
                numbers.get(pattern).copied()
            })
            .collect()
    }

    /// The values one after another, without end.
    pub fn turn(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str).cycle()
    }
}

/// Binds a policy as all benchmarks do.
#[must_use]
pub fn bound<D: AsRef<[u8]>>(policy: &Policy<D>) -> Bound<'_> {
    match policy.bind(CONTEXT) {
        Ok(bound) => bound,
        Err(error) => panic!("a compiled policy must bind: {error}"),
    }
}

/// The documents of a drawn policy.
#[must_use]
pub fn drawn_sources(kind: Kind, n_rules: usize) -> SourceSet {
    let text = Generator::new(kind, n_rules, SEED).document();
    SourceSet::from(vec![SourceDocument::new(
        Role::Global,
        "policy.jsonc",
        text,
    )])
}

/// The documents of the example [`REAL`].
#[must_use]
pub fn real_sources() -> SourceSet {
    let folder = root().join("examples").join(REAL);
    let limits = Options::default().limits;
    let content = source::read_file(&folder.join(manifest::FILE_NAME), &limits);
    let (_, Some(manifest), _) = parse_manifest_source(manifest::FILE_NAME, &content, &limits)
    else {
        panic!("the manifest of the example {REAL} is missing or has mistakes")
    };
    source::read(
        &Inputs::from_manifest(&manifest, &folder),
        Path::new(""),
        &limits,
    )
}

/// Compiles what must compile.
#[must_use]
pub fn compiled(sources: &SourceSet) -> Output {
    let Some(output) = compile(sources, &Options::default()).output else {
        panic!("a policy of the benchmarks must compile")
    };
    output
}

/// The kind with this name.
#[must_use]
pub fn kind(name: &str) -> Option<Kind> {
    KINDS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_policies_keep_the_order_of_their_rules() {
        let corpus = Corpus::drawn(Kind::Mixed, 30);
        let drawn: Vec<String> = Generator::new(Kind::Mixed, 30, SEED)
            .rules()
            .iter()
            .map(|(pattern, _)| pattern.clone())
            .collect();
        assert_eq!(corpus.patterns, drawn);
        assert_eq!(corpus.values.len(), N_VALUES);
        assert!(corpus.winners().iter().all(Option::is_some));
    }

    #[test]
    fn the_real_policy_is_about_200_rules_and_has_an_answer_for_every_command() {
        let corpus = Corpus::real();
        assert!((150..300).contains(&corpus.output.policy.rules.len()));
        assert!(corpus.patterns.len() > 60, "{}", corpus.patterns.len());
        assert!(corpus.values.len() > 100);
        assert!(corpus.winners().iter().all(Option::is_some));
    }
}
