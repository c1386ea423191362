//! Compiling: documents to a validated artifact, in memory.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use permc::{Options, compile};
use permc_benches::corpus::{REAL, SIZES, drawn_sources, real_sources};
use permc_tests::generator::Kind;

fn compiling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    for n_rules in SIZES {
        let sources = drawn_sources(Kind::Mixed, n_rules);
        group.bench_function(BenchmarkId::new("mixed", n_rules), |bencher| {
            bencher.iter(|| compile(black_box(&sources), &Options::default()));
        });
    }
    let real = real_sources();
    group.bench_function(BenchmarkId::new("example", REAL), |bencher| {
        bencher.iter(|| compile(black_box(&real), &Options::default()));
    });
    group.finish();
}

criterion_group!(benches, compiling);
criterion_main!(benches);
