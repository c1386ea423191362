//! Directories that a command works in, and files that it writes.

use super::archives::tar_items;
use super::options::{Grammar, Item, Value, operands, read, values};
use super::wrappers::wrapper_options;

/// The words, and bytes into them, that hold the directories of `-C DIR` and its like, in order.
pub(crate) fn directories(words: &[&str]) -> Vec<(usize, usize)> {
    let Some(program) = words.first() else {
        return Vec::new();
    };
    let leading =
        |short: &'static str, long: &'static str| read(words, 1, &Grammar::leading(short, long));
    let wrapper =
        || wrapper_options(program).map_or_else(Vec::new, |options| read(words, 1, options));
    let found = match *program {
        // Behind the subcommand `-C` means something else (`git diff -C`), behind the wrapped command it is its own.
        "git" => values(
            &leading(
                "Cc",
                "git-dir work-tree namespace super-prefix config-env attr-source",
            ),
            "C",
            "",
        ),
        "make" | "gmake" => {
            let grammar = Grammar::open("CfIEoW", "jl", "directory file include-dir eval");
            values(&read(words, 1, &grammar), "C", "directory")
        }
        "ninja" => values(&leading("Cfjkl", ""), "C", ""),
        "tar" | "gtar" | "bsdtar" => values(&tar_items(words), "C", "directory"),
        "cargo" => {
            // `cargo +nightly -C d build`.
            let from = if words.get(1).is_some_and(|word| word.starts_with('+')) {
                2
            } else {
                1
            };
            values(
                &read(words, from, &Grammar::leading("CZ", "config color")),
                "C",
                "",
            )
        }
        "go" => go_directory(words),
        "env" => values(&wrapper(), "C", "chdir"),
        "sudo" => values(&wrapper(), "D", "chdir"),
        "systemd-run" => values(&wrapper(), "", "working-directory"),
        "unshare" => values(&wrapper(), "w", "wd"),
        "pnpm" => values(&leading("CF", "dir filter"), "C", "dir"),
        "npm" => values(&leading("Cw", "prefix workspace"), "C", "prefix"),
        "yarn" | "bun" => values(&leading("c", "cwd"), "", "cwd"),
        "uv" => values(&leading("p", "directory project python"), "", "directory"),
        "poetry" | "mise" => values(&leading("C", "directory cd"), "C", "directory cd"),
        "hg" => values(&leading("R", "cwd repository config"), "", "cwd"),
        _ => Vec::new(),
    };
    found
        .into_iter()
        .map(|value| (value.index, value.from))
        .collect()
}

/// `go -C DIR build`, `go build -C DIR`: it must be the first option.
fn go_directory<'w>(words: &[&'w str]) -> Vec<Value<'w>> {
    let at = words.iter().skip(1).take(2).position(|word| *word == "-C");
    let index = at.map(|at| at.saturating_add(2));
    let value = index.and_then(|index| {
        words.get(index).map(|text| Value {
            option: index.saturating_sub(1),
            index,
            from: 0,
            text,
        })
    });
    value.into_iter().collect()
}

/// How the programs that fetch files take their options.
const CURL: Grammar = Grammar::open(
    "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    "",
    "output output-dir request header data data-raw data-binary data-urlencode user user-agent \
     form upload-file cookie \
     cookie-jar config max-time connect-timeout retry proxy cert key cacert write-out referer range url json",
);
const WGET: Grammar = Grammar::open(
    "OPoaietTwQUDAReBXIl",
    "",
    "output-document directory-prefix output-file append-output input-file tries timeout wait \
     user password header \
     user-agent post-data post-file execute",
);

/// Files that a command writes by its operands, for scripts that the same text then runs.
pub(crate) fn written_files(words: &[&str]) -> Vec<String> {
    let Some(program) = words.first() else {
        return Vec::new();
    };
    let texts = |found: Vec<Value<'_>>| {
        found
            .iter()
            .map(|value| value.text.to_owned())
            .collect::<Vec<_>>()
    };
    let option = |grammar: Grammar, short: &str, long: &str| {
        texts(values(&read(words, 1, &grammar), short, long))
    };
    match *program {
        "tee" | "sponge" => words_at(
            words,
            &operands(&read(words, 1, &Grammar::open("", "", "output-error"))),
        ),
        "curl" => fetched(words, &CURL, "o", "output", ("", "output-dir"), true),
        "wget" => fetched(
            words,
            &WGET,
            "O",
            "output-document",
            ("P", "directory-prefix"),
            false,
        ),
        "aria2c" => fetched(
            words,
            &Grammar::open("odxjsikl", "", "out dir"),
            "o",
            "out",
            ("d", "dir"),
            false,
        ),
        "http" | "https" | "xh" => option(Grammar::open("oapA", "", "output"), "o", "output"),
        "cp" | "mv" | "install" | "ln" => {
            let grammar = Grammar::open("tSmog", "", "target-directory suffix mode owner group");
            let items = read(words, 1, &grammar);
            copied(words, &items, &values(&items, "t", "target-directory"))
        }
        "scp" | "rsync" => {
            let grammar = Grammar::open("cDFiJloPSXeBTfM", "", "rsh exclude include files-from");
            copied(words, &read(words, 1, &grammar), &[])
        }
        "dd" => {
            let targets = words.iter().filter_map(|word| word.strip_prefix("of="));
            targets.map(str::to_owned).collect()
        }
        "sort" => option(Grammar::open("kotST", "", "output key"), "o", "output"),
        "gpg" | "gpg2" => option(Grammar::open("oru", "", "output recipient"), "o", "output"),
        "openssl" => {
            let at = words.iter().position(|word| *word == "-out");
            let file = at.and_then(|at| words.get(at.saturating_add(1)));
            file.map(|file| (*file).to_owned()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn words_at(words: &[&str], indices: &[usize]) -> Vec<String> {
    let texts = indices.iter().filter_map(|index| words.get(*index));
    texts.map(|text| (*text).to_owned()).collect()
}

/// What a download writes: the file that is named, else the end of the URL, in a directory that is named.
fn fetched(
    words: &[&str],
    grammar: &Grammar,
    short: &str,
    long: &str,
    directory: (&str, &str),
    by_option: bool,
) -> Vec<String> {
    let items = read(words, 1, grammar);
    let mut found: Vec<String> = values(&items, short, long)
        .iter()
        .map(|value| value.text.to_owned())
        .collect();
    let by_name = super::options::position(&items, "OJ", "remote-name remote-name-all").is_some();
    if by_option && by_name || !by_option && found.is_empty() {
        let names = operands(&items)
            .into_iter()
            .filter_map(|index| remote_name(words.get(index)?));
        found.extend(names);
    }
    let directories = values(&items, directory.0, directory.1);
    if let Some(directory) = directories.last() {
        let inside: Vec<String> = found
            .iter()
            .map(|file| within(directory.text, file))
            .collect();
        found.extend(inside);
    }
    found.retain(|file| file != "-");
    found
}

/// The name that a URL gives a file.
fn remote_name(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let name = path.rsplit('/').next().filter(|name| !name.is_empty());
    name.map(str::to_owned)
}

fn within(directory: &str, file: &str) -> String {
    format!("{}/{file}", directory.trim_end_matches('/'))
}

/// Most files of one copy that are looked at.
const MOST_COPIES: usize = 64;

/// The target of a copy, and what it is called if the target is a directory.
fn copied(words: &[&str], items: &[Item<'_>], directories: &[Value<'_>]) -> Vec<String> {
    let mut sources = operands(items);
    let mut found = Vec::new();
    let target = match directories.last() {
        Some(directory) => Some(directory.text),
        None => {
            let target = sources.pop().and_then(|index| words.get(index).copied());
            // `ln -s dir/file` writes `file` here.
            found.extend(target.map(str::to_owned));
            target
        }
    };
    for source in sources.into_iter().take(MOST_COPIES) {
        let name = words
            .get(source)
            .and_then(|source| source.trim_end_matches('/').rsplit(['/', ':']).next());
        if let (Some(target), Some(name)) = (target, name) {
            found.push(within(target, name));
        }
    }
    found
}
