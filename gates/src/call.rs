//! Tool calls: their kinds, and where they keep paths (pages 2.1, 2.3, 2.4).

use std::collections::BTreeSet;

use permc_runtime::{Bound, MatchContext, pattern_matches, trim};

use crate::path::{Aliases, LONGEST, Place, cleaned, strip_prefix};
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

/// The path that a call shows to the path gates: the first that is not blank.
pub(crate) fn path_argument(kind: Kind, input: &dyn Arguments) -> Option<&str> {
    path_arguments(kind, input).next()
}

/// All of them: which spelling a tool reads only the tool knows.
pub(crate) fn path_arguments(kind: Kind, input: &dyn Arguments) -> impl Iterator<Item = &str> {
    PATH_KEYS
        .into_iter()
        .filter_map(move |key| match kind {
            Kind::Mcp => input.string(&["arguments", key]),
            Kind::Shell => None,
            Kind::Path | Kind::Skill | Kind::Extension => input.string(&[key]),
        })
        .filter(|path| !trim(path).is_empty())
}

/// Further texts of a call that are checked against denies of surface `path`.
///
/// Patterns of search tools, a path under a second spelling of its argument, and of MCP and extension tools every
/// string that is spelled like a path or stands under a name that speaks of one.
pub(crate) fn extra_paths(kind: Kind, input: &dyn Arguments) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let shown = path_argument(kind, input);
    let others = PATH_KEYS.into_iter().filter_map(|key| input.string(&[key]));
    paths.extend(
        others
            .filter(|path| Some(*path) != shown)
            .map(str::to_owned),
    );
    for key in ["glob", "include", "paths"] {
        paths.extend(input.list(key).into_iter().map(str::to_owned));
    }
    if matches!(kind, Kind::Mcp | Kind::Extension | Kind::Skill) {
        input.visit(&mut |key, text| {
            if is_spelled_like_path(text) || speaks_of_path(key) {
                paths.push(text.to_owned());
            }
        });
    }
    let mut seen = BTreeSet::new();
    paths.retain(|path| {
        let is_path = !trim(path).is_empty() && is_short_enough(path);
        is_path && seen.insert(path.clone())
    });
    paths
}

/// Globs of search tools.
pub(crate) fn search_patterns(input: &dyn Arguments) -> impl Iterator<Item = &str> {
    let keys = ["glob", "include"].into_iter();
    let patterns = keys.flat_map(|key| input.list(key));
    patterns.filter(|pattern| is_short_enough(pattern))
}

/// Whether a text begins as absolute paths, home paths and `file:` URLs do, after what a tool may take off it.
fn is_spelled_like_path(text: &str) -> bool {
    let is_url = |text: &str| {
        text.get(..5)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
    };
    let text = cleaned(text);
    text.starts_with(['/', '~']) || permc_runtime::home_suffix(&text).is_some() || is_url(&text)
}

/// Whether a system would take the path once it is cleaned up; a longer text is some file's content.
fn is_short_enough(path: &str) -> bool {
    path.len() <= LONGEST || absolute(&cleaned(path), "", None).len() <= LONGEST
}

fn speaks_of_path(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["path", "file", "dir", "folder", "cwd"]
        .iter()
        .any(|word| key.contains(word))
}

/// Whether a path is inside a directory, or matches a pattern, of infrastructure reads.
///
/// Asked of where the path leads, never of how it is spelled: a `..` or a link that leads out is no infrastructure.
pub(crate) fn is_infrastructure(aliases: &Aliases, patterns: &[&str], place: &Place<'_>) -> bool {
    let context = MatchContext {
        home: None,
        fold: place.fold,
    };
    let is_below = |path: &str, directory: &str| {
        let directory = directory.strip_suffix('/').unwrap_or(directory);
        strip_prefix(path, directory, place.fold)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    patterns.iter().any(|pattern| {
        if place.home.is_none() && permc_runtime::home_suffix(pattern).is_some() {
            return false;
        }
        let wild = pattern.find(['*', '?']);
        let head = wild.map_or(Some(*pattern), |at| pattern.get(..at));
        // A pattern's wild part is kept; what stands before its last `/` is a directory like any other.
        let Some((directory, rest)) = (match wild {
            Some(_) => head.and_then(|head| pattern.split_at_checked(head.rfind('/')?)),
            None => Some((*pattern, "")),
        }) else {
            return aliases
                .places()
                .all(|path| pattern_matches(pattern, path, context));
        };
        let directory = match directory {
            "" => "/".to_owned(),
            directory => absolute(directory, place.cwd, place.home),
        };
        let real = place.files.real_path(&directory);
        aliases.places().all(|path| {
            let mut directories = std::iter::once(&directory).chain(&real);
            directories.any(|directory| match rest {
                "" => is_below(path, directory),
                rest => {
                    let directory = directory.strip_suffix('/').unwrap_or(directory);
                    strip_prefix(path, directory, place.fold)
                        .is_some_and(|below| pattern_matches(rest, below, context))
                }
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
    fn a_blank_path_does_not_hide_another_spelling() {
        let input = [("path", " \t"), ("file_path", "/etc/passwd")];
        assert_eq!(
            path_argument(Kind::Path, &input.as_slice()),
            Some("/etc/passwd")
        );
        assert!(extra_paths(Kind::Path, &input.as_slice()).is_empty());
        let two = [("path", "src/a"), ("file_path", "/etc/passwd")];
        assert_eq!(path_argument(Kind::Path, &two.as_slice()), Some("src/a"));
        assert_eq!(extra_paths(Kind::Path, &two.as_slice()), ["/etc/passwd"]);
    }

    #[test]
    fn no_number_and_no_padding_hides_a_path() {
        let many: Vec<String> = (0..1_000).map(|n| format!("/x/{n}")).collect();
        let mut many: Vec<(&str, &str)> = many.iter().map(|text| ("q", text.as_str())).collect();
        many.push(("q", "/etc/passwd"));
        let found = extra_paths(Kind::Mcp, &many.as_slice());
        assert_eq!(found.len(), 1_001);
        for text in [
            " /etc/passwd",
            "\"/etc/passwd\"",
            "'~/.ssh/id'",
            "@/etc/passwd",
            "$HOME/.ssh/id",
            "${HOME}/.ssh/id",
            "FILE:/etc/passwd",
        ] {
            let found = extra_paths(Kind::Mcp, &[("q", text)].as_slice());
            assert_eq!(found, [text], "{text}");
        }
        let escaped = format!("file:///{}", "%65".repeat(2_000));
        let padded = format!("/{}etc/passwd", "a/../".repeat(2_000));
        for text in [&escaped, &padded] {
            let found = extra_paths(Kind::Mcp, &[("q", text.as_str())].as_slice());
            assert_eq!(found.len(), 1);
        }
        let content = format!("/* {} */", "a file's content ".repeat(1_000));
        assert!(extra_paths(Kind::Mcp, &[("q", content.as_str())].as_slice()).is_empty());
        for text in ["a/b", "see /etc", "https://a/b", "a ~", "filed: x"] {
            let found = extra_paths(Kind::Mcp, &[("q", text)].as_slice());
            assert!(found.is_empty(), "{text}");
        }
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
            ("/opt/a/docs/../../../etc/x", &["/opt/*/docs/*"], false),
            ("/etc/../opt/a/docs/x", &["/opt/*/docs/*"], true),
            ("/etc/../opt/pi/x", &["/opt/pi"], true),
            ("/srv/x", &["/*"], true),
            ("/srv/x.md", &["*.md"], true),
            ("docs/x", &["docs/*"], true),
            ("docs/../x", &["docs/*"], false),
            ("~/a/x", &["~/*/x"], true),
        ] {
            assert_eq!(
                is_infrastructure(&path(text), patterns, &PLACE),
                expected,
                "{text} {patterns:?}"
            );
        }
        let homeless = Place {
            home: None,
            ..PLACE
        };
        let path = aliases("~/.pi/x", &homeless).unwrap();
        assert!(!is_infrastructure(&path, &["~/.pi", "~/*"], &homeless));
        let folding = Place {
            fold: true,
            ..PLACE
        };
        let path = aliases("/OPT/Pi/a", &folding).unwrap();
        assert!(is_infrastructure(&path, &["/opt/pi"], &folding));
    }
}
