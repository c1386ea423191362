//! Whole shell calls through `Gates::decide`: plain commands and compound ones (page 5.5).

#![expect(clippy::unwrap_used, reason = "a benchmark, not a library")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use permc_benches::calls::{COMPOUND, CWD, PLAIN};
use permc_benches::corpus::{CONTEXT, Corpus};
use permc_gates::{Call, Gates, NoFiles};
use permc_runtime::Session;

fn decide(criterion: &mut Criterion) {
    let corpus = Corpus::real();
    let policy = corpus.policy();
    let gates = Gates::new(&policy, CONTEXT).unwrap();
    let session = Session::default();
    for (name, commands) in [("plain", PLAIN), ("compound", COMPOUND)] {
        let mut group = criterion.benchmark_group(format!("decide_{name}"));
        group
            .sample_size(50)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_millis(1_000));
        for command in commands {
            group.bench_function(*command, |bencher| {
                bencher.iter(|| {
                    let input = [("command", black_box(*command))];
                    let call = Call {
                        tool: "bash",
                        input: &input.as_slice(),
                        cwd: CWD,
                        model: None,
                    };
                    gates.decide(&call, &session, &NoFiles).state
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, decide);
criterion_main!(benches);
