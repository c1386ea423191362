//! Secret-shaped paths: what no link may open (page 4.3).

use crate::wildcard::{MatchContext, pattern_matches};

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

const FOLDING: MatchContext<'static> = MatchContext {
    home: None,
    fold: true,
};

/// Whether a path looks like one that holds secrets: by its last component, by a directory anywhere in it, or by one of
/// the operator's own patterns. Case does not count.
///
/// An own pattern without `/` is a file name, one that ends in `/` a directory anywhere, one with `/` inside the end of a
/// path, one that starts with `/` a whole path.
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
    let Some(name) = components(path).next_back() else {
        return false;
    };
    let is_harmless = HARMLESS
        .iter()
        .any(|harmless| harmless.eq_ignore_ascii_case(name));
    (!is_harmless && NAMES.iter().any(|pattern| matches(pattern, name)))
        || is_in_directory(path)
        || own.iter().any(|pattern| matches_own(pattern, path))
}

/// Whether a path of which `*` stands for an unknown part can be secret-shaped.
///
/// # Example
///
/// ```
/// use permc_runtime::chain::may_be_secret_shaped;
///
/// assert!(may_be_secret_shaped("*", &[]));
/// assert!(may_be_secret_shaped(".e*", &[]));
/// assert!(!may_be_secret_shaped("src/*.rs", &[]));
/// ```
#[must_use]
pub fn may_be_secret_shaped(open: &str, own: &[&str]) -> bool {
    let Some(name) = components(open).next_back() else {
        return false;
    };
    let tight = NAMES.len().saturating_sub(N_LOOSE);
    let tight = NAMES.get(..tight).unwrap_or(&NAMES);
    is_secret_shaped(open, own)
        || tight.iter().any(|pattern| meet(pattern, name))
        || own.iter().any(|pattern| {
            let last = components(pattern).next_back().unwrap_or("*");
            meet(last, name)
        })
}

fn components(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "."))
}

fn matches(pattern: &str, text: &str) -> bool {
    pattern_matches(pattern, text, FOLDING)
}

fn is_in_directory(path: &str) -> bool {
    let is = |part: &str, name: &&str| part.eq_ignore_ascii_case(name);
    let has = |names: &[&str]| {
        (0..components(path).count()).any(|skipped| {
            let mut parts = components(path).skip(skipped);
            names
                .iter()
                .all(|name| parts.next().is_some_and(|part| is(part, name)))
        })
    };
    DIRECTORIES.iter().any(|names| has(names))
        || FILES
            .iter()
            .any(|names| ends_with(path, names.iter().copied()))
        || (path.starts_with('/')
            && components(path).count() == 2
            && ends_with(path, ["etc", "shadow"].into_iter()))
}

/// Whether the last components match these patterns.
fn ends_with<'n>(path: &str, names: impl DoubleEndedIterator<Item = &'n str>) -> bool {
    let mut parts = components(path).rev();
    names
        .rev()
        .all(|name| parts.next().is_some_and(|part| matches(name, part)))
}

fn matches_own(pattern: &str, path: &str) -> bool {
    if let Some(directory) = pattern.strip_suffix('/') {
        return match directory.contains('/') {
            true => (0..components(path).count()).any(|skipped| {
                let mut parts = components(path).skip(skipped);
                components(directory)
                    .all(|name| parts.next().is_some_and(|part| matches(name, part)))
            }),
            false => components(path).any(|part| matches(directory, part)),
        };
    }
    if pattern.starts_with('/') {
        let n_components = components(pattern).count();
        return path.starts_with('/')
            && components(path).count() == n_components
            && ends_with(path, components(pattern));
    }
    ends_with(path, components(pattern))
}

/// Whether two patterns have a text in common; `*` and `?` are wild in both, case does not count. A leading `*` of the
/// open name takes no leading dot, as in a shell, except where the whole name is open.
fn meet(pattern: &str, open: &str) -> bool {
    if open.starts_with(['*', '?']) && pattern.starts_with('.') && open != "*" {
        return false;
    }
    let mut folded = alloc::string::String::new();
    folded.extend(open.chars().map(|character| character.to_ascii_lowercase()));
    let mut lower = alloc::string::String::new();
    lower.extend(
        pattern
            .chars()
            .map(|character| character.to_ascii_lowercase()),
    );
    let left: alloc::vec::Vec<char> = lower.chars().collect();
    let right: alloc::vec::Vec<char> = folded.chars().collect();
    // Row by row: whether the two rests from here have a text in common.
    let width = right.len();
    let mut below: alloc::vec::Vec<bool> = alloc::vec::Vec::new();
    for at in (0..=left.len()).rev() {
        let mut row = alloc::vec![false; width.saturating_add(1)];
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
    }
}
