//! Strings that something will read as shell commands.

use super::options::{Grammar, Item, Value, operands, operands_start, position, read, values};
use super::{archives, awk, clients, git, is_shell, multiplexers, sed, shell_call, wrappers};

/// A string that a shell will read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payload {
    pub(crate) text: String,
    /// The words that become `$1`, `$2`, ...
    pub(crate) arguments: Vec<usize>,
}

impl Payload {
    fn of(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            arguments: Vec::new(),
        }
    }
}

/// Options of the wrappers that take `-c CMD`.
const OPAQUE: [(&str, Grammar); 5] = [
    (
        "su",
        Grammar::open(
            "cgGsTwC",
            "",
            "command session-command group supp-group shell whitelist-environment",
        ),
    ),
    (
        "runuser",
        Grammar::open(
            "cgGsTwuC",
            "",
            "command session-command group supp-group shell whitelist-environment user",
        ),
    ),
    (
        "script",
        Grammar::open(
            "cBIOTEmo",
            "t",
            "command log-io log-in log-out log-timing echo logging-format output-limit",
        ),
    ),
    ("sg", Grammar::open("c", "", "command")),
    (
        "flock",
        Grammar::open("cwE", "", "command timeout wait conflict-exit-code"),
    ),
];

/// The value of `-c` of such a wrapper, if it has one.
fn command_option<'w>(words: &[&'w str]) -> Option<Option<Value<'w>>> {
    let program = words.first()?;
    let (_, grammar) = OPAQUE.iter().find(|(name, _)| name == program)?;
    read(words, 1, grammar)
        .into_iter()
        .find_map(|item| match item {
            Item::Option {
                name:
                    super::options::Name::Letter('c')
                    | super::options::Name::Long("command" | "session-command"),
                value,
                ..
            } => Some(value),
            _ => None,
        })
}

/// Whether a command hands a string to a shell (page 2b, b.3).
pub(crate) fn opaque(words: &[&str]) -> bool {
    match words.first() {
        Some(&"eval") => true,
        Some(shell) if is_shell(shell) => shell_call(words).has_command,
        _ => command_option(words).is_some(),
    }
}

/// Options whose value is a command line: the program, letters, long names.
const COMMAND_OPTIONS: [(&str, Grammar, &str, &str); 18] = [
    (
        "nix-shell",
        Grammar::open("pAI", "", "run command attr"),
        "",
        "run command",
    ),
    (
        "npm",
        Grammar::leading("cwpC", "call workspace package prefix"),
        "c",
        "call",
    ),
    (
        "npx",
        Grammar::leading("cwp", "call workspace package"),
        "c",
        "call",
    ),
    (
        "mise",
        Grammar::open("cCEj", "", "command cd env jobs"),
        "c",
        "command",
    ),
    (
        "split",
        Grammar::open("abClnt", "", "filter bytes lines number"),
        "",
        "filter",
    ),
    (
        "sort",
        Grammar::open("kotST", "", "compress-program key output"),
        "",
        "compress-program",
    ),
    (
        "rg",
        Grammar::open("ABCEMTdefgjmrt", "", "pre hostname-bin"),
        "",
        "pre hostname-bin",
    ),
    (
        "man",
        Grammar::open("PCRLmMSse", "Hp", "pager html"),
        "PH",
        "pager html",
    ),
    ("mapfile", Grammar::open("dnOsucC", "", ""), "C", ""),
    ("readarray", Grammar::open("dnOsucC", "", ""), "C", ""),
    ("compgen", Grammar::open("oAGWFCXPSV", "", ""), "C", ""),
    ("complete", Grammar::open("oAGWFCXPS", "", ""), "C", ""),
    ("git-shell", Grammar::open("c", "", ""), "c", ""),
    (
        "nodemon",
        Grammar::leading("xweid", "exec watch ext ignore delay"),
        "x",
        "exec",
    ),
    ("vagrant", Grammar::open("c", "", "command"), "c", "command"),
    ("gh", Grammar::open("", "", ""), "", ""),
    ("bat", Grammar::open("", "", "pager"), "", "pager"),
    (
        "wget",
        Grammar::open("", "", "use-askpass"),
        "",
        "use-askpass",
    ),
];

/// The values of options that are commands, of a program of the table.
pub(super) fn command_values<'w>(words: &[&'w str]) -> Vec<Value<'w>> {
    let program = words.first().copied().unwrap_or_default();
    let row = COMMAND_OPTIONS.iter().find(|(name, ..)| *name == program);
    row.map_or_else(Vec::new, |(_, grammar, short, long)| {
        values(&read(words, 1, grammar), short, long)
    })
}

/// The strings of a command that something will read as commands (page 2b, b.4 item 5).
pub(crate) fn payloads(words: &[&str]) -> Vec<Payload> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let texts: Vec<String> = match *program {
        shell if is_shell(shell) => return shell_payload(words).into_iter().collect(),
        "eval" => vec![joined(
            words,
            if words.get(1) == Some(&"--") { 2 } else { 1 },
        )],
        "su" | "script" | "runuser" | "flock" => option_command(words),
        "sg" => {
            let mut found = option_command(words);
            if found.is_empty() && words.len() > 2 {
                found.push(joined(words, 2));
            }
            found
        }
        "trap" => {
            let action = arguments
                .iter()
                .find(|word| !word.starts_with('-') || word.len() == 1);
            action
                .filter(|action| **action != "-")
                .map(|action| (*action).to_owned())
                .into_iter()
                .collect()
        }
        "alias" => {
            let values = arguments
                .iter()
                .filter_map(|word| Some(word.split_once('=')?.1.to_owned()));
            values.collect()
        }
        "env" => split_string(words),
        "ssh" | "autossh" => {
            let call = clients::ssh(words);
            let mut found = held(call.local);
            found.extend(call.command.map(|at| joined(words, at)));
            found
        }
        "scp" | "sftp" => held(clients::copies(words)),
        "rsync" => held(clients::rsync_commands(words)),
        "watch" if !wrappers::joins_words(words) => Vec::new(),
        "watch" => inner_line(words),
        "parallel" => parallel(words),
        "rush" => inner_line(words),
        "hyperfine" => hyperfine(words),
        "fd" | "fdfind" => fd(words),
        "entr" => {
            let is_line = position(&read(words, 1, &Grammar::leading("", "")), "s", "").is_some();
            if is_line {
                inner_lines_of_entr(words)
            } else {
                Vec::new()
            }
        }
        "capsh" => {
            let at = arguments
                .iter()
                .position(|word| matches!(*word, "--" | "==" | "-+" | "=+"));
            let own: Vec<&str> = std::iter::once("bash")
                .chain(
                    at.map(|at| at.saturating_add(1))
                        .and_then(|at| arguments.get(at..))
                        .unwrap_or_default()
                        .iter()
                        .copied(),
                )
                .collect();
            shell_payload(&own)
                .map(|payload| payload.text)
                .into_iter()
                .collect()
        }
        "git" => git::payloads(words),
        "tar" | "gtar" | "bsdtar" => held(archives::tar_commands(words)),
        "psql" | "sqlite3" | "mysql" | "mariadb" => held(clients::client_commands(words)),
        "vim" | "vi" | "nvim" | "view" | "less" | "ex" | "more" | "gvim" => {
            held(clients::editor_commands(words))
        }
        "gdb" | "lldb" => held(clients::debugger_commands(words)),
        "awk" | "gawk" | "nawk" | "mawk" => awk::awk_commands(words),
        "sed" | "gsed" => sed::sed_commands(words),
        "make" | "gmake" => make(words),
        "expect" => {
            let texts = values(&read(words, 1, &Grammar::open("cf", "", "")), "c", "").into_iter();
            let lines = texts.flat_map(|value| value.text.split([';', '\n']));
            lines
                .filter_map(|line| {
                    let line = line.trim_start();
                    let found = ["spawn ", "exec ", "system "]
                        .iter()
                        .find_map(|name| line.strip_prefix(name));
                    found.map(str::to_owned)
                })
                .collect()
        }
        "socat" => {
            let found = arguments.iter().filter_map(|word| {
                let (kind, command) = word.split_once(':')?;
                let is_command = ["exec", "system", "shell"]
                    .iter()
                    .any(|name| kind.eq_ignore_ascii_case(name));
                is_command.then(|| command.split(',').next().unwrap_or(command).to_owned())
            });
            found.collect()
        }
        "tmux" => multiplexers::tmux_lines(words),
        "screen" => multiplexers::screen_lines(words),
        "concurrently" => owned(
            &operands(&read(
                words,
                1,
                &Grammar::open("ncp", "", "names prefix-colors"),
            )),
            words,
        ),
        "cargo" if arguments.first() == Some(&"watch") => {
            let items = read(
                words,
                2,
                &Grammar::open("xsiwCd", "", "exec shell ignore watch workdir delay"),
            );
            let mut found: Vec<String> = Vec::new();
            found.extend(
                values(&items, "s", "shell")
                    .iter()
                    .map(|value| value.text.to_owned()),
            );
            found.extend(
                values(&items, "x", "exec")
                    .iter()
                    .map(|value| format!("cargo {}", value.text)),
            );
            found
        }
        _ => command_values(words)
            .into_iter()
            .map(|value| value.text.to_owned())
            .collect(),
    };
    texts
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .map(Payload::of)
        .collect()
}

fn held(found: Vec<clients::Held>) -> Vec<String> {
    found.into_iter().map(|(_, text)| text).collect()
}

fn owned(indices: &[usize], words: &[&str]) -> Vec<String> {
    let texts = indices.iter().filter_map(|index| words.get(*index));
    texts.map(|text| (*text).to_owned()).collect()
}

/// The words from an index on, as one line.
fn joined(words: &[&str], from: usize) -> String {
    words.get(from..).unwrap_or_default().join(" ")
}

fn shell_payload(words: &[&str]) -> Option<Payload> {
    let call = shell_call(words);
    // fish has its command as the value of an option.
    if let Some(text) = call.glued_command {
        return Some(Payload::of(text));
    }
    let operand = call.operand.filter(|_| call.has_command)?;
    let first = operand.saturating_add(2);
    Some(Payload {
        text: (*words.get(operand)?).to_owned(),
        arguments: (first..words.len()).collect(),
    })
}

fn option_command(words: &[&str]) -> Vec<String> {
    let value = command_option(words).flatten();
    value
        .map(|value| value.text.to_owned())
        .into_iter()
        .collect()
}

/// `env -S 'CMD ARGS' MORE`: the words behind are arguments, too.
fn split_string(words: &[&str]) -> Vec<String> {
    let grammar = Grammar::leading("uCaPS", "unset chdir argv0 split-string");
    let items = read(words, 1, &grammar);
    let rest = operands(&items).first().map(|at| joined(words, *at));
    let mut found = Vec::new();
    for value in values(&items, "S", "split-string") {
        found.push(
            format!("{} {}", value.text, rest.as_deref().unwrap_or_default())
                .trim()
                .to_owned(),
        );
    }
    found
}

/// The words of a wrapper's command as one line.
fn inner_line(words: &[&str]) -> Vec<String> {
    let inner = wrappers::wrapped(words).into_iter();
    let lines = inner.map(|inside| owned(&inside.words, words).join(" "));
    lines.collect()
}

fn inner_lines_of_entr(words: &[&str]) -> Vec<String> {
    let at = operands_start(words, 1, &Grammar::leading("", ""));
    at.map(|at| joined(words, at)).into_iter().collect()
}

/// Most arguments of `parallel` that are put into its command, and the longest command.
const MOST_ARGUMENTS: usize = 32;
const LONGEST_COMMAND: usize = 4_096;

/// `parallel CMD ::: ARGS`, and `parallel ::: CMDS`.
fn parallel(words: &[&str]) -> Vec<String> {
    let command = inner_line(words).pop();
    let arguments = words
        .iter()
        .skip_while(|word| !word.starts_with(":::"))
        .filter(|word| !word.starts_with(":::"))
        .take(MOST_ARGUMENTS);
    let mut found: Vec<String> = Vec::new();
    match command {
        None => found.extend(arguments.map(|argument| (*argument).to_owned())),
        Some(command) => {
            let arguments = arguments.filter(|_| command.len() <= LONGEST_COMMAND);
            let lines = arguments.map(|argument| {
                if command.contains("{}") {
                    command.replace("{}", argument)
                } else {
                    format!("{command} {argument}")
                }
            });
            found.extend(lines);
            found.push(command);
        }
    }
    found
}

const HYPERFINE: Grammar = Grammar::open(
    "wmMrspcPDLSinu",
    "",
    "warmup min-runs max-runs runs setup prepare conclude cleanup parameter-scan \
     parameter-step-size parameter-list \
     reference shell style sort time-unit export-json \
     export-csv export-markdown export-asciidoc export-orgmode output \
     input command-name",
);

fn hyperfine(words: &[&str]) -> Vec<String> {
    // `-i` and `-N` are flags; `i` in the letters above would be `--input`, which has no letter.
    let grammar = Grammar {
        short: "wmMrspcPDLSnu",
        ..HYPERFINE
    };
    let items = read(words, 1, &grammar);
    let mut found = owned(&operands(&items), words);
    let around = values(&items, "spc", "setup prepare conclude cleanup reference").into_iter();
    found.extend(around.map(|value| value.text.to_owned()));
    found
}

/// `fd -xCMD ARGS`, `fd --exec=CMD ARGS`.
fn fd(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate().skip(1) {
        let glued = wrappers::fd_action(word).filter(|glued| !glued.is_empty());
        if let Some(glued) = glued {
            let rest = words
                .iter()
                .skip(index.saturating_add(1))
                .take_while(|word| **word != ";");
            let line: Vec<&str> = std::iter::once(glued).chain(rest.copied()).collect();
            found.push(line.join(" "));
            break;
        }
    }
    found
}

/// `$(shell CMD)` in the text of `--eval`.
fn make(words: &[&str]) -> Vec<String> {
    let items = read(
        words,
        1,
        &Grammar::open("CfIEoW", "jl", "eval directory file include-dir"),
    );
    let texts = values(&items, "E", "eval").into_iter();
    let commands = texts.flat_map(|value| {
        value.text.split("$(shell").skip(1).map(|command| {
            command
                .trim_start_matches([',', ' '])
                .trim_end_matches(')')
                .to_owned()
        })
    });
    commands.collect()
}
