//! A directory with files, and runs of the command line in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use permc::cli::{Environment, ExitStatus, Io, run};
use serde_json::Value;

/// A directory that is removed at the end of the test.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) home: Option<String>,
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }

    /// The answers of a stream.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Checks that the run ended with this status and says these things on standard error, and nothing on the other.
    pub(crate) fn refused(&self, status: ExitStatus, parts: &[&str]) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.out, "", "no data beside an error");
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is not in\n{}", self.err);
        }
        assert!(
            !self.err.contains("panicked") && !self.err.contains("/home/"),
            "{}",
            self.err
        );
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("permc-cli-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self {
            path,
            home: Some("/home/dev".to_owned()),
        }
    }

    /// A directory with the policy that most tests ask: a manifest, two scopes, an agent, servers.
    pub(crate) fn with_policy() -> Self {
        let folder = Self::new();
        folder.write("permc.jsonc", MANIFEST);
        folder.write("policy.jsonc", POLICY);
        folder.write("project.jsonc", PROJECT);
        folder.write("agents/reviewer.jsonc", REVIEWER);
        folder.write("mcp.json", r#"{ "mcpServers": { "exa": {} } }"#);
        folder
    }

    /// The same, with its artifact.
    pub(crate) fn compiled() -> Self {
        let folder = Self::with_policy();
        let ran = folder.run(&["compile"]);
        assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
        folder
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path.join(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path.join(name)).is_ok()
    }

    /// All names directly in the directory, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        self.run_in(&self.path, args.iter().map(Into::into), stdin)
    }

    pub(crate) fn run_in(
        &self,
        cwd: &Path,
        args: impl Iterator<Item = OsString>,
        stdin: &[u8],
    ) -> Ran {
        let (mut input, mut out, mut err) = (stdin, Vec::new(), Vec::new());
        let mut io = Io {
            stdin: &mut input,
            stdout: &mut out,
            stderr: &mut err,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            width: Some(100),
            cwd: cwd.to_owned(),
            environment: Environment {
                home: self.home.clone(),
                ..Environment::default()
            },
        };
        let args = std::iter::once("permc".into()).chain(args);
        let status = run(args, &mut io);
        Ran {
            status,
            out: String::from_utf8(out).unwrap(),
            err: String::from_utf8(err).unwrap(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

const MANIFEST: &str = r#"{
  "global": "policy.jsonc",
  "project": "project.jsonc",
  "agents": "agents",
  "mcp": "mcp.json",
  "output": "policy.permc"
}
"#;

const POLICY: &str = r#"{
  "permission": {
    "*": "ask",
    "bash": {
      "*": "ask",
      "git *": "allow",
      "git push*": { "action": "deny", "reason": "by people only" }
    },
    "mcp": { "exa_*": "allow" },
    "path": { "*": "allow", "~/.ssh/*": "deny", "*.env": "deny" },
    "web_fetch": "deny"
  }
}
"#;

const PROJECT: &str = r#"{
  "permission": {
    "bash": { "git *": "ask", "make *": "allow" }
  }
}
"#;

const REVIEWER: &str = r#"{
  "permission": { "bash": "deny" }
}
"#;
