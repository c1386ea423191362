//! Where source files are and what is in them: besides the command line the only place that touches the file system.

use crate::manifest::{self, Manifest};
use crate::source_map::Role;
use permc_grammar::limits::Limits;
use permc_grammar::span::Spanned;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// The paths of the files that make a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The operator's document.
    pub global: Option<PathBuf>,
    /// The project's document.
    pub project: Option<PathBuf>,
    /// The directory of the operator's agents.
    pub agents: Option<PathBuf>,
    /// The directory of the project's agents.
    pub project_agents: Option<PathBuf>,
    /// The list of MCP servers.
    pub mcp: Option<PathBuf>,
    /// The session rules.
    pub session: Option<PathBuf>,
    /// Tiers in a file of their own.
    pub tiers: Option<PathBuf>,
}

impl Inputs {
    /// The files that a manifest in `directory` names.
    #[must_use]
    pub fn from_manifest(manifest: &Manifest, directory: &Path) -> Self {
        let path =
            |key: &Option<Spanned<String>>| key.as_ref().map(|path| directory.join(&path.value));
        Self {
            global: path(&manifest.global),
            project: path(&manifest.project),
            agents: path(&manifest.agents),
            project_agents: path(&manifest.project_agents),
            mcp: path(&manifest.mcp),
            session: path(&manifest.session),
            tiers: path(&manifest.tiers),
        }
    }

    /// Whether no file is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDocument {
    /// What the file is for.
    pub role: Role,
    /// The name relative to the scope's root, such as `reviewer.md`.
    pub name: String,
    /// The name that people are shown.
    pub display: String,
    /// The bytes, or in words why there are none.
    pub content: Result<Vec<u8>, String>,
}

impl SourceDocument {
    /// A document from memory, shown by its name.
    pub fn new(role: Role, name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        let name = name.into();
        Self {
            role,
            display: name.clone(),
            name,
            content: Ok(content.into()),
        }
    }
}

/// A path that could not even be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceProblem {
    /// The path as people are shown it.
    pub display: String,
    /// What happened, in words.
    pub message: String,
}

/// All files of one policy, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceSet {
    /// The files.
    pub documents: Vec<SourceDocument>,
    /// What could not be listed; not empty means that documents may be missing.
    pub problems: Vec<SourceProblem>,
}

impl From<Vec<SourceDocument>> for SourceSet {
    fn from(documents: Vec<SourceDocument>) -> Self {
        Self {
            documents,
            problems: Vec::new(),
        }
    }
}

/// Reads all named files; what goes wrong is kept with the file that it belongs to.
///
/// Of an agents directory every `*.md`, `*.jsonc` and `*.json` file directly inside is read, sorted by name; hidden files and
/// subdirectories are not. No file is read further than one byte past the size limit.
#[must_use]
pub fn read(inputs: &Inputs, display_base: &Path, limits: &Limits) -> SourceSet {
    let mut set = SourceSet::default();
    let mut named = |role: Role, path: &Option<PathBuf>| {
        set.documents.extend(
            path.as_ref()
                .map(|path| read_named(role, path, display_base, limits)),
        );
    };
    named(Role::Global, &inputs.global);
    named(Role::Project, &inputs.project);
    named(Role::Mcp, &inputs.mcp);
    named(Role::Session, &inputs.session);
    named(Role::Tiers, &inputs.tiers);
    let mut agents = |role: fn(String) -> Role, path: &Option<PathBuf>| {
        if let Some(path) = path {
            read_agents(&mut set, path, role, display_base, limits);
        }
    };
    agents(Role::Agent, &inputs.agents);
    agents(Role::ProjectAgent, &inputs.project_agents);
    set
}

/// Reads one file, such as a manifest, with the same bounds and words as [`read`].
///
/// # Errors
///
/// A sentence that says what happened.
pub fn read_file(path: &Path, limits: &Limits) -> Result<Vec<u8>, String> {
    let words = |error: io::Error| in_words(&error, "file");
    if fs::metadata(path).map_err(words)?.is_dir() {
        return Err("this is a directory, but a file is wanted".to_owned());
    }
    let most = u64::try_from(limits.max_bytes).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(words)?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(words)?;
    Ok(bytes)
}

/// The nearest `permc.jsonc` in `start` or a directory above it.
#[must_use]
pub fn find_manifest(start: &Path) -> Option<PathBuf> {
    let start = std::path::absolute(start).ok()?;
    start
        .ancestors()
        .map(|directory| directory.join(manifest::FILE_NAME))
        .find(|path| fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir()))
}

/// The directory in which the reference extension keeps the operator's files.
///
/// `configured` is the value of the environment variable `PI_CODING_AGENT_DIR`, which replaces `~/.pi/agent`.
#[must_use]
pub fn pi_agent_directory(configured: Option<&Path>, home: &Path) -> PathBuf {
    match configured.filter(|path| !path.as_os_str().is_empty()) {
        Some(path) => match path.strip_prefix("~") {
            Ok(rest) => home.join(rest),
            Err(_) => path.to_owned(),
        },
        None => home.join(".pi").join("agent"),
    }
}

/// The reference extension's own locations for a project directory, as far as something is there.
///
/// There an absent file means no rules, so that absent ones are left out; everything else that stands in the way of reading
/// shows when the files are read.
#[must_use]
pub fn pi_inputs(project: Option<&Path>, agent_directory: &Path) -> Inputs {
    let config = Path::new("extensions")
        .join("pi-permission-system")
        .join("config.json");
    let in_project = project.map(|project| project.join(".pi"));
    let in_project = |rest: &Path| {
        in_project
            .as_ref()
            .and_then(|root| present(root.join(rest)))
    };
    Inputs {
        global: present(agent_directory.join(&config)),
        project: in_project(&config),
        agents: present(agent_directory.join("agents")),
        project_agents: in_project(Path::new("agents")),
        mcp: present(agent_directory.join("mcp.json")),
        session: None,
        tiers: None,
    }
}

/// The path unless nothing is there; anything but a plain "not found" counts as present, so that it is reported later.
fn present(path: PathBuf) -> Option<PathBuf> {
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        _ => Some(path),
    }
}

/// Reads a file that somebody named, which may also be a pipe.
fn read_named(role: Role, path: &Path, base: &Path, limits: &Limits) -> SourceDocument {
    let name = path.file_name().unwrap_or(path.as_os_str());
    SourceDocument {
        role,
        name: name.to_string_lossy().into_owned(),
        display: display(path, base),
        content: read_file(path, limits),
    }
}

fn read_agents(
    set: &mut SourceSet,
    directory: &Path,
    role: fn(String) -> Role,
    base: &Path,
    limits: &Limits,
) {
    let mut files = Vec::new();
    let entries = fs::read_dir(directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    match entries {
        Ok(entries) => files.extend(entries.into_iter().map(|entry| entry.path())),
        Err(error) => set.problems.push(SourceProblem {
            display: display(directory, base),
            message: in_words(&error, "directory"),
        }),
    }
    files.sort();
    for path in files {
        let Some(name) = path.file_name() else {
            continue;
        };
        let Some(name) = name.to_str() else {
            // Such a name could belong to an agent, but to which one cannot be said.
            if is_agent_file(&name.to_string_lossy()) {
                set.problems.push(SourceProblem {
                    display: display(&path, base),
                    message: "the file's name is not UTF-8".to_owned(),
                });
            }
            continue;
        };
        if !is_agent_file(name) || path.is_dir() {
            continue;
        }
        let agent = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        // Reading a pipe that lies around in a directory would wait for ever.
        let special = fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file());
        let content = if special {
            Err("this is not a regular file".to_owned())
        } else {
            read_file(&path, limits)
        };
        set.documents.push(SourceDocument {
            role: role(agent.to_owned()),
            name: name.to_owned(),
            display: display(&path, base),
            content,
        });
    }
}

fn is_agent_file(name: &str) -> bool {
    let known = ["md", "jsonc", "json"];
    !name.starts_with('.')
        && known
            .iter()
            .any(|extension| crate::parse::has_extension(name, extension))
}

/// The path as people are shown it: relative to `base` where it is inside, with `/` between the parts.
fn display(path: &Path, base: &Path) -> String {
    let path = path.strip_prefix(base).unwrap_or(path);
    let parts: PathBuf = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    let text = parts
        .to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/");
    if text.is_empty() {
        ".".to_owned()
    } else {
        text
    }
}

fn in_words(error: &io::Error, what: &str) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("there is no such {what}"),
        io::ErrorKind::PermissionDenied => format!("the permission to read this {what} is missing"),
        io::ErrorKind::NotADirectory => "this is a file, but a directory is wanted".to_owned(),
        _ => format!("the {what} cannot be read: {error}"),
    }
}
