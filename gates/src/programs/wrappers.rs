//! Programs that run another program: what they run, and where it begins.

use super::options::{Grammar, Item, Name, operands_start, position, read};
use super::{multiplexers, runners};

/// A wrapper: its options, and the operands before the command.
struct Wrapper {
    name: &'static str,
    options: Grammar,
    operands: usize,
    /// Whether `NAME=VALUE` may stand in front of the command.
    sets: bool,
}

/// A row: the name, letters with a value, letters without one, long names with a value, long names without one.
const fn row(
    name: &'static str,
    short: &'static str,
    flags: &'static str,
    long: &'static str,
    long_flags: &'static str,
) -> Wrapper {
    Wrapper {
        name,
        options: Grammar {
            short,
            glued: "",
            flags,
            long,
            long_flags,
            is_closed: true,
            stops: true,
        },
        operands: 0,
        sets: false,
    }
}

impl Wrapper {
    const fn after(self, operands: usize) -> Self {
        Self { operands, ..self }
    }

    const fn setting(self) -> Self {
        Self { sets: true, ..self }
    }

    /// Letters whose value is glued or absent.
    const fn glued(self, glued: &'static str) -> Self {
        let options = Grammar {
            glued,
            ..self.options
        };
        Self { options, ..self }
    }
}

/// The wrappers whose command stands in their arguments, in the order of page 2b.
const WRAPPERS: [Wrapper; 49] = [
    row(
        "sudo",
        "ugCDhprtTUR",
        "AbBEHiknNPSs",
        "user group chdir host prompt role type close-from command-timeout other-user chroot login-class",
        "askpass background bell preserve-env set-home login reset-timestamp non-interactive \
         preserve-groups stdin \
         shell no-update",
    )
    .setting(),
    row("doas", "uCa", "Lns", "", "").setting(),
    row(
        "env",
        "uCaP",
        "i0v",
        "unset chdir argv0",
        "ignore-environment null debug list-signal-handling block-signal default-signal ignore-signal",
    )
    .setting(),
    row(
        "xargs",
        "aEILnPsdJRS",
        "0oprtx",
        "arg-file delimiter max-args max-procs max-chars process-slot-var",
        "eof replace max-lines null open-tty interactive no-run-if-empty verbose exit",
    )
    .glued("eil"),
    row("time", "fo", "apqvl", "format output", "append portability quiet verbose"),
    row("nohup", "", "", "", ""),
    row("timeout", "ks", "vfp", "kill-after signal", "foreground preserve-status verbose").after(1),
    row("nice", "n", "", "adjustment", ""),
    row("ionice", "cnpPu", "t", "class classdata pid pgid uid", "ignore"),
    row(
        "chrt",
        "TPD",
        "abdefimorRv",
        "sched-runtime sched-period sched-deadline",
        "fifo rr other batch idle ext deadline all-tasks reset-on-fork verbose",
    )
    .after(1),
    row("setsid", "", "cfw", "", "ctty fork wait"),
    row("stdbuf", "ioe", "", "input output error", ""),
    row(
        "watch",
        "nqs",
        "bcCefgprtvwx",
        "interval equexit shotsdir",
        "beep color no-color differences errexit chgexit precise no-rerun no-title no-wrap exec follow",
    )
    .glued("d"),
    row(
        "flock",
        "wE",
        "sxenuoFv",
        "timeout wait conflict-exit-code",
        "shared exclusive unlock nonblock nb close no-fork verbose",
    )
    .after(1),
    row(
        "parallel",
        "jaINnLsdPCESU",
        "0kqmXurtvxpg",
        "jobs max-procs arg-file colsep joblog results delay timeout retries load memfree \
         sshlogin sshloginfile return \
         basefile workdir tmpdir tagstring max-args \
         max-replace-args max-chars delimiter arg-sep arg-file-sep env halt \
         block recstart recend nice trim profile compress-program shebang-wrap termseq",
        "bar eta progress keep-order dry-run verbose quote tag line-buffer linebuffer ungroup \
         group null pipe pipepart \
         no-run-if-empty xargs will-cite semaphore bg fg \
         wait shuf link resume resume-failed silent plain lb replace \
         max-lines",
    )
    .glued("il"),
    row(
        "rust-parallel",
        "djirt",
        "0pskx",
        "discard-output jobs input-file regex timeout-seconds channel-capacity shell-path shell-argument",
        "null-separator progress-bar shell keep-order dry-run exit-on-error no-run-if-empty",
    ),
    row(
        "rush",
        "jinDrtTdvfs",
        "ceEkqCO",
        "jobs infile nrecords nrecords-separator record-delimiter retries retry-interval \
         timeout trim field-delimiter \
         assign records-join-sep succ-cmd-file",
        "continue stop-on-error keep-order immediate-output dry-run escape verbose eta print-retry-output",
    ),
    row("command", "", "p", "", ""),
    row("exec", "a", "cl", "", ""),
    row("builtin", "", "", "", ""),
    row(
        "setpriv",
        "",
        "",
        "reuid regid ruid euid rgid egid groups inh-caps ambient-caps bounding-set securebits \
         ptracer selinux-label \
         apparmor-profile pdeathsig landlock-access landlock-rule seccomp-filter",
        "clear-groups keep-groups init-groups no-new-privs nnp reset-env",
    ),
    row(
        "unshare",
        "RwSGl",
        "fimnupUCTrcq",
        "root wd setuid setgid propagation setgroups map-user map-group map-users map-groups \
         monotonic boottime \
         load-interp",
        "fork mount uts ipc net pid user cgroup time kill-child mount-proc mount-binfmt \
         map-root-user map-current-user \
         map-auto keep-caps",
    ),
    row(
        "nsenter",
        "tSGWN",
        "aFeZc",
        "target setuid setgid net-socket wdns",
        "all mount uts ipc net pid user cgroup time root wd no-fork preserve-credentials \
         keep-caps follow-context env \
         user-parent join-cgroup",
    )
    .glued("muinpUCTrw"),
    row("taskset", "", "ac", "", "all-tasks cpu-list").after(1),
    row(
        "prlimit",
        "o",
        "",
        "output",
        "core data nice fsize sigpending memlock rss nofile msgqueue rtprio stack cpu nproc as \
         locks rttime raw \
         noheadings verbose",
    )
    .glued("cdefilmnqrstuvxy"),
    row("choom", "n", "", "adjust", ""),
    row(
        "setarch",
        "",
        "BFILRSTXZ3v",
        "",
        "32bit fdpic-funcptrs short-inode addr-compat-layout addr-no-randomize whole-seconds sticky-timeouts \
         read-implies-exec mmap-page-zero 3gb 4gb uname-2.6 verbose",
    ),
    row("linux64", "", "BFILRSTXZ3v", "", "addr-no-randomize verbose"),
    row("linux32", "", "BFILRSTXZ3v", "", "addr-no-randomize verbose"),
    row("runuser", "ugGsTw", "mpPfl", "user group supp-group shell whitelist-environment", "preserve-environment pty fast login"),
    row("sg", "", "", "", "").after(1),
    row("ssh-agent", "aEPtO", "Dd", "", ""),
    row("dbus-run-session", "", "", "config-file dbus-daemon", ""),
    row("fakeroot", "lfisb", "u", "lib faked", "unknown-is-real"),
    row("busybox", "", "", "", ""),
    row("toybox", "", "", "", ""),
    row("chroot", "ugG", "n", "groups userspec", "skip-chdir").after(1),
    row(
        "strace",
        "abeEIOoPpsSuUX",
        "ACcdDfFhiknqrtTvVwxyzYZN",
        "attach output user env string-limit columns trace trace-path signal status quiet \
         abbrev verbose raw read write \
         fault inject kvm syscall-limit detach-on \
         interruptible const-print-style summary-sort-by summary-columns \
         summary-syscall-overhead argv0",
        "follow-forks output-separately output-append-mode summary summary-only debug daemonize \
         instruction-pointer \
         stack-traces no-abbrev absolute-timestamps \
         relative-timestamps syscall-times strings-in-hex decode-fds \
         decode-pids successful-only failed-only seccomp-bpf secontext",
    ),
    row(
        "ltrace",
        "aAeDlnopsuwxF",
        "bcCfhiLrStTV",
        "align config output library where debug indent",
        "demangle no-signals",
    ),
    row("pkexec", "", "", "user", "disable-internal-agent keep-cwd"),
    row(
        "systemd-run",
        "HMpuEC",
        "tdGPqrSv",
        "unit property setenv working-directory slice description uid gid nice service-type \
         on-active on-boot \
         on-startup on-unit-active on-unit-inactive on-calendar \
         timer-property path-property socket-property host \
         machine capsule background expand-environment job-mode json",
        "scope user system no-block wait pty pipe quiet collect same-dir shell remain-after-exit send-sighup \
         no-ask-password slice-inherit on-timezone-change on-clock-change ignore-failure",
    ),
    row("entr", "", "acdnprxz", "", ""),
    row("cpulimit", "lpeP", "bvqzif", "limit pid exe path", "background quiet lazy include-children foreground"),
    // Their commands are found in a way of their own.
    row("su", "", "", "", ""),
    row("script", "", "", "", ""),
    row("tmux", "", "", "", ""),
    row("screen", "", "", "", ""),
    row("expect", "", "", "", ""),
    row("capsh", "", "", "", ""),
];

/// Wrappers whose command is text, not words.
const TEXTUAL: [&str; 4] = ["at", "batch", "socat", "hyperfine"];

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
        // No word of page 2b; it limits what it starts, as `prlimit` does, and has no floor.
        "cpulimit" => false,
        other => WRAPPERS.iter().any(|wrapper| wrapper.name == other) || TEXTUAL.contains(&other),
    }
}

const FIND_ACTIONS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

/// The glued command of an `fd` option that runs one; empty where the command is the next word.
pub(super) fn fd_action(word: &str) -> Option<&str> {
    for long in ["--exec-batch", "--exec"] {
        if let Some(rest) = word.strip_prefix(long) {
            return if rest.is_empty() {
                Some("")
            } else {
                rest.strip_prefix('=')
            };
        }
    }
    let letters = word
        .strip_prefix('-')
        .filter(|letters| !letters.starts_with('-'))?;
    let at = letters.find(['x', 'X'])?;
    // A letter in front that takes a value holds the rest: `-ex` is extension `x`.
    let before = letters.get(..at)?;
    if before.contains(['e', 'E', 't', 'd', 'c', 'j', 'S', 'o', 'C']) {
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
    pub(super) fn from(words: impl Iterator<Item = usize>) -> Self {
        Self {
            words: words.collect(),
            assignments: Vec::new(),
        }
    }
}

/// The options of a wrapper.
pub(super) fn wrapper_options(name: &str) -> Option<&'static Grammar> {
    let mut wrappers = WRAPPERS.iter();
    Some(&wrappers.find(|wrapper| wrapper.name == name)?.options)
}

/// The commands that a wrapper's words name. An option that is not known ends it: the command is then not looked for.
pub(crate) fn wrapped(words: &[&str]) -> Vec<Inside> {
    let Some(program) = words.first() else {
        return Vec::new();
    };
    match *program {
        "find" => return find_commands(words),
        "fd" | "fdfind" => return fd_commands(words),
        "tmux" => return multiplexers::tmux_words(words),
        "screen" => return multiplexers::screen_words(words),
        "script" => return script_words(words),
        _ => {}
    }
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == *program) else {
        return Vec::new();
    };
    let is_textual = matches!(*program, "su" | "expect" | "capsh");
    let user = || position(&read(words, 1, &wrapper.options), "u", "user");
    if is_textual || (*program == "runuser" && user().is_none()) {
        return Vec::new();
    }
    let Some(start) = operands_start(words, 1, &wrapper.options) else {
        return Vec::new();
    };
    let mut at = start.saturating_add(wrapper.operands);
    // `env - rm x`, `timeout 5 -- rm x`, `setarch x86_64 -R rm x`.
    if *program == "env" && words.get(at) == Some(&"-") {
        at = at.saturating_add(1);
    }
    if *program == "setarch" && words.get(at).is_some_and(|word| is_architecture(word)) {
        let Some(behind) = operands_start(words, at.saturating_add(1), &wrapper.options) else {
            return Vec::new();
        };
        at = behind;
    }
    if wrapper.operands > 0 && words.get(at) == Some(&"--") {
        at = at.saturating_add(1);
    }
    let mut inside = Inside::default();
    while wrapper.sets && words.get(at).is_some_and(|word| is_assignment(word)) {
        inside.assignments.push(at);
        at = at.saturating_add(1);
    }
    let end = match *program {
        "parallel" | "rust-parallel" | "rush" => words
            .iter()
            .position(|word| word.starts_with(":::"))
            .unwrap_or(words.len()),
        _ => words.len(),
    };
    // `flock FILE -c ...` and `sg GROUP -c ...` hold text.
    let is_command = words.get(at).is_some_and(|word| !word.starts_with('-'));
    if at >= end || !is_command {
        return Vec::new();
    }
    inside.words = (at..end).collect();
    vec![inside]
}

fn is_architecture(word: &str) -> bool {
    [
        "linux32", "linux64", "i386", "i486", "i586", "i686", "athlon", "x86_64", "uname26",
    ]
    .contains(&word)
        || [
            "ppc", "arm", "aarch64", "mips", "s390", "sparc", "riscv", "alpha", "parisc", "ia64",
        ]
        .iter()
        .any(|family| word.starts_with(family))
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || character == '_')
    })
}

/// BSD: `script [-q] FILE CMD`; util-linux: `script FILE -- CMD`.
fn script_words(words: &[&str]) -> Vec<Inside> {
    let grammar = Grammar {
        flags: "adefkpqr",
        is_closed: true,
        long_flags: "append flush force quiet return",
        ..Grammar::leading(
            "tTIOBEmo",
            "log-in log-out log-io log-timing logging-format echo output-limit",
        )
    };
    let Some(file) = operands_start(words, 1, &grammar) else {
        return Vec::new();
    };
    let mut at = file.saturating_add(1);
    if words.get(at) == Some(&"--") {
        at = at.saturating_add(1);
    }
    let is_command = words.get(at).is_some_and(|word| !word.starts_with('-'));
    is_command
        .then(|| Inside::from(at..words.len()))
        .into_iter()
        .collect()
}

/// `-exec CMD ;` and `-exec CMD {} +`, each of them.
fn find_commands(words: &[&str]) -> Vec<Inside> {
    let mut found = Vec::new();
    let mut waiting: Option<usize> = None;
    for (index, word) in words.iter().enumerate() {
        match waiting {
            Some(start) => {
                let is_batch = *word == "+" && words.get(index.saturating_sub(1)) == Some(&"{}");
                if *word == ";" || is_batch {
                    found.push(Inside::from(start..index));
                    waiting = None;
                }
            }
            None if FIND_ACTIONS.contains(word) => waiting = Some(index.saturating_add(1)),
            None => {}
        }
    }
    found.extend(waiting.map(|start| Inside::from(start..words.len())));
    found
}

/// `-x CMD` up to `;` or the end. A glued command is a payload.
fn fd_commands(words: &[&str]) -> Vec<Inside> {
    let mut found = Vec::new();
    let mut waiting: Option<usize> = None;
    for (index, word) in words.iter().enumerate().skip(1) {
        match waiting {
            Some(start) if *word == ";" => {
                found.push(Inside::from(start..index));
                waiting = None;
            }
            None if fd_action(word) == Some("") => waiting = Some(index.saturating_add(1)),
            _ => {}
        }
    }
    found.extend(waiting.map(|start| Inside::from(start..words.len())));
    found
}

/// What `xargs` puts its lines in place of: `-I {}`, `-i`, `--replace=R`.
pub(crate) fn replaced<'w>(words: &[&'w str]) -> Option<&'w str> {
    if words.first() != Some(&"xargs") {
        return None;
    }
    let items = read(words, 1, wrapper_options("xargs")?);
    items.iter().find_map(|item| match item {
        Item::Option {
            name: Name::Letter('I' | 'i') | Name::Long("replace"),
            value,
            ..
        } => {
            let text = value.map_or("{}", |value| value.text);
            Some(if text.is_empty() { "{}" } else { text })
        }
        _ => None,
    })
}

/// The command that a runner runs, for denies only.
pub(crate) fn run_inside(words: &[&str]) -> Option<Vec<usize>> {
    runners::run_inside(words)
}

/// Whether a wrapper hands its words to a shell as one line, so that a word is read as a command again.
pub(super) fn joins_words(words: &[&str]) -> bool {
    match words.first() {
        Some(&("parallel" | "rush" | "sg")) => true,
        Some(&"watch") => {
            let items = wrapper_options("watch").map(|options| read(words, 1, options));
            !items.unwrap_or_default().iter().any(|item| {
                matches!(
                    item,
                    Item::Option {
                        name: Name::Letter('x') | Name::Long("exec"),
                        ..
                    }
                )
            })
        }
        _ => false,
    }
}
