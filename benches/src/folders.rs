//! Where measurements lie: the build folder that the running program was built into.

use std::path::{Path, PathBuf};

/// The build folder, usually `target`.
#[must_use]
pub fn target() -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|program| target_of(&program))
        .unwrap_or_else(|| PathBuf::from("target"))
}

/// Where criterion writes.
#[must_use]
pub fn criterion() -> PathBuf {
    std::env::var_os("CRITERION_HOME").map_or_else(|| target().join("criterion"), PathBuf::from)
}

/// Where the script of the reference extension writes.
#[must_use]
pub fn node_result() -> PathBuf {
    target().join("bench-node").join("result.json")
}

/// `target` of `target/release/program` and of `target/release/deps/program`.
fn target_of(program: &Path) -> Option<PathBuf> {
    let profile = program
        .parent()
        .filter(|folder| !folder.ends_with("deps"))
        .or_else(|| program.parent()?.parent())?;
    profile.parent().map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_benchmarks_lie_in_the_same_folder() {
        let expected = Some(PathBuf::from("/a/target"));
        assert_eq!(
            target_of(Path::new("/a/target/release/permc-bench-report")),
            expected
        );
        assert_eq!(
            target_of(Path::new("/a/target/release/deps/lookup-12")),
            expected
        );
    }
}
