//! Runners: programs that run a command somewhere else or with other tools around it. For denies only.

use std::sync::LazyLock;

use super::options::{Grammar, has, operands_start};
use super::wrappers::is_assignment;
use super::{ByProgram, by_program, clients, globals};

/// Words in front, letters and long names with a value, operands before the command.
type Runner = (&'static str, &'static str, &'static str, usize);

/// Commands in containers, on other machines, with the tools of a project.
static RUNNERS: [Runner; 75] = [
    (
        "docker exec",
        "euw",
        "env env-file user workdir detach-keys",
        1,
    ),
    (
        "docker container exec",
        "euw",
        "env env-file user workdir detach-keys",
        1,
    ),
    ("docker compose exec", "euw", "env user workdir index", 1),
    ("docker-compose exec", "euw", "env user workdir index", 1),
    (
        "podman exec",
        "euw",
        "env env-file user workdir detach-keys preserve-fds",
        1,
    ),
    (
        "podman container exec",
        "euw",
        "env env-file user workdir detach-keys",
        1,
    ),
    ("podman compose exec", "euw", "env user workdir index", 1),
    ("nerdctl exec", "euw", "env env-file user workdir", 1),
    (
        "kubectl exec",
        "cnf",
        "container namespace context filename pod-running-timeout",
        1,
    ),
    (
        "oc exec",
        "cnf",
        "container namespace context filename pod-running-timeout",
        1,
    ),
    ("oc rsh", "cn", "container namespace shell timeout", 1),
    ("lxc exec", "", "cwd env group mode user", 1),
    ("incus exec", "", "cwd env group mode user", 1),
    ("distrobox enter", "na", "name additional-flags", 0),
    ("toolbox run", "cdr", "container distro release", 0),
    ("adb shell", "", "", 0),
    ("wsl", "du", "distribution user cd", 0),
    ("npm exec", "cpw", "call package workspace", 0),
    ("npm x", "cpw", "call package workspace", 0),
    ("npx", "cpw", "call package workspace", 0),
    ("pnpm exec", "C", "dir filter", 0),
    ("pnpm dlx", "C", "package dir", 0),
    ("pnpx", "", "package", 0),
    ("yarn exec", "", "", 0),
    ("yarn dlx", "p", "package", 0),
    ("bunx", "p", "package", 0),
    ("bun x", "p", "package", 0),
    ("lerna exec", "", "scope ignore concurrency", 0),
    ("cross-env", "", "", 0),
    ("cross-env-shell", "", "", 0),
    ("dotenv", "efvp", "", 0),
    ("dotenvx run", "ef", "env env-file", 0),
    (
        "uv run",
        "pPCf",
        "with with-editable with-requirements extra group package python project directory env-file \
      index index-url default-index find-links only-group no-group",
        0,
    ),
    (
        "uvx",
        "pPCfw",
        "with from python index index-url default-index env-file",
        0,
    ),
    (
        "uv tool run",
        "pPCfw",
        "with from python index index-url default-index env-file",
        0,
    ),
    ("pipx run", "", "spec python index-url pip-args", 0),
    ("poetry run", "CP", "directory project", 0),
    ("pipenv run", "", "", 0),
    ("pdm run", "ps", "project", 0),
    ("hatch run", "e", "env", 0),
    ("rye run", "", "", 0),
    ("pixi run", "e", "environment manifest-path", 0),
    ("conda run", "np", "name prefix cwd", 0),
    ("mamba run", "np", "name prefix cwd", 0),
    ("micromamba run", "np", "name prefix cwd", 0),
    ("bundle exec", "", "gemfile", 0),
    ("rbenv exec", "", "", 0),
    ("pyenv exec", "", "", 0),
    ("asdf exec", "", "", 0),
    ("mise exec", "CEjc", "command cd env jobs", 0),
    ("mise x", "CEjc", "command cd env jobs", 0),
    ("volta run", "", "node npm pnpm yarn", 0),
    ("direnv exec", "", "", 1),
    ("doppler run", "pc", "project config", 0),
    ("op run", "", "env-file account", 0),
    ("aws-vault exec", "d", "duration region", 1),
    ("caffeinate", "tw", "", 0),
    ("valgrind", "", "", 0),
    ("perf stat", "eprCo", "event pid repeat output", 0),
    (
        "perf record",
        "eFpoCc",
        "event freq pid output call-graph",
        0,
    ),
    ("perf trace", "epo", "event pid output", 0),
    ("rlwrap", "abcCDefFHlMpsSt", "", 0),
    ("unbuffer", "", "", 0),
    ("chronic", "", "", 0),
    ("proxychains", "f", "", 0),
    ("proxychains4", "f", "", 0),
    ("torsocks", "", "", 0),
    ("firejail", "", "", 0),
    (
        "numactl",
        "iNmCpP",
        "interleave cpunodebind membind physcpubind preferred localalloc",
        0,
    ),
    (
        "xvfb-run",
        "enfsp",
        "error-file server-num auth-file server-args xauth-protocol",
        0,
    ),
    ("systemd-inhibit", "", "what who why mode", 0),
    ("ip netns exec", "", "", 1),
    ("sshpass", "pfdPe", "", 0),
    ("gosu", "", "", 1),
    ("cmake -E env", "", "unset modify", 0),
];

/// Runners that want `--` in front of the command: what stands before it is theirs.
const DASHED: &str = "kubectl oc lxc incus distrobox mise doppler op aws-vault dotenv lerna";

static BY_PROGRAM: LazyLock<ByProgram<&'static Runner>> = LazyLock::new(|| {
    by_program(RUNNERS.iter().map(|runner| {
        let program = runner.0.split(' ').next().unwrap_or_default();
        (program, runner)
    }))
});

/// The command that a runner runs.
pub(super) fn run_inside(words: &[&str]) -> Option<Vec<usize>> {
    if let Some(start) = start(words).filter(|start| *start < words.len()) {
        return Some((start..words.len()).collect());
    }
    let mut readings = globals::without_globals(words)
        .into_iter()
        .filter_map(|kept| {
            let own: Vec<&str> = kept
                .iter()
                .filter_map(|index| words.get(*index).copied())
                .collect();
            let start = start(&own)?;
            Some(kept.get(start..)?.to_vec()).filter(|inner| !inner.is_empty())
        });
    readings.next()
}

/// Where the inner command begins.
fn start(words: &[&str]) -> Option<usize> {
    let program = *words.first()?;
    match program {
        "gdb" | "lldb" => return clients::debugged(words),
        "nix" if matches!(words.get(1), Some(&("develop" | "shell"))) => {
            let at = words
                .iter()
                .position(|word| matches!(*word, "-c" | "--command"))?;
            return Some(at.saturating_add(1));
        }
        "yarn" if words.get(1) == Some(&"workspace") && words.get(3) == Some(&"exec") => {
            return Some(4);
        }
        _ => {}
    }
    let runners = BY_PROGRAM.get(program)?;
    let (prefix, short, long, operands) = runners.iter().find(|(prefix, ..)| {
        let mut own = words.iter();
        prefix.split(' ').all(|word| own.next() == Some(&word))
    })?;
    let from = prefix.split(' ').count();
    let dashes = words.iter().position(|word| *word == "--");
    if let Some(dashes) = dashes.filter(|_| has(DASHED, program)) {
        return Some(dashes.saturating_add(1));
    }
    let options = Grammar::leading(short, long);
    let mut at = operands_start(words, from, &options)?.saturating_add(*operands);
    if words.get(at) == Some(&"--") {
        at = at.saturating_add(1);
    }
    while program.starts_with("cross-env") || program == "cmake" {
        if !words.get(at).is_some_and(|word| is_assignment(word)) {
            break;
        }
        at = at.saturating_add(1);
    }
    words.get(at).map(|_| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_and_what_they_run() {
        for (text, inner) in [
            ("docker exec -it c rm x", "rm x"),
            ("docker exec -u root -e A=1 c rm x", "rm x"),
            ("docker exec c rm -- x", "rm -- x"),
            ("docker -H h exec c rm x", "rm x"),
            ("docker compose -f f exec -T s rm x", "rm x"),
            ("kubectl exec p -- rm x", "rm x"),
            ("kubectl -n n exec p -c c -- rm x", "rm x"),
            ("npm exec -- rm x", "rm x"),
            ("npm --prefix d exec rm x", "rm x"),
            ("npx rm -- x", "rm -- x"),
            ("npx --yes rm x", "rm x"),
            ("uv run --with a rm x", "rm x"),
            ("uv run rm -- x", "rm -- x"),
            ("poetry run rm x", "rm x"),
            ("bundle exec rm x", "rm x"),
            ("mise exec node@20 -- rm x", "rm x"),
            ("direnv exec . rm x", "rm x"),
            ("nix develop -c rm x", "rm x"),
            ("nix shell nixpkgs#jq --command rm x", "rm x"),
            ("cross-env A=1 B=2 rm x", "rm x"),
            ("conda run -n e rm x", "rm x"),
            ("gdb -ex run --args rm x", "rm x"),
            ("valgrind --leak-check=full rm x", "rm x"),
            ("cmake -E env A=1 rm x", "rm x"),
            ("ip netns exec n rm x", "rm x"),
        ] {
            let all: Vec<&str> = text.split(' ').collect();
            let found = run_inside(&all).unwrap_or_default();
            let inside: Vec<&str> = found.iter().map(|index| all[*index]).collect();
            assert_eq!(inside.join(" "), inner, "{text}");
        }
        for text in [
            "docker ps",
            "npm test",
            "cargo run x",
            "kubectl get pods",
            "docker exec c",
            "uv sync",
            "gdb p",
            "nix build",
            "npm run exec",
            "poetry install",
            "ip addr",
        ] {
            let all: Vec<&str> = text.split(' ').collect();
            assert_eq!(run_inside(&all), None, "{text}");
        }
    }
}
