//! What was measured: criterion's estimates, the script's result, artifacts and files.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use permc_tests::generator::Kind;
use serde_json::Value;

use crate::corpus::{compiled, drawn_sources, real_sources};

/// Times further apart than this are not of one run.
const ONE_RUN: Duration = Duration::from_secs(30 * 60);

/// A file of measurements that does not hold what it should.
#[derive(Debug)]
pub struct Unreadable {
    path: PathBuf,
    why: String,
}

/// A median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// Nanoseconds.
    pub ns: f64,
    /// When the measurement was written.
    pub when: SystemTime,
}

/// A compiled policy on the scales.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Artifact {
    /// Bytes of the artifact.
    pub bytes: f64,
    /// Peak memory of the process that compiled it, in bytes, where the system tells.
    pub peak: Option<f64>,
}

/// Where measurements lie.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Criterion's folder.
    pub criterion: PathBuf,
    /// The result of the script for the reference extension.
    pub node: PathBuf,
    /// The folder of the two minimal binaries.
    pub size: PathBuf,
    /// 10,000 mixed rules.
    pub large: Artifact,
    /// The example with about 200 rules.
    pub example: Artifact,
}

impl Time {
    /// Whether both times can be of one run.
    #[must_use]
    pub fn is_near(&self, other: &Self) -> bool {
        let (older, newer) = (self.when.min(other.when), self.when.max(other.when));
        newer
            .duration_since(older)
            .is_ok_and(|apart| apart <= ONE_RUN)
    }
}

impl Measured {
    /// The median of one benchmark; `None` if it was not run.
    ///
    /// # Errors
    ///
    /// The estimates are there but cannot be read.
    pub fn time(
        &self,
        group: &str,
        function: &str,
        parameter: &str,
    ) -> Result<Option<Time>, Unreadable> {
        let path = self.file(group, function, parameter, "estimates.json");
        number(&path, &["median", "point_estimate"])
    }

    /// Bytes a second of one benchmark that counts bytes.
    ///
    /// # Errors
    ///
    /// As [`Self::time`].
    pub fn rate(
        &self,
        group: &str,
        function: &str,
        parameter: &str,
    ) -> Result<Option<f64>, Unreadable> {
        let path = self.file(group, function, parameter, "benchmark.json");
        let bytes = number(&path, &["throughput", "Bytes"])?;
        let time = self.time(group, function, parameter)?;
        Ok(bytes
            .zip(time)
            .map(|(bytes, time)| bytes.ns / time.ns * 1e9))
    }

    /// Time of one check of the reference extension.
    ///
    /// # Errors
    ///
    /// As [`Self::time`].
    pub fn node(&self) -> Result<Option<Time>, Unreadable> {
        number(&self.node, &["ns_per_check"])
    }

    /// Time of one whole command of a kind, `plain` or `compound`, of the reference extension.
    ///
    /// # Errors
    ///
    /// As [`Self::time`].
    pub fn node_call(&self, kind: &str) -> Result<Option<Time>, Unreadable> {
        number(&self.node, &[&format!("ns_per_{kind}_call")])
    }

    /// By how many bytes the binary with the runtime is larger than the empty one.
    #[must_use]
    pub fn runtime_bytes(&self) -> Option<(u64, u64)> {
        let length = |name: &str| {
            let path = self
                .size
                .join(name)
                .with_extension(std::env::consts::EXE_EXTENSION);
            fs::metadata(path).ok().map(|data| data.len())
        };
        Some((length("permc-size-empty")?, length("permc-size-runtime")?))
    }

    fn file(&self, group: &str, function: &str, parameter: &str, name: &str) -> PathBuf {
        let folder = self.criterion.join(group).join(function).join(parameter);
        folder.join("new").join(name)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for Unreadable {}

/// The number at a path of keys in a JSON file, with the file's age; `None` if there is no file.
fn number(path: &Path, keys: &[&str]) -> Result<Option<Time>, Unreadable> {
    let unreadable = |why: String| Unreadable {
        path: path.to_path_buf(),
        why,
    };
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    let when = fs::metadata(path)
        .and_then(|data| data.modified())
        .map_err(|error| unreadable(error.to_string()))?;
    let ns = positive(&text, keys).map_err(unreadable)?;
    Ok(Some(Time { ns, when }))
}

fn positive(text: &str, keys: &[&str]) -> Result<f64, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    keys.iter()
        .try_fold(&value, |value, key| value.get(key))
        .and_then(Value::as_f64)
        .filter(|number| *number > 0.0)
        .ok_or_else(|| format!("no positive number at `{}`", keys.join(".")))
}

/// Compiles 10,000 mixed rules, or the example, and gives the length of the artifact.
#[must_use]
pub fn compile_and_weigh(large: bool) -> usize {
    let sources = if large {
        drawn_sources(Kind::Mixed, 10_000)
    } else {
        real_sources()
    };
    compiled(&sources).bytes.len()
}

/// The peak of this process's memory in KiB, where the system tells.
#[must_use]
pub fn peak_kib() -> Option<u64> {
    peak_of(&fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_read_by_their_median() {
        let text = r#"{"mean":{"point_estimate":9.0},"median":{"point_estimate":52.5,"standard_error":1}}"#;
        assert_eq!(positive(text, &["median", "point_estimate"]), Ok(52.5));
        assert!(positive(text, &["slope", "point_estimate"]).is_err());
        assert!(positive("{", &["median"]).is_err());
        assert!(positive(r#"{"median":-1}"#, &["median"]).is_err());
    }

    #[test]
    fn no_file_is_no_measurement_and_a_broken_one_is_an_error() {
        let folder = permc_tests::folder::Folder::new("bench-report");
        let path = folder.path().join("estimates.json");
        assert_eq!(number(&path, &["median"]).unwrap(), None);
        folder.write("estimates.json", "{");
        assert!(number(&path, &["median"]).is_err());
        folder.write("estimates.json", r#"{"median": 3}"#);
        assert_eq!(number(&path, &["median"]).unwrap().unwrap().ns, 3.0);
    }

    #[test]
    fn times_far_apart_are_of_two_runs() {
        let first = Time {
            ns: 1.0,
            when: SystemTime::UNIX_EPOCH,
        };
        let later = |seconds| Time {
            when: first.when + Duration::from_secs(seconds),
            ..first
        };
        assert!(later(600).is_near(&first) && first.is_near(&later(600)));
        assert!(!later(7_200).is_near(&first));
    }

    #[test]
    fn the_peak_is_found_in_the_status() {
        assert_eq!(
            peak_of("VmPeak:\t  9 kB\nVmHWM:\t  1234 kB\nVmRSS:\t 7 kB\n"),
            Some(1234)
        );
        assert_eq!(peak_of("VmRSS:\t 7 kB\n"), None);
    }
}
