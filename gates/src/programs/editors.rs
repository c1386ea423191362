//! What editors and debuggers are told to do by options: whether it is harmless. Everything else is a program.

use super::clients::{debugger_commands, debugger_texts, editor_commands, editor_texts};

/// Ex commands that start nothing and evaluate nothing by themselves.
const EX: [&str; 30] = [
    "q",
    "qa",
    "qall",
    "quit",
    "quitall",
    "wq",
    "wqa",
    "wqall",
    "x",
    "xa",
    "xit",
    "w",
    "wa",
    "write",
    "update",
    "up",
    "e",
    "edit",
    "sp",
    "split",
    "vs",
    "vsplit",
    "tabnew",
    "bd",
    "bn",
    "bp",
    "noh",
    "nohlsearch",
    "bnext",
    "bprevious",
];

/// Commands of debuggers that look and step. What they print must call nothing.
const DEBUG: [&str; 44] = [
    "bt",
    "backtrace",
    "where",
    "r",
    "run",
    "start",
    "c",
    "continue",
    "q",
    "quit",
    "i",
    "info",
    "thread",
    "f",
    "frame",
    "up",
    "down",
    "l",
    "list",
    "b",
    "break",
    "tb",
    "tbreak",
    "d",
    "delete",
    "n",
    "next",
    "s",
    "step",
    "finish",
    "until",
    "u",
    "x",
    "disas",
    "disassemble",
    "p",
    "print",
    "directory",
    "file",
    "core-file",
    "kill",
    "detach",
    "bugreport",
    "version",
];

/// Settings of debuggers that change only what is shown.
const SETTINGS: [&str; 5] = ["pagination", "confirm", "print", "width", "height"];

/// The option that gives an editor or a pager a program.
pub(super) fn editor_program(words: &[&str]) -> Option<usize> {
    if matches!(words.first(), Some(&("less" | "more"))) {
        return editor_commands(words).first().map(|(at, _)| *at);
    }
    let mut texts = editor_texts(words).into_iter();
    texts
        .find(|(_, text)| !is_harmless_ex(text))
        .map(|(at, _)| at)
}

/// The option that gives a debugger a program.
pub(super) fn debugger_program(words: &[&str]) -> Option<usize> {
    let mut texts = debugger_texts(words).into_iter();
    let odd = texts.find(|(_, text)| !is_harmless_step(text));
    odd.map(|(at, _)| at)
        .or_else(|| debugger_commands(words).first().map(|(at, _)| *at))
}

fn is_harmless_ex(line: &str) -> bool {
    // A search may hold a `|` in its pattern, and a `|` behind it: not told apart.
    line.split(['|', '\n']).all(is_harmless_ex_command)
}

fn is_harmless_ex_command(command: &str) -> bool {
    let command = command.trim_start_matches([':', ' ', '\t']).trim_end();
    // Behind a search that is closed a command may follow: `/x/!cmd`.
    if let Some(pattern) = command
        .strip_prefix('/')
        .or_else(|| command.strip_prefix('?'))
    {
        return !pattern.contains(['/', '?']);
    }
    if command.is_empty() {
        return true;
    }
    let is_range = |character: char| {
        character.is_ascii_digit() || matches!(character, '%' | '.' | '$' | ',' | '+' | '-')
    };
    let rest = command.trim_start_matches(is_range);
    let end = rest.find(|character: char| !character.is_ascii_alphabetic());
    let (name, after) = rest
        .split_at_checked(end.unwrap_or(rest.len()))
        .unwrap_or((rest, ""));
    let after = after.strip_prefix('!').unwrap_or(after);
    match name {
        "" => after.is_empty(),
        // `\=` evaluates what follows.
        "s" | "substitute" => !after.contains("\\="),
        "set" | "se" | "setlocal" => after.split_whitespace().all(is_harmless_setting),
        "syntax" | "syn" => matches!(after.trim(), "" | "on" | "off" | "enable"),
        // `:w !cmd` pipes, `:e +cmd f` runs an ex command, "`cmd`" and "`=f()`" are expanded.
        name => {
            let mut words = after.split_whitespace();
            EX.contains(&name)
                && !after.contains('`')
                && !words.any(|word| word.starts_with(['!', '+']))
        }
    }
}

/// `number`, `nowrap`, `ts=4`; an option that holds an expression or a program has other values.
fn is_harmless_setting(setting: &str) -> bool {
    let (name, value) = setting.split_once('=').unwrap_or((setting, "0"));
    // `exrc` reads a file of the directory.
    let is_read = matches!(name, "exrc" | "ex");
    !is_read
        && name.bytes().all(|byte| byte.is_ascii_lowercase())
        && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_harmless_step(command: &str) -> bool {
    let command = command.trim();
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or_default();
    // `print f(1)` calls; `thread apply all CMD` and `frame apply` run a command.
    if command.contains(['(', '|', '!', '\n', '`']) {
        return false;
    }
    let mut rest = words.clone();
    if rest.next() == Some("apply") {
        let last = command.rsplit(' ').next().unwrap_or_default();
        let is_shown = ["bt", "backtrace", "where"].contains(&last) || last == "full";
        return matches!(first, "thread" | "frame") && is_shown && rest.count() <= 3;
    }
    // What stands behind `run` goes through a shell.
    if matches!(first, "r" | "run" | "start") && command.contains([';', '&', '<', '>', '$']) {
        return false;
    }
    match first.split('/').next().unwrap_or_default() {
        "set" => words.next().is_some_and(|name| SETTINGS.contains(&name)),
        "" => true,
        name => DEBUG.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_are_told_harmless_things_and_programs() {
        for text in [
            "wq!",
            "set nu",
            "set ts=4 nowrap",
            ":q",
            "%s/a/b/g",
            "10",
            "/x",
            "",
            "e f",
            "w out",
            "set nu | wq",
            "syntax on",
        ] {
            assert_eq!(editor_program(&["vim", "-c", text, "f"]), None, "{text}");
            let plus = format!("+{text}");
            assert_eq!(editor_program(&["vim", &plus, "f"]), None, "{text}");
        }
        for text in [
            "!x",
            ":!x",
            "exe '!x'",
            "so x.vim",
            "lua os.execute('x')",
            "py import os",
            "call f()",
            "w !x",
            "r !x",
            "set foldexpr=f()",
            "%s/a/\\=f()/",
            "set nu | !x",
            "norm! :!x",
            "terminal",
            "make",
            "e +!x f",
            "tabnew +call\\ f() f",
            "/x/!y z",
            "syn include @a x",
            "set exrc",
            "let a=f()",
            "e `x`",
        ] {
            assert_eq!(editor_program(&["vim", "-c", text, "f"]), Some(1), "{text}");
            let glued = format!("--cmd={text}");
            assert_eq!(editor_program(&["nvim", &glued]), Some(1), "{text}");
        }
        assert_eq!(editor_program(&["less", "-c", "f"]), None);
        assert_eq!(editor_program(&["less", "+F", "f"]), None);
        assert_eq!(editor_program(&["less", "+!x", "f"]), Some(1));
    }

    #[test]
    fn debuggers_are_told_harmless_things_and_programs() {
        for text in [
            "bt",
            "run",
            "thread apply all bt",
            "thread apply all bt full",
            "info threads",
            "run a b",
            "set pagination off",
            "p x",
            "x/4x $sp",
            "b main",
            "quit",
        ] {
            assert_eq!(
                debugger_program(&["gdb", "-batch", "-ex", text, "p"]),
                None,
                "{text}"
            );
        }
        for text in [
            "shell x",
            "!x",
            "p system(1)",
            "python x",
            "thread apply all shell x",
            "source x",
            "call f()",
            "set exec-wrapper x",
            "define x",
            "info x | sh",
            "pipe bt | sh",
            "frame apply all p f()",
            "make",
            "run ;x",
            "start > f",
            "r $x",
            "set logging file f",
            "dprintf main,x",
        ] {
            assert_eq!(
                debugger_program(&["gdb", "-batch", "-ex", text, "p"]),
                Some(2),
                "{text}"
            );
        }
    }
}
