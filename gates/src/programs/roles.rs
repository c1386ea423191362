//! Which words of a command are text, options, paths, or paths inside a container (page 2b, b.5).

use super::inline::{awk_program, sed_scripts};
use super::{git, wrappers};

/// What a word of a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The command word.
    Program,
    /// An option; a glued value is asked for with [`glued_value`].
    Option,
    /// An operand that is looked at.
    Plain,
    /// A value that is a path for certain.
    Path,
    /// Never a path.
    Text,
    /// A path inside a container.
    Container,
    /// `SOURCE:TARGET` or `type=bind,src=SOURCE,...`: only the source is a path of this machine.
    Mount,
}

/// The source of a mount, as bytes into the word.
pub(crate) fn mount_source(word: &str) -> (usize, usize) {
    for key in ["src=", "source="] {
        let found = word.split(',').find_map(|part| part.strip_prefix(key));
        if let Some(source) = found
            && let Some(start) = word.find(key)
        {
            let start = start.saturating_add(key.len());
            return (start, start.saturating_add(source.len()));
        }
    }
    (0, word.find(':').unwrap_or(word.len()))
}

/// Options whose value is text, by program: separate or glued.
fn text_options(program: &str, subcommand: &str) -> &'static [&'static str] {
    match (program, subcommand) {
        ("git", "log" | "show" | "shortlog" | "rev-list" | "diff" | "whatchanged") => &[
            "-S",
            "-G",
            "--grep",
            "--author",
            "--committer",
            "--format",
            "--pretty",
            "--since",
            "--until",
            "--after",
            "--before",
            "-n",
            "--date",
            "--diff-filter",
        ],
        ("git", "grep") => &["-e", "-m", "-A", "-B", "-C"],
        ("git", _) => &[
            "-m",
            "--message",
            "--format",
            "--author",
            "--date",
            "--trailer",
            "-n",
        ],
        ("gh", _) => &[
            "-t",
            "--title",
            "-b",
            "--body",
            "-m",
            "--message",
            "--notes",
            "-q",
            "--jq",
            "--template",
            "-n",
            "--search",
            "-S",
            "-l",
            "--label",
        ],
        ("grep" | "egrep" | "fgrep" | "zgrep", _) => &[
            "-e",
            "--regexp",
            "-m",
            "-A",
            "-B",
            "-C",
            "--include",
            "--exclude",
            "--exclude-dir",
            "--color",
            "--label",
        ],
        ("rg", _) => &[
            "-e",
            "--regexp",
            "-g",
            "--glob",
            "--iglob",
            "-t",
            "--type",
            "-T",
            "-m",
            "-A",
            "-B",
            "-C",
            "-r",
            "--replace",
            "-M",
            "-j",
            "--sort",
            "--color",
            "--type-add",
            "-d",
            "--max-depth",
        ],
        ("sed" | "gsed", _) => &["-e", "--expression", "-l"],
        ("awk" | "gawk" | "nawk" | "mawk", _) => &[
            "-F",
            "--field-separator",
            "-v",
            "--assign",
            "-e",
            "--source",
        ],
        ("cut", _) => &[
            "-d",
            "--delimiter",
            "-f",
            "--fields",
            "-c",
            "-b",
            "--output-delimiter",
        ],
        ("sort", _) => &["-t", "--field-separator", "-k", "--key"],
        ("tr", _) => &[],
        ("paste" | "column" | "join", _) => {
            &["-d", "--delimiters", "-s", "--separator", "-t", "-o"]
        }
        ("head" | "tail", _) => &["-n", "--lines", "-c", "--bytes"],
        ("jq" | "yq", _) => &["--arg", "--argjson", "--indent", "--tab"],
        ("curl", _) => &[
            "-H",
            "--header",
            "-w",
            "--write-out",
            "-A",
            "--user-agent",
            "-X",
            "--request",
            "-u",
            "--user",
            "-m",
            "--max-time",
            "-e",
            "--referer",
            "--connect-timeout",
            "--retry",
        ],
        ("find", _) => &[],
        ("date", _) => &["-d", "--date"],
        ("cargo", _) => &[
            "--features",
            "-F",
            "-p",
            "--package",
            "--bin",
            "--test",
            "--example",
            "-j",
            "--message-format",
        ],
        ("xargs", _) => &["-I", "-n", "-P", "-L", "-d", "-E", "-s"],
        ("kubectl", _) => &["-o", "--output", "-l", "--selector", "-c", "--container"],
        ("docker" | "podman", _) => &[
            "--format",
            "-e",
            "--env",
            "--name",
            "--filter",
            "-p",
            "--publish",
            "--network",
            "-u",
        ],
        ("echo" | "printf", _) => &[],
        _ => &[],
    }
}

/// Options of curl whose value is text unless `@` stands in front.
const CURL_DATA: [&str; 8] = [
    "-d",
    "--data",
    "--data-ascii",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--json",
    "--url-query",
];

/// Tests of find whose value is a pattern.
const FIND_PATTERNS: [&str; 13] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
    "-type",
    "-printf",
    "-regextype",
];

/// Options of `docker run` and `exec` that take the next word.
const CONTAINER_VALUES: [&str; 40] = [
    "-e",
    "--env",
    "-v",
    "--volume",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--mount",
    "--env-file",
    "-l",
    "--label",
    "--entrypoint",
    "-h",
    "--hostname",
    "--cpus",
    "-m",
    "--memory",
    "--platform",
    "--gpus",
    "--restart",
    "--add-host",
    "--cap-add",
    "--cap-drop",
    "--device",
    "--dns",
    "--ipc",
    "--log-driver",
    "--pid",
    "--shm-size",
    "--tmpfs",
    "--ulimit",
    "--security-opt",
    "--cidfile",
    "--pull",
    "--stop-signal",
];

/// The role of each word; 0 is the program. `is_isolated`: the command stands outside pipes and substitutions.
pub(crate) fn roles(words: &[&str], is_isolated: bool) -> Vec<Role> {
    let mut roles = vec![Role::Plain; words.len()];
    let set = |roles: &mut Vec<Role>, index: usize, role: Role| {
        if let Some(place) = roles.get_mut(index) {
            *place = role;
        }
    };
    set(&mut roles, 0, Role::Program);
    let Some(program) = words.first().copied() else {
        return roles;
    };
    let at = if program == "git" {
        git::subcommand(words)
    } else {
        Some(1)
    };
    let subcommand = at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    let mut only_operands = false;
    let text = text_options(program, subcommand);
    for (index, word) in words.iter().enumerate().skip(1) {
        if only_operands || roles.get(index) != Some(&Role::Plain) {
            continue;
        }
        if *word == "--" {
            only_operands = true;
            set(&mut roles, index, Role::Option);
        } else if word.len() > 1 && word.starts_with('-') {
            set(&mut roles, index, Role::Option);
            let next = index.saturating_add(1);
            if takes_text(text, word) {
                set(&mut roles, next, Role::Text);
            } else if program == "curl" && CURL_DATA.contains(word) {
                let is_file = words.get(next).is_some_and(|value| value.contains('@'));
                set(
                    &mut roles,
                    next,
                    if is_file { Role::Path } else { Role::Text },
                );
            }
        }
    }
    match program {
        "sed" | "gsed" => {
            for script in sed_scripts(words) {
                set(&mut roles, script, Role::Text);
            }
        }
        "awk" | "gawk" | "nawk" | "mawk" => {
            if let Some(script) = awk_program(words) {
                set(&mut roles, script, Role::Text);
            }
        }
        "grep" | "egrep" | "fgrep" | "zgrep" | "rg" => {
            let is_given = words.iter().skip(1).any(|word| {
                matches!(*word, "-e" | "-f" | "--files" | "--type-list")
                    || word.starts_with("--regexp")
                    || word.starts_with("--file=")
                    || *word == "--file"
                    || (word.starts_with('-')
                        && !word.starts_with("--")
                        && word.len() > 2
                        && word.ends_with(['e', 'f']))
            });
            if !is_given {
                first_operands(&mut roles, words, 1, 1);
            }
        }
        "sd" => first_operands(&mut roles, words, 1, 2),
        "jq" | "yq" => {
            let is_given = words
                .iter()
                .any(|word| matches!(*word, "-f" | "--from-file"));
            if !is_given {
                first_operands(&mut roles, words, 1, 1);
            }
        }
        "tr" => first_operands(&mut roles, words, 1, words.len()),
        "git" if subcommand == "grep" => {
            let is_given = words
                .iter()
                .any(|word| matches!(*word, "-e" | "-f") || word.starts_with("--file"));
            if !is_given {
                first_operands(&mut roles, words, at.unwrap_or(1).saturating_add(1), 1);
            }
        }
        "find" if is_isolated => {
            for (index, word) in words.iter().enumerate().skip(1) {
                if FIND_PATTERNS.contains(word) {
                    set(&mut roles, index.saturating_add(1), Role::Text);
                }
            }
        }
        "echo" if is_isolated => first_operands(&mut roles, words, 1, words.len()),
        "printf" if is_isolated && words.get(1) != Some(&"-v") => {
            first_operands(&mut roles, words, 1, words.len());
        }
        program if is_container(program) => containers(words, &mut roles),
        "kubectl" | "oc" if subcommand == "exec" => {
            for index in wrappers::run_inside(words).unwrap_or_default() {
                set(&mut roles, index, Role::Container);
            }
        }
        _ => {}
    }
    roles
}

fn is_container(program: &str) -> bool {
    matches!(program, "docker" | "podman" | "docker-compose" | "nerdctl")
}

/// Whether an option takes the next word as text: it is listed, or a cluster ends in a listed letter.
fn takes_text(options: &[&str], word: &str) -> bool {
    if options.contains(&word) {
        return true;
    }
    let Some(letters) = word
        .strip_prefix('-')
        .filter(|letters| !letters.starts_with('-') && letters.len() > 1)
    else {
        return false;
    };
    let Some(last) = letters.chars().last() else {
        return false;
    };
    letters.chars().all(|letter| letter.is_ascii_alphabetic())
        && options
            .iter()
            .any(|option| option.len() == 2 && option.ends_with(last))
        && !letters
            .chars()
            .take(letters.len().saturating_sub(1))
            .any(|letter| {
                options
                    .iter()
                    .any(|option| option.len() == 2 && option.ends_with(letter))
            })
}

/// Makes the first operands text.
fn first_operands(roles: &mut [Role], words: &[&str], from: usize, mut count: usize) {
    for (index, role) in roles.iter_mut().enumerate().skip(from) {
        if count == 0 {
            return;
        }
        let is_dash = words.get(index) == Some(&"-");
        if *role == Role::Plain && !is_dash {
            *role = Role::Text;
            count = count.saturating_sub(1);
        }
    }
}

/// Words behind the image or container are the container's.
fn containers(words: &[&str], roles: &mut [Role]) {
    let command = words
        .iter()
        .position(|word| matches!(*word, "run" | "exec" | "create"))
        .filter(|at| {
            words.iter().take(*at).skip(1).all(|word| {
                word.starts_with('-')
                    || matches!(*word, "compose" | "container")
                    || !word.contains('/')
            })
        });
    let Some(command) = command else { return };
    let mut index = command.saturating_add(1);
    while let Some(word) = words.get(index) {
        if !word.starts_with('-') || *word == "--" {
            break;
        }
        let next = index.saturating_add(1);
        let takes_next = CONTAINER_VALUES.contains(word);
        let role = match *word {
            "-v" | "--volume" | "--mount" | "--device" => Role::Mount,
            "--env-file" | "--cidfile" => Role::Path,
            _ => Role::Container,
        };
        if takes_next && let Some(place) = roles.get_mut(next) {
            *place = role;
        }
        if (word.starts_with("-w") && word.len() > 2 || word.starts_with("--workdir="))
            && let Some(place) = roles.get_mut(index)
        {
            *place = Role::Container;
        }
        index = index.saturating_add(if takes_next { 2 } else { 1 });
    }
    for role in roles.iter_mut().skip(index) {
        *role = Role::Container;
    }
}

/// The value that is glued to an option, and what it is.
pub(crate) fn glued_value<'w>(words: &[&'w str], index: usize) -> Option<(&'w str, Role)> {
    let program = words.first().copied().unwrap_or_default();
    let word = words.get(index).copied()?;
    let at = if program == "git" {
        git::subcommand(words)
    } else {
        Some(1)
    };
    let subcommand = at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    let text = text_options(program, subcommand);
    if word.starts_with("--") {
        let (name, value) = word.split_once('=')?;
        let is_curl_data = program == "curl" && CURL_DATA.contains(&name) && !value.contains('@');
        let is_text = text.contains(&name) || is_curl_data;
        let is_mount = is_container(program) && matches!(name, "--volume" | "--mount" | "--device");
        let role = match (is_text, is_mount) {
            (true, _) => Role::Text,
            (_, true) => Role::Mount,
            _ => Role::Plain,
        };
        return (!value.is_empty()).then_some((value, role));
    }
    let rest = word.strip_prefix('-')?;
    let mut characters = rest.chars();
    let letter = characters.next()?;
    let value = characters.as_str();
    if value.is_empty() {
        return None;
    }
    if letter == 'v' && is_container(program) {
        return Some((value, Role::Mount));
    }
    let is_text = text
        .iter()
        .any(|option| option.len() == 2 && option.ends_with(letter));
    let is_curl_data = program == "curl" && letter == 'd' && !value.contains('@');
    if is_text || is_curl_data {
        return Some((value, Role::Text));
    }
    // Only what is spelled like a path: `-la` is two flags.
    let is_spelled_so = value.starts_with(['/', '~', '.', '$']) || value.contains('/');
    if is_spelled_so {
        return Some((value, Role::Plain));
    }
    // `-ofile.env`: an option's value that a rule may name.
    value.contains('.').then_some((value, Role::Plain))
}
