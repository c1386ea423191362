//! Options between a program and its subcommand (page 2b, b.4 item 3).

/// Options of a program that take the next word: in front of the subcommand, and behind it for tools of two levels.
const VALUES: [(&str, &[&str]); 34] = [
    (
        "git",
        &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--super-prefix",
            "--config-env",
            "--attr-source",
        ],
    ),
    (
        "cargo",
        &[
            "--config",
            "-C",
            "-Z",
            "--color",
            "--manifest-path",
            "--target-dir",
        ],
    ),
    (
        "kubectl",
        &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--user",
            "-s",
            "--server",
            "--kubeconfig",
            "--as",
            "--token",
            "-v",
        ],
    ),
    (
        "oc",
        &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--user",
            "-s",
            "--server",
            "--kubeconfig",
            "--as",
        ],
    ),
    (
        "docker",
        &[
            "-H",
            "--host",
            "-c",
            "--context",
            "--config",
            "-l",
            "--log-level",
            "--tlscacert",
            "--tlscert",
            "--tlskey",
        ],
    ),
    (
        "podman",
        &[
            "--connection",
            "-c",
            "--url",
            "--root",
            "--runroot",
            "--log-level",
            "--storage-driver",
            "--identity",
        ],
    ),
    (
        "docker-compose",
        &[
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
            "--project-directory",
            "--ansi",
        ],
    ),
    (
        "npm",
        &[
            "--prefix",
            "-C",
            "-w",
            "--workspace",
            "--registry",
            "--loglevel",
            "--cache",
            "--userconfig",
        ],
    ),
    (
        "pnpm",
        &[
            "-C",
            "--dir",
            "--filter",
            "-F",
            "--reporter",
            "--loglevel",
            "--store-dir",
        ],
    ),
    (
        "yarn",
        &["--cwd", "--registry", "--cache-folder", "--modules-folder"],
    ),
    ("bun", &["--cwd", "--config", "-c", "--filter"]),
    (
        "helm",
        &[
            "-n",
            "--namespace",
            "--kube-context",
            "--kubeconfig",
            "--registry-config",
            "--repository-config",
        ],
    ),
    ("terraform", &["-chdir"]),
    ("tofu", &["-chdir"]),
    ("gh", &["-R", "--repo", "--hostname"]),
    (
        "aws",
        &[
            "--profile",
            "--region",
            "--output",
            "--endpoint-url",
            "--query",
            "--color",
            "--ca-bundle",
        ],
    ),
    (
        "gcloud",
        &[
            "--project",
            "--account",
            "--configuration",
            "--format",
            "--verbosity",
            "--impersonate-service-account",
        ],
    ),
    ("az", &["--subscription", "-o", "--output", "--query"]),
    (
        "systemctl",
        &[
            "-H",
            "--host",
            "-M",
            "--machine",
            "-t",
            "--type",
            "-p",
            "--property",
            "--root",
            "-s",
            "-n",
            "-o",
        ],
    ),
    ("brew", &[]),
    ("apt", &["-o", "-c", "-t", "--target-release"]),
    ("apt-get", &["-o", "-c", "-t", "--target-release"]),
    (
        "yum",
        &[
            "-c",
            "--installroot",
            "--releasever",
            "-x",
            "--enablerepo",
            "--disablerepo",
        ],
    ),
    (
        "dnf",
        &[
            "-c",
            "--installroot",
            "--releasever",
            "-x",
            "--enablerepo",
            "--disablerepo",
        ],
    ),
    (
        "pip",
        &[
            "--python",
            "--log",
            "--proxy",
            "--cache-dir",
            "--timeout",
            "--retries",
        ],
    ),
    (
        "pip3",
        &[
            "--python",
            "--log",
            "--proxy",
            "--cache-dir",
            "--timeout",
            "--retries",
        ],
    ),
    (
        "uv",
        &[
            "--directory",
            "--project",
            "--config-file",
            "--cache-dir",
            "-p",
            "--python",
            "--color",
        ],
    ),
    ("go", &["-C"]),
    ("bundle", &["--gemfile"]),
    (
        "make",
        &[
            "-C",
            "-f",
            "-I",
            "--directory",
            "--file",
            "--include-dir",
            "-o",
            "-W",
        ],
    ),
    (
        "hg",
        &["-R", "--repository", "--cwd", "--config", "--encoding"],
    ),
    (
        "svn",
        &[
            "--config-dir",
            "--config-option",
            "--username",
            "--password",
        ],
    ),
    ("flyctl", &["-t", "--access-token"]),
    (
        "vercel",
        &["-t", "--token", "-S", "--scope", "--cwd", "-A", "-Q"],
    ),
];

/// Options in front of the subcommand that take no value.
const FLAGS: [(&str, &[&str]); 8] = [
    (
        "git",
        &[
            "-p",
            "-P",
            "--paginate",
            "--no-pager",
            "--bare",
            "--no-replace-objects",
            "--no-optional-locks",
            "--no-lazy-fetch",
            "--literal-pathspecs",
            "--glob-pathspecs",
            "--noglob-pathspecs",
            "--icase-pathspecs",
        ],
    ),
    (
        "cargo",
        &[
            "-v",
            "-vv",
            "-q",
            "--verbose",
            "--quiet",
            "--locked",
            "--offline",
            "--frozen",
        ],
    ),
    ("docker", &["-D", "--debug", "--tls", "--tlsverify"]),
    (
        "npm",
        &[
            "-g",
            "-s",
            "--silent",
            "--workspaces",
            "-ws",
            "--global",
            "--verbose",
            "--yes",
            "-y",
        ],
    ),
    ("pnpm", &["-r", "-w", "--recursive", "--silent", "-s", "-g"]),
    (
        "systemctl",
        &[
            "--user",
            "--system",
            "--no-pager",
            "-q",
            "--quiet",
            "-a",
            "--all",
            "-l",
            "--full",
            "--now",
        ],
    ),
    (
        "apt-get",
        &["-y", "--yes", "-q", "-qq", "--assume-yes", "-s", "-f"],
    ),
    ("make", &["-s", "-k", "-B", "-n", "-i", "-w"]),
];

/// Subcommands behind which a second level of options and subcommands stands.
const LEVELS: [(&str, &[&str]); 16] = [
    (
        "docker",
        &[
            "compose",
            "container",
            "image",
            "network",
            "volume",
            "system",
            "buildx",
            "builder",
            "context",
            "manifest",
            "plugin",
            "stack",
            "service",
        ],
    ),
    (
        "podman",
        &[
            "compose",
            "container",
            "image",
            "network",
            "volume",
            "system",
            "pod",
            "machine",
            "manifest",
            "secret",
        ],
    ),
    (
        "nerdctl",
        &[
            "compose",
            "container",
            "image",
            "network",
            "volume",
            "system",
        ],
    ),
    (
        "npm",
        &[
            "run",
            "run-script",
            "exec",
            "access",
            "dist-tag",
            "config",
            "cache",
        ],
    ),
    ("pnpm", &["run", "exec", "dlx"]),
    (
        "gh",
        &[
            "pr",
            "issue",
            "repo",
            "release",
            "workflow",
            "run",
            "api",
            "auth",
            "secret",
            "variable",
            "gist",
            "label",
            "cache",
            "ruleset",
            "codespace",
            "project",
        ],
    ),
    (
        "git",
        &[
            "remote",
            "stash",
            "worktree",
            "submodule",
            "bisect",
            "notes",
            "reflog",
            "lfs",
            "flow",
            "config",
        ],
    ),
    (
        "aws",
        &[
            "s3",
            "s3api",
            "ec2",
            "iam",
            "lambda",
            "rds",
            "eks",
            "ecs",
            "ecr",
            "sts",
            "ssm",
            "secretsmanager",
            "dynamodb",
            "cloudformation",
            "logs",
            "route53",
        ],
    ),
    (
        "gcloud",
        &[
            "compute",
            "container",
            "sql",
            "storage",
            "projects",
            "iam",
            "run",
            "functions",
            "pubsub",
            "secrets",
            "auth",
            "config",
            "artifacts",
            "app",
            "dns",
        ],
    ),
    (
        "az",
        &[
            "vm",
            "group",
            "storage",
            "aks",
            "ad",
            "acr",
            "network",
            "keyvault",
            "webapp",
            "functionapp",
            "sql",
        ],
    ),
    (
        "kubectl",
        &[
            "config", "rollout", "auth", "get", "delete", "create", "edit", "patch", "scale",
            "apply", "describe", "label", "annotate", "set", "cordon", "drain", "taint",
        ],
    ),
    (
        "oc",
        &[
            "config", "rollout", "auth", "get", "delete", "create", "edit", "patch", "scale",
            "apply", "describe", "adm",
        ],
    ),
    ("helm", &["repo", "plugin", "dependency", "registry"]),
    ("terraform", &["state", "workspace", "providers"]),
    ("tofu", &["state", "workspace", "providers"]),
    ("uv", &["pip", "tool", "python", "cache", "run"]),
];

/// Options of the second level that take the next word.
const SECOND: [(&str, &str, &[&str]); 2] = [
    (
        "docker",
        "compose",
        &[
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
            "--project-directory",
            "--ansi",
            "--parallel",
        ],
    ),
    (
        "podman",
        "compose",
        &[
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
        ],
    ),
];

/// Most readings of one command.
const MOST_READINGS: usize = 8;

/// The words that are kept, by index, in each reading in which options in front of a subcommand are gone.
pub(crate) fn without_globals(words: &[&str]) -> Vec<Vec<usize>> {
    let Some(program) = words.first() else {
        return Vec::new();
    };
    let has_leading = words
        .get(1)
        .is_some_and(|word| word.starts_with(['-', '+']));
    let levels = LEVELS
        .iter()
        .find(|(name, _)| name == program)
        .map_or(&[][..], |(_, levels)| *levels);
    // `yarn workspace NAME publish`.
    if let ["yarn", "workspace", _, _, ..] = words {
        return vec![std::iter::once(0).chain(3..words.len()).collect()];
    }
    // Nothing stands in front of a subcommand of the first or second level.
    let has_second = words
        .get(2)
        .is_some_and(|word| word.starts_with(['-', '+']));
    let may_have =
        has_leading || has_second && words.get(1).is_some_and(|word| levels.contains(word));
    if !may_have {
        return Vec::new();
    }
    let find = |table: &'static [(&'static str, &'static [&'static str])]| {
        table
            .iter()
            .find(|(name, _)| name == program)
            .map_or(&[][..], |(_, options)| *options)
    };
    let (values, flags) = (find(&VALUES), find(&FLAGS));
    let mut found: Vec<Vec<usize>> = Vec::new();
    for start in after(words, 1, values, flags) {
        let mut kept = vec![0];
        let second = words.get(start).copied().unwrap_or_default();
        if levels.contains(&second) {
            kept.push(start);
            let values = SECOND
                .iter()
                .find(|(name, level, _)| name == program && *level == second)
                .map_or(values, |(_, _, values)| values);
            for next in after(words, start.saturating_add(1), values, flags) {
                let mut deeper = kept.clone();
                deeper.extend(next..words.len());
                push(&mut found, deeper, words.len());
            }
        } else {
            kept.extend(start..words.len());
            push(&mut found, kept, words.len());
        }
    }
    found.truncate(MOST_READINGS);
    found
}

fn push(found: &mut Vec<Vec<usize>>, kept: Vec<usize>, n_words: usize) {
    if kept.len() < n_words && !found.contains(&kept) {
        found.push(kept);
    }
}

/// Where the first word that is no option may stand.
fn after(words: &[&str], from: usize, values: &[&str], flags: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut waiting = vec![from];
    let mut seen = vec![false; words.len()];
    while let Some(at) = waiting.pop() {
        let (Some(word), Some(seen)) = (words.get(at), seen.get_mut(at)) else {
            continue;
        };
        if std::mem::replace(seen, true) || found.len() >= MOST_READINGS {
            continue;
        }
        let next = at.saturating_add(1);
        let two = at.saturating_add(2);
        let is_toolchain = word.starts_with('+') && word.len() > 1;
        if !word.starts_with('-') && !is_toolchain || *word == "-" || *word == "--" {
            found.push(at);
        } else if is_toolchain || word.contains('=') || flags.contains(word) {
            waiting.push(next);
        } else if values.contains(word) {
            waiting.push(two);
        } else {
            let is_glued = values
                .iter()
                .any(|option| option.len() == 2 && word.len() > 2 && word.starts_with(option));
            if !is_glued {
                waiting.push(two);
            }
            waiting.push(next);
        }
    }
    found.sort_unstable();
    found
}
