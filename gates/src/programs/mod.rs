//! What is known about programs: wrappers, payloads, options, operands. Data, with the little code that reads it.
//!
//! Every function takes a command's words: the program's base name first, then its arguments as the program gets them.
//! All of it follows page 2b; a row that stops something has a test, and one for the everyday command beside it.

mod archives;
mod awk;
mod clients;
mod editors;
mod environment;
mod everyday;
mod files;
mod git;
mod globals;
mod inline;
mod multiplexers;
mod operands;
mod options;
mod payloads;
mod roles;
mod runners;
mod sed;
mod wrappers;

use std::collections::HashMap;

use self::options::{Grammar, Item, Name, read};

pub(crate) use self::environment::overrides_environment;
pub(crate) use self::everyday::{everyday, is_plain};
pub(crate) use self::files::{directories, written_files};
pub(crate) use self::globals::without_globals;
pub(crate) use self::inline::inline_program;
pub(crate) use self::payloads::{opaque, payloads};
pub(crate) use self::roles::{Role, glued_value, mount_source, roles};
pub(crate) use self::wrappers::{is_indirection, replaced, run_inside, wrapped};

/// Rows of a table by the program that they are about, in the order of the table.
type ByProgram<R> = HashMap<&'static str, Vec<R>>;

fn by_program<R>(rows: impl Iterator<Item = (&'static str, R)>) -> ByProgram<R> {
    let mut found: ByProgram<R> = HashMap::new();
    for (program, row) in rows {
        found.entry(program).or_default().push(row);
    }
    found
}

/// Shells.
const SHELLS: [&str; 15] = [
    "bash", "sh", "dash", "zsh", "ksh", "rbash", "ash", "mksh", "fish", "csh", "tcsh", "ksh93",
    "lksh", "yash", "posh",
];

/// Interpreters, without a version behind the name.
const INTERPRETERS: [&str; 28] = [
    "python",
    "pypy",
    "node",
    "nodejs",
    "perl",
    "ruby",
    "php",
    "lua",
    "luajit",
    "deno",
    "bun",
    "pwsh",
    "powershell",
    "osascript",
    "Rscript",
    "tclsh",
    "guile",
    "julia",
    "R",
    "tsx",
    "ts-node",
    "raku",
    "elixir",
    "groovy",
    "qjs",
    "gjs",
    "bb",
    "irb",
];

/// Words that begin a compound command.
const COMPOUND: [&str; 15] = [
    "if", "for", "while", "until", "case", "select", "{", "(", "[[", "((", "!", "function", "time",
    "coproc", "do",
];

/// Whether a program is a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Whether a program runs programs of a language, `python3.12` and the like among them.
pub(crate) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&language(name))
}

/// A program's name without the version behind it.
pub(crate) fn language(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.trim_end_matches(|character: char| {
        character.is_ascii_digit() || character == '.' || character == '-'
    })
}

/// Whether a word begins a compound command.
pub(crate) fn is_compound_word(word: &str) -> bool {
    COMPOUND.contains(&word)
}

/// Whether a command word is one of zsh's prefixes, which bash does not have.
pub(crate) fn is_zsh_prefix(word: &str) -> bool {
    matches!(word, "noglob" | "repeat" | "nocorrect")
        || (word.starts_with('=') && word.len() > 1)
        || (word.starts_with('-') && word.len() > 1)
}

/// How a shell is called: whether with `-c` or `-s`, and its first operand.
#[derive(Debug, Default)]
pub(super) struct ShellCall<'w> {
    pub(super) has_command: bool,
    pub(super) reads_input: bool,
    /// Only its version or help is wanted.
    is_info: bool,
    pub(super) operand: Option<usize>,
    /// The command of `--command=CMD`.
    pub(super) glued_command: Option<&'w str>,
}

/// Reads the options of a shell. Each `o` or `O` in a cluster takes a word.
pub(super) fn shell_call<'w>(words: &[&'w str]) -> ShellCall<'w> {
    let mut call = ShellCall::default();
    let mut index = 1_usize;
    while let Some(word) = words.get(index).copied() {
        if word.len() < 2 && word != "-" || !word.starts_with(['-', '+']) {
            break;
        }
        index = index.saturating_add(1);
        if matches!(word, "--" | "-") {
            call.reads_input |= word == "-" && words.get(index).is_none();
            break;
        }
        match word.strip_prefix("--") {
            Some("rcfile" | "init-file") => index = index.saturating_add(1),
            Some("command" | "init-command") => call.has_command = true,
            Some("version" | "help") => call.is_info = true,
            Some(long) => {
                let text = ["command=", "init-command="]
                    .iter()
                    .find_map(|name| long.strip_prefix(name));
                call.has_command |= text.is_some();
                call.glued_command = call.glued_command.or(text);
            }
            None => {
                call.has_command |= word.starts_with('-') && word.contains('c');
                call.has_command |= words.first() == Some(&"fish") && word.contains('C');
                call.reads_input |= word.contains('s');
                let n_values = word
                    .chars()
                    .filter(|letter| matches!(letter, 'o' | 'O'))
                    .count();
                index = index.saturating_add(n_values);
            }
        }
    }
    call.operand = words.get(index).map(|_| index);
    call
}

/// Options of interpreters that take the next word and name no program: letters, long names.
fn interpreter_values(language: &str) -> Grammar {
    match language {
        "python" | "pypy" => Grammar::leading("WXmc", "check-hash-based-pycs"),
        "node" | "nodejs" | "tsx" | "ts-node" => Grammar::leading(
            "rCep",
            "require import loader experimental-loader conditions env-file input-type title tsconfig",
        ),
        "perl" => Grammar {
            glued: "MmiFDlx0dCV",
            ..Grammar::leading("IeE", "")
        },
        "ruby" => Grammar {
            glued: "iFKTxW0",
            ..Grammar::leading("IrECe", "encoding external-encoding")
        },
        "php" => Grammar::leading(
            "cdzrBREtS",
            "run process-code process-begin process-end server docroot define",
        ),
        "lua" | "luajit" => Grammar::leading("le", ""),
        "pwsh" | "powershell" => Grammar::leading("", ""),
        "R" => Grammar::leading("efgd", "file"),
        "bun" => Grammar::leading("rep", "preload env-file cwd config"),
        "deno" => Grammar::leading(
            "cL",
            "config import-map lock log-level env-file location seed v8-flags cert",
        ),
        _ => Grammar::leading("e", ""),
    }
}

/// How an interpreter is called: whether something else than a file or input says what to run, and its first operand.
fn interpreter_call(words: &[&str]) -> (bool, Option<usize>) {
    let language = language(words.first().copied().unwrap_or_default());
    let mut items = read(words, 1, &interpreter_values(language));
    let is_runner = matches!(language, "deno" | "bun");
    let first = operand(&items);
    if is_runner && first.is_some_and(|first| words.get(first) == Some(&"run")) {
        // `deno run -A FILE`.
        let from = first.unwrap_or_default().saturating_add(1);
        items = read(words, from, &interpreter_values(language));
    }
    let found = operand(&items);
    let end = options_end(language, &items, words.len());
    let says_more = |item: &Item<'_>| match item {
        Item::Option { name, .. } => {
            let is_info = match name {
                Name::Letter('v') => !matches!(language, "python" | "pypy"),
                Name::Letter('V' | 'h') => true,
                Name::Long(long) => {
                    matches!(
                        *long,
                        "version" | "help" | "list-modules" | "test" | "run" | "server" | "command"
                    )
                }
                Name::Letter(_) => false,
            };
            let is_module = *name == Name::Letter('m') && matches!(language, "python" | "pypy");
            let is_checked = language == "php" && matches!(name, Name::Letter('i' | 'm' | 'S'));
            is_info || is_module || is_checked
        }
        _ => false,
    };
    let is_inline = words
        .iter()
        .take(end)
        .skip(1)
        .any(|word| inline::is_inline_option(language, word));
    let is_stdin = found
        .and_then(|found| words.get(found))
        .is_some_and(|word| is_input(word));
    // `ruby -v -` prints and goes on.
    let has_program = is_inline
        || !is_stdin && items.iter().any(says_more)
        || items.iter().any(|item| {
            matches!(
                item,
                Item::Option {
                    name: Name::Letter('m'),
                    ..
                }
            ) && says_more(item)
        });
    (has_program, found)
}

/// Where the options of an interpreter itself end: at its script, or behind `python -m MODULE`.
fn options_end(language: &str, items: &[Item<'_>], n_words: usize) -> usize {
    let module = items.iter().find_map(|item| match item {
        Item::Option {
            name: Name::Letter('m'),
            at,
            ..
        } if matches!(language, "python" | "pypy") => Some(*at),
        _ => None,
    });
    module.or_else(|| operand(items)).unwrap_or(n_words)
}

/// The same, from the words.
pub(super) fn own_options_end(words: &[&str]) -> usize {
    let language = language(words.first().copied().unwrap_or_default());
    let items = read(words, 1, &interpreter_values(language));
    options_end(language, &items, words.len())
}

fn operand(items: &[Item<'_>]) -> Option<usize> {
    items.iter().find_map(|item| match item {
        Item::Operand(index) => Some(*index),
        _ => None,
    })
}

/// Whether a word is the standard input, or another file that is open already.
fn is_input(word: &str) -> bool {
    word == "-"
        || word == "/dev/stdin"
        || word.starts_with("/dev/fd/")
        || word.starts_with("/proc/self/fd/")
}

/// Subcommands of runtimes that are not scripts.
fn is_subcommand(language: &str, word: &str) -> bool {
    let words = match language {
        "deno" => {
            "add bench bundle cache check clean compile completions coverage create deploy doc \
             eval fmt help info init \
             install jupyter lint lsp outdated publish \
             remove repl serve task test types uninstall \
             update upgrade vendor"
        }
        "bun" => {
            "add audit build c ci create exec help i init install link outdated patch pm \
             publish r remove repl rm test \
             unlink update upgrade why x"
        }
        _ => "",
    };
    options::has(words, word)
}

/// The word that names the script which a shell, `source` or an interpreter runs.
pub(crate) fn script_operand(words: &[&str]) -> Option<usize> {
    let program = words.first()?;
    if matches!(*program, "source" | ".") {
        let first = if words.get(1) == Some(&"--") { 2 } else { 1 };
        return words.get(first).map(|_| first);
    }
    if is_shell(program) {
        let call = shell_call(words);
        return call
            .operand
            .filter(|_| !call.has_command && !call.reads_input);
    }
    if is_interpreter(program) {
        let (has_program, found) = interpreter_call(words);
        return found.filter(|index| {
            let word = words.get(*index).copied().unwrap_or_default();
            !has_program && word != "-" && !is_subcommand(language(program), word)
        });
    }
    None
}

/// Whether a shell or interpreter is called so that its program is its standard input.
pub(crate) fn reads_program_from_stdin(words: &[&str]) -> bool {
    let Some(program) = words.first() else {
        return false;
    };
    let reads = |index: usize| words.get(index).is_some_and(|word| is_input(word));
    if matches!(*program, "source" | ".") {
        return script_operand(words).is_some_and(reads);
    }
    if is_shell(program) {
        let call = shell_call(words);
        let is_open = call.reads_input || call.operand.is_none_or(reads);
        return !call.has_command && !call.is_info && is_open;
    }
    if is_interpreter(program) {
        let (has_program, found) = interpreter_call(words);
        // Without a file these runtimes show a prompt or their help.
        let is_runner = matches!(language(program), "deno");
        let is_idle = is_runner && found.is_none();
        return !has_program && !is_idle && found.is_none_or(reads);
    }
    match *program {
        "batch" => true,
        // `at -f FILE`, `at -l`, `at -r JOB` read no commands.
        "at" => {
            let items = read(words, 1, &Grammar::open("fqtrdc", "", ""));
            words.len() > 1 && options::position(&items, "flrdc", "").is_none()
        }
        _ => false,
    }
}

/// Words whose text a builtin evaluates: names with subscripts, arithmetic, callbacks.
///
/// Numbers beside `-eq` and its like are evaluated by `[[` only; `test` and `[` want them plain.
pub(crate) fn evaluates_text(words: &[&str]) -> Vec<usize> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let after = |options: &[&str]| {
        let hits = arguments
            .iter()
            .enumerate()
            .filter(|(_, word)| options.contains(*word));
        hits.map(|(index, _)| index.saturating_add(2))
            .collect::<Vec<_>>()
    };
    match *program {
        "test" | "[" => after(&["-v", "-R"]),
        // `printf -v NAME`, `printf -vNAME`.
        "printf" => match arguments.first() {
            Some(&"-v") => vec![2],
            Some(glued) if glued.starts_with("-v") => vec![1],
            _ => Vec::new(),
        },
        "wait" => after(&["-p"]),
        "let" | "read" | "declare" | "typeset" | "local" | "unset" | "export" | "readonly"
        | "mapfile" | "readarray" | "compgen" | "complete" | "getopts" => {
            (1..words.len()).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod command_tests;
#[cfg(test)]
mod operand_tests;
#[cfg(test)]
mod tests;
