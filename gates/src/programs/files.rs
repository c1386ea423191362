//! Directories that a command works in, and files that it writes.

use super::payloads::option_values;

/// The words, and bytes into them, that hold the directories of `-C DIR` and its like, in order.
pub(crate) fn directories(words: &[&str]) -> Vec<(usize, usize)> {
    let Some(program) = words.first() else {
        return Vec::new();
    };
    let (short, long): (&str, &[&str]) = match *program {
        "git" | "make" | "gmake" | "cargo" | "ninja" | "go" => ("-C", &["--directory"]),
        "tar" | "gtar" | "bsdtar" => ("-C", &["--directory"]),
        "env" => ("-C", &["--chdir"]),
        "sudo" => ("-D", &["--chdir"]),
        "pnpm" => ("-C", &["--dir"]),
        "npm" => ("-C", &["--prefix"]),
        "yarn" | "bun" => ("", &["--cwd"]),
        _ => return Vec::new(),
    };
    let end = match *program {
        // Behind the subcommand `-C` means something else (`git diff -C`), behind the wrapped command it is its own.
        "git" => super::git::subcommand(words).unwrap_or(words.len()),
        "cargo" | "go" => words
            .iter()
            .skip(1)
            .position(|word| !word.starts_with('-'))
            .map_or(words.len(), |at| at.saturating_add(3)),
        "env" | "sudo" => super::wrappers::wrapped(words)
            .first()
            .and_then(|inside| inside.words.first().copied())
            .unwrap_or(words.len()),
        _ => words.len(),
    };
    let mut found = Vec::new();
    let mut index = 1_usize;
    while let Some(word) = words.get(index).filter(|_| index < end) {
        let next = index.saturating_add(1);
        if !short.is_empty() && *word == short || long.contains(word) {
            if words.get(next).is_some() {
                found.push((next, 0));
            }
            index = next;
        } else if !short.is_empty() && word.starts_with(short) && !word.starts_with("--") {
            found.push((index, short.len()));
        } else if let Some(name) = long.iter().find(|name| {
            word.strip_prefix(**name)
                .is_some_and(|rest| rest.starts_with('='))
        }) {
            found.push((index, name.len().saturating_add(1)));
        }
        index = index.saturating_add(1);
    }
    found
}

/// Files that a command writes by its operands, for scripts that the same text then runs.
pub(crate) fn written_files(words: &[&str]) -> Vec<String> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let owned = |found: Vec<&str>| found.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let operands = || {
        arguments
            .iter()
            .copied()
            .filter(|word| !word.starts_with('-'))
    };
    let remote_name = |word: &str| {
        let path = word.split(['?', '#']).next().unwrap_or(word);
        path.rsplit('/')
            .next()
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    };
    match *program {
        "tee" => owned(operands().collect()),
        "curl" => {
            let mut found = owned(option_values(words, &["-o", "--output"]));
            let by_name = arguments.iter().any(|word| {
                matches!(*word, "--remote-name" | "--remote-name-all")
                    || (word.starts_with('-') && !word.starts_with("--") && word.contains('O'))
            });
            let glued = arguments.iter().enumerate().filter(|(_, word)| {
                word.starts_with('-')
                    && !word.starts_with("--")
                    && word.len() > 2
                    && word.ends_with('o')
            });
            found.extend(glued.filter_map(|(index, _)| {
                arguments
                    .get(index.saturating_add(1))
                    .map(|word| (*word).to_owned())
            }));
            if by_name {
                found.extend(operands().filter_map(remote_name));
            }
            found
        }
        "wget" => {
            let named = owned(option_values(words, &["-O", "--output-document"]));
            if named.is_empty() {
                operands().filter_map(remote_name).collect()
            } else {
                named
            }
        }
        "aria2c" => owned(option_values(words, &["-o", "--out"])),
        "cp" | "mv" | "install" | "ln" => owned(operands().next_back().into_iter().collect()),
        "dd" => owned(
            arguments
                .iter()
                .filter_map(|word| word.strip_prefix("of="))
                .collect(),
        ),
        "sort" | "gcc" | "cc" | "clang" | "ld" => owned(option_values(words, &["-o"])),
        _ => Vec::new(),
    }
}
