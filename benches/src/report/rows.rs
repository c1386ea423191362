//! The rows: which measurements are held against which bar.

use super::measured::{Artifact, Measured, Time, Unreadable};
use super::table::{Bar, Row, bytes, rate, time, times};
use crate::corpus::REAL;

const KIB: f64 = 1024.0;
const MIB: f64 = KIB * KIB;
const GIB: f64 = MIB * KIB;

const LOOKUP: &str = "`cargo bench -p permc-benches --bench lookup`";
const PEERS: &str = "`cargo bench -p permc-benches --features peers --bench lookup`";
const COMPILE: &str = "`cargo bench -p permc-benches --bench compile`";
const LOAD: &str = "`cargo bench -p permc-benches --bench load`";
const DECIDE: &str = "`cargo bench -p permc-benches --features peers --bench decide`";
const TIERS: &str = "`cargo bench -p permc-benches --bench tiers`";
const NODE: &str = "`benches/peers/node/run`";
const SIZE: &str = "build with `cargo build --profile size -p permc-size`";
const MEMORY: &str = "this system does not tell a process's peak memory";

/// All rows, from what was measured last.
///
/// # Errors
///
/// A measurement is there but cannot be read.
pub fn rows(measured: &Measured) -> Result<Vec<Row>, Unreadable> {
    let mut rows = lookups(measured)?;
    rows.extend(peers(measured)?);
    rows.extend(tiers(measured)?);
    rows.extend(calls(measured)?);
    rows.extend(compiling(measured)?);
    rows.extend(loading(measured)?);
    rows.push(runtime_size(measured));
    Ok(rows)
}

fn lookups(measured: &Measured) -> Result<Vec<Row>, Unreadable> {
    let small = measured.time("lookup_mixed", "permc", "30")?;
    let large = measured.time("lookup_mixed", "permc", "10000")?;
    let limit = measured.time("lookup_mixed", "bare_walk", "30")?;
    let mut rows = vec![
        ratio(
            "check, 30 mixed rules, against a bare walk over one table",
            (small, limit),
            Bar::AtMost(1.5),
            LOOKUP,
        ),
        ratio(
            "check, 10,000 mixed rules, against its own time at 30",
            (large, small),
            Bar::AtMost(6.0),
            LOOKUP,
        ),
    ];
    for (function, name) in [
        ("regex_set", "RegexSet"),
        ("regex_set_large_cache", "RegexSet with a cache of 512 MiB"),
        ("globset", "globset"),
    ] {
        for (size, words) in [("30", "30"), ("1000", "1,000"), ("10000", "10,000")] {
            if function == "regex_set_large_cache" && size == "30" {
                continue;
            }
            let peer = measured.time("lookup_mixed", function, size)?;
            let permc = measured.time("lookup_mixed", "permc", size)?;
            let what = format!("check, {words} mixed rules: how much faster than {name}");
            rows.push(ratio(&what, (peer, permc), Bar::AtLeast(4.0), LOOKUP));
        }
    }
    Ok(rows)
}

fn tiers(measured: &Measured) -> Result<Vec<Row>, Unreadable> {
    let few = measured.time("tiers", "permc", "10")?;
    let many = measured.time("tiers", "permc", "10000")?;
    let every = measured.time("tiers", "every_model", "10000")?;
    Ok(vec![
        ratio(
            "a model's tier, 10,000 tiers of 20 rows, against 10 tiers",
            (many, few),
            Bar::AtMost(1.5),
            TIERS,
        ),
        ratio(
            "a model's tier, each question about another of 10,000 models, against 10 tiers",
            (every, few),
            Bar::AtMost(1.5),
            TIERS,
        ),
    ])
}

fn peers(measured: &Measured) -> Result<Vec<Row>, Unreadable> {
    let permc = measured.time("lookup_prefix", "permc", "100")?;
    let cedar = measured.time("lookup_prefix", "cedar", "100")?;
    let node = measured.node()?.map(|node| near(node, permc));
    Ok(vec![
        ratio(
            "check, 100 prefix rules: how much faster than the reference extension on Node",
            (node, permc),
            Bar::AtLeast(1_000.0),
            if permc.is_some() { NODE } else { LOOKUP },
        ),
        ratio(
            "check, 100 prefix rules: how much faster than Cedar",
            (cedar, permc),
            Bar::AtLeast(500.0),
            PEERS,
        ),
    ])
}

/// The script is a run of its own: its bars are far from what two runs can differ by.
fn near(node: Time, permc: Option<Time>) -> Time {
    Time {
        when: permc.map_or(node.when, |permc| permc.when),
        ..node
    }
}

/// Whole shell calls.
fn calls(measured: &Measured) -> Result<Vec<Row>, Unreadable> {
    let mut rows = Vec::new();
    for (kind, bar) in [("plain", 1e3), ("compound", 10e3)] {
        let example = measured.time("decide_example", "permc", kind)?;
        let what = format!("decide a {kind} command, `examples/infra`");
        rows.push(absolute(&what, example, Bar::Under(bar), DECIDE));
        let long = measured.time("decide_example", "permc_long_way", kind)?;
        let what = format!("decide a {kind} command outside the table of everyday ones");
        rows.push(absolute(&what, long, Bar::Under(bar), DECIDE));
        let reader = measured.time("shell", "permc", kind)?;
        let parser = measured.time("shell", "tree_sitter", kind)?;
        let what = format!("read a {kind} command: how much faster than native tree-sitter");
        rows.push(ratio(&what, (parser, reader), Bar::AtLeast(1.0), DECIDE));
        let prefix = measured.time("decide_prefix", "permc", kind)?;
        let node = measured.node_call(kind)?.map(|node| near(node, prefix));
        let what = format!(
            "decide a {kind} command, 100 prefix rules: how much faster than the reference extension on Node"
        );
        let way = if prefix.is_some() { NODE } else { DECIDE };
        rows.push(ratio(&what, (node, prefix), Bar::AtLeast(10.0), way));
    }
    Ok(rows)
}

fn compiling(measured: &Measured) -> Result<Vec<Row>, Unreadable> {
    let large = measured.time("compile", "mixed", "10000")?;
    let example = measured.time("compile", "example", REAL)?;
    let Artifact { bytes: size, peak } = measured.large;
    let memory = "compile 10,000 mixed rules, peak memory";
    let bar = Bar::Under(512.0 * MIB);
    Ok(vec![
        absolute(
            "compile 10,000 mixed rules",
            large,
            Bar::Under(2e9),
            COMPILE,
        ),
        match peak {
            Some(peak) => Row::measured(memory, peak, bar, bytes),
            None => Row::missing(memory, bar, bytes, MEMORY),
        },
        absolute(
            "compile `examples/infra`, about 200 rules",
            example,
            Bar::Under(50e6),
            COMPILE,
        ),
        Row::measured(
            "artifact of 10,000 mixed rules",
            size,
            Bar::Under(16.0 * MIB),
            bytes,
        ),
        Row::measured(
            "artifact of `examples/infra`",
            measured.example.bytes,
            Bar::Under(256.0 * KIB),
            bytes,
        ),
    ])
}

fn loading(measured: &Measured) -> Result<Vec<Row>, Unreadable> {
    let what = "load and validate 10,000 mixed rules";
    let bar = Bar::AtLeast(GIB);
    let speed = match measured.rate("load", "mixed", "10000")? {
        Some(speed) => Row::measured(what, speed, bar, rate),
        None => Row::missing(what, bar, rate, LOAD),
    };
    let example = measured.time("load", "example", REAL)?;
    let example = absolute(
        "load and validate `examples/infra`",
        example,
        Bar::Under(100e3),
        LOAD,
    );
    Ok(vec![speed, example])
}

fn runtime_size(measured: &Measured) -> Row {
    let what = "runtime, stripped, beyond an empty program";
    let bar = Bar::Under(200.0 * KIB);
    let Some((empty, with_runtime)) = measured.runtime_bytes() else {
        return Row::missing(what, bar, bytes, SIZE);
    };
    let float = |bytes: u64| u32::try_from(bytes).map_or(f64::INFINITY, f64::from);
    let (empty, with_runtime) = (float(empty), float(with_runtime));
    Row::measured(what, with_runtime - empty, bar, bytes).made_of(&format!(
        "{} less {}",
        bytes(with_runtime),
        bytes(empty)
    ))
}

/// One time by another.
fn ratio(what: &str, pair: (Option<Time>, Option<Time>), bar: Bar, way: &str) -> Row {
    let (Some(upper), Some(lower)) = pair else {
        return Row::missing(what, bar, times, way);
    };
    let parts = format!("{} / {}", time(upper.ns), time(lower.ns));
    let details = if upper.is_near(&lower) {
        parts
    } else {
        format!("{parts}, of two runs: measure again")
    };
    Row::measured(what, upper.ns / lower.ns, bar, times).made_of(&details)
}

fn absolute(what: &str, figure: Option<Time>, bar: Bar, way: &str) -> Row {
    match figure {
        Some(figure) => Row::measured(what, figure.ns, bar, time),
        None => Row::missing(what, bar, time, way),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::Verdict;
    use permc_tests::folder::Folder;
    use std::time::{Duration, SystemTime};

    const WEIGHED: Artifact = Artifact {
        bytes: 1024.0,
        peak: None,
    };

    fn measured(folder: &Folder) -> Measured {
        Measured {
            criterion: folder.path().join("criterion"),
            node: folder.path().join("result.json"),
            size: folder.path().join("size"),
            large: WEIGHED,
            example: WEIGHED,
        }
    }

    fn median(folder: &Folder, benchmark: &str, ns: u32) {
        let place = format!("criterion/{benchmark}/new");
        std::fs::create_dir_all(folder.path().join(&place)).unwrap();
        folder.write(
            &format!("{place}/estimates.json"),
            format!(r#"{{"median":{{"point_estimate":{ns}.0}}}}"#),
        );
    }

    #[test]
    fn without_measurements_every_row_says_what_to_run() {
        let folder = Folder::new("bench-rows-none");
        let rows = rows(&measured(&folder)).unwrap();
        assert!(rows.len() >= 18, "{}", rows.len());
        let missing = rows
            .iter()
            .filter(|row| matches!(row.verdict, Verdict::NotMeasured(_)))
            .count();
        assert_eq!(missing, rows.len() - 2, "only the artifacts are at hand");
    }

    #[test]
    fn a_ratio_is_the_peer_by_permc() {
        let folder = Folder::new("bench-rows-some");
        median(&folder, "lookup_mixed/permc/30", 50);
        median(&folder, "lookup_mixed/globset/30", 400);
        median(&folder, "lookup_mixed/bare_walk/30", 25);
        let rows = rows(&measured(&folder)).unwrap();
        let row = |words: &str| rows.iter().find(|row| row.what.contains(words)).unwrap();
        assert_eq!(
            row("30 mixed rules: how much faster than globset").figure,
            "8 x (400 ns / 50 ns)"
        );
        assert_eq!(
            row("30 mixed rules: how much faster than globset").verdict,
            Verdict::Holds
        );
        let walk = row("bare walk");
        assert_eq!(walk.figure, "2 x (50 ns / 25 ns)");
        assert_eq!(walk.verdict, Bar::AtMost(1.5).verdict(2.0));
    }

    #[test]
    fn times_of_two_runs_are_named_as_such() {
        let early = Time {
            ns: 1.0,
            when: SystemTime::UNIX_EPOCH,
        };
        let late = Time {
            when: early.when + Duration::from_secs(86_400),
            ..early
        };
        let row = ratio("it", (Some(early), Some(late)), Bar::AtMost(1.0), "");
        assert!(row.figure.contains("of two runs"), "{}", row.figure);
    }

    #[test]
    fn the_runtime_is_the_difference_of_two_files() {
        let folder = Folder::new("bench-rows-size");
        std::fs::create_dir_all(folder.path().join("size")).unwrap();
        let name = |stem: &str| format!("size/{stem}{}", std::env::consts::EXE_SUFFIX);
        folder.write(&name("permc-size-empty"), vec![0; 1024]);
        folder.write(&name("permc-size-runtime"), vec![0; 3 * 1024]);
        let row = runtime_size(&measured(&folder));
        assert_eq!(row.figure, "2 KiB (3 KiB less 1 KiB)");
        assert_eq!(row.verdict, Verdict::Holds);
    }
}
