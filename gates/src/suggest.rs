//! The session rule that would settle an ask (page 2.7).

use permc_runtime::trim;

use crate::programs::is_compound_word;
use crate::shell::Floor;

/// Prefixes of three words.
const THREE: [&str; 27] = [
    "npm run",
    "npm exec",
    "pnpm run",
    "pnpm exec",
    "pnpm dlx",
    "yarn run",
    "bun run",
    "bun x",
    "deno run",
    "deno task",
    "deno compile",
    "uv run",
    "uv pip",
    "go run",
    "bundle exec",
    "docker compose",
    "docker container",
    "docker image",
    "docker network",
    "docker volume",
    "podman compose",
    "gh pr",
    "gh issue",
    "gh repo",
    "aws",
    "az",
    "gcloud",
];

/// Prefixes of two words.
const TWO: [&str; 35] = [
    "git",
    "hg",
    "svn",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "bun add",
    "deno",
    "pip",
    "pip3",
    "uv",
    "cargo",
    "go",
    "bundle",
    "docker",
    "podman",
    "kubectl",
    "helm",
    "gh",
    "fly",
    "vercel",
    "wrangler",
    "bazel",
    "terraform",
    "tofu",
    "pulumi",
    "systemctl",
    "service",
    "brew",
    "apt",
    "apt-get",
    "yum",
    "dnf",
];

/// Words that are kept of a command.
fn arity(words: &[&str]) -> usize {
    let lower: Vec<String> = words
        .iter()
        .take(2)
        .map(|word| word.to_lowercase())
        .collect();
    for length in [2_usize, 1] {
        let Some(prefix) = lower.get(..length) else {
            continue;
        };
        let prefix = prefix.join(" ");
        if THREE.contains(&prefix.as_str()) {
            return 3;
        }
        if TWO.contains(&prefix.as_str()) {
            return 2;
        }
    }
    1
}

/// The pattern for a unit of a command; none where it would grant too much.
pub(crate) fn for_unit(text: &str, floor: Option<Floor>) -> Option<String> {
    if floor.is_some() {
        return None;
    }
    let kept: Vec<&str> = text
        .split('\n')
        .filter(|line| !trim(line).starts_with('#'))
        .collect();
    let text = kept.join("\n");
    let text = trim(&text);
    let is_blank = |character: char| character.is_whitespace();
    let words: Vec<&str> = text
        .split(is_blank)
        .filter(|word| !word.is_empty())
        .collect();
    let first = words.first()?;
    let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
        name.chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '_')
            && !name.is_empty()
    });
    if is_compound_word(first)
        || first.starts_with(['(', '{'])
        || is_assignment
        || first.ends_with("()")
    {
        return None;
    }
    let n = arity(&words).min(words.len());
    // The words as they stand in the source: a pattern is matched against that.
    let mut end = 0_usize;
    let mut rest = text;
    for word in words.iter().take(n) {
        let at = rest.find(word)?;
        end = end.saturating_add(at).saturating_add(word.len());
        rest = text.get(end..)?;
    }
    let prefix = text.get(..end)?;
    if prefix.contains(['*', '?', '$', '`']) {
        return None;
    }
    Some(match words.len() {
        1 => prefix.to_owned(),
        _ => format!("{prefix} *"),
    })
}

/// The suggestion for a gate other than the shell's.
pub(crate) fn for_gate(surface: &str, value: &str) -> Option<(&'static str, String)> {
    let known = [
        "mcp",
        "skill",
        "read",
        "write",
        "edit",
        "find",
        "grep",
        "ls",
        "path",
        "external_directory",
        "bash",
    ];
    let name = known.into_iter().find(|name| *name == surface);
    match name {
        Some("bash") => Some(("bash", for_unit(value, None)?)),
        Some("mcp") => Some(("mcp", for_target(value)?)),
        Some("skill") => {
            let is_safe = !value.contains(['*', '?']) && !value.is_empty();
            is_safe.then(|| ("skill", value.to_owned()))
        }
        Some(path) => Some((path, for_path(value)?)),
        None => None,
    }
}

/// Up to and including the first `:`, else the first `_`; a target without either would grant all of MCP.
fn for_target(target: &str) -> Option<String> {
    let end = target.find(':').or_else(|| target.find('_'))?;
    let prefix = target.get(..=end)?;
    (!prefix.contains(['*', '?'])).then(|| format!("{prefix}*"))
}

/// The directory of a path and all below; none for a root or home directory, or where the base is unknown.
fn for_path(path: &str) -> Option<String> {
    if path == "*" {
        return Some("*".to_owned());
    }
    let directory = match path.strip_suffix('/') {
        Some(directory) => directory,
        None => path.rsplit_once('/')?.0,
    };
    let is_absolute = path.starts_with('/') || path.starts_with("~/");
    let is_too_wide = directory.is_empty() || directory == "~" || is_home(directory);
    if !is_absolute || is_too_wide || directory.contains(['*', '?', '$']) {
        return None;
    }
    Some(format!("{directory}/*"))
}

/// `/root`, `/home/NAME`, `/Users/NAME` and what holds them.
fn is_home(directory: &str) -> bool {
    let parts: Vec<&str> = directory
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    matches!(
        parts.as_slice(),
        [] | ["root" | "home" | "Users"] | ["home" | "Users", _]
    )
}
