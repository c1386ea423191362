//! Secret-shaped paths: what no link may open (page 4.3).

use alloc::vec;
use alloc::vec::Vec;

use crate::wildcard::{home_suffix, name_matches};

/// File names; matched against the last component.
const NAMES: [&str; 24] = [
    ".env",
    ".env.*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.kdbx",
    "*.asc",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*_rsa",
    "*_dsa",
    "*_ecdsa",
    "*_ed25519",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "credentials*",
    "*secret*",
    "*token*",
];

/// Those of [`NAMES`] that a name may meet by chance: of a path that is partly open, only its text counts for them.
const N_LOOSE: usize = 3;

/// Templates that hold no secret although `.env.*` matches.
const HARMLESS: [&str; 3] = [".env.example", ".env.sample", ".env.template"];

/// Directories, alone or as two components; anywhere in the path.
const DIRECTORIES: [&[&str]; 7] = [
    &[".ssh"],
    &[".gnupg"],
    &[".aws"],
    &[".azure"],
    &[".kube"],
    &[".config", "gcloud"],
    &[".config", "gh"],
];

/// Files that only count in their directory.
const FILES: [&[&str]; 1] = [&[".docker", "config.json"]];

/// Whether a pattern for one component and that component, or what is known of it, go together.
type Same = fn(&str, &str) -> bool;

/// Whether a path looks like one that holds secrets: by its last component, by a directory anywhere in it, or by one of
/// the operator's own patterns. Case does not count.
///
/// An own pattern without `/` is a file name, one that ends in `/` a directory anywhere, one with `/` inside the end of a
/// path, one that starts with `/` a whole path. `~/x` is the end `x` of a path, in whichever home.
///
/// # Complexity
///
/// O(length of the path × patterns).
///
/// # Example
///
/// ```
/// use permc_runtime::chain::is_secret_shaped;
///
/// assert!(is_secret_shaped("/srv/app/.env", &[]));
/// assert!(is_secret_shaped("~/.SSH/known_hosts", &[]));
/// assert!(!is_secret_shaped(".env.example", &[]));
/// assert!(is_secret_shaped("deploy/vault.yml", &["vault.*"]));
/// ```
#[must_use]
pub fn is_secret_shaped(path: &str, own: &[&str]) -> bool {
    is_shaped(path, own, &NAMES, matches)
}

/// Whether a path of which `*` stands for an unknown part can be secret-shaped. A component that is wholly unknown can be
/// any file, but is taken for no directory in particular.
///
/// # Complexity
///
/// O(length of the path × length of the patterns).
///
/// # Example
///
/// ```
/// use permc_runtime::chain::may_be_secret_shaped;
///
/// assert!(may_be_secret_shaped("*", &[]));
/// assert!(may_be_secret_shaped(".ss?/known_hosts", &[]));
/// assert!(!may_be_secret_shaped("src/*.rs", &[]));
/// ```
#[must_use]
pub fn may_be_secret_shaped(open: &str, own: &[&str]) -> bool {
    let tight = NAMES.len().saturating_sub(N_LOOSE);
    let tight = NAMES.get(..tight).unwrap_or(&NAMES);
    components(open).next_back() == Some("*")
        || is_secret_shaped(open, own)
        || is_shaped(open, own, tight, meet)
}

fn is_shaped(path: &str, own: &[&str], names: &[&str], same: Same) -> bool {
    let Some(name) = components(path).next_back() else {
        return false;
    };
    let is_harmless = HARMLESS
        .iter()
        .any(|harmless| harmless.eq_ignore_ascii_case(name));
    (!is_harmless && names.iter().any(|pattern| same(pattern, name)))
        || DIRECTORIES
            .iter()
            .any(|directory| holds(path, directory, same))
        || FILES.iter().any(|file| ends_with(path, file, same))
        || is_whole(path, &["etc", "shadow"], same)
        || own.iter().any(|pattern| is_own(pattern, path, same))
}

fn is_own(pattern: &str, path: &str, same: Same) -> bool {
    let rest = home_suffix(pattern).unwrap_or(pattern);
    let parts: Vec<&str> = components(rest).collect();
    if parts.is_empty() {
        return false;
    }
    if rest.ends_with('/') {
        holds(path, &parts, same)
    } else if pattern.starts_with('/') {
        is_whole(path, &parts, same)
    } else {
        ends_with(path, &parts, same)
    }
}

fn components(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "."))
}

/// Names and wildcards, without what `~` means elsewhere.
fn matches(pattern: &str, name: &str) -> bool {
    name_matches(pattern, name, true)
}

/// Whether the path goes through a directory.
fn holds(path: &str, directory: &[&str], same: Same) -> bool {
    (0..components(path).count()).any(|skipped| {
        let mut parts = components(path).skip(skipped);
        directory
            .iter()
            .all(|name| parts.next().is_some_and(|part| same(name, part)))
    })
}

fn ends_with(path: &str, names: &[&str], same: Same) -> bool {
    let mut parts = components(path).rev();
    names
        .iter()
        .rev()
        .all(|name| parts.next().is_some_and(|part| same(name, part)))
}

/// Whether an absolute path is these components.
fn is_whole(path: &str, names: &[&str], same: Same) -> bool {
    path.starts_with('/') && components(path).count() == names.len() && ends_with(path, names, same)
}

/// Whether two patterns have a text in common; `*` and `?` are wild in both, case does not count. A leading wildcard of the
/// open name takes no leading dot, as in a shell.
fn meet(pattern: &str, open: &str) -> bool {
    if open.starts_with(['*', '?']) && pattern.starts_with('.') {
        return false;
    }
    let characters =
        |text: &str| -> Vec<char> { text.chars().map(|c| c.to_ascii_lowercase()).collect() };
    let (left, right) = (characters(pattern), characters(open));
    // Row by row: whether the two rests from here have a text in common.
    let width = right.len();
    let mut below: Vec<bool> = Vec::new();
    for at in (0..=left.len()).rev() {
        let mut row = vec![false; width.saturating_add(1)];
        for of in (0..=width).rev() {
            let (one, other) = (left.get(at), right.get(of));
            let get = |row: &[bool], index: usize| row.get(index).copied().unwrap_or(false);
            let next = of.saturating_add(1);
            let found = match (one, other) {
                (None, None) => true,
                (Some('*'), _) => get(&below, of) || (other.is_some() && get(&row, next)),
                (_, Some('*')) => get(&row, next) || (one.is_some() && get(&below, of)),
                (Some(one), Some(other)) => {
                    (one == other || *one == '?' || *other == '?') && get(&below, next)
                }
                _ => false,
            };
            if let Some(place) = row.get_mut(of) {
                *place = found;
            }
        }
        below = row;
    }
    below.first().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_the_page_counts_and_its_neighbour_does_not() {
        for (secret, harmless) in [
            (".env", "env"),
            ("a/.ENV.local", ".env.example"),
            ("/w/.env.prod", "/w/.env.sample"),
            (".env.example.local", ".env.template"),
            ("cert.pem", "cert.pem.md"),
            ("server.KEY", "keys.md"),
            ("a.p12", "a.p1"),
            ("a.pfx", "pfx"),
            ("a.jks", "jks.md"),
            ("a.kdbx", "kdbx"),
            ("mail.asc", "mail.ascii"),
            ("id_rsa", "id_rsa.pub"),
            ("id_dsa", "id_dsa.pub"),
            ("id_ecdsa", "id_ecdsa.pub"),
            ("id_ed25519", "id_ed25519.pub"),
            ("deploy_rsa", "deploy_rsa.pub"),
            ("deploy_dsa", "dsa"),
            ("deploy_ecdsa", "ecdsa"),
            ("deploy_ed25519", "ed25519"),
            ("~/.ssh/config", "ssh/config"),
            ("~/.ssh", "~/.sshrc"),
            ("/home/dev/.gnupg/x", "gnupg/x"),
            (".aws/config", "aws/config"),
            (".azure/x", "azure/x"),
            (".Kube/cache/x", "kube/x"),
            ("~/.config/gcloud/x", "~/.config/gcloudx/x"),
            ("~/.config/gh/hosts.yml", "~/.config/ghostty/config"),
            ("~/.docker/config.json", "docker/config.json"),
            (".netrc", "netrc"),
            (".npmrc", "npmrc"),
            (".pypirc", "pypirc"),
            (".git-credentials", "git-log"),
            ("credentials.json", "my-credential"),
            ("my-Secrets.yml", "secrets/readme"),
            ("api_token.txt", "tokens/readme"),
            ("/etc/shadow", "/etc/passwd"),
            ("/etc//./shadow", "a/etc/shadow"),
            ("C:\\Users\\dev\\.ssh\\x", "C:\\Users\\dev\\ssh\\x"),
        ] {
            assert!(is_secret_shaped(secret, &[]), "{secret}");
            assert!(!is_secret_shaped(harmless, &[]), "{harmless}");
        }
        for nothing in ["", "/", ".", "//"] {
            assert!(!is_secret_shaped(nothing, &[]), "{nothing}");
        }
    }

    #[test]
    fn own_patterns_are_names_directories_and_ends_of_paths() {
        for (pattern, secret, harmless) in [
            ("vault.*", "a/Vault.yml", "vault.d/x"),
            ("private/", "a/private/x", "a/privately/x"),
            ("ops/keys/", "a/ops/keys/b/c", "a/ops/x/keys/b"),
            ("conf/db.ini", "/srv/conf/DB.ini", "/srv/conf/x/db.ini"),
            ("/srv/pass", "/srv/pass", "/a/srv/pass"),
            ("~/notes/pass", "/home/dev/notes/pass", "/home/dev/pass"),
            ("~/private/", "/home/dev/private/x", "/home/dev/privately"),
        ] {
            assert!(is_secret_shaped(secret, &[pattern]), "{pattern} {secret}");
            assert!(
                !is_secret_shaped(harmless, &[pattern]),
                "{pattern} {harmless}"
            );
        }
    }

    #[test]
    fn what_is_open_counts_where_it_can_be_a_secret() {
        for open in [
            "*",
            ".e*",
            "a/.en?",
            "id_*",
            "*.pem",
            "*.p*",
            "$D/*",
            ".ssh/*.rs",
            ".ss?/known_hosts",
            "~/.s*/config",
            "~/.config/g*/x",
            "~/.docker/conf*",
            "/etc/sh*",
            "*secret*",
        ] {
            assert!(may_be_secret_shaped(open, &[]), "{open}");
        }
        for open in [
            "*.rs",
            "src/*/mod.rs",
            "*/Cargo.toml",
            "target/debug/*.d",
            "",
        ] {
            assert!(!may_be_secret_shaped(open, &[]), "{open}");
        }
        assert!(may_be_secret_shaped("*.yml", &["vault.*"]));
        assert!(!may_be_secret_shaped("*.yml", &["vault.ini"]));
        assert!(may_be_secret_shaped("pri*/x", &["private/"]));
        assert!(!may_be_secret_shaped("src*/x", &["private/"]));
    }
}
