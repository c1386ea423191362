//! Compiling and loading policies of several sizes.

#![expect(clippy::unwrap_used, reason = "a benchmark, not a library")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use permc::{Options, compile};
use permc_benches::corpus;
use permc_runtime::Policy;
use permc_tests::generator::Kind;

fn compiling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    for n_rules in [30, 300, 2_000] {
        let corpus = corpus(Kind::Mixed, n_rules);
        group.bench_function(BenchmarkId::from_parameter(n_rules), |bencher| {
            bencher.iter(|| compile(black_box(&corpus.sources), &Options::default()));
        });
    }
    group.finish();
}

fn loading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    for n_rules in [30, 300, 2_000] {
        let corpus = corpus(Kind::Mixed, n_rules);
        let bytes = corpus.output.bytes.as_slice();
        group.throughput(Throughput::Bytes(u64::try_from(bytes.len()).unwrap()));
        group.bench_function(BenchmarkId::from_parameter(n_rules), |bencher| {
            bencher.iter(|| Policy::from_bytes(black_box(bytes)));
        });
    }
    group.finish();
}

criterion_group!(benches, compiling, loading);
criterion_main!(benches);
