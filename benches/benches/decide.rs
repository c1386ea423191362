//! Whole shell calls: reading them, and `Gates::decide`, beside tree-sitter's parse (page 5.5).

#![expect(clippy::unwrap_used, reason = "a benchmark, not a library")]

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use permc_benches::calls::{CALLS, decide, gates};
use permc_benches::corpus::Corpus;
use permc_gates::Gates;
use permc_grammar::shell::{Limits, parse_in_full};
use permc_runtime::Session;
use permc_tests::generator::Kind;

fn settings(group: &mut BenchmarkGroup<'_, WallTime>) {
    group
        .sample_size(50)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1_000));
}

/// The calls in turn, against a real policy and one of 100 prefix rules.
fn calls(criterion: &mut Criterion) {
    let corpora = [
        ("decide_example", Corpus::real()),
        ("decide_prefix", Corpus::drawn(Kind::Prefix, 100)),
    ];
    for (name, corpus) in corpora {
        let policy = corpus.policy();
        let short = gates(&policy);
        let long = short.clone().without_short_way();
        let mut group = criterion.benchmark_group(name);
        settings(&mut group);
        for (kind, commands) in CALLS {
            for (function, gates) in [("permc", &short), ("permc_long_way", &long)] {
                group.bench_function(BenchmarkId::new(function, kind), |bencher| {
                    in_turn(bencher, commands, |command| state(gates, command));
                });
            }
        }
        group.finish();
    }
}

fn state(gates: &Gates<'_>, command: &str) -> permc_runtime::Action {
    let session = Session::default();
    decide(gates, command, &session).state
}

fn in_turn<T>(bencher: &mut criterion::Bencher<'_>, commands: &[&str], run: impl Fn(&str) -> T) {
    let mut turn = commands.iter().cycle();
    bencher.iter(|| run(black_box(turn.next().unwrap())));
}

/// Reading alone, beside another parser.
fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shell");
    settings(&mut group);
    for (kind, commands) in CALLS {
        group.bench_function(BenchmarkId::new("permc", kind), |bencher| {
            in_turn(bencher, commands, |command| {
                parse_in_full(command, &Limits::default())
            });
        });
        #[cfg(feature = "peers")]
        group.bench_function(BenchmarkId::new("tree_sitter", kind), |bencher| {
            let mut parser = tree_sitter::Parser::new();
            let language = tree_sitter_bash::LANGUAGE.into();
            parser.set_language(&language).unwrap();
            for command in commands {
                let tree = parser.parse(command, None).unwrap();
                assert!(!tree.root_node().has_error(), "{command}");
            }
            let mut turn = commands.iter().cycle();
            bencher.iter(|| parser.parse(black_box(turn.next().unwrap()), None));
        });
    }
    group.finish();
}

criterion_group!(benches, calls, reading);
criterion_main!(benches);
