//! Programs that run another program: what they run, and where it begins.

/// A wrapper: its options with a value, the operands before the command.
struct Wrapper {
    name: &'static str,
    /// Letters of short options that take a value.
    short: &'static str,
    /// Long options that take the next word.
    long: &'static [&'static str],
    /// Operands in front of the command; two numbers where it may be either.
    operands: &'static [usize],
    /// Whether `NAME=VALUE` may stand in front of the command.
    sets: bool,
}

const fn row(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
    operands: &'static [usize],
) -> Wrapper {
    Wrapper {
        name,
        short,
        long,
        operands,
        sets: false,
    }
}

const fn setting(
    name: &'static str,
    short: &'static str,
    long: &'static [&'static str],
) -> Wrapper {
    Wrapper {
        name,
        short,
        long,
        operands: &[0],
        sets: true,
    }
}

/// The wrappers whose command stands in their arguments.
const WRAPPERS: [Wrapper; 45] = [
    setting(
        "sudo",
        "ugCDhprtTUR",
        &[
            "--user",
            "--group",
            "--chdir",
            "--host",
            "--prompt",
            "--role",
            "--type",
            "--close-from",
            "--command-timeout",
            "--other-user",
            "--chroot",
        ],
    ),
    setting("doas", "uC", &[]),
    setting("env", "uCS", &["--unset", "--chdir", "--split-string"]),
    row(
        "xargs",
        "aEIiLlnPsd",
        &[
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-procs",
            "--replace",
            "--max-lines",
            "--max-chars",
            "--process-slot-var",
        ],
        &[0],
    ),
    row("time", "fo", &["--format", "--output"], &[0]),
    row("nohup", "", &[], &[0]),
    row("timeout", "ks", &["--kill-after", "--signal"], &[1]),
    row("nice", "n", &["--adjustment"], &[0]),
    row(
        "ionice",
        "cnpPu",
        &["--class", "--classdata", "--pid"],
        &[0],
    ),
    row(
        "chrt",
        "TPD",
        &["--sched-runtime", "--sched-period", "--sched-deadline"],
        &[1],
    ),
    row("setsid", "", &[], &[0]),
    row("stdbuf", "ioe", &["--input", "--output", "--error"], &[0]),
    row("watch", "nq", &["--interval", "--equexit"], &[0]),
    row(
        "flock",
        "wE",
        &["--timeout", "--wait", "--conflict-exit-code"],
        &[1],
    ),
    row(
        "parallel",
        "jaINLnSsdP",
        &[
            "--jobs",
            "--arg-file",
            "--colsep",
            "--joblog",
            "--results",
            "--delay",
        ],
        &[0],
    ),
    row(
        "rust-parallel",
        "jinIrst",
        &["--jobs", "--input-file", "--regex"],
        &[0],
    ),
    row("rush", "jinDrT", &["--jobs", "--infile"], &[0]),
    row("command", "", &[], &[0]),
    row("exec", "a", &[], &[0]),
    row("builtin", "", &[], &[0]),
    row(
        "setpriv",
        "",
        &[
            "--reuid",
            "--regid",
            "--groups",
            "--inh-caps",
            "--ambient-caps",
            "--bounding-set",
            "--securebits",
        ],
        &[0],
    ),
    row(
        "unshare",
        "RwSG",
        &["--root", "--wd", "--setuid", "--setgid", "--propagation"],
        &[0],
    ),
    row(
        "nsenter",
        "tSG",
        &["--target", "--setuid", "--setgid"],
        &[0],
    ),
    row("taskset", "", &[], &[1]),
    row("prlimit", "po", &["--pid", "--output"], &[0]),
    row("choom", "np", &["--adjust", "--pid"], &[0]),
    row("setarch", "", &[], &[1, 0]),
    row("linux64", "", &[], &[0]),
    row(
        "su",
        "cgGs",
        &["--command", "--group", "--shell", "--supp-group"],
        &[],
    ),
    row(
        "runuser",
        "ugGcs",
        &["--user", "--group", "--command", "--shell", "--supp-group"],
        &[0],
    ),
    row("sg", "", &[], &[1]),
    row("ssh-agent", "aEPt", &[], &[0]),
    row(
        "dbus-run-session",
        "",
        &["--config-file", "--dbus-daemon"],
        &[0],
    ),
    row("fakeroot", "lifsb", &["--lib", "--faked"], &[0]),
    row("busybox", "", &[], &[0]),
    row("chroot", "", &[], &[1]),
    row(
        "strace",
        "eopsSPuEaIOXbU",
        &["--trace", "--output", "--attach", "--user", "--env"],
        &[0],
    ),
    row("ltrace", "eopsuanDFlx", &["--output", "--library"], &[0]),
    row("pkexec", "", &["--user"], &[0]),
    row(
        "systemd-run",
        "HMpuEdt",
        &[
            "--unit",
            "--property",
            "--setenv",
            "--working-directory",
            "--slice",
            "--description",
            "--uid",
            "--gid",
        ],
        &[0],
    ),
    row("entr", "", &[], &[0]),
    row("expect", "cf", &[], &[]),
    row("tmux", "cfLSxytnse", &[], &[1]),
    row("screen", "SchpstTXe", &[], &[0]),
    row("capsh", "", &[], &[]),
];

/// Wrappers whose command is not among their arguments as words.
const OTHERS: [&str; 5] = ["script", "at", "batch", "socat", "hyperfine"];

/// Whether a command runs another one that its words name (page 2b, b.3).
pub(crate) fn is_indirection(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    match *program {
        "command" => !arguments.first().is_some_and(|word| {
            word.starts_with('-') && !word.starts_with("--") && word.contains(['v', 'V'])
        }),
        // Only redirections: nothing is run.
        "exec" => !arguments.is_empty(),
        "find" => arguments.iter().any(|word| FIND_ACTIONS.contains(word)),
        "fd" | "fdfind" => arguments.iter().any(|word| fd_action(word).is_some()),
        other => WRAPPERS.iter().any(|wrapper| wrapper.name == other) || OTHERS.contains(&other),
    }
}

const FIND_ACTIONS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// The glued command of an `fd` option that runs one; empty where the command is the next word.
fn fd_action(word: &str) -> Option<&str> {
    for long in ["--exec", "--exec-batch"] {
        if word == long {
            return Some("");
        }
        if let Some(value) = word
            .strip_prefix(long)
            .and_then(|rest| rest.strip_prefix('='))
        {
            return Some(value);
        }
    }
    if word.starts_with("--") {
        return None;
    }
    let letters = word.strip_prefix('-')?;
    let at = letters.find(['x', 'X'])?;
    // A letter in front that takes a value holds the rest: `-ex` is extension `x`.
    let before = letters.get(..at)?;
    if before.contains(['e', 'E', 't', 'd', 'c', 'j', 'S', 'o']) {
        return None;
    }
    letters.get(at.saturating_add(1)..)
}

/// A command inside another: the indices of its words, and of assignments in front of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) words: Vec<usize>,
    pub(crate) assignments: Vec<usize>,
}

impl Inside {
    fn from(words: impl Iterator<Item = usize>) -> Self {
        Self {
            words: words.collect(),
            assignments: Vec::new(),
        }
    }
}

/// Most readings of one wrapper's options.
const MOST_READINGS: usize = 8;

/// The commands that a wrapper's words name.
pub(crate) fn wrapped(words: &[&str]) -> Vec<Inside> {
    let Some(program) = words.first() else {
        return Vec::new();
    };
    match *program {
        "find" => return find_commands(words),
        "fd" | "fdfind" => {
            let at = words
                .iter()
                .skip(1)
                .position(|word| fd_action(word).is_some());
            let Some(at) = at.map(|at| at.saturating_add(1)) else {
                return Vec::new();
            };
            let rest = at.saturating_add(1)..words.len();
            let ends = rest.clone().find(|index| words.get(*index) == Some(&";"));
            return vec![Inside::from(rest.start..ends.unwrap_or(rest.end))];
        }
        _ => {}
    }
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == *program) else {
        return Vec::new();
    };
    let mut found: Vec<Inside> = Vec::new();
    for start in after_options(words, 1, wrapper.short, wrapper.long) {
        for operands in wrapper.operands {
            let mut at = start.saturating_add(*operands);
            if *operands > 0 && words.get(at) == Some(&"--") {
                at = at.saturating_add(1);
            }
            // `flock FILE` and `timeout 5` may be followed by options of their own no more.
            let mut inside = Inside::default();
            while wrapper.sets && words.get(at).is_some_and(|word| is_assignment(word)) {
                inside.assignments.push(at);
                at = at.saturating_add(1);
            }
            let end = match *program {
                "parallel" | "rust-parallel" | "rush" => {
                    let marker = words.iter().position(|word| word.starts_with(":::"));
                    marker.unwrap_or(words.len())
                }
                _ => words.len(),
            };
            if at < end {
                inside.words = (at..end).collect();
                if !found.contains(&inside) {
                    found.push(inside);
                }
            }
        }
    }
    // `sg GROUP -c` and `flock FILE -c` are payloads, not commands.
    found.retain(|inside| {
        inside
            .words
            .first()
            .and_then(|index| words.get(*index))
            .is_some_and(|word| !word.starts_with('-'))
    });
    found
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || character == '_')
    })
}

/// Where operands may begin: an option that is not known to take a value is read both ways.
pub(super) fn after_options(words: &[&str], from: usize, short: &str, long: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut waiting = vec![from];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(at) = waiting.pop() {
        if !seen.insert(at) || found.len() >= MOST_READINGS {
            continue;
        }
        let Some(word) = words.get(at) else {
            continue;
        };
        if *word == "--" {
            found.push(at.saturating_add(1));
            continue;
        }
        if !word.starts_with('-') || *word == "-" {
            found.push(at);
            continue;
        }
        let next = at.saturating_add(1);
        let two = at.saturating_add(2);
        if let Some(name) = word.strip_prefix("--") {
            if name.contains('=') {
                waiting.push(next);
            } else if long.contains(word) {
                waiting.push(two);
            } else {
                waiting.push(two);
                waiting.push(next);
            }
            continue;
        }
        let letters = word.strip_prefix('-').unwrap_or(word);
        let last = letters.chars().last();
        let with_value = letters.chars().position(|letter| short.contains(letter));
        match with_value {
            // `-u root`: the value is the next word; `-uroot`: it is glued.
            Some(place) if place.saturating_add(1) == letters.chars().count() => waiting.push(two),
            Some(_) => waiting.push(next),
            None if last.is_some_and(|letter| letter.is_ascii_digit()) => waiting.push(next),
            None => {
                waiting.push(two);
                waiting.push(next);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn find_commands(words: &[&str]) -> Vec<Inside> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if FIND_ACTIONS.contains(word) {
            let start = index.saturating_add(1);
            let rest = words.get(start..).unwrap_or_default();
            let length = rest
                .iter()
                .enumerate()
                .position(|(at, word)| {
                    *word == ";"
                        || (*word == "+" && at > 0 && rest.get(at.saturating_sub(1)) == Some(&"{}"))
                })
                .unwrap_or(rest.len());
            found.push(Inside::from(start..start.saturating_add(length)));
        }
    }
    found
}

/// Runners: what stands in front of the command that they run somewhere else or with other tools.
const RUNNERS: [(&[&str], &str, usize); 28] = [
    (&["docker", "exec"], "euwd", 1),
    (&["podman", "exec"], "euwd", 1),
    (&["docker", "compose", "exec"], "euw", 1),
    (&["podman", "compose", "exec"], "euw", 1),
    (&["docker-compose", "exec"], "euw", 1),
    (&["docker", "container", "exec"], "euwd", 1),
    (&["kubectl", "exec"], "cn", 1),
    (&["oc", "exec"], "cn", 1),
    (&["npm", "exec"], "cw", 0),
    (&["npm", "x"], "cw", 0),
    (&["npx"], "cp", 0),
    (&["pnpm", "exec"], "C", 0),
    (&["pnpm", "dlx"], "C", 0),
    (&["yarn", "exec"], "", 0),
    (&["yarn", "dlx"], "p", 0),
    (&["bunx"], "", 0),
    (&["bun", "x"], "", 0),
    (&["uv", "run"], "p", 0),
    (&["uvx"], "p", 0),
    (&["poetry", "run"], "", 0),
    (&["pipenv", "run"], "", 0),
    (&["pdm", "run"], "p", 0),
    (&["hatch", "run"], "e", 0),
    (&["bundle", "exec"], "", 0),
    (&["mise", "exec"], "C", 0),
    (&["direnv", "exec"], "", 1),
    (&["rye", "run"], "", 0),
    (&["nix", "develop"], "", 0),
];

/// The command that a runner runs, for denies only.
pub(crate) fn run_inside(words: &[&str]) -> Option<Vec<usize>> {
    for (prefix, short, operands) in RUNNERS {
        if !words.starts_with(prefix) {
            continue;
        }
        if let Some(dashes) = words.iter().position(|word| *word == "--") {
            // Everything behind `--`, whatever stood before.
            let start = dashes.saturating_add(1);
            return (start < words.len()).then(|| (start..words.len()).collect());
        }
        if prefix == ["nix", "develop"] {
            let at = words
                .iter()
                .position(|word| matches!(*word, "-c" | "--command"))?;
            return Some((at.saturating_add(1)..words.len()).collect());
        }
        let starts = after_options(
            words,
            prefix.len(),
            short,
            &[
                "--user",
                "--env",
                "--workdir",
                "--container",
                "--namespace",
                "--package",
                "--with",
                "--python",
            ],
        );
        let start = starts.first()?.saturating_add(operands);
        return (start < words.len()).then(|| (start..words.len()).collect());
    }
    None
}
