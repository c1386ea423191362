//! `permc compile`: documents to an artifact, or a check that the artifact is up to date.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Args;
use permc_runtime::Policy;
use serde_json::{Value, json};

use crate::compile::{Compilation, Output};
use crate::diagnostic::render_json;
use crate::options::Options;
use crate::source::SourceSet;
use crate::source_map::Role;

use super::ExitStatus;
use super::console::Console;
use super::failure::{Failure, Findings};
use super::inputs::{InputArgs, Plan};
use super::policy::read_policy;
use super::text::{counted, hex, shown_path};
use super::write::{refuses_artifact, replace_file};

/// Compile a policy into an artifact.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  permc compile\n  permc compile --global policy.jsonc -o policy.permc\n  permc compile --check"
)]
pub(crate) struct CompileArgs {
    /// Where the artifact goes; without it where the manifest says.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing; fail if the artifact is missing or not what the documents compile to.
    #[arg(long)]
    check: bool,
    /// Also write the artifact's dependencies, in the syntax of make.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    depfile: Option<PathBuf>,
    /// Stay, and compile again whenever a document or the manifest changes.
    #[arg(long, conflicts_with = "check")]
    watch: bool,
    #[command(flatten)]
    inputs: InputArgs,
}

/// How often `--watch` looks at the documents.
const POLL: Duration = Duration::from_millis(250);

pub(crate) fn run(
    args: &CompileArgs,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    if !args.watch {
        return once(args, console);
    }
    loop {
        let seen = documents(args, console);
        match once(args, console) {
            Ok(_) => {}
            // Nobody reads any more: the one way to end other than a signal.
            Err(Failure::Closed) => return Err(Failure::Closed),
            Err(failure) => {
                console.report(&failure);
            }
        }
        console.flush()?;
        while documents(args, console) == seen {
            thread::sleep(POLL);
        }
    }
}

/// What the next compilation would read; contents, because clocks and time stamps are no proof of a change.
fn documents(args: &CompileArgs, console: &mut Console<'_, '_>) -> Option<(Options, SourceSet)> {
    console.silently(|console| {
        let plan = args.inputs.plan(console).ok()?;
        let set = plan.read(console).ok()?;
        Some((plan.options, set))
    })
}

fn once(args: &CompileArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let plan = match args.inputs.plan(console) {
        Err(Failure::Findings(findings)) if console.is_json() => return failed(&findings, console),
        plan => plan?,
    };
    let typed = args.output.as_ref().map(|output| console.typed(output));
    let Some(output) = typed.or_else(|| plan.output.clone()) else {
        return Err(Failure::usage("it is not said where the artifact goes")
            .help("give `-o FILE`, or add `\"output\": \"policy.permc\"` to the manifest"));
    };
    let set = plan.read(console)?;
    let depfile = match &args.depfile {
        Some(path) => Some(dependencies(
            console.typed(path),
            &output,
            &plan,
            &set,
            console,
        )?),
        None => None,
    };
    let Compilation {
        sources,
        diagnostics,
        output: built,
    } = plan.build(&set);
    let findings = Findings {
        sources,
        diagnostics,
    };
    let Some(built) = built else {
        if console.is_json() {
            return failed(&findings, console);
        }
        return Err(findings.into());
    };
    if !console.is_json() {
        console.diagnostics(&findings);
    }
    if let Some(what) = refuses_artifact(&output) {
        return Err(Failure::about(&output, console.cwd(), what)
            .help("choose another output, or remove what is there"));
    }
    if args.check {
        return check(&built, &output, &findings, console);
    }
    let write = |path: &Path, bytes: &[u8], console: &Console<'_, '_>| {
        replace_file(path, bytes).map_err(|error| {
            Failure::about(path, console.cwd(), format!("cannot be written: {error}"))
                .help("check that the directory exists and that you may write there")
        })
    };
    write(&output, &built.bytes, console)?;
    if let Some((path, text)) = depfile {
        write(&path, text.as_bytes(), console)?;
    }
    summary(&built, &output, "written", &findings, console)?;
    Ok(ExitStatus::Success)
}

/// Compares with the artifact that is there.
fn check(
    built: &Output,
    output: &Path,
    findings: &Findings,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let state = if fs::symlink_metadata(output)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        "missing"
    } else if read_policy(output, console.cwd())? == built.bytes {
        "fresh"
    } else {
        "stale"
    };
    if console.is_json() || state == "fresh" {
        summary(built, output, state, findings, console)?;
    }
    if state == "fresh" {
        return Ok(ExitStatus::Success);
    }
    let what = if state == "missing" {
        "the artifact is missing"
    } else {
        "the artifact is not what the documents compile to"
    };
    Err(Failure::Message {
        status: ExitStatus::Findings,
        message: format!("{}: {what}", shown_path(output, console.cwd())),
        help: Some("run `permc compile` with the same inputs".to_owned()),
    })
}

/// Errors where the caller reads JSON.
fn failed(findings: &Findings, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    console.json(&json!({
        "schema": "permc/compile/1",
        "result": "failed",
        "output": null,
        "digest": null,
        "bytes": null,
        "rules": null,
        "views": null,
        "tables": null,
        "states": null,
        "diagnostics": diagnostics(findings),
    }))?;
    Ok(findings.status())
}

fn diagnostics(findings: &Findings) -> Value {
    let mut rendered = render_json(&findings.diagnostics, &findings.sources);
    rendered
        .get_mut("diagnostics")
        .map(Value::take)
        .unwrap_or_default()
}

fn summary(
    built: &Output,
    output: &Path,
    result: &str,
    findings: &Findings,
    console: &mut Console<'_, '_>,
) -> Result<(), Failure> {
    let (rules, views) = (built.policy.rules.len(), built.policy.views.len());
    let tables = Policy::from_bytes(built.bytes.as_slice())
        .ok()
        .and_then(|policy| Some(policy.contents().ok()?.tables().count()))
        .unwrap_or(0);
    let display = output.strip_prefix(console.cwd()).unwrap_or(output);
    if console.is_json() {
        return console.json(&json!({
            "schema": "permc/compile/1",
            "result": result,
            "output": display.to_string_lossy(),
            "digest": hex(&built.digest),
            "bytes": built.bytes.len(),
            "rules": rules,
            "views": views,
            "tables": tables,
            "states": built.n_states,
            "diagnostics": diagnostics(findings),
        }));
    }
    if console.is_quiet() {
        return Ok(());
    }
    let numbers = [
        counted(rules, "rule"),
        counted(views, "view"),
        counted(tables, "table"),
        counted(built.n_states, "state"),
        counted(built.bytes.len(), "byte"),
    ];
    let text = format!(
        "{}: {result}: {}\ndigest {}\n",
        shown_path(output, console.cwd()),
        numbers.join(", "),
        hex(&built.digest)
    );
    console.out(text)
}

/// A rule for make: the artifact depends on the manifest, every document, and the directories where one could appear.
fn dependencies(
    depfile: PathBuf,
    output: &Path,
    plan: &Plan,
    set: &SourceSet,
    console: &Console<'_, '_>,
) -> Result<(PathBuf, String), Failure> {
    let (inputs, cwd) = (&plan.inputs, console.cwd());
    let documents = set
        .documents
        .iter()
        .filter_map(|document| match document.role {
            Role::Global => inputs.global.clone(),
            Role::Project => inputs.project.clone(),
            Role::Mcp => inputs.mcp.clone(),
            Role::Session => inputs.session.clone(),
            Role::Tiers => inputs.tiers.clone(),
            Role::Manifest => None,
            Role::Agent(_) => Some(inputs.agents.as_ref()?.join(&document.name)),
            Role::ProjectAgent(_) => Some(inputs.project_agents.as_ref()?.join(&document.name)),
        });
    let agents = [&inputs.agents, &inputs.project_agents]
        .into_iter()
        .flatten()
        .cloned();
    let paths: Vec<PathBuf> = plan
        .manifest
        .iter()
        .cloned()
        .chain(documents)
        .chain(agents)
        .collect();
    if depfile == output || paths.contains(&depfile) {
        let what = "the dependency file would overwrite the artifact or a document";
        return Err(Failure::about(&depfile, cwd, what).help("give `--depfile` a name of its own"));
    }
    let mut text = escaped(output, cwd)?;
    text.push(':');
    for path in &paths {
        text.push_str(" \\\n  ");
        text.push_str(&escaped(path, cwd)?);
    }
    text.push('\n');
    Ok((depfile, text))
}

/// A path as make reads it.
fn escaped(path: &Path, cwd: &Path) -> Result<String, Failure> {
    let short = path.strip_prefix(cwd).unwrap_or(path);
    let text = short.to_str().filter(|text| !text.contains(['\n', '\r']));
    let text =
        text.ok_or_else(|| Failure::about(path, cwd, "a dependency file cannot hold this name"))?;
    let mut result = String::new();
    for character in text.chars() {
        match character {
            '$' => result.push('$'),
            ' ' | '\t' | '#' | ':' | '%' => result.push('\\'),
            _ => {}
        }
        result.push(character);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::escaped;
    use std::path::Path;

    #[test]
    fn names_are_escaped_for_make() {
        let name = |text: &str| escaped(Path::new(text), Path::new("/base")).ok();
        assert_eq!(name("/base/a/b.jsonc"), Some("a/b.jsonc".into()));
        assert_eq!(name("/other/a b#c$d"), Some("/other/a\\ b\\#c$$d".into()));
        assert_eq!(name("a\nb"), None);
    }
}
