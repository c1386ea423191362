//! Trust tiers: one lookup with 10 and with 10,000 tiers of 20 rows each.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use permc_runtime::Policy;
use permc_tests::tiers::{CONTEXT, global, many, output};

/// Models that are asked about in turn, whatever the number of tiers: a machine runs a few.
const N_MODELS: usize = 10;

/// Model and resource of each question: each kind of row that a tier has, and a path that none matches.
fn questions(n_tiers: usize, n_models: usize) -> Vec<(String, String)> {
    let models = (0..n_models).map(|model| model * (n_tiers / n_models));
    models
        .flat_map(|tier| {
            let model = format!("provider/model-{tier}");
            [
                format!("/home/dev/team{tier}/dir8/src/main.rs"),
                format!("/srv/app/work{tier}/dir13/a/b"),
                format!("/srv/team{tier}/dir2/x"),
                "/a/b/c.ext19".to_owned(),
                "/usr/share/doc/readme".to_owned(),
                format!("work{tier}/../work{tier}/dir5"),
            ]
            .map(|resource| (model.clone(), resource))
        })
        .collect()
}

fn lookups(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tiers");
    group
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    for n_tiers in [10, 10_000] {
        let artifact = output(vec![global(&many(n_tiers))]);
        let Ok(policy) = Policy::from_bytes(artifact.bytes) else {
            continue;
        };
        let Ok(bound) = policy.bind(CONTEXT) else {
            continue;
        };
        let mut ask = |name: &str, n_models: usize| {
            let questions = questions(n_tiers, n_models);
            group.bench_function(BenchmarkId::new(name, n_tiers), |bencher| {
                let mut turn = questions.iter().cycle();
                bencher.iter(|| {
                    let (model, resource) = turn.next()?;
                    bound.resolve_provider_permission(
                        black_box(model),
                        black_box("read"),
                        black_box(resource),
                    )
                });
            });
        };
        ask("permc", N_MODELS);
        // Each question about another tier: what stands in memory and not in a cache is part of the time.
        if n_tiers > N_MODELS {
            ask("every_model", n_tiers);
        }
    }
    group.finish();
}

criterion_group!(benches, lookups);
criterion_main!(benches);
