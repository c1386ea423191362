//! What is known about programs: wrappers, payloads, options, operands. Data, with the little code that reads it.
//!
//! Every function takes a command's words: the program's base name first, then its arguments as the program gets them.
//! All of it follows page 2b; a row that stops something has a test, and one for the everyday command beside it.

mod environment;
mod files;
mod git;
mod globals;
mod inline;
mod payloads;
mod roles;
mod scripts;
mod wrappers;

pub(crate) use self::environment::overrides_environment;
pub(crate) use self::files::{directories, written_files};
pub(crate) use self::globals::without_globals;
pub(crate) use self::inline::inline_program;
pub(crate) use self::payloads::{opaque, payloads};
pub(crate) use self::roles::{Role, glued_value, mount_source, roles};
pub(crate) use self::wrappers::{is_indirection, run_inside, wrapped};

/// Shells.
const SHELLS: [&str; 9] = [
    "bash", "sh", "dash", "zsh", "ksh", "rbash", "ash", "mksh", "fish",
];

/// Interpreters, without a version behind the name.
const INTERPRETERS: [&str; 18] = [
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

/// Options of shells that take the next word.
const SHELL_VALUES: [&str; 6] = ["--rcfile", "--init-file", "-o", "+o", "-O", "+O"];

/// How a shell is called: whether with `-c` or `-s`, and its first operand.
pub(super) struct ShellCall {
    pub(super) has_command: bool,
    pub(super) reads_input: bool,
    pub(super) operand: Option<usize>,
}

/// Reads the options of a shell.
pub(super) fn shell_call(words: &[&str]) -> ShellCall {
    let mut call = ShellCall {
        has_command: false,
        reads_input: false,
        operand: None,
    };
    let mut index = 1_usize;
    while let Some(word) = words.get(index) {
        let is_option = word.len() > 1 && word.starts_with(['-', '+']);
        if *word == "--" || *word == "-" {
            call.reads_input |= *word == "-" && words.get(index.saturating_add(1)).is_none();
            index = index.saturating_add(1);
            break;
        }
        if !is_option {
            break;
        }
        if SHELL_VALUES.contains(word) {
            index = index.saturating_add(2);
            continue;
        }
        if !word.starts_with("--") {
            call.has_command |= word.starts_with('-') && word.contains('c');
            call.reads_input |= word.contains('s');
            if word.len() > 2 && word.ends_with(['o', 'O']) {
                index = index.saturating_add(1);
            }
        } else if *word == "--command" {
            call.has_command = true;
        }
        index = index.saturating_add(1);
    }
    call.operand = words.get(index).map(|_| index);
    call
}

/// Options of interpreters that take the next word and name no program.
fn interpreter_value_options(language: &str) -> &'static [&'static str] {
    match language {
        "python" | "pypy" => &["-W", "-X", "--check-hash-based-pycs"],
        "node" | "nodejs" => &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "-C",
            "--conditions",
            "--env-file",
        ],
        "perl" => &["-I"],
        "ruby" => &["-I", "-r", "-E", "-C"],
        "php" => &["-c", "-d", "-z"],
        "lua" | "luajit" => &["-l"],
        _ => &[],
    }
}

/// How an interpreter is called: whether something else than a file or input says what to run, and its first operand.
fn interpreter_call(words: &[&str]) -> (bool, Option<usize>) {
    let language = language(words.first().copied().unwrap_or_default());
    let values = interpreter_value_options(language);
    let mut has_program = false;
    let mut index = 1_usize;
    while let Some(word) = words.get(index) {
        if *word == "--" {
            index = index.saturating_add(1);
            break;
        }
        if !word.starts_with('-') || *word == "-" {
            break;
        }
        if values.contains(word) {
            index = index.saturating_add(2);
            continue;
        }
        let is_info = matches!(
            *word,
            "--version" | "--help" | "-V" | "-v" | "-h" | "--list-modules"
        );
        let is_module =
            matches!(language, "python" | "pypy") && !word.starts_with("--") && word.contains('m');
        let is_checked = matches!(language, "php") && matches!(*word, "-i" | "-m" | "-S");
        has_program |=
            is_info || is_module || is_checked || inline::is_inline_option(language, word);
        if is_module {
            return (true, None);
        }
        index = index.saturating_add(1);
    }
    (has_program, words.get(index).map(|_| index))
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
        let (has_program, operand) = interpreter_call(words);
        let operand = match (
            language(program),
            operand.and_then(|index| words.get(index)),
        ) {
            ("deno" | "bun", Some(&"run")) => operand.map(|index| index.saturating_add(1)),
            ("deno" | "bun", _) => None,
            _ => operand,
        };
        return operand
            .filter(|index| !has_program && words.get(*index).is_some_and(|word| *word != "-"));
    }
    None
}

/// Whether a shell or interpreter is called so that its program is its standard input.
pub(crate) fn reads_program_from_stdin(words: &[&str]) -> bool {
    let Some(program) = words.first() else {
        return false;
    };
    let is_input = |index: usize| {
        words.get(index).is_some_and(|word| {
            *word == "-" || *word == "/dev/stdin" || word.starts_with("/dev/fd/")
        })
    };
    if matches!(*program, "source" | ".") {
        return is_input(1);
    }
    if is_shell(program) {
        let call = shell_call(words);
        return !call.has_command && (call.reads_input || call.operand.is_none_or(is_input));
    }
    if is_interpreter(program) {
        let (has_program, operand) = interpreter_call(words);
        let is_runner = matches!(language(program), "deno" | "bun");
        return !(has_program || is_runner && operand.is_none()) && operand.is_none_or(is_input);
    }
    matches!(*program, "at" | "batch") && words.len() > 1
}

/// Words whose text a builtin evaluates: names with subscripts, arithmetic.
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
    let all = || (1..words.len()).collect::<Vec<_>>();
    match *program {
        "test" | "[" => after(&["-v"]),
        "printf" if arguments.first() == Some(&"-v") => vec![2],
        "let" | "read" | "declare" | "typeset" | "local" | "unset" | "export" | "readonly" => all(),
        "mapfile" | "readarray" | "compgen" | "complete" => {
            let mut found = after(&["-C"]);
            found.extend(all());
            found
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
