//! The session overlay: looking up beside approvals, and approving.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use permc_benches::corpus::{Corpus, SEED, bound};
use permc_runtime::Session;
use permc_tests::generator::{Generator, Kind};

/// Rules of the policy below the overlay.
const N_RULES: usize = 100;

/// Approvals in a session.
const APPROVALS: [usize; 3] = [1, 10, 100];

/// Approvals of commands that the values are not about, so that a lookup tries all of them and then asks the policy.
fn session(n_approvals: usize) -> Session {
    // The first drawn rule is `*`, which nobody approves.
    Generator::new(Kind::Prefix, n_approvals.saturating_add(1), SEED ^ 1)
        .rules()
        .iter()
        .skip(1)
        .map(|(pattern, _)| ("bash", pattern.as_str()))
        .collect()
}

fn looking_up(criterion: &mut Criterion) {
    let corpus = Corpus::drawn(Kind::Mixed, N_RULES);
    let policy = corpus.policy();
    let bound = bound(&policy);
    let mut group = criterion.benchmark_group("overlay");
    group
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    let sizes = [0].into_iter().chain(APPROVALS);
    for n_approvals in sizes {
        let session = session(n_approvals);
        group.bench_function(BenchmarkId::new("check", n_approvals), |bencher| {
            let mut values = corpus.turn();
            bencher.iter(|| {
                let value = values.next().unwrap_or_default();
                bound
                    .check(black_box("bash"), &[black_box(value)], &session)
                    .state
            });
        });
    }
    for n_approvals in APPROVALS {
        let before = session(n_approvals);
        group.bench_function(BenchmarkId::new("approve", n_approvals), |bencher| {
            bencher.iter_batched_ref(
                || before.clone(),
                |session| session.approve(black_box("bash"), black_box("npm test *")),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, looking_up);
criterion_main!(benches);
