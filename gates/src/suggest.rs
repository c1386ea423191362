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
        // `NAME=`, `NAME+=` and `NAME[...]=`.
        let name = name.strip_suffix('+').unwrap_or(name);
        let name = name.split('[').next().unwrap_or(name);
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

/// The suggestion for a gate other than the shell's, as surface and pattern.
pub(crate) fn for_gate(surface: &str, value: &str, home: Option<&str>) -> Option<(String, String)> {
    let pattern = match surface {
        "bash" => for_unit(value, None)?,
        "mcp" => for_target(value)?,
        "skill" => {
            let is_safe = !value.contains(['*', '?']) && !value.is_empty();
            is_safe.then(|| value.to_owned())?
        }
        // What a tier asks about no session rule can settle.
        "tier" => return None,
        path if permc_runtime::is_path_surface(path) => for_path(value, home)?,
        _ => "*".to_owned(),
    };
    Some((surface.to_owned(), pattern))
}

/// Up to and including the first `:`, else the first `_`; a target without either would grant all of MCP.
fn for_target(target: &str) -> Option<String> {
    let end = target.find(':').or_else(|| target.find('_'))?;
    let prefix = target.get(..=end)?;
    (!prefix.contains(['*', '?'])).then(|| format!("{prefix}*"))
}

/// The directory of a path and all below; none for a root or home directory, or where the base is unknown.
fn for_path(path: &str, home: Option<&str>) -> Option<String> {
    if path == "*" {
        return Some("*".to_owned());
    }
    let directory = match path.strip_suffix('/') {
        Some(directory) => directory,
        None => path.rsplit_once('/')?.0,
    };
    let is_absolute = path.starts_with('/') || path.starts_with("~/");
    let is_too_wide = directory.is_empty() || directory == "~" || is_home(directory, home);
    if !is_absolute || is_too_wide || directory.contains(['*', '?', '$']) {
        return None;
    }
    Some(format!("{directory}/*"))
}

/// The home, `/root`, `/home/NAME`, `/Users/NAME`, and what holds them.
fn is_home(directory: &str, home: Option<&str>) -> bool {
    let holds = |home: &str| {
        let rest = home.strip_prefix(directory);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if home.is_some_and(holds) {
        return true;
    }
    let parts: Vec<&str> = directory
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    matches!(
        parts.as_slice(),
        [] | ["root" | "home" | "Users"] | ["home" | "Users", _]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether page 2.7 says that ours differs here, and how.
    fn is_explained(surface: &str, value: &str, theirs: &str, ours: Option<&str>) -> bool {
        let first = value.split_whitespace().next().unwrap_or_default();
        match ours {
            // Exactly n words end in ` *` with a space.
            Some(ours) => theirs
                .strip_suffix('*')
                .is_some_and(|head| format!("{head} *") == ours),
            None if surface == "bash" => {
                let is_empty = theirs.is_empty();
                let is_compound =
                    is_compound_word(first) || first.starts_with('(') || first.ends_with("()");
                let is_assignment = first.contains('=');
                is_empty || is_compound || is_assignment
            }
            // `*` would grant all of MCP; a root directory all files.
            None => (surface == "mcp" && theirs == "*") || theirs == "/*",
        }
    }

    #[test]
    fn suggestions_equal_the_recorded_ones_except_where_the_page_says_so() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../tests/data/conformance/session-suggestions.jsonl"
        );
        let text = std::fs::read_to_string(path).unwrap();
        let (mut n_equal, mut n_other) = (0, 0);
        for line in text.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let (surface, value) = (
                line["surface"].as_str().unwrap(),
                line["value"].as_str().unwrap(),
            );
            let theirs = line["pattern"].as_str().unwrap();
            let ours = for_gate(surface, value, None).map(|(_, pattern)| pattern);
            if ours.as_deref() == Some(theirs) {
                n_equal += 1;
            } else {
                n_other += 1;
                assert!(
                    is_explained(surface, value, theirs, ours.as_deref()),
                    "{line}: {ours:?}"
                );
            }
        }
        assert_eq!(n_equal + n_other, 91);
        assert!(n_equal >= 60, "{n_equal} equal");
    }

    #[test]
    fn nothing_that_would_grant_too_much_is_suggested() {
        for unit in [
            "",
            "  ",
            "if true; then ls; fi",
            "{ ls; }",
            "(ls)",
            "A=1 ls",
            "A+=1 ls",
            "a[1]=b ls",
            "ls*",
            "git p?sh x",
            "$x a",
        ] {
            assert_eq!(for_unit(unit, None), None, "{unit}");
        }
        assert_eq!(for_unit("sudo ls", Some(Floor::Indirection)), None);
        assert_eq!(for_unit("ls *.rs", None).as_deref(), Some("ls *"));
        assert_eq!(
            for_unit("git  status -s", None).as_deref(),
            Some("git  status *")
        );
        for path in ["/x", "~/x", "a/b", "/home/dev/x", "$D/x"] {
            assert_eq!(for_path(path, None), None, "{path}");
        }
        assert_eq!(
            for_path("/opt/data/x", None).as_deref(),
            Some("/opt/data/*")
        );
        assert_eq!(for_path("/data/me/x", Some("/data/me")), None);
        assert_eq!(for_path("/data/x", Some("/data/me")), None);
        assert_eq!(for_gate("tier", "/x", None), None);
    }
}
