//! Clients, editors, debuggers and ssh: commands that their options and statements hold.

use super::options::{Grammar, Item, operands, read, values};

/// A command with the index of the option that has it, or of the word that holds it.
pub(super) type Held = (usize, String);

/// What an ssh command line says.
#[derive(Debug, Default)]
pub(super) struct Ssh {
    /// The word of the host.
    pub(super) host: Option<usize>,
    /// Where the remote command begins.
    pub(super) command: Option<usize>,
    /// Commands that options make ssh run here.
    pub(super) local: Vec<Held>,
}

const SSH: Grammar = Grammar::leading("BbcDEeFIiJLlmOoPpQRSWw", "");

/// Reads an ssh command line. Options may follow the host.
pub(super) fn ssh(words: &[&str]) -> Ssh {
    let mut found = Ssh::default();
    let mut items = read(words, 1, &SSH);
    found.host = operands(&items).first().copied();
    if let Some(host) = found.host {
        let more = read(words, host.saturating_add(1), &SSH);
        found.command = operands(&more).first().copied();
        items.extend(more);
    }
    found.local = ssh_options(&items);
    found
}

/// `-o ProxyCommand=CMD` and its like.
fn ssh_options(items: &[Item<'_>]) -> Vec<Held> {
    let commands = [
        "proxycommand",
        "localcommand",
        "knownhostscommand",
        "remotecommand",
    ];
    let settings = values(items, "o", "").into_iter().filter_map(|value| {
        let (key, command) = value.text.trim_start().split_once(['=', ' '])?;
        let command = command.trim_start_matches(['=', ' ']);
        let is_command = commands.contains(&key.to_ascii_lowercase().as_str());
        (is_command && !command.eq_ignore_ascii_case("none"))
            .then(|| (value.option, command.to_owned()))
    });
    settings.collect()
}

/// scp and sftp: the same options, and a program that takes the place of ssh.
pub(super) fn copies(words: &[&str]) -> Vec<Held> {
    let letters = if words.first() == Some(&"sftp") {
        "BbcDFiJloPRSX"
    } else {
        "cDFiJloPSX"
    };
    let items = read(words, 1, &Grammar::open(letters, "", ""));
    let mut found = ssh_options(&items);
    let programs = values(&items, "S", "").into_iter();
    found.extend(programs.map(|value| (value.option, value.text.to_owned())));
    found
}

/// Commands in the statements of database clients.
pub(super) fn client_commands(words: &[&str]) -> Vec<Held> {
    let mut found = Vec::new();
    let program = words.first().copied().unwrap_or_default();
    for (index, word) in words.iter().enumerate().skip(1) {
        for line in word.lines() {
            let commands = match program {
                "psql" => psql_line(line),
                "sqlite3" => sqlite_line(line),
                _ => mysql_line(line),
            };
            found.extend(
                commands
                    .into_iter()
                    .map(|command| (index, command.trim().to_owned())),
            );
        }
    }
    found
}

/// `\! CMD`, backticks of a `\` command, `\o |CMD`, `COPY ... PROGRAM 'CMD'`.
fn psql_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if let Some((_, command)) = line.split_once("\\!") {
        found.push(command);
    }
    if line.contains('\\') {
        found.extend(line.split('`').skip(1).step_by(2));
        if let Some((before, command)) = line.split_once('|')
            && ["\\o", "\\out", "\\g", "\\gx", "\\w", "\\write"]
                .iter()
                .any(|name| before.trim_end().ends_with(name))
        {
            found.push(command);
        }
    }
    let lower = line.to_ascii_lowercase();
    if lower.contains("copy")
        && let Some(at) = lower.find("program")
        && let Some(rest) = line.get(at..)
        && let Some(command) = rest.split('\'').nth(1)
    {
        found.push(command);
    }
    found
}

/// `.shell CMD`, `.system CMD` and abbreviations, `.output |CMD`.
fn sqlite_line(line: &str) -> Vec<&str> {
    let line = line.trim_start();
    let (name, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let is_shell = name.len() > 2
        && [".shell", ".system"]
            .iter()
            .any(|full| full.starts_with(name));
    let piped = rest
        .trim_start()
        .trim_start_matches(['\'', '"'])
        .strip_prefix('|');
    let is_output = name.len() > 2
        && [".output", ".once", ".import", ".read", ".log"]
            .iter()
            .any(|full| full.starts_with(name));
    match piped {
        _ if is_shell => vec![rest],
        Some(command) if is_output => vec![command],
        _ => Vec::new(),
    }
}

/// `\! CMD`, `system CMD`.
fn mysql_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if let Some((_, command)) = line.split_once("\\!") {
        found.push(command);
    }
    found.extend(line.trim_start().strip_prefix("system "));
    found
}

/// The `-c`, `--cmd` and `+` arguments of vim, and the `+` arguments of pagers, each with the index of its option.
pub(super) fn editor_texts<'w>(words: &[&'w str]) -> Vec<(usize, &'w str)> {
    let mut found = Vec::new();
    let is_pager = matches!(words.first(), Some(&("less" | "more")));
    let mut is_command = false;
    for (at, word) in words.iter().copied().enumerate().skip(1) {
        let index = if is_command { at.saturating_sub(1) } else { at };
        let command = if is_command {
            Some(word)
        } else {
            word.strip_prefix("--cmd=").or_else(|| {
                word.strip_prefix("-c")
                    .filter(|rest| !rest.is_empty() && !is_pager)
                    .or_else(|| word.strip_prefix('+'))
            })
        };
        is_command = !is_command && !is_pager && matches!(word, "-c" | "--cmd");
        found.extend(command.map(|command| (index, command)));
    }
    found
}

/// The command lines among them.
pub(super) fn editor_commands(words: &[&str]) -> Vec<Held> {
    let is_pager = matches!(words.first(), Some(&("less" | "more")));
    let mut found = Vec::new();
    for (index, command) in editor_texts(words) {
        let commands = if is_pager {
            pager_command(command)
        } else {
            ex_commands(command)
        };
        found.extend(
            commands
                .into_iter()
                .map(|command| (index, command.trim().to_owned())),
        );
    }
    found
}

/// `!CMD`, and `|MARK CMD`, which pipes.
fn pager_command(command: &str) -> Vec<&str> {
    let command = command.trim_start_matches('+');
    let piped = command.strip_prefix('|').and_then(|rest| {
        let mut characters = rest.chars();
        characters.next()?;
        Some(characters.as_str())
    });
    command.strip_prefix('!').or(piped).into_iter().collect()
}

/// Names of ex commands that run a command line.
const EX_RUNS: [&str; 4] = ["te", "ter", "term", "terminal"];

/// Functions of vim that start programs; what they start is not looked for.
const EX_CALLS: [&str; 8] = [
    "system(",
    "systemlist(",
    "termopen(",
    "jobstart(",
    "job_start(",
    "term_start(",
    "os.execute(",
    "io.popen(",
];

/// `:!CMD`, `:%!CMD`, `:r !CMD`, `:w !CMD`, `:terminal CMD`. `:wq!` and `:e! FILE` are none.
fn ex_commands(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if let Some(call) = EX_CALLS
        .iter()
        .find_map(|call| Some(line.split_once(call)?.1))
    {
        let literal = call.trim_start().split(['"', '\'']).nth(1);
        found.push(literal.unwrap_or_default());
    }
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches([':', ' ', '\t', '|']);
        // A range, and modifiers with or without a bang.
        rest = rest.trim_start_matches(|character: char| {
            character.is_ascii_digit()
                || matches!(
                    character,
                    '%' | '.' | '$' | ',' | '\'' | '<' | '>' | '+' | '-'
                )
        });
        if let Some(command) = rest.strip_prefix('!') {
            found.push(command);
            return found;
        }
        let end = rest.find(|character: char| !character.is_ascii_alphabetic());
        let (name, after) = rest
            .split_at_checked(end.unwrap_or(rest.len()))
            .unwrap_or((rest, ""));
        match name {
            "sil" | "silent" | "noautocmd" | "noa" | "keepalt" | "vert" | "vertical" | "tab"
            | "bufdo" | "argdo" => {
                rest = after.strip_prefix('!').unwrap_or(after);
                if !rest.trim_start().is_empty() {
                    continue;
                }
            }
            "r" | "re" | "rea" | "read" => found.extend(after.trim_start().strip_prefix('!')),
            "w" | "wr" | "wri" | "writ" | "write" => {
                found.extend(
                    after
                        .strip_prefix([' ', '\t'])
                        .and_then(|rest| rest.trim_start().strip_prefix('!')),
                );
            }
            name if EX_RUNS.contains(&name) => found.push(after.strip_prefix('!').unwrap_or(after)),
            _ => {}
        }
        // The next command of the line.
        match after.split_once('|') {
            Some((_, next)) => rest = next,
            None => return found,
        }
    }
}

/// What options tell a debugger to do, each with the index of the word.
pub(super) fn debugger_texts<'w>(words: &[&'w str]) -> Vec<(usize, &'w str)> {
    let options = [
        "ex",
        "iex",
        "eval-command",
        "init-eval-command",
        "o",
        "O",
        "one-line",
        "one-line-before-file",
        "k",
        "S",
    ];
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate().skip(1) {
        if matches!(*word, "--args" | "-args" | "--") {
            break;
        }
        let Some(name) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')) else {
            continue;
        };
        let (name, glued) = name
            .split_once('=')
            .map_or((name, None), |(name, value)| (name, Some(value)));
        if !options.contains(&name) {
            continue;
        }
        let next = index.saturating_add(1);
        let held = glued.map_or_else(
            || words.get(next).map(|word| (index, *word)),
            |value| Some((index, value)),
        );
        found.extend(held);
    }
    found
}

/// `shell CMD`, `!CMD` and Python of debuggers.
pub(super) fn debugger_commands(words: &[&str]) -> Vec<Held> {
    let mut found = Vec::new();
    for (at, value) in debugger_texts(words) {
        let value = value.trim_start();
        let command = [
            "shell ",
            "!",
            "platform shell ",
            "make ",
            "python ",
            "python-interactive ",
            "py ",
            "pi ",
            "script ",
            "pipe ",
            "| ",
            "guile ",
            "gu ",
        ]
        .iter()
        .find_map(|marker| value.strip_prefix(marker));
        found.extend(command.map(|command| (at, command.to_owned())));
    }
    found
}

/// The remote shell and the like of rsync.
pub(super) fn rsync_commands(words: &[&str]) -> Vec<Held> {
    let grammar = Grammar::open("eBTfM", "", "rsh rsync-path");
    let found = values(&read(words, 1, &grammar), "e", "rsh rsync-path").into_iter();
    found
        .map(|value| (value.option, value.text.to_owned()))
        .collect()
}

/// Whether a remote shell is ssh with nothing but options, or rsync itself under a known name.
pub(super) fn is_plain_remote(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words.as_slice() {
        ["rsync" | "ssh"] | ["sudo", "rsync"] => true,
        ["ssh", ..] => {
            let call = ssh(&words);
            call.host.is_none() && call.local.is_empty()
        }
        _ => false,
    }
}

/// The program that a debugger is given with its arguments.
pub(super) fn debugged(words: &[&str]) -> Option<usize> {
    let at = words
        .iter()
        .position(|word| matches!(*word, "--args" | "-args" | "--"))?;
    let at = at.saturating_add(1);
    words.get(at).map(|_| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(found: Vec<Held>) -> Vec<String> {
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ex_lines_that_run_something_and_those_that_do_not() {
        for (line, command) in [
            (":!rm x", "rm x"),
            ("!rm x", "rm x"),
            ("%!rm x", "rm x"),
            ("r !rm x", "rm x"),
            ("r!rm x", "rm x"),
            ("w !rm x", "rm x"),
            ("silent !rm x", "rm x"),
            ("sil! !rm x", "rm x"),
            ("term rm x", "rm x"),
            ("set nu | !rm x", "rm x"),
            ("call system(\"rm x\")", "rm x"),
            ("1,$!rm x", "rm x"),
        ] {
            let found = texts(editor_commands(&["vim", "-c", line]));
            assert_eq!(found, [command], "{line}");
        }
        for plain in [
            "wq!",
            "q!",
            "e! f",
            "w! f",
            "%s/a!/b/",
            "set nomodified",
            "10",
            "normal Gdd",
            "set hidden | q!",
            "",
        ] {
            assert!(editor_commands(&["vim", "-c", plain]).is_empty(), "{plain}");
        }
        assert_eq!(
            editor_commands(&["vim", "+10", "+!x", "f"]),
            [(2, "x".to_owned())]
        );
        assert!(editor_commands(&["less", "+F", "log"]).is_empty());
        assert_eq!(
            editor_commands(&["less", "+!x", "f"]),
            [(1, "x".to_owned())]
        );
    }

    #[test]
    fn statements_of_clients() {
        for (all, command) in [
            (["psql", "\\! rm x"], "rm x"),
            (["psql", "\\set a `rm x`"], "rm x"),
            (["psql", "\\o |rm x"], "rm x"),
            (["psql", "copy t from program 'rm x'"], "rm x"),
            (["sqlite3", ".shell rm x"], "rm x"),
            (["sqlite3", ".sys rm x"], "rm x"),
            (["sqlite3", ".output |rm x"], "rm x"),
            (["mysql", "system rm x"], "rm x"),
        ] {
            assert_eq!(texts(client_commands(&all)), [command], "{all:?}");
        }
        for all in [
            ["psql", "select 1 | 2"],
            ["psql", "copy t to stdout"],
            ["sqlite3", ".schema"],
            ["sqlite3", ".show"],
            ["sqlite3", "select '.shell'"],
            ["mysql", "select `a` from system"],
            ["psql", "\\dt"],
        ] {
            assert!(client_commands(&all).is_empty(), "{all:?}");
        }
    }

    #[test]
    fn ssh_command_lines() {
        let read = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            let call = ssh(&words);
            (call.host, call.command, call.local.len())
        };
        for (text, expected) in [
            ("ssh h", (Some(1), None, 0)),
            ("ssh -i k h", (Some(3), None, 0)),
            ("ssh h -p 22", (Some(1), None, 0)),
            ("ssh h ls -l", (Some(1), Some(2), 0)),
            ("ssh h -p 22 ls", (Some(1), Some(4), 0)),
            ("ssh -oProxyCommand=x h", (Some(2), None, 1)),
            ("ssh -o proxycommand=none h", (Some(3), None, 0)),
            ("ssh -NL 8:h:8 h", (Some(3), None, 0)),
            ("ssh h -o LocalCommand=x", (Some(1), None, 1)),
            ("ssh -To BatchMode=yes h", (Some(3), None, 0)),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert!(is_plain_remote("ssh -p 22 -i k") && !is_plain_remote("ssh -o ProxyCommand=x"));
        assert!(!is_plain_remote("sh -c x") && !is_plain_remote("ssh h x"));
        assert_eq!(
            rsync_commands(&["rsync", "-avze", "x", "a"]),
            [(1, "x".to_owned())]
        );
        for all in [
            ["scp", "-oProxyCommand=x", "a", "h:"],
            ["scp", "-B", "-oProxyCommand=x", "h:"],
            ["sftp", "-b", "f", "-oProxyCommand=x"],
        ] {
            assert_eq!(texts(copies(&all)), ["x"], "{all:?}");
        }
    }

    #[test]
    fn debuggers_that_run_something_and_those_that_do_not() {
        for text in ["shell rm", "!rm", "python import os", "pipe p | sh"] {
            assert_eq!(
                debugger_commands(&["gdb", "-batch", "-ex", text]).len(),
                1,
                "{text}"
            );
        }
        assert_eq!(
            debugger_commands(&["gdb", "-ex", "bt", "-ex=shell x"]),
            [(3, "x".to_owned())]
        );
        for text in ["run", "bt", "break main", "thread apply all bt"] {
            assert!(
                debugger_commands(&["gdb", "-ex", text, "p"]).is_empty(),
                "{text}"
            );
        }
        assert_eq!(
            debugged(&["gdb", "-ex", "run", "--args", "rm", "x"]),
            Some(4)
        );
        assert_eq!(debugged(&["lldb", "--", "rm", "x"]), Some(2));
        assert_eq!(debugged(&["gdb", "p"]), None);
    }
}
