//! The inputs of every command that compiles: flags, a manifest, or the reference extension's own locations.

use std::path::{Path, PathBuf};

use clap::Args;
use permc_grammar::limits::Limits;
use permc_grammar::span::Spanned;

use crate::compile::{Compilation, compile};
use crate::manifest::{FILE_NAME, Manifest};
use crate::options::Options;
use crate::parse::parse_manifest_source;
use crate::source::{
    Inputs, SourceSet, find_manifest, pi_agent_directory, pi_inputs, read, read_file,
};

use super::budget::{Bounds, BudgetArgs};
use super::console::Console;
use super::failure::{Failure, Findings};
use super::text::{shown, shown_path};

/// Where the documents are.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Inputs")]
pub(crate) struct InputArgs {
    /// The manifest; without any input flag `permc.jsonc` is looked for upwards from the working directory.
    #[arg(long, value_name = "FILE", conflicts_with = "pi")]
    manifest: Option<PathBuf>,
    /// The operator's document.
    #[arg(long, value_name = "FILE")]
    global: Option<PathBuf>,
    /// The project's document.
    #[arg(long, value_name = "FILE")]
    project: Option<PathBuf>,
    /// The directory of the operator's agent files.
    #[arg(long, value_name = "DIR")]
    agents: Option<PathBuf>,
    /// The directory of the project's agent files.
    #[arg(long, value_name = "DIR")]
    project_agents: Option<PathBuf>,
    /// The list of MCP servers.
    #[arg(long, value_name = "FILE")]
    mcp: Option<PathBuf>,
    /// Rules approved in a session, to be compiled in.
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
    /// Trust tiers in a file of their own.
    #[arg(long, value_name = "FILE")]
    tiers: Option<PathBuf>,
    /// The reference extension's own locations, for the project DIR (without it: the working directory).
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    pi: Option<PathBuf>,
    /// Path surfaces fold case, and `\` equals `/`.
    #[arg(long)]
    fold_paths: bool,
    /// Leave the project's documents out.
    #[arg(long)]
    untrusted_project: bool,
    /// A broken document of a project or agent turns allows into asks instead of stopping the compilation.
    #[arg(long)]
    fail_closed: bool,
    #[command(flatten)]
    budget: BudgetArgs,
}

/// What is to be compiled, and how.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) inputs: Inputs,
    pub(crate) options: Options,
    /// The size limit; its budget is in the options already.
    pub(crate) bounds: Bounds,
    /// Where the manifest puts the artifact.
    pub(crate) output: Option<PathBuf>,
    /// What paths are shown relative to.
    pub(crate) base: PathBuf,
    pub(crate) manifest: Option<PathBuf>,
}

impl InputArgs {
    /// Finds the manifest where one counts and lets the flags override it.
    pub(crate) fn plan(&self, console: &mut Console<'_, '_>) -> Result<Plan, Failure> {
        let bounds = self.budget.bounds()?;
        let mut plan = self.base_plan(console)?.bounded(bounds);
        let flags = [
            (&self.global, &mut plan.inputs.global),
            (&self.project, &mut plan.inputs.project),
            (&self.agents, &mut plan.inputs.agents),
            (&self.project_agents, &mut plan.inputs.project_agents),
            (&self.mcp, &mut plan.inputs.mcp),
            (&self.session, &mut plan.inputs.session),
            (&self.tiers, &mut plan.inputs.tiers),
        ];
        for (flag, input) in flags {
            if let Some(path) = flag {
                *input = Some(console.typed(path));
            }
        }
        plan.options.fold_paths |= self.fold_paths;
        plan.options.untrusted_project |= self.untrusted_project;
        plan.options.fail_closed |= self.fail_closed;
        if plan.inputs.is_empty() && self.pi.is_none() {
            let manifest = plan.manifest.unwrap_or_default();
            return Err(
                Failure::about(&manifest, console.cwd(), "the manifest names no document")
                    .help("add a line such as `\"global\": \"policy.jsonc\"`"),
            );
        }
        Ok(plan)
    }

    fn base_plan(&self, console: &mut Console<'_, '_>) -> Result<Plan, Failure> {
        if let Some(project) = &self.pi {
            return pi_plan(project, console);
        }
        if let Some(path) = &self.manifest {
            return manifest_plan(&console.typed(path), console);
        }
        let has_document = self.global.is_some()
            || self.project.is_some()
            || self.agents.is_some()
            || self.project_agents.is_some();
        // A list of servers, a session or tiers alone are no policy: they are meant for the one of the manifest.
        let has_addition = self.mcp.is_some() || self.session.is_some() || self.tiers.is_some();
        let found = if has_document {
            None
        } else {
            find_manifest(console.cwd())
        };
        match found {
            Some(path) => manifest_plan(&path, console),
            None if has_document || has_addition => Ok(Plan {
                inputs: Inputs::default(),
                options: Options::default(),
                bounds: Bounds::default(),
                output: None,
                base: console.cwd().to_owned(),
                manifest: None,
            }),
            None => Err(no_manifest()),
        }
    }
}

/// No manifest up to the root.
pub(crate) fn no_manifest() -> Failure {
    Failure::usage(format!("there is no `{FILE_NAME}` here or in a directory above"))
        .help("start a policy with `permc init`, or name its documents, as in `permc check --global policy.jsonc`")
}

fn pi_plan(project: &Path, console: &mut Console<'_, '_>) -> Result<Plan, Failure> {
    let environment = console.environment().clone();
    let (configured, home) = (environment.pi_agent_directory, environment.home);
    if configured.is_none() && home.is_none() {
        return Err(
            Failure::usage("`--pi` needs a home directory, but none is known")
                .help("set `HOME` or `PI_CODING_AGENT_DIR`"),
        );
    }
    let home = PathBuf::from(home.unwrap_or_default());
    let directory = console.typed(&pi_agent_directory(configured.as_deref(), &home));
    let project = console.typed(project);
    if !project.is_dir() {
        return Err(Failure::about(
            &project,
            console.cwd(),
            "there is no such directory",
        ));
    }
    let inputs = pi_inputs(Some(&project), &directory);
    if inputs.is_empty() {
        let (project, directory) = (
            shown_path(&project, console.cwd()),
            shown_path(&directory, console.cwd()),
        );
        console.talk(&format!(
            "note: no document in {directory} and {project}, so that every call is asked about"
        ));
    }
    Ok(Plan {
        inputs,
        options: Options::default(),
        bounds: Bounds::default(),
        output: None,
        base: console.cwd().to_owned(),
        manifest: None,
    })
}

/// Reads a manifest file.
pub(crate) fn manifest_plan(path: &Path, console: &mut Console<'_, '_>) -> Result<Plan, Failure> {
    let limits = Limits::default();
    let bytes = read_file(path, &limits).map_err(|why| Failure::about(path, console.cwd(), why))?;
    manifest_bytes_plan(path, bytes, console)
}

/// The same for a file that was read already.
pub(crate) fn manifest_bytes_plan(
    path: &Path,
    bytes: Vec<u8>,
    console: &mut Console<'_, '_>,
) -> Result<Plan, Failure> {
    if is_artifact(&bytes) {
        let what = "this is a compiled policy, but a manifest is wanted";
        return Err(Failure::about(path, console.cwd(), what).help(
            "give the manifest that it was compiled from; `permc inspect` shows what is in it",
        ));
    }
    let options = Options::default();
    let display = path.strip_prefix(console.cwd()).unwrap_or(path);
    let looks_like_policy = bytes.windows(12).any(|window| window == b"\"permission\"");
    let (sources, manifest, mut diagnostics) =
        parse_manifest_source(&display.to_string_lossy(), &Ok(bytes), &options.limits);
    console.detail(&format!("manifest {}", shown_path(path, console.cwd())));
    let Some(manifest) = manifest.filter(|_| !crate::diagnostic::has_errors(&diagnostics)) else {
        if looks_like_policy && let Some(first) = diagnostics.first_mut() {
            first
                .notes
                .push("this looks like a policy document, but a manifest is wanted".to_owned());
            first.helps.push(format!(
                "name it in a manifest: `{{ \"global\": \"{}\" }}`",
                shown(&file_name(path))
            ));
        }
        return Err(Findings {
            sources,
            diagnostics,
        }
        .into());
    };
    let base = path.parent().unwrap_or(Path::new("")).to_owned();
    let set = |flag: &Option<Spanned<bool>>| flag.as_ref().is_some_and(|flag| flag.value);
    let Manifest {
        output,
        fold_paths,
        untrusted_project,
        fail_closed,
        ..
    } = &manifest;
    Ok(Plan {
        inputs: Inputs::from_manifest(&manifest, &base),
        options: Options {
            fold_paths: set(fold_paths),
            untrusted_project: set(untrusted_project),
            fail_closed: set(fail_closed),
            ..options
        },
        bounds: Bounds::default(),
        output: output.as_ref().map(|output| base.join(&output.value)),
        base,
        manifest: Some(path.to_owned()),
    })
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Whether the bytes start like an artifact, damaged or not.
pub(crate) fn is_artifact(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fPERMC")
}

impl Plan {
    /// Reads the documents; a compiled policy among them is refused in words of its own.
    pub(crate) fn read(&self, console: &mut Console<'_, '_>) -> Result<SourceSet, Failure> {
        let set = read(&self.inputs, &self.base, &self.options.limits);
        for document in &set.documents {
            if document
                .content
                .as_ref()
                .is_ok_and(|bytes| is_artifact(bytes))
            {
                let display = Path::new(&document.display);
                let what = "this is a compiled policy, but a document is wanted";
                return Err(Failure::about(display, console.cwd(), what)
                    .help("name the document that it was compiled from"));
            }
            console.detail(&format!(
                "{} {}",
                document.role.name(),
                super::text::ticked(&document.display)
            ));
        }
        Ok(set)
    }

    /// The plan under other limits.
    pub(crate) fn bounded(mut self, bounds: Bounds) -> Self {
        self.options.budget = bounds.budget;
        self.bounds = bounds;
        self
    }

    /// Compiles what was read.
    pub(crate) fn build(&self, set: &SourceSet) -> Compilation {
        self.bounds.hold(compile(set, &self.options))
    }

    /// Reads and compiles.
    pub(crate) fn compile(&self, console: &mut Console<'_, '_>) -> Result<Compilation, Failure> {
        Ok(self.build(&self.read(console)?))
    }
}
