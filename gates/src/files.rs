//! How files are looked at: links and globs through a trait, so that pure evaluation touches nothing.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Names of one directory beyond which a glob is not expanded.
const MOST_NAMES: usize = 10_000;
/// Links to links that are followed, as systems do.
const MOST_LINKS: usize = 40;

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
    ///
    /// A link to what does not exist is a file that exists: its path is where something written through it would be.
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
        let path = Path::new(path);
        let real = fs::canonicalize(path).ok().or_else(|| behind_link(path))?;
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

/// Where a link leads whose target does not exist; `None` for anything else.
fn behind_link(path: &Path) -> Option<PathBuf> {
    let mut at = path.to_owned();
    let mut is_link = false;
    for _ in 0..MOST_LINKS {
        let directory = at.parent().and_then(|parent| fs::canonicalize(parent).ok());
        let Some(directory) = directory else {
            break;
        };
        let Ok(target) = fs::read_link(&at) else {
            break;
        };
        is_link = true;
        at = directory.join(target);
    }
    is_link.then(|| deepest(&at))
}

/// The deepest ancestor that exists, resolved, and the rest.
fn deepest(path: &Path) -> PathBuf {
    let mut at = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                at.pop();
            }
            Component::CurDir => {}
            part => at.push(part),
        }
        if let Ok(real) = fs::canonicalize(&at) {
            at = real;
        }
    }
    at
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    struct Room(PathBuf);

    impl Drop for Room {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn links_lead_where_something_written_through_them_would_be() {
        let name = format!("permc-gates-files-{}", std::process::id());
        let room = Room(std::env::temp_dir().join(name));
        fs::create_dir_all(room.0.join("w/sub")).unwrap();
        let root = fs::canonicalize(&room.0).unwrap();
        fs::write(root.join("there"), "").unwrap();
        for (link, target) in [
            ("w/good", "../there"),
            ("w/dangling", "../not-there"),
            ("w/chain", "dangling"),
            ("w/far", "../no/../nowhere/x"),
            ("w/loop", "loop"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let real = |path: &str| RealFiles.real_path(root.join(path).to_str().unwrap());
        let at = |path: &str| Some(root.join(path).to_str().unwrap().to_owned());
        assert_eq!(real("w/sub"), at("w/sub"));
        assert_eq!(real("w/good"), at("there"));
        assert_eq!(real("w/dangling"), at("not-there"));
        assert_eq!(real("w/chain"), at("not-there"));
        assert_eq!(real("w/far"), at("nowhere/x"));
        // A ring leads nowhere; it only has to end.
        assert_eq!(real("w/loop"), at("w/loop"));
        assert_eq!(real("w/nothing"), None);
        assert_eq!(real("none/nothing"), None);
        let mut names = RealFiles.list(root.to_str().unwrap()).unwrap();
        names.sort_unstable();
        assert_eq!(names, ["there", "w"]);
        assert_eq!(RealFiles.list(root.join("none").to_str().unwrap()), None);
    }
}
