//! `permc init`: the files to start a policy with.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::ExitStatus;
use super::console::Console;
use super::failure::Failure;
use super::text::{shown_path, ticked};

/// Write a starter policy, its manifest, a test file and a CI workflow.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  permc init\n  permc compile\n  permc query bash 'git status'")]
pub(crate) struct InitArgs {
    /// The directory, which is made where it does not exist.
    #[arg(value_name = "DIR", default_value = ".", hide_default_value = true)]
    directory: PathBuf,
}

const FILES: [(&str, &str); 4] = [
    ("policy.jsonc", include_str!("starter/policy.jsonc")),
    ("permc.jsonc", include_str!("starter/permc.jsonc")),
    (
        "policy.permtest.jsonc",
        include_str!("starter/policy.permtest.jsonc"),
    ),
    ("permc-ci.yml", include_str!("starter/permc-ci.yml")),
];

pub(crate) fn run(args: &InitArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let directory = console.typed(&args.directory);
    let cannot = |path: &Path, error: &io::Error, console: &Console<'_, '_>| {
        Failure::about(path, console.cwd(), format!("cannot be written: {error}"))
    };
    let there: Vec<String> = FILES
        .iter()
        .filter(|(name, _)| fs::symlink_metadata(directory.join(name)).is_ok())
        .map(|(name, _)| ticked(name))
        .collect();
    if !there.is_empty() {
        let verb = if there.len() == 1 { "exists" } else { "exist" };
        return Err(Failure::usage(format!(
            "{} already {verb}, so that nothing was written",
            there.join(", ")
        ))
        .help("give another directory, or move what is there out of the way"));
    }
    fs::create_dir_all(&directory).map_err(|error| cannot(&directory, &error, console))?;
    let mut written: Vec<PathBuf> = Vec::new();
    for (name, text) in FILES {
        let path = directory.join(name);
        if let Err(error) = create(&path, text) {
            // All or nothing: a half of a policy would be in the way of the next try.
            if error.kind() != ErrorKind::AlreadyExists {
                written.push(path.clone());
            }
            for path in &written {
                let _ = fs::remove_file(path);
            }
            return Err(cannot(&path, &error, console));
        }
        written.push(path);
    }
    if console.is_json() {
        let names = FILES.map(|(name, _)| name);
        console.json(&json!({"schema": "permc/init/1", "files": names}))?;
        return Ok(ExitStatus::Success);
    }
    for path in &written {
        let line = format!("wrote {}\n", shown_path(path, console.cwd()));
        console.out(line)?;
    }
    console.talk("next: edit `policy.jsonc`, then run `permc compile` beside it; the workflow belongs into `.github/workflows`");
    Ok(ExitStatus::Success)
}

/// Writes a file that must not exist.
fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}
