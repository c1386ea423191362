//! git: configuration that names commands, and subcommands that run them.

use super::environment::is_harmless_program;
use super::options::{Grammar, Value, has, operands, position, read, values};

/// Options between `git` and its subcommand that take the next word.
const GLOBAL_VALUES: [&str; 9] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
    "--exec-path",
];

/// Where the subcommand stands.
pub(super) fn subcommand(words: &[&str]) -> Option<usize> {
    let mut index = 1_usize;
    while let Some(word) = words.get(index) {
        if !word.starts_with('-') {
            return Some(index);
        }
        // `--exec-path` alone prints; with a value it is glued.
        let takes_next = GLOBAL_VALUES.contains(word) && *word != "--exec-path";
        index = index.saturating_add(if takes_next { 2 } else { 1 });
    }
    None
}

/// Whether a configuration key names a command that git runs.
fn is_command_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let exact = [
        "core.pager",
        "core.editor",
        "core.sshcommand",
        "core.hookspath",
        "core.fsmonitor",
        "core.askpass",
        "core.gitproxy",
        "core.alternaterefscommand",
        "sequence.editor",
        "diff.external",
        "gpg.program",
        "gpg.openpgp.program",
        "gpg.ssh.program",
        "gpg.x509.program",
        "credential.helper",
        "interactive.difffilter",
        "uploadpack.packobjectshook",
        "init.templatedir",
        "instaweb.httpd",
        "include.path",
        "sendemail.sendmailcmd",
        "sendemail.tocmd",
        "sendemail.cccmd",
        "gpg.ssh.defaultkeycommand",
        "protocol.allow",
        "protocol.ext.allow",
    ];
    let starts = ["alias.", "pager.", "includeif."];
    let ends = [
        ".cmd",
        ".command",
        ".textconv",
        ".driver",
        ".clean",
        ".smudge",
        ".process",
        ".helper",
        ".path",
        ".uploadpack",
        ".receivepack",
        ".vcs",
    ];
    exact.contains(&key.as_str())
        || starts.iter().any(|start| key.starts_with(start))
        || (ends.iter().any(|end| key.ends_with(end))
            && !key.starts_with("remote.")
            && !key.starts_with("submodule.")
            && !key.starts_with("lfs."))
        || (key.starts_with("remote.")
            && (key.ends_with(".uploadpack")
                || key.ends_with(".receivepack")
                || key.ends_with(".vcs")))
}

/// Whether `KEY=VALUE` makes git run something that is not a well-known pager or editor.
fn is_command_setting(key: &str, value: &str) -> bool {
    if !is_command_key(key) {
        return false;
    }
    let key = key.to_ascii_lowercase();
    let shows = key.contains("pager") || key.contains("editor");
    let head = value.split(' ').next().unwrap_or_default();
    let is_helper = key.ends_with("helper")
        && has(
            "store cache osxkeychain manager manager-core wincred libsecret",
            head,
        );
    let is_signer = key.starts_with("gpg.") && has("gpg gpg2 gpgsm ssh-keygen", value);
    let is_switch = matches!(value, "true" | "false")
        && (key == "core.fsmonitor" || key.starts_with("pager."))
        || value.is_empty() && !key.starts_with("alias.")
        || key.starts_with("protocol.") && matches!(value, "never" | "user");
    !(shows && is_harmless_program(value) || is_helper || is_signer || is_switch)
}

/// Settings of `-c`, and of `git config KEY VALUE`, with the index of the word that holds the value.
fn settings<'w>(words: &[&'w str]) -> Vec<(usize, &'w str, &'w str)> {
    let mut found = Vec::new();
    let end = subcommand(words).unwrap_or(words.len());
    for (index, word) in words.iter().enumerate().take(end).skip(1) {
        let value_at = index.saturating_add(1);
        let setting = match *word {
            "-c" | "--config-env" => words.get(value_at).map(|setting| (value_at, *setting)),
            glued => glued
                .strip_prefix("-c")
                .filter(|rest| !rest.is_empty() && !glued.starts_with("--"))
                .or_else(|| glued.strip_prefix("--config-env="))
                .map(|setting| (index, setting)),
        };
        if let Some((at, setting)) = setting {
            let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
            // A value out of the environment is known to nobody.
            let value = if word.starts_with("--config-env") {
                "$"
            } else {
                value
            };
            found.push((at, key, value));
        }
    }
    for (index, word) in words.iter().enumerate() {
        // `git clone -c KEY=VALUE` and `--config KEY=VALUE`.
        if index > end
            && matches!(*word, "-c" | "--config")
            && words.get(end) == Some(&"clone")
            && let Some((key, value)) = words
                .get(index.saturating_add(1))
                .and_then(|setting| setting.split_once('='))
        {
            found.push((index.saturating_add(1), key, value));
        }
    }
    if words.get(end) == Some(&"config") {
        found.extend(configured(words, end));
    }
    found
}

/// `git config KEY VALUE`, with the options that may stand around; nothing where it reads.
fn configured<'w>(words: &[&'w str], at: usize) -> Option<(usize, &'w str, &'w str)> {
    let grammar = Grammar {
        long_flags: "get get-all get-regexp get-urlmatch get-color get-colorbool unset unset-all list edit \
                     remove-section rename-section add replace-all global system local worktree bool int path null",
        ..Grammar::open("f", "", "file blob type default comment value url")
    };
    let items = read(words, at.saturating_add(1), &grammar);
    let reads = "get get-all get-regexp get-urlmatch get-color get-colorbool unset unset-all list remove-section";
    if position(&items, "l", reads).is_some() {
        return None;
    }
    let operands = operands(&items);
    let mut operands = operands.iter();
    let mut key = *operands.next()?;
    match *words.get(key)? {
        "get" | "unset" | "list" | "remove-section" => return None,
        "set" => key = *operands.next()?,
        _ => {}
    }
    let value = *operands.next()?;
    Some((value, *words.get(key)?, *words.get(value)?))
}

/// A subcommand's options that run a command: names of subcommands, letters and long names that take one, all letters
/// that take a value.
const COMMANDS: [(&str, &str, &str, &str); 10] = [
    ("difftool", "x", "extcmd", "xt"),
    ("rebase", "x", "exec", "xsX"),
    (
        "filter-branch",
        "",
        "setup env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter",
        "d",
    ),
    ("clone", "u", "upload-pack template", "ubcoj"),
    ("init", "", "template", "b"),
    ("fetch", "", "upload-pack", "j"),
    ("pull", "", "upload-pack", "jsX"),
    ("ls-remote archive fetch-pack", "", "upload-pack exec", "o"),
    ("push send-pack", "", "receive-pack exec", "o"),
    (
        "send-email",
        "",
        "to-cmd cc-cmd header-cmd sendmail-cmd",
        "",
    ),
];

/// The commands among a subcommand's options.
fn option_commands<'w>(words: &[&'w str], at: usize) -> Vec<Value<'w>> {
    let subcommand = words.get(at).copied().unwrap_or_default();
    let row = COMMANDS.iter().find(|(names, ..)| has(names, subcommand));
    let Some((_, short, long, letters)) = row else {
        return Vec::new();
    };
    let items = read(
        words,
        at.saturating_add(1),
        &Grammar::open(letters, "", long),
    );
    let mut found = values(&items, short, long);
    found.retain(|value| !value.text.is_empty());
    found
}

/// The word that names a command which git would run, if one does.
pub(super) fn inline(words: &[&str]) -> Option<usize> {
    let setting = settings(words)
        .into_iter()
        .find(|(_, key, value)| is_command_setting(key, value));
    if let Some((at, _, _)) = setting {
        return Some(at);
    }
    if let Some(at) = words
        .iter()
        .position(|word| word.starts_with("--exec-path="))
    {
        return Some(at);
    }
    let at = subcommand(words)?;
    let next = at.saturating_add(1);
    // A transport that is a command line.
    if let Some(remote) = words.iter().position(|word| word.starts_with("ext::")) {
        return Some(remote);
    }
    match *words.get(at)? {
        "bisect" if words.get(next) == Some(&"run") => Some(next),
        "submodule" => words
            .iter()
            .skip(next)
            .position(|word| *word == "foreach")
            .map(|each| each.saturating_add(next)),
        "for-each-repo" => Some(at),
        "grep" => {
            let items = read(
                words,
                next,
                &Grammar::open("efmABC", "O", "open-files-in-pager threads"),
            );
            position(&items, "O", "open-files-in-pager")
        }
        _ => option_commands(words, at).first().map(|value| value.option),
    }
}

/// Commands that git would run.
pub(super) fn payloads(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (_, key, value) in settings(words) {
        let is_alias = key.to_ascii_lowercase().starts_with("alias.");
        if is_alias && !value.starts_with('!') {
            found.push(format!("git {value}"));
        } else if is_command_setting(key, value) {
            found.push(value.strip_prefix('!').unwrap_or(value).to_owned());
        }
    }
    let Some(at) = subcommand(words) else {
        return found;
    };
    let arguments = words.get(at.saturating_add(1)..).unwrap_or_default();
    match words.get(at) {
        Some(&"bisect") if arguments.first() == Some(&"run") => {
            found.push(arguments.get(1..).unwrap_or_default().join(" "));
        }
        Some(&"submodule") => {
            if let Some(each) = arguments.iter().position(|word| *word == "foreach") {
                let rest = arguments.get(each.saturating_add(1)..).unwrap_or_default();
                let rest = rest
                    .iter()
                    .copied()
                    .skip_while(|word| word.starts_with('-'));
                found.push(rest.collect::<Vec<_>>().join(" "));
            }
        }
        Some(&"for-each-repo") => {
            let items = read(words, at.saturating_add(1), &Grammar::leading("", "config"));
            let rest = operands(&items)
                .first()
                .and_then(|first| words.get(*first..));
            found.extend(rest.map(|rest| format!("git {}", rest.join(" "))));
        }
        Some(&"clone" | &"init") => {}
        _ => found.extend(
            option_commands(words, at)
                .into_iter()
                .map(|value| value.text.to_owned()),
        ),
    }
    for word in words {
        found.extend(word.strip_prefix("ext::").map(str::to_owned));
    }
    found
}
