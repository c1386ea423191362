//! Replacing a file in one step: readers see the old file or the new one, never a part.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process;

/// Writes a temporary file in the same directory and renames it over `path`; a symbolic link stays and its target is
/// replaced. On any error the old file is as it was and no temporary file is left.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    let target = if is_link {
        fs::canonicalize(path)?
    } else {
        path.to_owned()
    };
    let (temporary, file) = create_beside(&target)?;
    let result = fill(file, bytes).and_then(|()| fs::rename(&temporary, &target));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Why a file may not be replaced by an artifact; what is there and is not an artifact was not written by permc.
pub(crate) fn refuses_artifact(path: &Path) -> Option<&'static str> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_dir() {
        return Some("this is a directory, but a file is wanted");
    }
    if !metadata.is_file() {
        return Some("this is not a regular file");
    }
    let limits = permc_grammar::limits::Limits {
        max_bytes: 16,
        ..Default::default()
    };
    let head = crate::source::read_file(path, &limits).ok()?;
    if head.is_empty() || super::inputs::is_artifact(&head) {
        None
    } else {
        Some("the file exists and is not a permc artifact")
    }
}

fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().ok_or(ErrorKind::InvalidFilename)?;
    for attempt in 0..100_u32 {
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{attempt}.tmp", process::id()));
        let path = target.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            // Left behind by a process that was killed and had the same number, or being written by another thread.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((path, file)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn fill(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    // Renaming before the bytes are on the disk could leave an empty file after a power cut.
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::replace_file;
    use std::fs;

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("permc-write-{}", std::process::id()));
        let target = folder.join("target");
        // A rename cannot put a file over a directory, and by then the temporary file is written.
        fs::create_dir_all(target.join("inside")).unwrap();
        assert!(replace_file(&target, b"new").is_err());
        let names: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["target"]);

        fs::remove_dir_all(&target).unwrap();
        fs::write(&target, b"old").unwrap();
        replace_file(&target, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_target_is_replaced() {
        let folder = std::env::temp_dir().join(format!("permc-link-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (link, target) = (folder.join("link"), folder.join("target"));
        fs::write(&target, b"old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        replace_file(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        fs::remove_dir_all(&folder).unwrap();
    }
}
