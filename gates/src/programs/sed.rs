//! Scripts of sed: what they run, and which files they open.

use super::options::{Grammar, Value, operands, position, read, values};

/// What a sed script does beyond editing the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sed {
    /// Commands of `e`; empty where the pattern space is run.
    pub(super) commands: Vec<String>,
    /// Files of `r`, `w`, `R`, `W` and of `s///w`.
    pub(super) files: Vec<String>,
}

impl Sed {
    fn is_plain(&self) -> bool {
        self.commands.is_empty() && self.files.is_empty()
    }

    fn open(&mut self, file: &str) {
        let file = file.trim();
        let is_stream = matches!(file, "/dev/stdout" | "/dev/stderr" | "/dev/stdin");
        if !is_stream {
            self.files.push(file.to_owned());
        }
    }
}

/// Options of sed. A suffix of `-i` is glued.
const OPTIONS: Grammar = Grammar {
    long_flags: "quiet silent in-place debug follow-symlinks null-data posix regexp-extended \
                 separate sandbox \
                 unbuffered zero-terminated help version",
    ..Grammar::open("efl", "i", "expression file line-length")
};

/// The pieces of a sed command's script, in order; empty where the script is in a file.
pub(super) fn sed_scripts<'w>(words: &[&'w str]) -> Vec<Value<'w>> {
    let items = read(words, 1, &OPTIONS);
    let pieces = values(&items, "e", "expression");
    if !pieces.is_empty() {
        return pieces;
    }
    if position(&items, "f", "file").is_some() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for index in operands(&items) {
        let Some(text) = words.get(index).copied() else {
            continue;
        };
        found.push(Value {
            option: index,
            index,
            from: 0,
            text,
        });
        // BSD: `sed -i '' SCRIPT`.
        let is_suffix = text.is_empty()
            && index
                .checked_sub(1)
                .is_some_and(|before| words.get(before).is_some_and(|word| is_in_place(word)));
        if !is_suffix {
            break;
        }
    }
    // For other seds that empty word is the script, and the next one a file: only what looks like a script is one.
    if found.len() > 1 {
        found.retain(|piece| looks_like_script(piece.text));
    }
    found
}

fn is_in_place(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('i')
}

fn looks_like_script(text: &str) -> bool {
    let mut characters = text.chars();
    let head = characters.next();
    let delimiter = characters
        .next()
        .is_some_and(|next| next.is_ascii_punctuation() && next != '.');
    matches!(head, Some('s' | 'y')) && delimiter
        || text.starts_with(|head: char| head.is_ascii_digit())
        || (text.starts_with(['/', '$']) && text.ends_with(['d', 'p']))
}

/// The words that hold the script, and what the whole of it does.
pub(super) fn sed_program(words: &[&str]) -> (Vec<usize>, Sed) {
    let pieces = sed_scripts(words);
    let texts: Vec<&str> = pieces.iter().map(|piece| piece.text).collect();
    let indices = pieces.iter().map(|piece| piece.index).collect();
    (indices, sed(&texts.join("\n")))
}

/// The word up to which a rule must spell out a script that runs or opens something.
pub(super) fn sed_inline(words: &[&str]) -> Option<usize> {
    let (indices, whole) = sed_program(words);
    if whole.is_plain() {
        return None;
    }
    let pieces = sed_scripts(words);
    let alone = pieces.iter().find(|piece| !sed(piece.text).is_plain());
    alone
        .map(|piece| piece.index)
        .or_else(|| indices.last().copied())
}

/// Reads a sed script.
pub(super) fn sed(script: &str) -> Sed {
    let mut found = Sed::default();
    let mut rest = script;
    let mut brackets = Brackets::default();
    while !rest.is_empty() {
        // Numbers, signs and blanks of addresses, and ends of commands.
        rest = rest.trim_start_matches(|character: char| {
            character.is_ascii_digit()
                || character.is_ascii_whitespace()
                || matches!(character, ';' | '{' | '}' | '!' | ',' | '$' | '+' | '~')
        });
        let mut characters = rest.chars();
        let Some(command) = characters.next() else {
            break;
        };
        let after = characters.as_str();
        rest = match command {
            // An address.
            '/' => brackets
                .delimited(after, '/', true)
                .trim_start_matches(['I', 'M']),
            '\\' => {
                let mut characters = after.chars();
                let delimiter = characters.next().unwrap_or('/');
                brackets
                    .delimited(characters.as_str(), delimiter, true)
                    .trim_start_matches(['I', 'M'])
            }
            's' => substitution(after, &mut found, &mut brackets),
            'y' => {
                let mut characters = after.chars();
                let delimiter = characters.next().unwrap_or('/');
                let second = brackets.delimited(characters.as_str(), delimiter, false);
                brackets.delimited(second, delimiter, false)
            }
            'e' => {
                let (line, rest) = line(after);
                found
                    .commands
                    .push(line.trim().trim_end_matches('}').trim().to_owned());
                rest
            }
            'r' | 'R' | 'w' | 'W' => {
                let (line, rest) = line(after);
                found.open(line.trim_end_matches('}'));
                rest
            }
            'a' | 'i' | 'c' => text_end(after),
            '#' => line(after).1,
            ':' | 'b' | 't' | 'T' | 'v' | 'l' | 'q' | 'Q' | 'L' => {
                after.trim_start_matches(|character: char| !matches!(character, ';' | '\n' | '}'))
            }
            _ => after,
        };
    }
    found
}

/// The rest of a line, and what follows it.
fn line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// `s/regex/replacement/flags`, behind the `s`.
fn substitution<'s>(text: &'s str, found: &mut Sed, brackets: &mut Brackets) -> &'s str {
    let mut characters = text.chars();
    let Some(delimiter) = characters.next() else {
        return "";
    };
    let replacement = brackets.delimited(characters.as_str(), delimiter, true);
    let mut flags = brackets.delimited(replacement, delimiter, false).chars();
    loop {
        let rest = flags.as_str();
        match flags.next() {
            Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {}
            Some('e') => found.commands.push(String::new()),
            Some('w') => {
                let (file, rest) = line(flags.as_str());
                found.open(file.trim_end_matches('}'));
                return rest;
            }
            _ => return rest,
        }
    }
}

/// What follows the text of `a`, `i` and `c`: a line, and the next ones while a backslash ends it.
fn text_end(text: &str) -> &str {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '\n' => break,
            _ => {}
        }
    }
    characters.as_str()
}

/// What is known about brackets in the rest of a script, so that no line is searched twice.
struct Brackets {
    /// Bytes left where a line ends up to which nothing closes brackets.
    unclosed: usize,
}

impl Default for Brackets {
    fn default() -> Self {
        Self {
            unclosed: usize::MAX,
        }
    }
}

impl Brackets {
    /// What follows the next delimiter that is not escaped, nor in brackets of a regular expression.
    fn delimited<'s>(&mut self, text: &'s str, delimiter: char, is_regex: bool) -> &'s str {
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            if character == '\\' {
                characters.next();
            } else if character == delimiter {
                return characters.as_str();
            } else if character == '[' && is_regex {
                // Brackets that are never closed are no brackets.
                if let Some(rest) = self.close(characters.as_str()) {
                    characters = rest.chars();
                }
            }
        }
        ""
    }

    /// What follows the brackets whose opening one is gone.
    fn close<'s>(&mut self, text: &'s str) -> Option<&'s str> {
        if text.len() > self.unclosed {
            return None;
        }
        let text = text.strip_prefix('^').unwrap_or(text);
        let mut rest = text.strip_prefix(']').unwrap_or(text);
        let mut has_classes = true;
        loop {
            let Some(at) = rest.find(['[', ']', '\n']) else {
                self.unclosed = 0;
                return None;
            };
            let (_, found) = rest.split_at_checked(at)?;
            let after = found.get(1..)?;
            if found.starts_with(']') {
                return Some(after);
            }
            if found.starts_with('\n') {
                self.unclosed = found.len();
                return None;
            }
            // `[:alpha:]` and the like hold a bracket of their own.
            let close = match after.chars().next().filter(|_| has_classes) {
                Some(':') => ":]",
                Some('.') => ".]",
                Some('=') => "=]",
                _ => "",
            };
            rest = after;
            if !close.is_empty() {
                match after.get(1..).and_then(|inside| inside.split_once(close)) {
                    Some((_, behind)) => rest = behind,
                    None => has_classes = false,
                }
            }
        }
    }
}

/// The commands that a sed command runs.
pub(super) fn sed_commands(words: &[&str]) -> Vec<String> {
    let commands = sed_program(words).1.commands.into_iter();
    commands.filter(|command| !command.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_run_or_open_something() {
        for (script, commands, files) in [
            ("1e rm x", ["rm x"].as_slice(), [].as_slice()),
            ("e", &[""], &[]),
            ("s/a/b/e", &[""], &[]),
            ("s/a/b/gew out", &[""], &["out"]),
            ("r .env", &[], &[".env"]),
            ("/x/w .env", &[], &[".env"]),
            ("s/a/b/w .env", &[], &[".env"]),
            ("$!N;1G;h;$r f", &[], &["f"]),
            // A label ends at the semicolon, a replacement knows no brackets.
            (":a;1e rm x", &["rm x"], &[]),
            ("s/a/[/;1e rm x", &["rm x"], &[]),
            ("y/a[/b]/;e rm x", &["rm x"], &[]),
            ("s/[[:upper:]/]/X/;e rm x", &["rm x"], &[]),
            ("s/[]/]/X/e", &[""], &[]),
            ("a\\\ntext\ne rm x", &["rm x"], &[]),
            ("\\,a,e rm x", &["rm x"], &[]),
            ("b;e rm x", &["rm x"], &[]),
            ("/[/]/e rm x", &["rm x"], &[]),
            ("1!{e rm x\n}", &["rm x"], &[]),
        ] {
            let found = sed(script);
            assert_eq!(found.commands, commands, "{script}");
            assert_eq!(found.files, files, "{script}");
        }
    }

    #[test]
    fn everyday_scripts() {
        for plain in [
            "s/a/w/",
            "s#/usr/bin#/usr/local/bin#",
            "/re/p",
            "y/abc/wre/",
            "10,20p",
            "s/[/]e/x/g",
            "/start/,/end/d",
            "a\\ e rm x",
            "$d",
            "s|/|_|g",
            "1d;$d",
            "s/one/two/;s/e/r/",
            ":a;N;$!ba;s/\\n/ /g",
            "/foo/!d",
            "/x/a\\\nexport A=1\\\necho b",
            "i\\\n  e x",
            "s/[^/]*$//",
            "s/.*=//w /dev/stdout",
            "/^#/d;s/\\/e/x/",
            "s/e\\/w/r/g",
            "n;d",
            "0~3d",
            "2q",
            "=",
            "s/[[:space:]]*$//",
            "c\\\nwrite me",
            "/^$/N;/\\n$/D",
            "s/'/\"/g",
            "1~2{N;s/\\n/ /}",
            "#n e rm",
            "",
        ] {
            assert_eq!(sed(plain), Sed::default(), "{plain}");
        }
    }

    #[test]
    fn where_the_script_is() {
        for (all, expected) in [
            (vec!["sed", "-n", "p", "f"], vec!["p"]),
            (vec!["sed", "-e", "p", "-e", "d", "f"], vec!["p", "d"]),
            (vec!["sed", "-nep", "f"], vec!["p"]),
            (vec!["sed", "--expr=p", "f"], vec!["p"]),
            (vec!["sed", "f", "-e", "p"], vec!["p"]),
            (vec!["sed", "-i.bak", "s/a/b/", "f"], vec!["s/a/b/"]),
            (vec!["sed", "-i", "", "s/a/b/", "f"], vec!["s/a/b/"]),
            (vec!["sed", "-i", "", ".env"], vec![]),
            (vec!["sed", "-f", "s", "f"], vec![]),
            (vec!["sed", "-f/dev/null", "f"], vec![]),
            (vec!["sed", "-n", "--file=s", "f"], vec![]),
        ] {
            let found: Vec<&str> = sed_scripts(&all).iter().map(|piece| piece.text).collect();
            assert_eq!(found, expected, "{all:?}");
        }
        // Pieces are lines of one script.
        assert_eq!(
            sed_inline(&["sed", "-e", "a\\", "-e", "export X", "f"]),
            None
        );
        assert_eq!(
            sed_inline(&["sed", "-e", "p", "-e", "e rm x", "f"]),
            Some(4)
        );
        assert_eq!(sed_inline(&["sed", "-ne1e rm x", "f"]), Some(1));
    }

    #[test]
    fn long_scripts_are_read_in_one_go() {
        for hard in ["s/[", "s/[/x/;", "[[:", "s/[[:/", "s/[\n", "/["] {
            assert_eq!(sed(&hard.repeat(20_000)), Sed::default());
        }
        let many = "1e x\n".repeat(20_000);
        assert_eq!(sed(&many).commands.len(), 20_000);
    }
}
