//! Which words of a command are text, options, paths, or paths inside a container (page 2b, b.5).

use super::operands::{
    CONTAINER, CURL_DATA, FIND_PATTERNS, FIND_TEXTS, Values, curl_reads, values_of,
};
use super::options::{Grammar, Item, Name, Value, has, operands, position, read};
use super::{archives, awk, git, runners, sed};

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
    let mut start = 0_usize;
    for part in word.split(',') {
        let key = ["src=", "source="]
            .iter()
            .find(|key| part.starts_with(*key));
        if let Some(key) = key {
            let from = start.saturating_add(key.len());
            return (from, start.saturating_add(part.len()));
        }
        start = start.saturating_add(part.len()).saturating_add(1);
    }
    (0, word.find(':').unwrap_or(word.len()))
}

/// A command whose options are known: the row, and where its options begin.
struct Known<'w> {
    program: &'w str,
    subcommand: &'w str,
    /// Behind the program, or behind the subcommand.
    from: usize,
    row: Option<&'static Values>,
}

fn known<'w>(words: &[&'w str]) -> Known<'w> {
    let program = words.first().copied().unwrap_or_default();
    let at = match program {
        "git" => git::subcommand(words),
        program if is_container(program) => container_subcommand(words),
        _ => None,
    };
    let subcommand = at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    Known {
        program,
        subcommand,
        from: at.map_or(1, |at| at.saturating_add(1)),
        row: values_of(program, subcommand),
    }
}

impl<'w> Known<'w> {
    fn items(&self, words: &[&'w str]) -> Vec<Item<'w>> {
        match self.row {
            None => Vec::new(),
            Some(_) if matches!(self.program, "tar" | "gtar" | "bsdtar") => {
                archives::tar_items(words)
            }
            Some(row) => row.read(words, self.from),
        }
    }

    /// What the value of an option is.
    fn role(&self, row: &Values, name: Name<'_>, value: &str) -> Role {
        if self.program == "curl" {
            let (is_data, long) = match name {
                Name::Letter(letter) => (CURL_DATA.0.contains(letter), ""),
                Name::Long(long) => (has(CURL_DATA.1, long), long),
            };
            if is_data {
                return if curl_reads(long, value) {
                    Role::Path
                } else {
                    Role::Text
                };
            }
        }
        let is_text = match name {
            Name::Letter(letter) => row.text.contains(letter) || row.glued.contains(letter),
            Name::Long(long) => has(row.text_long, long) || has(row.glued_long, long),
        };
        if is_text { Role::Text } else { Role::Plain }
    }
}

fn set(roles: &mut [Role], index: usize, role: Role) {
    if let Some(place) = roles.get_mut(index) {
        *place = role;
    }
}

/// The role of each word; 0 is the program. `is_isolated`: the command stands outside pipes and substitutions.
pub(crate) fn roles(words: &[&str], is_isolated: bool) -> Vec<Role> {
    let mut roles = vec![Role::Plain; words.len()];
    set(&mut roles, 0, Role::Program);
    let command = known(words);
    let program = command.program;
    // A word with a dash is an option up to `--`; values that are words of their own follow below.
    for (index, word) in words.iter().enumerate().skip(1) {
        if word.len() > 1 && word.starts_with('-') {
            set(&mut roles, index, Role::Option);
        }
        if *word == "--" {
            break;
        }
    }
    let items = command.items(words);
    if let Some(row) = command.row {
        for item in &items {
            match item {
                Item::Option {
                    name,
                    value: Some(value),
                    ..
                } if value.from == 0 => {
                    set(
                        &mut roles,
                        value.index,
                        command.role(row, *name, value.text),
                    );
                }
                Item::Operand(index) => set(&mut roles, *index, Role::Plain),
                _ => {}
            }
        }
    }
    match program {
        // `tar czf`: options in the old spelling.
        "tar" | "gtar" | "bsdtar" => set(&mut roles, 1, Role::Option),
        "sed" | "gsed" => texts(&mut roles, &sed::sed_scripts(words)),
        "awk" | "gawk" | "nawk" | "mawk" => texts(&mut roles, &awk::awk_programs(words)),
        "git" if command.subcommand == "grep" => pattern(&mut roles, &items, "ef", "and or not"),
        "rg" => pattern(&mut roles, &items, "ef", "regexp file files type-list"),
        "sd" => {
            let items = read(words, 1, &Grammar::open("nf", "", "max-replacements flags"));
            for index in operands(&items).into_iter().take(2) {
                set(&mut roles, index, Role::Text);
            }
        }
        "jq" => jq(words, &mut roles),
        "yq" => yq(words, &mut roles),
        "tr" => operands(&items)
            .into_iter()
            .for_each(|index| set(&mut roles, index, Role::Text)),
        "find" => {
            for (index, word) in words.iter().enumerate().skip(1) {
                if has(FIND_TEXTS, word) || is_isolated && has(FIND_PATTERNS, word) {
                    set(&mut roles, index.saturating_add(1), Role::Text);
                }
            }
        }
        "date" => {
            for (index, word) in words.iter().enumerate().skip(1) {
                if word.starts_with('+') {
                    set(&mut roles, index, Role::Text);
                }
            }
        }
        "echo" if is_isolated => everything(&mut roles),
        "printf" if is_isolated && !words.get(1).is_some_and(|word| word.starts_with("-v")) => {
            everything(&mut roles)
        }
        program if is_container(program) => containers(words, &mut roles),
        "kubectl" | "oc" => {
            let is_exec = words.contains(&"exec");
            for index in runners::run_inside(words)
                .filter(|_| is_exec)
                .unwrap_or_default()
            {
                set(&mut roles, index, Role::Container);
            }
        }
        _ if program.ends_with("grep") && command.row.is_some() => {
            pattern(&mut roles, &items, "ef", "regexp file")
        }
        _ => {}
    }
    roles
}

/// Operands become text.
fn everything(roles: &mut [Role]) {
    for role in roles
        .iter_mut()
        .skip(1)
        .filter(|role| **role == Role::Plain)
    {
        *role = Role::Text;
    }
}

/// Scripts in words of their own become text.
fn texts(roles: &mut [Role], scripts: &[Value<'_>]) {
    for script in scripts.iter().filter(|script| script.from == 0) {
        set(roles, script.index, Role::Text);
    }
}

/// The first operand is a pattern, unless an option gives one.
fn pattern(roles: &mut [Role], items: &[Item<'_>], short: &str, long: &str) {
    if position(items, short, long).is_none()
        && let Some(first) = operands(items).first()
    {
        set(roles, *first, Role::Text);
    }
}

/// `jq FILTER FILES`: some options take two words.
fn jq(words: &[&str], roles: &mut [Role]) {
    let mut is_given = false;
    let mut only_text = false;
    let mut only_operands = false;
    let mut index = 1_usize;
    let mut filter = None;
    while let Some(word) = words.get(index) {
        let next = index.saturating_add(1);
        let second = index.saturating_add(2);
        match *word {
            _ if only_operands || word.len() < 2 || !word.starts_with('-') => {
                if filter.is_none() && !is_given {
                    filter = Some(index);
                    set(roles, index, Role::Text);
                } else if only_text {
                    set(roles, index, Role::Text);
                }
            }
            "--" => only_operands = true,
            "--arg" | "--argjson" => {
                set(roles, next, Role::Text);
                set(roles, second, Role::Text);
                index = second;
            }
            "--slurpfile" | "--rawfile" | "--argfile" => {
                set(roles, next, Role::Text);
                set(roles, second, Role::Path);
                index = second;
            }
            "--indent" => {
                set(roles, next, Role::Text);
                index = next;
            }
            "-L" | "--library-path" => {
                set(roles, next, Role::Path);
                index = next;
            }
            "--args" | "--jsonargs" => only_text = true,
            // The file takes the first operand's place.
            "--from-file" => is_given = true,
            cluster if !cluster.starts_with("--") && cluster.contains('f') => is_given = true,
            _ => {}
        }
        index = index.saturating_add(1);
    }
    if is_given && let Some(filter) = filter {
        set(roles, filter, Role::Plain);
    }
}

/// `yq EXPRESSION FILES`, `yq eval EXPRESSION FILES`.
fn yq(words: &[&str], roles: &mut [Role]) {
    let grammar = Grammar::open(
        "oIps",
        "",
        "output-format input-format indent split-exp from-file arg argjson",
    );
    let items = read(words, 1, &grammar);
    if position(&items, "", "from-file").is_some() {
        return;
    }
    let mut operands = operands(&items).into_iter();
    let first = operands.next();
    let is_subcommand = first
        .and_then(|first| words.get(first))
        .is_some_and(|word| matches!(*word, "e" | "eval" | "ea" | "eval-all"));
    let expression = if is_subcommand {
        operands.next()
    } else {
        first
    };
    if let Some(expression) = expression {
        set(roles, expression, Role::Text);
    }
}

fn is_container(program: &str) -> bool {
    matches!(program, "docker" | "podman" | "nerdctl" | "docker-compose")
}

/// Where the subcommand of a container tool stands: behind its own options, `container` and `compose`.
fn container_subcommand(words: &[&str]) -> Option<usize> {
    let grammar = Grammar {
        flags: "D",
        long_flags: "debug tls tlsverify remote",
        is_closed: true,
        ..Grammar::leading(
            "Hcl",
            "host context config log-level tlscacert tlscert tlskey connection url root runroot \
             identity storage-driver \
             namespace address",
        )
    };
    let compose = Grammar {
        flags: "D",
        long_flags: "all-resources compatibility dry-run verbose",
        is_closed: true,
        ..Grammar::leading(
            "fp",
            "file project-name profile env-file project-directory ansi parallel progress",
        )
    };
    let is_compose = words.first() == Some(&"docker-compose");
    let mut at = if is_compose {
        0
    } else {
        super::options::operands_start(words, 1, &grammar)?
    };
    if is_compose || words.get(at) == Some(&"compose") {
        return super::options::operands_start(words, at.saturating_add(1), &compose);
    }
    if words.get(at) == Some(&"container") {
        at = at.saturating_add(1);
    }
    words.get(at).map(|_| at)
}

/// Words behind the image or container are the container's.
fn containers(words: &[&str], roles: &mut [Role]) {
    let Some(at) = container_subcommand(words) else {
        return;
    };
    match words.get(at) {
        Some(&("run" | "exec" | "create")) => {}
        Some(&"cp") => {
            // `docker cp c:/x .`: what stands behind the name is the container's.
            for (index, word) in words.iter().enumerate().skip(at.saturating_add(1)) {
                let is_container = word.split_once(':').is_some_and(|(name, _)| {
                    !name.is_empty() && !name.contains(['/', '.', '~', '$'])
                });
                if is_container {
                    set(roles, index, Role::Container);
                }
            }
            return;
        }
        _ => return,
    }
    let items = read(words, at.saturating_add(1), &CONTAINER);
    for item in &items {
        match item {
            Item::Option {
                name,
                value: Some(value),
                at,
            } => {
                let role = container_role(*name);
                if value.from == 0 {
                    set(roles, value.index, role);
                } else if role == Role::Container {
                    set(roles, *at, Role::Container);
                }
            }
            // Only if all options in front are known is this the image or the container.
            Item::Operand(index) => {
                roles
                    .iter_mut()
                    .skip(*index)
                    .for_each(|role| *role = Role::Container);
            }
            _ => {}
        }
    }
}

/// What the value of an option of `docker run` is.
fn container_role(name: Name<'_>) -> Role {
    match name {
        Name::Letter('v') | Name::Long("volume" | "mount" | "device") => Role::Mount,
        Name::Long("env-file" | "cidfile" | "label-file" | "env-from-file") => Role::Path,
        Name::Long("secret") => Role::Plain,
        _ => Role::Container,
    }
}

/// Words in which a subcommand is looked for when one option is asked about.
const LEADING_WORDS: usize = 256;

/// The value that is glued to an option, and what it is. The option is read alone, since this is asked word by word.
pub(crate) fn glued_value<'w>(words: &[&'w str], index: usize) -> Option<(&'w str, Role)> {
    let word = words.get(index).copied()?;
    if word.len() < 3 || !word.starts_with('-') {
        return None;
    }
    let leading = words.get(..LEADING_WORDS).unwrap_or(words);
    let command = known(leading);
    let runs = matches!(command.subcommand, "run" | "exec" | "create");
    if runs && is_container(command.program) && index >= command.from {
        let items = read(&[word], 0, &CONTAINER);
        let found = glued(&items, |name, _| container_role(name));
        if found.is_some() {
            return found;
        }
    } else if let Some(row) = command.row
        && index >= command.from
    {
        let items = row.read(&[word], 0);
        let found = glued(&items, |name, value| command.role(row, name, value));
        // All options of this program are known: nothing else is glued to a short one.
        if found.is_some() || !word.starts_with("--") {
            return found;
        }
    }
    if let Some(long) = word.strip_prefix("--") {
        let (_, value) = long.split_once('=')?;
        return (!value.is_empty()).then_some((value, Role::Plain));
    }
    let mut characters = word.chars();
    characters.by_ref().take(2).for_each(drop);
    let value = characters.as_str();
    // Only what is spelled like a path: `-la` is two flags, `-ofile.env` names a file.
    value
        .contains(['/', '~', '.', '$'])
        .then_some((value, Role::Plain))
}

/// The value that a word's last option has.
fn glued<'w>(items: &[Item<'w>], role: impl Fn(Name<'_>, &str) -> Role) -> Option<(&'w str, Role)> {
    items.iter().find_map(|item| match item {
        Item::Option {
            name,
            value: Some(value),
            ..
        } => (!value.text.is_empty()).then(|| (value.text, role(*name, value.text))),
        _ => None,
    })
}
