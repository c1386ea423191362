//! git: configuration that names commands, and subcommands that run them.

use super::environment::is_harmless_program;
use super::payloads::option_values;

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
        "web.browser",
        "instaweb.httpd",
        "receive.procreceiverefs",
        "gui.fontui",
        "core.worktree",
        "include.path",
        "sendemail.smtpserver",
        "sendemail.tocmd",
    ];
    let starts = ["alias.", "pager.", "includeif.", "credential."];
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
    let plain = ["core.worktree", "gui.fontui", "core.gitproxy"];
    if plain.contains(&key.as_str()) {
        return false;
    }
    exact.contains(&key.as_str())
        || starts
            .iter()
            .any(|start| key.starts_with(start) && !key.ends_with(".username"))
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
    let is_helper = key.ends_with("helper")
        && matches!(
            value,
            "" | "store" | "cache" | "osxkeychain" | "manager" | "manager-core" | "libsecret"
        );
    let is_plain_alias = key.starts_with("alias.") && !value.starts_with('!');
    let is_switch = matches!(value, "true" | "false" | "")
        && (key == "core.fsmonitor" || key.starts_with("pager."));
    !(shows && is_harmless_program(value) || is_helper || is_plain_alias || is_switch)
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
        let reads = [
            "--get",
            "--get-all",
            "--get-regexp",
            "--unset",
            "--unset-all",
            "--list",
            "-l",
            "--get-urlmatch",
            "get",
            "unset",
            "list",
        ];
        let arguments = words.get(end.saturating_add(1)..).unwrap_or_default();
        if !arguments.iter().any(|word| reads.contains(word)) {
            let mut operands = arguments
                .iter()
                .enumerate()
                .filter(|(_, word)| !word.starts_with('-') && **word != "set");
            if let (Some((_, key)), Some((at, value))) = (operands.next(), operands.next()) {
                let at = at.saturating_add(end).saturating_add(1);
                found.push((at, key, value));
            }
        }
    }
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
    let arguments = words.get(at.saturating_add(1)..).unwrap_or_default();
    let position = |names: &[&str]| {
        let hit = arguments.iter().position(|word| {
            names.iter().any(|name| {
                word == name
                    || (name.starts_with("--")
                        && word
                            .strip_prefix(name)
                            .is_some_and(|rest| rest.starts_with('=')))
                    || (name.len() == 2 && word.starts_with(name) && !word.starts_with("--"))
            })
        });
        hit.map(|hit| hit.saturating_add(at).saturating_add(1))
    };
    match *words.get(at)? {
        "difftool" => position(&["-x", "--extcmd"]),
        "rebase" => position(&["-x", "--exec"]),
        "bisect" => position(&["run"]).filter(|_| arguments.first() == Some(&"run")),
        "submodule" => position(&["foreach"]),
        "filter-branch" => position(&[
            "--tree-filter",
            "--index-filter",
            "--env-filter",
            "--msg-filter",
            "--commit-filter",
        ]),
        "grep" => position(&["-O", "--open-files-in-pager"]),
        "clone" | "fetch" | "pull" | "ls-remote" => {
            position(&["-u", "--upload-pack"]).filter(|index| {
                // `git pull -u` is no such option; only clone spells it short.
                words.get(at) == Some(&"clone")
                    || words.get(*index).is_some_and(|word| word.starts_with("--"))
            })
        }
        "push" => position(&["--receive-pack", "--exec"]),
        _ => None,
    }
}

/// Commands that git would run.
pub(super) fn payloads(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (_, key, value) in settings(words) {
        if is_command_setting(key, value) {
            found.push(value.strip_prefix('!').unwrap_or(value).to_owned());
        } else if key.to_ascii_lowercase().starts_with("alias.") {
            found.push(format!("git {value}"));
        }
    }
    let Some(at) = subcommand(words) else {
        return found;
    };
    let arguments = words.get(at.saturating_add(1)..).unwrap_or_default();
    match words.get(at) {
        Some(&"rebase") => found.extend(
            option_values(words, &["-x", "--exec"])
                .into_iter()
                .map(str::to_owned),
        ),
        Some(&"difftool") => found.extend(
            option_values(words, &["-x", "--extcmd"])
                .into_iter()
                .map(str::to_owned),
        ),
        Some(&"bisect") if arguments.first() == Some(&"run") => {
            found.push(arguments.get(1..).unwrap_or_default().join(" "));
        }
        Some(&"submodule") => {
            if let Some(each) = arguments.iter().position(|word| *word == "foreach") {
                let rest = arguments.get(each.saturating_add(1)..).unwrap_or_default();
                let rest: Vec<&str> = rest
                    .iter()
                    .copied()
                    .skip_while(|word| word.starts_with("--"))
                    .collect();
                found.push(rest.join(" "));
            }
        }
        Some(&"filter-branch") => {
            let names = [
                "--tree-filter",
                "--index-filter",
                "--env-filter",
                "--msg-filter",
                "--commit-filter",
            ];
            found.extend(option_values(words, &names).into_iter().map(str::to_owned));
        }
        _ => {}
    }
    found
}
