//! Loading: bytes in memory to a validated policy.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use permc::Output;
use permc_benches::corpus::{REAL, SIZES, compiled, drawn_sources, real_sources};
use permc_runtime::Policy;
use permc_tests::generator::Kind;

fn loading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    group
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    let drawn = |n_rules| compiled(&drawn_sources(Kind::Mixed, n_rules));
    let policies = SIZES
        .iter()
        .map(|n_rules| (BenchmarkId::new("mixed", n_rules), drawn(*n_rules)))
        .chain([(BenchmarkId::new("example", REAL), compiled(&real_sources()))]);
    for (id, Output { bytes, .. }) in policies {
        group.throughput(Throughput::Bytes(u64::try_from(bytes.len()).unwrap_or(0)));
        group.bench_function(id, |bencher| {
            bencher.iter(|| Policy::from_bytes(black_box(bytes.as_slice())));
        });
    }
    group.finish();
}

criterion_group!(benches, loading);
criterion_main!(benches);
