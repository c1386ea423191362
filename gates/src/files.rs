//! How files are looked at: links and globs through a trait, so that pure evaluation touches nothing.

use std::fs;
use std::path::Path;

/// Names of one directory beyond which a glob is not expanded.
const MOST_NAMES: usize = 10_000;

/// What the gates may want to know about files. Nothing here changes any.
///
/// # Example
///
/// ```
/// use permc_gates::{Files, NoFiles};
///
/// assert_eq!(NoFiles.real_path("/etc/hosts"), None);
/// assert!(!NoFiles.is_real());
/// ```
pub trait Files {
    /// The path of an existing file with all links resolved; `None` where it does not exist or cannot be told.
    fn real_path(&self, path: &str) -> Option<String>;

    /// The names in an existing directory, in any order; `None` where they cannot be told.
    fn list(&self, directory: &str) -> Option<Vec<String>>;

    /// Whether files can be looked at at all.
    fn is_real(&self) -> bool;
}

/// Pure evaluation: nothing is known about any file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoFiles;

impl Files for NoFiles {
    fn real_path(&self, _path: &str) -> Option<String> {
        None
    }

    fn list(&self, _directory: &str) -> Option<Vec<String>> {
        None
    }

    fn is_real(&self) -> bool {
        false
    }
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RealFiles;

impl Files for RealFiles {
    fn real_path(&self, path: &str) -> Option<String> {
        let real = fs::canonicalize(Path::new(path)).ok()?;
        real.into_os_string().into_string().ok()
    }

    fn list(&self, directory: &str) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(Path::new(directory)).ok()? {
            // A name that is no text cannot be told, and so neither can the list.
            names.push(entry.ok()?.file_name().into_string().ok()?);
            if names.len() > MOST_NAMES {
                return None;
            }
        }
        Some(names)
    }

    fn is_real(&self) -> bool {
        true
    }
}
