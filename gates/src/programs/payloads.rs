//! Strings that something will read as shell commands.

use super::wrappers::after_options;
use super::{git, is_shell, scripts, shell_call};

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

/// Whether a command hands a string to a shell (page 2b, b.3).
pub(crate) fn opaque(words: &[&str]) -> bool {
    match words.first() {
        Some(&"eval") => true,
        Some(shell) if is_shell(shell) => shell_call(words).has_command,
        Some(&("su" | "script" | "sg" | "flock" | "runuser")) => command_option(words).is_some(),
        _ => false,
    }
}

/// The value of `-c`, in a cluster, glued, or as `--command`.
fn command_option<'w>(words: &[&'w str]) -> Option<&'w str> {
    for (index, word) in words.iter().enumerate().skip(1) {
        if *word == "--" {
            return None;
        }
        let next = words.get(index.saturating_add(1)).copied();
        if let Some(value) = word.strip_prefix("--command=") {
            return Some(value);
        }
        if *word == "--command" {
            return next;
        }
        if let Some(letters) = word
            .strip_prefix('-')
            .filter(|letters| !letters.starts_with('-'))
            && let Some(at) = letters.find('c')
        {
            let glued = letters.get(at.saturating_add(1)..).unwrap_or_default();
            return if glued.is_empty() {
                Some(next.unwrap_or_default())
            } else {
                Some(glued)
            };
        }
    }
    None
}

/// The value of an option, as the next word or behind `=`.
pub(super) fn option_values<'w>(words: &[&'w str], names: &[&str]) -> Vec<&'w str> {
    let mut values = Vec::new();
    for (index, word) in words.iter().enumerate().skip(1) {
        for name in names {
            if word == name {
                values.extend(words.get(index.saturating_add(1)).copied());
            } else if let Some(rest) = word.strip_prefix(name) {
                if name.starts_with("--") {
                    values.extend(rest.strip_prefix('='));
                } else if name.len() == 2 && !rest.is_empty() {
                    values.push(rest);
                }
            }
        }
    }
    values
}

/// The strings of a command that something will read as commands (page 2b, b.4 item 5).
pub(crate) fn payloads(words: &[&str]) -> Vec<Payload> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let one = |text: Option<&str>| text.map(Payload::of).into_iter().collect::<Vec<_>>();
    let several = |texts: Vec<&str>| texts.into_iter().map(Payload::of).collect::<Vec<_>>();
    match *program {
        "eval" => vec![Payload::of(arguments.join(" "))],
        shell if is_shell(shell) => {
            let call = shell_call(words);
            let Some(operand) = call.operand.filter(|_| call.has_command) else {
                return Vec::new();
            };
            let text = words.get(operand).copied().unwrap_or_default();
            let first = operand.saturating_add(2);
            vec![Payload {
                text: text.to_owned(),
                arguments: (first..words.len()).collect(),
            }]
        }
        "su" | "script" | "sg" | "flock" | "runuser" => one(command_option(words)),
        "trap" => {
            let action = arguments
                .iter()
                .find(|word| !word.starts_with('-') || word.len() == 1);
            one(action.copied().filter(|action| *action != "-"))
        }
        "alias" => {
            let values = arguments
                .iter()
                .filter_map(|word| Some(word.split_once('=')?.1));
            values.map(Payload::of).collect()
        }
        "env" => several(option_values(words, &["-S", "--split-string"])),
        "ssh" => {
            let mut found = several(option_values(words, &["-o"]));
            for payload in &mut found {
                let value = payload
                    .text
                    .split_once(['=', ' '])
                    .map_or("", |(_, value)| value);
                payload.text = value.to_owned();
            }
            if let Some(host) = ssh_host(words) {
                let command = words.get(host.saturating_add(1)..).unwrap_or_default();
                if !command.is_empty() {
                    found.push(Payload::of(command.join(" ")));
                }
            }
            found
        }
        "watch" => {
            let starts = after_options(words, 1, "nq", &["--interval"]);
            let from = starts.first().copied().unwrap_or(words.len());
            vec![Payload::of(words.get(from..).unwrap_or_default().join(" "))]
        }
        "hyperfine" => {
            let mut found: Vec<Payload> = arguments
                .iter()
                .filter(|word| !word.starts_with('-'))
                .map(|word| Payload::of(*word))
                .collect();
            found.extend(several(option_values(
                words,
                &["--prepare", "--setup", "--cleanup", "-p", "-s", "-c"],
            )));
            found
        }
        "nix-shell" | "nix" => several(option_values(words, &["--run", "--command"])),
        "npm" | "npx" | "mise" => several(option_values(words, &["-c", "--call", "--command"])),
        "capsh" => {
            one(command_option(words.split_first().map_or(&[][..], |_| {
                words.get(dashes(words)..).unwrap_or_default()
            })))
        }
        "git" => git::payloads(words).into_iter().map(Payload::of).collect(),
        "tar" | "gtar" | "bsdtar" => {
            let mut found = several(option_values(
                words,
                &["--to-command", "-I", "--use-compress-program"],
            ));
            for action in option_values(words, &["--checkpoint-action"]) {
                found.extend(one(action.strip_prefix("exec=")));
            }
            found
        }
        "rsync" => several(option_values(words, &["-e", "--rsh", "--rsync-path"])),
        "split" => several(option_values(words, &["--filter"])),
        "man" => several(option_values(words, &["-P", "--pager"])),
        "sort" => several(option_values(words, &["--compress-program"])),
        "rg" => several(option_values(words, &["--pre"])),
        "mapfile" | "readarray" | "compgen" | "complete" => several(option_values(words, &["-C"])),
        "psql" | "sqlite3" | "mysql" => client_commands(arguments),
        "vim" | "vi" | "nvim" | "view" | "less" | "ex" | "more" => editor_commands(words),
        "gdb" | "lldb" => debugger_commands(words),
        "awk" | "gawk" | "nawk" | "mawk" => {
            let found = arguments
                .iter()
                .flat_map(|word| scripts::awk_commands(word));
            found.map(Payload::of).collect()
        }
        "sed" | "gsed" => {
            let found = arguments
                .iter()
                .flat_map(|word| scripts::sed_commands(word));
            found.map(Payload::of).collect()
        }
        "make" | "gmake" => {
            let values = option_values(words, &["--eval"]);
            let inside = values.into_iter().filter_map(|text| {
                let from = text.split_once("$(shell")?.1;
                Some(Payload::of(
                    from.trim_start_matches([',', ' ']).trim_end_matches(')'),
                ))
            });
            inside.collect()
        }
        "expect" => several(option_values(words, &["-c"]))
            .into_iter()
            .map(|payload| Payload::of(payload.text.trim_start_matches("spawn ")))
            .collect(),
        "socat" => {
            let found = arguments.iter().filter_map(|word| {
                let (kind, command) = word.split_once(':')?;
                let is_command =
                    kind.eq_ignore_ascii_case("exec") || kind.eq_ignore_ascii_case("system");
                is_command.then(|| Payload::of(command.split(',').next().unwrap_or(command)))
            });
            found.collect()
        }
        "tmux" | "screen" => one(arguments.last().copied().filter(|word| word.contains(' '))),
        _ => Vec::new(),
    }
}

fn dashes(words: &[&str]) -> usize {
    words
        .iter()
        .position(|word| *word == "--")
        .unwrap_or(words.len())
}

/// Options of ssh that take a value.
const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWw";

/// The index of the host in an ssh command.
pub(super) fn ssh_host(words: &[&str]) -> Option<usize> {
    let mut index = 1_usize;
    while let Some(word) = words.get(index) {
        if *word == "--" {
            index = index.saturating_add(1);
            break;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            break;
        };
        let with_value = letters
            .chars()
            .position(|letter| SSH_VALUES.contains(letter));
        let takes_next =
            with_value.is_some_and(|at| at.saturating_add(1) == letters.chars().count());
        index = index.saturating_add(if takes_next { 2 } else { 1 });
    }
    words.get(index).map(|_| index)
}

/// `\! CMD` of psql and mysql, `.shell CMD` and `.system CMD` of sqlite3.
pub(super) fn client_commands(arguments: &[&str]) -> Vec<Payload> {
    let mut found = Vec::new();
    for line in arguments.iter().flat_map(|word| word.lines()) {
        let line = line.trim_start();
        let marked = ["\\!", ".shell", ".system"]
            .iter()
            .find_map(|marker| line.strip_prefix(marker));
        if let Some(command) = marked.or_else(|| line.split_once("\\!").map(|(_, command)| command))
        {
            found.push(Payload::of(command.trim_start()));
        }
    }
    found
}

/// `:!CMD` and `+!CMD` of editors and pagers.
pub(super) fn editor_commands(words: &[&str]) -> Vec<Payload> {
    let mut values = option_values(words, &["-c", "--cmd"]);
    values.extend(
        words
            .iter()
            .skip(1)
            .filter_map(|word| word.strip_prefix('+')),
    );
    let mut found = Vec::new();
    for value in values {
        let command = value.trim_start_matches([':', ' ']);
        if let Some(command) = command
            .strip_prefix('!')
            .or_else(|| command.split_once('!').map(|(_, command)| command))
        {
            found.push(Payload::of(command));
        }
    }
    found
}

/// `shell CMD` and `!CMD` of debuggers.
pub(super) fn debugger_commands(words: &[&str]) -> Vec<Payload> {
    let values = option_values(
        words,
        &["-ex", "--eval-command", "-iex", "-o", "--one-line"],
    );
    let found = values.into_iter().filter_map(|value| {
        let value = value.trim_start();
        let command = ["shell ", "!", "platform shell ", "make "]
            .iter()
            .find_map(|marker| value.strip_prefix(marker));
        command.map(Payload::of)
    });
    found.collect()
}
