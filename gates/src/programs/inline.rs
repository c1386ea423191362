//! Programs given as arguments: `<inline-program>` (page 2b, b.3).

use super::payloads::{
    client_commands, debugger_commands, editor_commands, option_values, ssh_host,
};
use super::{git, language, scripts};

/// Options that carry a program, by language: exact spellings, then letters that may stand in a cluster.
const LANGUAGES: [(&str, &[&str], &str); 16] = [
    ("python", &["-c"], "c"),
    ("pypy", &["-c"], "c"),
    ("node", &["-e", "-p", "--eval", "--print", "-pe"], "ep"),
    ("nodejs", &["-e", "-p", "--eval", "--print", "-pe"], "ep"),
    ("perl", &["-e", "-E"], "eE"),
    ("ruby", &["-e"], "e"),
    ("php", &["-r", "-B", "-R", "-E", "--run"], ""),
    ("lua", &["-e"], "e"),
    ("luajit", &["-e"], "e"),
    ("bun", &["-e", "--eval", "-p", "--print"], ""),
    (
        "pwsh",
        &["-c", "-Command", "-command", "-EncodedCommand", "-e", "-ec"],
        "",
    ),
    (
        "powershell",
        &["-c", "-Command", "-command", "-EncodedCommand", "-e", "-ec"],
        "",
    ),
    ("osascript", &["-e"], ""),
    ("Rscript", &["-e"], ""),
    ("guile", &["-c"], ""),
    ("julia", &["-e", "-E", "--eval", "--print"], ""),
];

/// Letters in front of which a cluster ends, since they take the rest as their value.
fn swallows(language: &str) -> &'static str {
    match language {
        "python" | "pypy" => "mWX",
        "perl" => "IMmFDx",
        "ruby" => "ICEFKTx",
        "node" | "nodejs" => "rC",
        "lua" | "luajit" => "l",
        _ => "",
    }
}

/// Whether an option of an interpreter carries a program.
pub(super) fn is_inline_option(language: &str, word: &str) -> bool {
    let Some((_, exact, letters)) = LANGUAGES.iter().find(|(name, _, _)| *name == language) else {
        return false;
    };
    if exact.contains(&word)
        || exact.iter().any(|option| {
            option.starts_with("--")
                && word
                    .strip_prefix(option)
                    .is_some_and(|rest| rest.starts_with('='))
        })
    {
        return true;
    }
    let Some(cluster) = word
        .strip_prefix('-')
        .filter(|cluster| !cluster.starts_with('-'))
    else {
        return false;
    };
    for letter in cluster.chars() {
        if letters.contains(letter) {
            return true;
        }
        if swallows(language).contains(letter) || !letter.is_ascii_alphanumeric() {
            return false;
        }
    }
    false
}

/// Compressors that tar may be told to use without a prompt.
const COMPRESSORS: [&str; 12] = [
    "gzip", "bzip2", "xz", "zstd", "lz4", "lzma", "lzip", "lzop", "pigz", "pbzip2", "pixz",
    "compress",
];

fn is_compressor(value: &str) -> bool {
    let program = value.split(' ').next().unwrap_or(value);
    COMPRESSORS.contains(&program)
}

/// The word up to which a configured allow must spell the command out, if it carries a program.
pub(crate) fn inline_program(words: &[&str]) -> Option<usize> {
    let (program, arguments) = words.split_first()?;
    let position = |wanted: &dyn Fn(&str) -> bool| {
        let at = arguments.iter().position(|word| wanted(word));
        at.map(|at| at.saturating_add(1))
    };
    let option = |names: &[&str]| {
        position(&|word| {
            names.iter().any(|name| {
                word == *name
                    || (name.starts_with("--")
                        && word
                            .strip_prefix(name)
                            .is_some_and(|rest| rest.starts_with('=')))
            })
        })
    };
    let language = language(program);
    if super::is_interpreter(program) {
        if language == "deno" {
            return (arguments.first() == Some(&"eval")).then_some(1);
        }
        let end = super::script_operand(words).unwrap_or(words.len());
        return position(&|word| is_inline_option(language, word)).filter(|at| *at < end);
    }
    match *program {
        "ssh" | "autossh" => {
            let proxy = option_values(words, &["-o"]).iter().any(|value| {
                let key = value
                    .split(['=', ' '])
                    .next()
                    .unwrap_or(value)
                    .to_ascii_lowercase();
                let value = value.split_once(['=', ' ']).map_or("", |(_, value)| value);
                (matches!(
                    key.as_str(),
                    "proxycommand" | "localcommand" | "knownhostscommand" | "remotecommand"
                ) && value != "none")
                    || key == "permitlocalcommand" && value == "yes"
            });
            if proxy {
                return option(&["-o"]).or_else(|| position(&|word| word.starts_with("-o")));
            }
            let host = ssh_host(words)?;
            words.get(host.saturating_add(1)).map(|_| host)
        }
        "scp" | "sftp" => {
            let proxy = option_values(words, &["-o"])
                .iter()
                .any(|value| value.to_ascii_lowercase().starts_with("proxycommand"));
            if proxy {
                option(&["-o"])
            } else {
                option(&["-S"])
            }
        }
        "awk" | "gawk" | "nawk" | "mawk" => {
            let at = awk_program(words)?;
            words
                .get(at)
                .is_some_and(|text| scripts::awk_runs(text))
                .then_some(at)
        }
        "sed" | "gsed" => {
            let scripts = sed_scripts(words);
            scripts.into_iter().find(|at| {
                words.get(*at).is_some_and(|text| {
                    let found = scripts::sed(script_text(text));
                    !found.commands.is_empty() || !found.files.is_empty()
                })
            })
        }
        "tar" | "gtar" | "bsdtar" => {
            let action = position(&|word| {
                word.starts_with("--checkpoint-action=exec")
                    || word.starts_with("--to-command")
                    || word.starts_with("--rsh-command")
                    || word.starts_with("--rmt-command")
                    || word.starts_with("--info-script")
                    || word.starts_with("--new-volume-script")
                    || word == "--checkpoint-action"
            });
            let compressor = option_values(words, &["-I", "--use-compress-program"]);
            if action.is_none() && compressor.iter().any(|value| !is_compressor(value)) {
                return position(&|word| {
                    word.starts_with("-I") || word.starts_with("--use-compress-program")
                });
            }
            action
        }
        "split" => option(&["--filter"]),
        "git" => git::inline(words),
        "vim" | "vi" | "nvim" | "view" | "ex" => {
            if editor_commands(words).is_empty() {
                return None;
            }
            position(&|word| word.starts_with('+') || matches!(word, "-c" | "--cmd"))
        }
        "less" | "more" => {
            if editor_commands(words).is_empty() {
                return None;
            }
            position(&|word| word.starts_with('+'))
        }
        "gdb" | "lldb" => {
            if debugger_commands(words).is_empty() {
                return None;
            }
            option(&["-ex", "--eval-command", "-iex", "-o", "--one-line"])
        }
        "sqlite3" | "psql" | "mysql" => {
            if client_commands(arguments).is_empty() {
                return None;
            }
            position(&|word| {
                word.contains("\\!") || word.contains(".shell") || word.contains(".system")
            })
        }
        "rg" => option(&["--pre", "--hostname-bin"]),
        "sort" => position(&|word| word.starts_with("--compress-pro")).filter(|_| {
            !option_values(words, &["--compress-program"])
                .iter()
                .all(|value| is_compressor(value))
                || option_values(words, &["--compress-program"]).is_empty()
        }),
        "rsync" => {
            let shells = option_values(words, &["-e", "--rsh", "--rsync-path"]);
            let is_plain = |value: &&str| {
                let mut words = value.split_whitespace();
                words.next() == Some("ssh") && !value.contains("ProxyCommand")
                    || *value == "rsync"
                    || *value == "sudo rsync"
            };
            if shells.iter().all(is_plain) {
                return None;
            }
            position(&|word| {
                word == "-e"
                    || word.starts_with("-e")
                    || word.starts_with("--rsh")
                    || word.starts_with("--rsync-path")
            })
        }
        "man" => option(&["-P", "--pager"]).filter(|_| {
            let pagers = option_values(words, &["-P", "--pager"]);
            !pagers
                .iter()
                .all(|pager| super::environment::is_harmless_program(pager))
        }),
        "make" | "gmake" => option(&["--eval", "-E"]),
        "hash" => option(&["-p"]),
        "enable" => option(&["-f"]),
        "zip" => option(&["-TT", "--unzip-command"]),
        _ => None,
    }
}

/// The index of an awk program's text.
pub(super) fn awk_program(words: &[&str]) -> Option<usize> {
    let mut index = 1_usize;
    while let Some(word) = words.get(index) {
        match *word {
            "--" => {
                return words
                    .get(index.saturating_add(1))
                    .map(|_| index.saturating_add(1));
            }
            "-f" | "--file" => return None,
            "-e" | "--source" => return Some(index.saturating_add(1)),
            "-v" | "-F" | "--assign" | "--field-separator" | "-i" | "--include" => {
                index = index.saturating_add(2)
            }
            option if option.starts_with("-f") && option.len() > 2 => return None,
            option if option.starts_with('-') && option.len() > 1 => {
                index = index.saturating_add(1)
            }
            _ => return Some(index),
        }
    }
    None
}

/// A script glued to its option, or the word itself.
fn script_text(word: &str) -> &str {
    word.strip_prefix("--expression=")
        .or_else(|| word.strip_prefix("-e").filter(|rest| !rest.is_empty()))
        .unwrap_or(word)
}

/// The indices of the words that hold sed's scripts.
pub(super) fn sed_scripts(words: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut has_file = false;
    let mut first_operand = None;
    let mut index = 1_usize;
    let mut only_operands = false;
    while let Some(word) = words.get(index) {
        let next = index.saturating_add(1);
        match *word {
            _ if only_operands => {
                first_operand = first_operand.or(Some(index));
            }
            "--" => only_operands = true,
            "-e" | "--expression" => {
                found.push(next);
                index = next;
            }
            "-f" | "--file" => {
                has_file = true;
                index = next;
            }
            "-l" | "--line-length" => index = next,
            option if option.starts_with("--expression=") => found.push(index),
            option if option.starts_with("--") => {}
            option if option.starts_with('-') && option.len() > 1 => {
                // A cluster such as `-ne SCRIPT`.
                if option.ends_with('e') && !option.starts_with("-i") {
                    found.push(next);
                    index = next;
                } else if option.starts_with("-e") {
                    found.push(index);
                }
            }
            _ => first_operand = first_operand.or(Some(index)),
        }
        index = index.saturating_add(1);
    }
    if found.is_empty() && !has_file {
        found.extend(first_operand);
    }
    found
}
