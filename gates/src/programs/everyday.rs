//! Commands of which nothing is known but their words: the ones that agents run all day. For speed only.
//!
//! A row says that the other tables have nothing to say about a command: no wrapper, no payload, no program in an option,
//! no option with a value but those listed as texts. A test holds each row against them. Options in front of a
//! subcommand are the caller's to ask about.

use std::sync::LazyLock;

use super::{ByProgram, by_program};

/// Programs with a blank between them, subcommands (none: they have none), options as they are typed.
struct Everyday {
    programs: &'static str,
    subcommands: &'static [&'static str],
    options: &'static [&'static str],
    /// Options whose next word is text.
    texts: &'static [&'static str],
}

const fn row(
    programs: &'static str,
    subcommands: &'static [&'static str],
    options: &'static [&'static str],
) -> Everyday {
    Everyday {
        programs,
        subcommands,
        options,
        texts: &[],
    }
}

impl Everyday {
    const fn texts(self, texts: &'static [&'static str]) -> Self {
        Self { texts, ..self }
    }
}

static TABLE: [Everyday; 32] = [
    row(
        "git",
        &["status"],
        &[
            "-s",
            "--short",
            "-sb",
            "-b",
            "-v",
            "--branch",
            "--porcelain",
        ],
    ),
    row(
        "git",
        &["log", "diff", "show"],
        &[
            "-p",
            "-q",
            "--stat",
            "--oneline",
            "--graph",
            "--all",
            "--cached",
            "--staged",
            "--name-only",
            "--name-status",
            "--decorate",
            "--patch",
        ],
    )
    .texts(&["-n"]),
    row(
        "git",
        &["add"],
        &["-A", "-p", "-u", "-f", "--all", "--patch"],
    ),
    row(
        "git",
        &["branch"],
        &[
            "-a",
            "-r",
            "-v",
            "-vv",
            "-d",
            "-D",
            "--all",
            "--show-current",
        ],
    ),
    row(
        "git",
        &["fetch", "pull", "push"],
        &[
            "-p",
            "-v",
            "-f",
            "-q",
            "--all",
            "--tags",
            "--prune",
            "--force",
            "--force-with-lease",
            "--rebase",
            "--ff-only",
        ],
    ),
    row(
        "git",
        &["checkout", "switch", "restore"],
        &["-f", "-q", "-p", "--staged"],
    ),
    row(
        "git",
        &["commit"],
        &["-a", "-q", "-v", "--amend", "--no-edit", "--no-verify"],
    )
    .texts(&["-m"]),
    row("git", &["rev-parse"], &["--show-toplevel", "--abbrev-ref"]),
    row("git", &["reset"], &["--hard", "--soft"]),
    row("git", &["clean"], &["-f", "-fd", "-n", "-d"]),
    row(
        "git",
        &[
            "ls-files", "blame", "describe", "tag", "merge", "rm", "mv", "stash", "remote",
            "worktree", "init",
        ],
        &[],
    ),
    row(
        "ls ll",
        &[],
        &[
            "-l", "-a", "-A", "-1", "-R", "-h", "-d", "-F", "-t", "-la", "-al", "-lh", "-lah",
            "-alh", "-lt", "-ltr", "-ld", "--all",
        ],
    ),
    row(
        "cat wc stat file tree du df",
        &[],
        &["-n", "-l", "-w", "-c", "-h", "-sh", "-a"],
    ),
    row(
        "pwd whoami id hostname uname true false",
        &[],
        &["-a", "-u", "-P", "-r", "-m"],
    ),
    row("which type", &[], &["-a"]),
    row(
        "mkdir rmdir rm touch",
        &[],
        &["-p", "-r", "-f", "-rf", "-fr", "-v", "-i"],
    ),
    row(
        "cp mv",
        &[],
        &["-r", "-R", "-a", "-f", "-v", "-n", "-i", "-p"],
    ),
    row(
        "cargo",
        &[
            "build", "check", "test", "clippy", "fmt", "doc", "bench", "update", "tree", "clean",
            "metadata",
        ],
        &[
            "--workspace",
            "--all-targets",
            "--all",
            "--all-features",
            "--release",
            "--lib",
            "--bins",
            "--tests",
            "--no-run",
            "--no-deps",
            "--check",
            "--locked",
            "--offline",
            "--frozen",
            "-q",
            "-v",
            "--quiet",
            "--verbose",
        ],
    )
    .texts(&["-p"]),
    row(
        "npm pnpm yarn",
        &[
            "test", "install", "ci", "run", "start", "build", "lint", "ls", "outdated", "audit",
            "publish", "add",
        ],
        &[
            "-D",
            "--save-dev",
            "--production",
            "--frozen-lockfile",
            "--silent",
            "--watch",
        ],
    ),
    row(
        "go",
        &["build", "test", "vet", "fmt", "list", "version", "mod"],
        &["-v", "-race", "-short", "-cover"],
    ),
    row(
        "kubectl",
        &[
            "get", "describe", "logs", "top", "version", "delete", "apply", "rollout",
        ],
        &["-A", "--all-namespaces", "--watch", "-w"],
    )
    .texts(&["-n", "-o", "-l"]),
    row(
        "docker podman",
        &["ps", "images", "info", "version"],
        &["-a", "-q", "--all"],
    ),
    row(
        "terraform tofu",
        &[
            "init", "plan", "validate", "fmt", "show", "apply", "destroy", "output",
        ],
        &["-recursive", "-check", "-auto-approve", "-json"],
    ),
    row("make gmake", &[], &["-B", "-k", "-n", "-s"]),
    row("pytest", &[], &["-q", "-v", "-x", "-s", "-vv"]),
    row("ruff", &["check", "format"], &["--fix", "--check"]),
    row("tsc", &[], &["--noEmit", "--build", "--watch"]),
    row(
        "eslint prettier mypy",
        &[],
        &["--fix", "--check", "--strict"],
    ),
    row(
        "gh",
        &["pr", "issue", "run", "repo"],
        &["--web", "--comments"],
    ),
    row("helm", &["list", "status", "template", "lint"], &["-A"]),
    row("head tail", &[], &["-q", "-v"]).texts(&["-n", "-c"]),
    row("sleep basename dirname realpath", &[], &[]),
];

static BY_PROGRAM: LazyLock<ByProgram<&'static Everyday>> = LazyLock::new(|| {
    by_program(TABLE.iter().flat_map(|row| {
        let programs = row.programs.split(' ');
        programs.map(move |program| (program, row))
    }))
});

/// Whether a word has only bytes that no shell and no table takes for more than letters.
pub(crate) fn is_plain(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/'))
}

/// The words of such a command that may be paths, each as one bit, the first word in the lowest; `None` if it is none.
///
/// At most 16 words. The operands must be plain, for instance no `NAME=VALUE`.
pub(crate) fn everyday(words: &[&str]) -> Option<u16> {
    let (program, arguments) = words.split_first()?;
    let rows = BY_PROGRAM.get(program)?;
    let subcommand = arguments.first();
    let row = rows.iter().find(|row| {
        row.subcommands.is_empty()
            || subcommand.is_some_and(|subcommand| row.subcommands.contains(subcommand))
    })?;
    let mut operands = 0_u16;
    let mut bit = 1_u16;
    let mut is_text = false;
    for word in arguments {
        bit = bit.checked_mul(2)?;
        let is_option = word.starts_with('-');
        if is_text {
            is_text = false;
        } else if !is_option {
            operands |= bit;
        } else if row.texts.contains(word) {
            is_text = true;
        } else if !row.options.contains(word) {
            return None;
        }
    }
    Some(operands)
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;

    /// Nothing in the tables looks at a command but at its operands.
    fn assert_silent(words: &[&str]) {
        let operands = everyday(words).expect("a row of the table");
        let text = words.join(" ");
        let program = words[0];
        assert!(!opaque(words) && !is_indirection(words), "{text}");
        assert!(!is_shell(program) && !is_interpreter(program), "{text}");
        assert!(
            !is_zsh_prefix(program) && !is_compound_word(program),
            "{text}"
        );
        assert_eq!(inline_program(words), None, "{text}");
        assert_eq!(run_inside(words), None, "{text}");
        assert_eq!(script_operand(words), None, "{text}");
        assert!(wrapped(words).is_empty(), "{text}");
        assert!(payloads(words).is_empty(), "{text}");
        assert!(evaluates_text(words).is_empty(), "{text}");
        assert!(directories(words).is_empty(), "{text}");
        assert!(!reads_program_from_stdin(words), "{text}");
        let roles = roles(words, true);
        for (index, word) in words.iter().enumerate().skip(1) {
            let is_operand = operands & (1 << index) != 0;
            assert_eq!(
                roles[index] == Role::Plain,
                is_operand,
                "{word} in {text}: {roles:?}"
            );
            assert!(
                matches!(roles[index], Role::Plain | Role::Option | Role::Text),
                "{text}: {roles:?}"
            );
            assert_eq!(glued_value(words, index), None, "{word} in {text}");
        }
    }

    #[test]
    fn no_table_has_more_to_say_about_an_everyday_command() {
        let mut n_commands = 0;
        for row in &TABLE {
            for program in row.programs.split(' ') {
                let subcommands = row.subcommands.iter().map(|word| Some(*word));
                let subcommands: Vec<_> = if row.subcommands.is_empty() {
                    vec![None]
                } else {
                    subcommands.collect()
                };
                let options =
                    || std::iter::once(None).chain(row.options.iter().chain(row.texts).map(Some));
                for (subcommand, first) in subcommands
                    .iter()
                    .flat_map(|subcommand| options().map(move |first| (subcommand, first)))
                {
                    for second in options() {
                        for operands in [
                            &[][..],
                            &["x"],
                            &["rm", "a/b"],
                            &["list", ".env"],
                            &["exec", "..", "run"],
                        ] {
                            let words: Vec<&str> = std::iter::once(program)
                                .chain(*subcommand)
                                .chain(first.copied())
                                .chain(operands.first().copied())
                                .chain(second.copied())
                                .chain(operands.iter().skip(1).copied())
                                .collect();
                            assert_silent(&words);
                            n_commands += 1;
                        }
                    }
                }
            }
        }
        assert!(n_commands > 50_000, "{n_commands}");
    }

    #[test]
    fn what_may_mean_more_is_not_everyday() {
        for text in [
            "git -C x status",
            "git -c a=b log",
            "git config x y",
            "git log --output x",
            "git status -n 3",
            "sudo ls",
            "bash x",
            "python x.py",
            "env",
            "xargs rm",
            "npm exec x",
            "docker exec c rm",
            "kubectl exec p",
            "cargo run",
            "cargo watch",
            "ls --color",
            "make -f x",
            "cd x",
            "eval x",
            "cargo test -- x",
            "git",
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(everyday(&words), None, "{text}");
        }
    }
}
