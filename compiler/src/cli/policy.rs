//! What a POLICY argument names: an artifact, a manifest, or a directory that holds one. All end as artifact bytes.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use permc_grammar::limits::Limits;
use permc_runtime::{BindError, Bound, Context, LoadError, Policy};

use crate::config::SessionRule;
use crate::decode::Artifact;
use crate::diagnostic::has_errors;
use crate::manifest::FILE_NAME;
use crate::parse::{Body, parse_sources};
use crate::source::{SourceDocument, SourceSet, find_manifest, read_file};
use crate::source_map::Role;

use super::budget::BudgetArgs;
use super::console::Console;
use super::failure::{Failure, Findings};
use super::inputs::{Plan, is_artifact, manifest_bytes_plan, manifest_plan, no_manifest};

/// No artifact file is read further than this.
const LARGEST: usize = 1 << 30;

/// The bytes of a policy and the file that stands for it.
#[derive(Debug)]
pub(crate) struct Resolved {
    bytes: Vec<u8>,
    path: PathBuf,
}

/// Finds, reads and where needed compiles a policy. `searches`: the command has a budget for an artifact, too.
pub(crate) fn resolve(
    policy: Option<&Path>,
    budget: &BudgetArgs,
    searches: bool,
    console: &mut Console<'_, '_>,
) -> Result<Resolved, Failure> {
    let bounds = budget.bounds()?;
    let Some(typed) = policy else {
        let path = find_manifest(console.cwd())
            .ok_or_else(no_manifest)
            .map_err(|failure| {
                failure.help("name a policy with `--policy`, or start one with `permc init`")
            })?;
        let plan = manifest_plan(&path, console)?.bounded(bounds);
        return compiled(&plan, path, console);
    };
    let mut path = console.typed(typed);
    if path.is_dir() {
        path.push(FILE_NAME);
        if !path.exists() {
            return Err(
                Failure::about(&path, console.cwd(), "there is no such file")
                    .help("give an artifact, a manifest, or a directory that holds `permc.jsonc`"),
            );
        }
    }
    let bytes = read_policy(&path, console.cwd())?;
    if !is_artifact(&bytes) && is_document(&path, &bytes) {
        let plan = manifest_bytes_plan(&path, bytes, console)?.bounded(bounds);
        return compiled(&plan, path, console);
    }
    budget.for_artifact(&path, console.cwd(), searches)?;
    console.detail(&format!(
        "artifact {}",
        super::text::shown_path(&path, console.cwd())
    ));
    Ok(Resolved { bytes, path })
}

/// The policy of a stream: the only argument, or the option.
pub(crate) fn stream_policy<'a>(
    arguments: &'a [OsString],
    option: Option<&'a Path>,
) -> Result<Option<&'a Path>, Failure> {
    match (arguments, option) {
        ([], policy) => Ok(policy),
        ([policy], None) => Ok(Some(Path::new(policy))),
        ([_], Some(_)) => {
            Err(Failure::usage("the policy is given twice").help("leave `--policy` out"))
        }
        _ => Err(
            Failure::usage("with `--stdin` the only argument is the policy")
                .help("what is asked comes from the lines of standard input"),
        ),
    }
}

/// Reads a file that may be an artifact.
pub(crate) fn read_policy(path: &Path, cwd: &Path) -> Result<Vec<u8>, Failure> {
    let documents = Limits::default();
    // What is not a regular file may never end.
    let max_bytes = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => LARGEST,
        _ => documents.max_bytes,
    };
    read_file(
        path,
        &Limits {
            max_bytes,
            ..documents
        },
    )
    .map_err(|why| Failure::about(path, cwd, why))
}

/// Whether a file that is no artifact was meant as a manifest.
fn is_document(path: &Path, bytes: &[u8]) -> bool {
    let is_named_so = path
        .extension()
        .is_some_and(|extension| extension == "jsonc" || extension == "json");
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    is_named_so || matches!(text.trim_ascii_start().first(), Some(b'{' | b'/'))
}

fn compiled(
    plan: &Plan,
    path: PathBuf,
    console: &mut Console<'_, '_>,
) -> Result<Resolved, Failure> {
    if plan.inputs.is_empty() {
        return Err(
            Failure::about(&path, console.cwd(), "the manifest names no document")
                .help("add a line such as `\"global\": \"policy.jsonc\"`"),
        );
    }
    let compilation = plan.compile(console)?;
    match compilation.output {
        Some(output) => Ok(Resolved {
            bytes: output.bytes,
            path,
        }),
        None => Err(Findings {
            sources: compilation.sources,
            diagnostics: compilation.diagnostics,
        }
        .into()),
    }
}

impl Resolved {
    /// Loads the policy for asking.
    pub(crate) fn load(self, cwd: &Path) -> Result<Policy, Failure> {
        Policy::from_bytes(self.bytes).map_err(|error| load_failure(&self.path, cwd, &error))
    }

    /// Loads the policy with everything that tools read.
    pub(crate) fn decode(self, cwd: &Path) -> Result<Artifact, Failure> {
        Artifact::from_bytes(self.bytes).map_err(|error| Failure::about(&self.path, cwd, error))
    }
}

fn load_failure(path: &Path, cwd: &Path, error: &LoadError) -> Failure {
    Failure::about(path, cwd, error)
}

/// What a check depends on, as flags give it.
#[derive(Debug, clap::Args)]
pub(crate) struct ContextArgs {
    /// The agent that asks.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Rules approved in a session: `[[surface, pattern], ...]`.
    #[arg(long, value_name = "FILE")]
    pub(crate) session: Option<PathBuf>,
    /// Yolo mode on: an ask becomes an allow.
    #[arg(long, conflicts_with = "no_yolo")]
    yolo: bool,
    /// Yolo mode off, whatever the policy says.
    #[arg(long)]
    no_yolo: bool,
    /// The home directory that `~` patterns mean; without it `$HOME`.
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
    /// The working directory where none is named; without it the current one.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// The model that asks, as the session knows it: its trust tier counts.
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<String>,
}

impl ContextArgs {
    /// The context, with the home of the environment where none is given, and the working directory that was found.
    pub(crate) fn context<'s>(
        &'s self,
        environment_home: Option<&'s str>,
        cwd: Option<&'s str>,
    ) -> Context<'s> {
        Context {
            home: self.home.as_deref().or(environment_home),
            cwd,
            agent: self.agent.as_deref(),
            model: self.model.as_deref(),
            yolo: (self.yolo || self.no_yolo).then_some(self.yolo),
        }
    }

    /// The working directory; none where no flag names one and the current one is no absolute UTF-8 path.
    pub(crate) fn directory(&self, console: &Console<'_, '_>) -> Result<Option<String>, Failure> {
        match &self.cwd {
            Some(typed) => absolute(Path::new(typed), console).map(Some),
            None => Ok(absolute(Path::new(""), console).ok()),
        }
    }

    /// The rules of the session file, oldest first.
    pub(crate) fn session_rules(
        &self,
        console: &mut Console<'_, '_>,
    ) -> Result<Vec<(String, String)>, Failure> {
        let Some(path) = &self.session else {
            return Ok(Vec::new());
        };
        let limits = Limits::default();
        let full = console.typed(path);
        let content =
            read_file(&full, &limits).map_err(|why| Failure::about(&full, console.cwd(), why))?;
        let display = path.to_string_lossy().into_owned();
        let document = SourceDocument {
            role: Role::Session,
            name: display.clone(),
            display,
            content: Ok(content),
        };
        let parsed = parse_sources(&SourceSet::from(vec![document]), &limits);
        if has_errors(&parsed.diagnostics) {
            return Err(Findings {
                sources: parsed.sources,
                diagnostics: parsed.diagnostics,
            }
            .into());
        }
        let rules = parsed
            .documents
            .into_iter()
            .flat_map(|document| match document.body {
                Body::Session(rules) => rules,
                _ => Vec::new(),
            });
        let plain = |(surface, pattern): SessionRule| (surface.value, pattern.value);
        Ok(rules.map(plain).collect())
    }
}

/// A directory as absolute text.
fn absolute(path: &Path, console: &Console<'_, '_>) -> Result<String, Failure> {
    let full = console.typed(path);
    let text = full
        .to_str()
        .map(|text| text.trim_end_matches('/').to_owned());
    let text = text.map(|text| {
        if text.is_empty() {
            "/".to_owned()
        } else {
            text
        }
    });
    text.filter(|text| text.starts_with('/'))
        .ok_or_else(unknown_directory)
}

/// The working directory is not known.
pub(crate) fn unknown_directory() -> Failure {
    Failure::usage("the working directory is not known as an absolute UTF-8 path")
        .help("give `--cwd DIR`, or `cwd` in the call")
}

/// Binds a policy; the words about an unknown home name the flag.
pub(crate) fn bind<'p>(policy: &'p Policy, context: Context<'_>) -> Result<Bound<'p>, Failure> {
    policy.bind(context).map_err(|error| {
        let failure = Failure::usage(bind_words(error));
        if error.is_home_unknown() {
            failure.help("give `--home DIR`, or set `HOME`")
        } else if error.is_cwd_unknown() {
            failure.help("give `--cwd DIR`")
        } else {
            failure
        }
    })
}

/// Why a policy cannot be bound.
pub(crate) fn bind_words(error: BindError) -> String {
    if error.is_home_unknown() {
        "the policy has patterns under the home directory, but no home directory is known"
            .to_owned()
    } else if error.is_cwd_unknown() {
        "the policy has trust tiers, but the working directory is not known as an absolute UTF-8 path"
            .to_owned()
    } else {
        error.to_string()
    }
}
