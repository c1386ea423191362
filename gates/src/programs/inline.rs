//! Programs given as arguments: `<inline-program>` (page 2b, b.3).

use std::sync::LazyLock;

use super::environment::is_harmless_program;
use super::options::{Grammar, position, read, values};
use super::{ByProgram, archives, awk, by_program, clients, editors, git, language, payloads, sed};

/// An interpreter's options that carry a program.
struct Language {
    names: &'static str,
    /// Whole words.
    words: &'static str,
    /// Letters of clusters.
    letters: &'static str,
    /// Letters that take the rest of a cluster, so that no later one counts.
    swallows: &'static str,
}

const fn row(
    names: &'static str,
    words: &'static str,
    letters: &'static str,
    swallows: &'static str,
) -> Language {
    Language {
        names,
        words,
        letters,
        swallows,
    }
}

/// The interpreters, and other programs that evaluate an option's value.
static LANGUAGES: [Language; 18] = [
    row("python pypy", "", "c", "mWX"),
    row("node nodejs", "--eval --print", "ep", "rC"),
    row("perl", "", "eE", "IMmFDxV"),
    row("ruby", "", "e", "rICEFKTxW"),
    row(
        "php",
        "--run --process-code --process-begin --process-end",
        "rBRE",
        "cdzfFltS",
    ),
    row("lua luajit", "", "e", "l"),
    row("bun", "--eval --print", "ep", "r"),
    row("osascript", "", "e", "ls"),
    row("Rscript R r", "", "e", "gf"),
    row("guile", "", "c", "lLesx"),
    row("julia", "--eval --print", "eE", "JLpCtm"),
    row(
        "tsx ts-node bb elixir iex groovy scala clojure clj raku rakudo gnuplot jshell swipl ghc ocaml",
        "--eval --print",
        "e",
        "rPICOTxpSWLlt",
    ),
    row("qjs gjs", "--eval --command", "ec", "I"),
    row(
        "octave sbcl emacs emacsclient mongosh",
        "--eval --execute -eval -execute",
        "",
        "",
    ),
    row("erl", "-eval", "", ""),
    row("racket", "--eval", "e", "lptkr"),
    row("dc", "--expression", "e", "f"),
    row("m4", "", "", ""),
];

static BY_LANGUAGE: LazyLock<ByProgram<&'static Language>> = LazyLock::new(|| {
    by_program(LANGUAGES.iter().flat_map(|row| {
        let names = row.names.split(' ');
        names.map(move |name| (name, row))
    }))
});

/// Whether an option of an interpreter carries a program.
pub(super) fn is_inline_option(language: &str, word: &str) -> bool {
    if matches!(language, "pwsh" | "powershell") {
        return is_powershell_command(word);
    }
    // A module that is a program: `--import 'data:text/javascript,...'`.
    if word.contains("data:text/javascript") {
        return true;
    }
    let Some(row) = BY_LANGUAGE.get(language).and_then(|rows| rows.first()) else {
        return false;
    };
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    if super::options::has(row.words, if word.starts_with("--") { name } else { word }) {
        return true;
    }
    let Some(cluster) = word
        .strip_prefix('-')
        .filter(|cluster| !cluster.starts_with('-'))
    else {
        return false;
    };
    for (offset, letter) in cluster.char_indices() {
        if row.letters.contains(letter) {
            return true;
        }
        if row.swallows.contains(letter) {
            // `perl -M'strict;system("x")'`: what stands behind the name of a module is code.
            let rest = cluster.get(offset..).unwrap_or_default();
            return language == "perl"
                && matches!(letter, 'M' | 'm')
                && rest.contains([';', '(', '{', '\n'])
                && !is_import(rest);
        }
        if !letter.is_ascii_alphanumeric() {
            return false;
        }
    }
    false
}

/// `MPOSIX qw(floor ceil)`.
fn is_import(module: &str) -> bool {
    module.contains("qw(") && !module.contains([';', '{', '\n']) && module.matches('(').count() == 1
}

/// `-Command`, `-EncodedCommand` and their abbreviations, in any case.
fn is_powershell_command(word: &str) -> bool {
    let Some(name) = word.strip_prefix(['-', '/']) else {
        return false;
    };
    let name = name.split(':').next().unwrap_or(name).to_ascii_lowercase();
    let full = ["command", "encodedcommand", "commandwithargs"];
    !name.is_empty()
        && (full.iter().any(|full| full.starts_with(&name))
            || matches!(name.as_str(), "ec" | "cwa"))
}

/// The word up to which a configured allow must spell the command out, if it carries a program.
pub(crate) fn inline_program(words: &[&str]) -> Option<usize> {
    let (program, arguments) = words.split_first()?;
    let first = |found: Vec<clients::Held>| found.first().map(|(at, _)| *at);
    let language = language(program);
    match *program {
        "ssh" | "autossh" => {
            let call = clients::ssh(words);
            return first(call.local).or_else(|| call.host.filter(|_| call.command.is_some()));
        }
        "scp" | "sftp" => {
            let found = clients::copies(words).into_iter();
            return first(found.filter(|(_, command)| command != "ssh").collect());
        }
        "rsync" => {
            let found = clients::rsync_commands(words).into_iter();
            return first(
                found
                    .filter(|(_, command)| !clients::is_plain_remote(command))
                    .collect(),
            );
        }
        "awk" | "gawk" | "nawk" | "mawk" => return awk::awk_inline(words),
        "sed" | "gsed" => return sed::sed_inline(words),
        "tar" | "gtar" | "bsdtar" => return first(archives::tar_commands(words)),
        "git" => return git::inline(words),
        "vim" | "vi" | "nvim" | "view" | "ex" | "gvim" | "less" | "more" => {
            return editors::editor_program(words);
        }
        "gdb" | "lldb" => return editors::debugger_program(words),
        "sqlite3" | "psql" | "mysql" | "mariadb" => return first(clients::client_commands(words)),
        "deno" => return deno(words),
        "cargo" => return cargo(words),
        "go" => {
            let at = arguments.iter().position(|word| {
                let name = word
                    .trim_start_matches('-')
                    .split('=')
                    .next()
                    .unwrap_or_default();
                word.starts_with('-') && matches!(name, "exec" | "toolexec" | "vettool")
            });
            let end = arguments
                .iter()
                .position(|word| *word == "--")
                .unwrap_or(arguments.len());
            return at.filter(|at| *at < end).map(|at| at.saturating_add(1));
        }
        "make" | "gmake" => {
            let items = read(
                words,
                1,
                &Grammar::open("CfIEoW", "jl", "eval directory file include-dir"),
            );
            return position(&items, "E", "eval");
        }
        "hash" => return position(&read(words, 1, &Grammar::leading("p", "")), "p", ""),
        "enable" => return position(&read(words, 1, &Grammar::leading("f", "")), "f", ""),
        "zip" => return zip(words),
        "split" | "sort" | "rg" | "man" | "bat" | "wget" | "nodemon" => {
            return option_command(words, program);
        }
        _ => {}
    }
    let is_interpreter = super::is_interpreter(program);
    if !is_interpreter && !BY_LANGUAGE.contains_key(language) {
        return None;
    }
    let end = if is_interpreter {
        super::own_options_end(words)
    } else {
        words.len()
    };
    let own = words.iter().enumerate().take(end).skip(1);
    let mut own = own.take_while(|(_, word)| **word != "--");
    own.find(|(_, word)| is_inline_option(language, word))
        .map(|(at, _)| at)
}

/// `deno eval CODE`, `deno -A eval CODE`.
fn deno(words: &[&str]) -> Option<usize> {
    let at = words
        .iter()
        .skip(1)
        .position(|word| !word.starts_with('-'))?;
    let at = at.saturating_add(1);
    let is_data = |word: &&str| word.starts_with("data:");
    (words.get(at) == Some(&"eval"))
        .then_some(at)
        .or_else(|| words.iter().position(is_data))
}

/// `cargo --config KEY=VALUE` where the key names a command, an alias or a file.
fn cargo(words: &[&str]) -> Option<usize> {
    let items = read(
        words,
        1,
        &Grammar::open("CZ", "", "config manifest-path target-dir color"),
    );
    let found = values(&items, "", "config").into_iter().find(|value| {
        let Some((key, _)) = value.text.split_once('=') else {
            return true;
        };
        let key = key.trim();
        let ends = [
            "rustc",
            "rustdoc",
            "wrapper",
            "runner",
            "linker",
            "provider",
            "browser",
            "providers",
        ];
        key.starts_with("alias")
            || key.starts_with("env")
            || ends.iter().any(|end| key.ends_with(end))
            || value.text.contains("rustflags")
    });
    found.map(|value| value.index)
}

/// `zip -TT CMD`, `zip --unzip-command CMD`.
fn zip(words: &[&str]) -> Option<usize> {
    words.iter().position(|word| {
        *word == "-TT"
            || word.starts_with("--unzip-c")
            || (word.starts_with('-') && !word.starts_with("--") && word.ends_with("TT"))
    })
}

/// Programs with an option whose value is a command. Well-known pagers and compressors do not count.
fn option_command(words: &[&str], program: &str) -> Option<usize> {
    let found = payloads::command_values(words)
        .into_iter()
        .find(|value| match program {
            "man" | "bat" => !is_harmless_program(value.text),
            "sort" => !archives::is_compressor(value.text),
            _ => true,
        });
    found.map(|value| value.option)
}
