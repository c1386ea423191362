//! One `check` on a bash value, beside the peers that answer the same question.

#![expect(clippy::unwrap_used, reason = "a benchmark, not a library")]

use std::cell::LazyCell;
use std::fmt::Display;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main,
};
use permc_benches::corpus::{Corpus, KINDS, REAL, SIZES, bound};
#[cfg(feature = "peers")]
use permc_benches::peers::Cedar;
use permc_benches::peers::{Globs, LARGE_CACHE, Regexes, Walk, assert_same};
use permc_runtime::Session;
use permc_tests::generator::Kind;

/// Up to this many rules a policy may be one table, and the bare walk is tried.
const WALK_RULES: usize = 100;

/// From this many rules on a peer may need milliseconds a value: few samples, and none in a test run.
const SLOW_RULES: usize = 10_000;

type Group<'c> = BenchmarkGroup<'c, WallTime>;

fn drawn(criterion: &mut Criterion) {
    for (name, kind) in KINDS {
        let mut group = criterion.benchmark_group(format!("lookup_{name}"));
        for n_rules in SIZES {
            let corpus = LazyCell::new(|| Corpus::drawn(kind, n_rules));
            settings(&mut group, false);
            permc(&mut group, &corpus, n_rules);
            if n_rules <= WALK_RULES {
                walk(&mut group, &corpus, n_rules);
            }
            let slow = n_rules >= SLOW_RULES;
            if !(slow && is_test()) {
                settings(&mut group, slow);
                // These many globs that are neither prefix nor suffix are one set of expressions to globset, whose
                // fallback then asks for tens of gigabytes: the process would be aborted.
                if !(slow && matches!(kind, Kind::Infix | Kind::Mid | Kind::Two)) {
                    globset(&mut group, &corpus, n_rules);
                }
                regex_set(&mut group, "regex_set", None, &corpus, n_rules);
                // Twins at small sizes: the default cache is large enough there.
                if n_rules > WALK_RULES {
                    let tuned = "regex_set_large_cache";
                    regex_set(&mut group, tuned, LARGE_CACHE, &corpus, n_rules);
                }
            }
            #[cfg(feature = "peers")]
            if n_rules == 100 && kind == Kind::Prefix {
                settings(&mut group, false);
                cedar(&mut group, &corpus, n_rules);
            }
        }
        group.finish();
    }
}

fn real(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lookup_example");
    settings(&mut group, false);
    let corpus = LazyCell::new(Corpus::real);
    permc(&mut group, &corpus, REAL);
    globset(&mut group, &corpus, REAL);
    regex_set(&mut group, "regex_set", None, &corpus, REAL);
    group.finish();
}

/// Short phases: what counts are ratios of neighbors, and there are many of them.
fn settings(group: &mut Group<'_>, slow: bool) {
    if slow {
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
    } else {
        group.sample_size(50).sampling_mode(SamplingMode::Auto);
    }
    group
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1_000));
}

/// Whether everything runs once only, to see that it runs.
fn is_test() -> bool {
    std::env::args().any(|argument| argument == "--test")
}

fn permc(
    group: &mut Group<'_>,
    corpus: &LazyCell<Corpus, impl FnOnce() -> Corpus>,
    size: impl Display,
) {
    let policy = LazyCell::new(|| corpus.policy());
    let bound = LazyCell::new(|| bound(&policy));
    let session = Session::default();
    group.bench_function(BenchmarkId::new("permc", size), |bencher| {
        let bound = LazyCell::force(&bound);
        let mut values = corpus.turn();
        bencher.iter(|| {
            let value = values.next().unwrap();
            bound
                .check(black_box("bash"), &[black_box(value)], &session)
                .state
        });
    });
}

fn walk(
    group: &mut Group<'_>,
    corpus: &LazyCell<Corpus, impl FnOnce() -> Corpus>,
    size: impl Display,
) {
    let Some(walk) = Walk::of(corpus) else {
        return;
    };
    group.bench_function(BenchmarkId::new("bare_walk", size), |bencher| {
        let mut values = corpus.turn();
        bencher.iter(|| walk.rank(black_box(values.next().unwrap())));
    });
}

fn regex_set(
    group: &mut Group<'_>,
    name: &str,
    cache: Option<usize>,
    corpus: &LazyCell<Corpus, impl FnOnce() -> Corpus>,
    size: impl Display,
) {
    let set = LazyCell::new(|| {
        let set = Regexes::new(corpus, cache);
        assert_same(corpus, name, |value| set.winner(value));
        set
    });
    group.bench_function(BenchmarkId::new(name, size), |bencher| {
        let set = LazyCell::force(&set);
        let mut values = corpus.turn();
        bencher.iter(|| set.winner(black_box(values.next().unwrap())));
    });
}

fn globset(
    group: &mut Group<'_>,
    corpus: &LazyCell<Corpus, impl FnOnce() -> Corpus>,
    size: impl Display,
) {
    let mut set = LazyCell::new(|| {
        let mut set = Globs::new(corpus);
        assert_same(corpus, "globset", |value| set.winner(value));
        set
    });
    group.bench_function(BenchmarkId::new("globset", size), |bencher| {
        let set = &mut *set;
        let mut values = corpus.turn();
        bencher.iter(|| set.winner(black_box(values.next().unwrap())));
    });
}

#[cfg(feature = "peers")]
fn cedar(
    group: &mut Group<'_>,
    corpus: &LazyCell<Corpus, impl FnOnce() -> Corpus>,
    size: impl Display,
) {
    let cedar = LazyCell::new(|| Cedar::new(corpus));
    group.bench_function(BenchmarkId::new("cedar", size), |bencher| {
        let cedar = LazyCell::force(&cedar);
        let mut requests = cedar.turn();
        bencher.iter(|| cedar.ask(black_box(requests.next().unwrap())).decision());
    });
}

criterion_group!(benches, drawn, real);
criterion_main!(benches);
