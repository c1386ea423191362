//! Tool calls: their kinds, and where they keep paths (pages 2.1, 2.3, 2.4).

use permc_runtime::{Bound, MatchContext, pattern_matches};

use crate::path::{Aliases, Place};
use crate::text::absolute;

/// The arguments of a tool call, as far as gates look at them.
///
/// # Example
///
/// ```
/// use permc_gates::Arguments;
///
/// let input = [("path", "src/main.rs")];
/// let input = input.as_slice();
/// assert_eq!(input.string(&["path"]), Some("src/main.rs"));
/// assert_eq!(input.string(&["arguments", "path"]), None);
/// ```
pub trait Arguments {
    /// The string at a path of member names.
    fn string(&self, path: &[&str]) -> Option<&str>;

    /// Visits every string, however deeply nested, with the nearest member name.
    fn visit(&self, visitor: &mut dyn FnMut(&str, &str));

    /// The strings of the list at a member, or its one string.
    fn list(&self, key: &str) -> Vec<&str>;
}

impl Arguments for &[(&str, &str)] {
    fn string(&self, path: &[&str]) -> Option<&str> {
        let [key] = path else {
            return None;
        };
        self.iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| *value)
    }

    fn visit(&self, visitor: &mut dyn FnMut(&str, &str)) {
        for (key, value) in *self {
            visitor(key, value);
        }
    }

    fn list(&self, key: &str) -> Vec<&str> {
        self.string(&[key]).into_iter().collect()
    }
}

/// What a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Shell,
    Mcp,
    Skill,
    Path,
    Extension,
}

/// The kind of a tool by its trimmed name.
pub(crate) fn kind_of(tool: &str, bound: &Bound<'_>) -> Kind {
    match tool {
        "bash" => Kind::Shell,
        "mcp" => Kind::Mcp,
        "skill" => Kind::Skill,
        "read" | "write" | "edit" | "find" | "grep" | "ls" => Kind::Path,
        other if bound.shell_tool(other).is_some() => Kind::Shell,
        _ => Kind::Extension,
    }
}

/// Spellings of the argument that holds a path: ours, then those of real hosts.
const PATH_KEYS: [&str; 4] = ["path", "file_path", "filePath", "notebook_path"];

/// The path that a call shows to the path gates.
pub(crate) fn path_argument(kind: Kind, input: &dyn Arguments) -> Option<&str> {
    PATH_KEYS.into_iter().find_map(|key| match kind {
        Kind::Mcp => input.string(&["arguments", key]),
        Kind::Shell => None,
        Kind::Path | Kind::Skill | Kind::Extension => input.string(&[key]),
    })
}

/// Further texts of a call that are checked against denies of surface `path`.
///
/// Patterns of search tools, and of MCP and extension tools every string that is spelled like a path or stands under a
/// name that speaks of one.
pub(crate) fn extra_paths(kind: Kind, input: &dyn Arguments) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for key in ["glob", "include", "paths"] {
        paths.extend(input.list(key).into_iter().map(str::to_owned));
    }
    if matches!(kind, Kind::Mcp | Kind::Extension | Kind::Skill) {
        input.visit(&mut |key, text| {
            let is_spelled_so = text.starts_with('/')
                || text.starts_with('~')
                || text
                    .get(..5)
                    .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
            if is_spelled_so || speaks_of_path(key) {
                paths.push(text.to_owned());
            }
        });
    }
    paths.retain(|path| !path.is_empty() && path.len() <= 4_096);
    paths.dedup();
    paths.truncate(256);
    paths
}

fn speaks_of_path(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["path", "file", "dir", "folder", "cwd"]
        .iter()
        .any(|word| key.contains(word))
}

/// Whether a path is inside a directory, or matches a pattern, of infrastructure reads.
pub(crate) fn is_infrastructure(aliases: &Aliases, patterns: &[&str], place: &Place<'_>) -> bool {
    let context = MatchContext {
        home: place.home,
        fold: place.fold,
    };
    patterns.iter().any(|pattern| {
        if pattern.contains(['*', '?']) {
            return aliases
                .values()
                .iter()
                .any(|value| pattern_matches(pattern, value, context));
        }
        let directory = absolute(pattern, place.cwd, place.home);
        // Every name of the path must be inside: a link that leads out of the directory is no infrastructure.
        let is_inside = |value: &str| {
            value
                .strip_prefix(&directory)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || directory == "/")
        };
        let absolutes: Vec<&str> = aliases
            .values()
            .into_iter()
            .filter(|value| value.starts_with('/'))
            .collect();
        let real = place.files.real_path(&directory);
        absolutes.iter().all(|value| {
            is_inside(value)
                || real.as_deref().is_some_and(|real| {
                    value
                        .strip_prefix(real)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use crate::path::aliases;

    const PLACE: Place<'_> = Place {
        cwd: "/w",
        home: Some("/home/dev"),
        files: &NoFiles,
        fold: false,
        windows: false,
    };

    #[test]
    fn paths_are_found_under_the_names_that_hosts_use() {
        for key in PATH_KEYS {
            let input = [(key, "a")];
            assert_eq!(path_argument(Kind::Path, &input.as_slice()), Some("a"));
            assert_eq!(path_argument(Kind::Mcp, &input.as_slice()), None);
            assert_eq!(path_argument(Kind::Shell, &input.as_slice()), None);
        }
        let other = [("text", "a")];
        assert_eq!(path_argument(Kind::Path, &other.as_slice()), None);
    }

    #[test]
    fn strings_like_paths_are_looked_at_and_others_are_not() {
        let input = [
            ("query", "/etc/passwd"),
            ("note", "about a/b"),
            ("outputDir", "dist"),
            ("url", "file:///etc/hosts"),
        ];
        let found = extra_paths(Kind::Extension, &input.as_slice());
        assert_eq!(found, ["/etc/passwd", "dist", "file:///etc/hosts"]);
        assert!(extra_paths(Kind::Path, &input.as_slice()).is_empty());
        let search = [("glob", "*.env"), ("pattern", "/x")];
        assert_eq!(extra_paths(Kind::Path, &search.as_slice()), ["*.env"]);
    }

    #[test]
    fn infrastructure_is_a_directory_or_a_pattern() {
        let path = |text| aliases(text, &PLACE).unwrap();
        for (text, patterns, expected) in [
            ("/opt/pi/docs/a.md", ["/opt/pi"].as_slice(), true),
            ("/opt/pi", &["/opt/pi"], true),
            ("/opt/pizza", &["/opt/pi"], false),
            ("~/.pi/skills/x", &["~/.pi"], true),
            ("/opt/pi/../secret", &["/opt/pi"], false),
            ("/opt/a/docs/x", &["/opt/*/docs/*"], true),
            ("/opt/a/src/x", &["/opt/*/docs/*"], false),
        ] {
            assert_eq!(
                is_infrastructure(&path(text), patterns, &PLACE),
                expected,
                "{text} {patterns:?}"
            );
        }
    }
}
