//! One `check` on a bash value, beside the peers that answer "which pattern matched last".

#![expect(clippy::unwrap_used, reason = "a benchmark, not a library")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use globset::{GlobBuilder, GlobSetBuilder};
use permc_benches::corpus;
use permc_runtime::{Context, Policy, Session};
use permc_tests::generator::Kind;
use regex::bytes::RegexSetBuilder;

/// A pattern as a regular expression; the reference's meaning of `*`, `?` and a final ` *`.
fn regex(pattern: &str) -> String {
    let (body, tail) = match pattern.strip_suffix(" *") {
        Some(body) => (body, "(?: .*)?"),
        None => (pattern, ""),
    };
    let body = regex::escape(body).replace(r"\*", ".*").replace(r"\?", ".");
    format!("(?s)^{body}{tail}$")
}

fn lookup(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lookup");
    for n_rules in [10, 30, 300, 1_000] {
        let corpus = corpus(Kind::Mixed, n_rules);
        let policy = Policy::from_bytes(corpus.output.bytes.as_slice()).unwrap();
        let bound = policy.bind(Context::default()).unwrap();
        let session = Session::default();
        let mut values = corpus.values.iter().cycle();
        group.bench_function(BenchmarkId::new("permc", n_rules), |bencher| {
            bencher.iter(|| {
                let value = values.next().map_or("", String::as_str);
                bound
                    .check(black_box("bash"), &[black_box(value)], &session)
                    .state
            });
        });
        let set = RegexSetBuilder::new(corpus.patterns.iter().map(|pattern| regex(pattern)))
            .size_limit(1 << 30)
            .build()
            .unwrap();
        group.bench_function(BenchmarkId::new("regex set", n_rules), |bencher| {
            bencher.iter(|| {
                let value = values.next().map_or("", String::as_str);
                set.matches(black_box(value.as_bytes())).iter().next_back()
            });
        });
        let mut globs = GlobSetBuilder::new();
        for pattern in &corpus.patterns {
            let glob = GlobBuilder::new(pattern)
                .literal_separator(false)
                .backslash_escape(false)
                .build();
            globs.add(glob.unwrap());
        }
        let globs = globs.build().unwrap();
        let mut hits = Vec::new();
        group.bench_function(BenchmarkId::new("globset", n_rules), |bencher| {
            bencher.iter(|| {
                let value = values.next().map_or("", String::as_str);
                globs.matches_into(black_box(value), &mut hits);
                hits.last().copied()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, lookup);
criterion_main!(benches);
