//! Reading documents: text to a tree with positions.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use permc::source::SourceSet;
use permc_benches::corpus::{REAL, SIZES, drawn_sources, real_sources};
use permc_grammar::jsonc::parse;
use permc_grammar::limits::Limits;
use permc_tests::generator::Kind;

/// The text of the first document.
fn text(sources: &SourceSet) -> String {
    sources
        .documents
        .first()
        .and_then(|document| document.content.as_ref().ok())
        .map(|content| String::from_utf8_lossy(content).into_owned())
        .unwrap_or_default()
}

fn parsing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    let drawn = SIZES.map(|n_rules| {
        let text = LazyCell::new(move || text(&drawn_sources(Kind::Mixed, n_rules)));
        (n_rules.to_string(), text)
    });
    for (size, text) in &drawn {
        group.throughput(bytes(text));
        group.bench_function(BenchmarkId::new("mixed", size), |bencher| {
            bencher.iter(|| parse(black_box(text), &Limits::default()));
        });
    }
    let real = text(&real_sources());
    group.throughput(bytes(&real));
    group.bench_function(BenchmarkId::new("example", REAL), |bencher| {
        bencher.iter(|| parse(black_box(&real), &Limits::default()));
    });
    group.finish();
}

fn bytes(text: &str) -> Throughput {
    Throughput::Bytes(u64::try_from(text.len()).unwrap_or(0))
}

criterion_group!(benches, parsing);
criterion_main!(benches);
