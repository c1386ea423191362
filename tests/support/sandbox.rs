//! A bash that can do no harm: its programs are stubs that write down how they are called.
//!
//! A case that claims to be an attack is run here, so that it is one. Nothing outside a fresh directory is in reach:
//! no other program is on the path, and cases name none by its place.

#![expect(clippy::print_stderr, reason = "a test that is skipped must say so")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::Folder;

/// Programs that are written down and do nothing.
const STUBS: [&str; 8] = ["rm", "git", "curl", "wget", "ls", "sudo", "npm", "docker"];

/// Programs that are harmless and that attacks need.
const REAL: [&str; 18] = [
    "bash", "sh", "env", "xargs", "nice", "timeout", "nohup", "cat", "awk", "sed", "tee", "true",
    "false", "stdbuf", "setsid", "find", "seq", "head",
];

/// Longest run of one text.
const LONGEST: Duration = Duration::from_secs(5);

/// A directory with stubs and a log.
#[derive(Debug)]
pub struct Sandbox {
    folder: Folder,
    bash: PathBuf,
}

impl Sandbox {
    /// A fresh one; `None`, with a line that says so, where there is no bash.
    #[must_use]
    pub fn new() -> Option<Self> {
        let find = |name: &str| {
            let places = ["/bin", "/usr/bin"].iter();
            places
                .map(|place| Path::new(place).join(name))
                .find(|path| path.exists())
        };
        let Some(bash) = find("bash") else {
            assert!(
                std::env::var_os("CI").is_none(),
                "no bash to run attacks in, and this is CI"
            );
            eprintln!("skipped: no bash to run attacks in");
            return None;
        };
        let folder = Folder::new("sandbox");
        let root = folder.path();
        for name in ["bin", "home", "w"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let log = root.join("log");
        for name in STUBS {
            let stub = root.join("bin").join(name);
            let text = format!(
                "#!{}\nprintf '%s\\n' \"{name}${{*:+ $*}}\" >> '{}'\n",
                bash.display(),
                log.display()
            );
            fs::write(&stub, text).unwrap();
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in REAL {
            let found = if name == "sh" {
                Some(bash.clone())
            } else {
                find(name)
            };
            if let Some(found) = found {
                symlink(found, root.join("bin").join(name)).unwrap();
            }
        }
        Some(Self { folder, bash })
    }

    /// Runs a text and gives the calls of stubs: names and arguments with a blank between them.
    #[must_use]
    pub fn run(&self, text: &str) -> Vec<String> {
        let root = self.folder.path();
        let log = root.join("log");
        fs::write(&log, "").unwrap();
        fs::remove_dir_all(root.join("w")).unwrap();
        fs::create_dir(root.join("w")).unwrap();
        // `./rm` of a case is a stub, too.
        symlink(root.join("bin/rm"), root.join("w/rm")).unwrap();
        let limits = "ulimit -t 2 -f 1000; exec \"$0\" --norc --noprofile -c \"$1\"";
        let mut child = Command::new(&self.bash)
            .args(["--norc", "--noprofile", "-c", limits])
            .arg(&self.bash)
            .arg(text)
            .env_clear()
            .env("PATH", root.join("bin"))
            .env("HOME", root.join("home"))
            .current_dir(root.join("w"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > LONGEST {
                child.kill().unwrap();
                child.wait().unwrap();
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // What stands behind `&` or in a process substitution may still be on its way.
        let read = || fs::read_to_string(&log).unwrap();
        let mut lines = read();
        for _ in 0..20 {
            if lines.contains("rm x") {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
            lines = read();
        }
        lines.lines().map(str::to_owned).collect()
    }
}
