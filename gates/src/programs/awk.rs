//! Programs of awk: the commands that they run.

use super::options::{Grammar, Value, operands, position, read, values};

/// Options of awk, up to the program.
const OPTIONS: Grammar = Grammar {
    glued: "dDLop",
    ..Grammar::leading(
        "FveEfilW",
        "field-separator assign file source exec include load",
    )
};

/// The texts of an awk command's program; empty where it is in a file.
pub(super) fn awk_programs<'w>(words: &[&'w str]) -> Vec<Value<'w>> {
    let items = read(words, 1, &OPTIONS);
    let texts = values(&items, "e", "source");
    if !texts.is_empty() || position(&items, "fE", "file exec").is_some() {
        return texts;
    }
    let first = operands(&items).first().copied();
    let text = first.and_then(|index| Some((index, *words.get(index)?)));
    text.map(|(index, text)| Value {
        option: index,
        index,
        from: 0,
        text,
    })
    .into_iter()
    .collect()
}

/// The word up to which a rule must spell out a program that runs commands.
pub(super) fn awk_inline(words: &[&str]) -> Option<usize> {
    let programs = awk_programs(words).into_iter();
    let mut programs = programs.filter(|program| awk(program.text).runs);
    programs.next().map(|program| program.index)
}

/// The literal commands of an awk command.
pub(super) fn awk_commands(words: &[&str]) -> Vec<String> {
    let programs = awk_programs(words).into_iter();
    programs
        .flat_map(|program| awk(program.text).commands)
        .collect()
}

/// What an awk program runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Awk {
    pub(super) runs: bool,
    pub(super) commands: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'p> {
    Text(String),
    Name(&'p str),
    Regex(&'p str),
    /// `|` and `|&`: outside of strings and expressions these are pipes to or from a command.
    Pipe,
    /// What ends an operand, so that a `/` behind it divides.
    Operand,
    Sign(char),
}

/// Reads an awk program.
pub(super) fn awk(program: &str) -> Awk {
    let tokens = tokens(program);
    let mut found = Awk::default();
    let mut literal = String::new();
    let mut source: Option<String> = None;
    // Whether what stands in front of the literal runs it.
    let mut is_run = false;
    let mut before: [Option<&Token<'_>>; 2] = [None, None];
    for token in &tokens {
        if let Token::Text(text) = token {
            if literal.is_empty() {
                is_run = matches!(
                    before,
                    [Some(Token::Name("system")), Some(Token::Sign('('))] | [_, Some(Token::Pipe)]
                );
            }
            literal.push_str(text);
        } else {
            // `"..." | getline`.
            if *token == Token::Name("getline") {
                found.commands.extend(source.take());
            }
            source = None;
            let text = std::mem::take(&mut literal);
            if !text.is_empty() && is_run {
                found.commands.push(text);
            } else if *token == Token::Pipe {
                source = Some(text).filter(|text| !text.is_empty());
            }
        }
        found.runs |= match token {
            Token::Pipe => true,
            Token::Sign('(') => matches!(before, [_, Some(Token::Name("system"))]),
            // `@name(...)` calls what a variable names, `@load` loads.
            Token::Name(_) => matches!(before, [_, Some(Token::Sign('@'))]),
            // A division that was taken for an expression must not hide a call.
            Token::Regex(text) => text
                .split_whitespace()
                .collect::<String>()
                .contains("system("),
            _ => false,
        };
        before.rotate_left(1);
        if let Some(last) = before.last_mut() {
            *last = Some(token);
        }
    }
    if !literal.is_empty() && is_run {
        found.commands.push(literal);
    }
    found
}

fn tokens(program: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut rest = program;
    // Bytes left at the end of a line on which no expression ends.
    let mut unclosed = usize::MAX;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        rest = match character {
            '"' => {
                let (text, after) = string(after);
                found.push(Token::Text(text));
                after
            }
            '#' => after.split_once('\n').map_or("", |(_, after)| after),
            '\\' => after.strip_prefix('\n').unwrap_or(after),
            '/' if !ends_operand(&found) && after.len() <= unclosed => match regex(after) {
                Some((text, after)) => {
                    found.push(Token::Regex(text));
                    after
                }
                None => {
                    unclosed = after.split_once('\n').map_or(0, |(_, lines)| lines.len());
                    found.push(Token::Sign('/'));
                    after
                }
            },
            '|' => {
                let is_or = after.starts_with('|');
                found.push(if is_or { Token::Sign('|') } else { Token::Pipe });
                after.strip_prefix(['|', '&']).unwrap_or(after)
            }
            '+' | '-' if after.starts_with(character) => {
                // `x++` stays an operand, `++x` does not begin one.
                let is_operand = ends_operand(&found);
                found.push(if is_operand {
                    Token::Operand
                } else {
                    Token::Sign(character)
                });
                after.get(1..).unwrap_or_default()
            }
            _ if character.is_alphabetic() || character == '_' => {
                let end = rest.find(|next: char| !next.is_alphanumeric() && next != '_');
                let (name, after) = rest
                    .split_at_checked(end.unwrap_or(rest.len()))
                    .unwrap_or((rest, ""));
                found.push(Token::Name(name));
                after
            }
            _ if character.is_ascii_digit() => {
                found.push(Token::Operand);
                after
            }
            ' ' | '\t' | '\r' => after,
            _ => {
                found.push(Token::Sign(character));
                after
            }
        };
    }
    found
}

/// Whether a `/` would divide.
fn ends_operand(found: &[Token<'_>]) -> bool {
    match found.last() {
        Some(Token::Name(name)) => !matches!(
            *name,
            "print" | "printf" | "return" | "in" | "case" | "else" | "do" | "getline"
        ),
        Some(Token::Text(_) | Token::Operand | Token::Regex(_)) => true,
        Some(Token::Sign(sign)) => matches!(sign, ')' | ']' | '$'),
        Some(Token::Pipe) | None => false,
    }
}

/// The text of a string whose opening quote is gone, and what follows.
fn string(text: &str) -> (String, &str) {
    let mut found = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => match characters.next() {
                Some('n') => found.push('\n'),
                Some('t') => found.push('\t'),
                Some('\n') | None => {}
                Some(other) => found.push(other),
            },
            other => found.push(other),
        }
    }
    (found, characters.as_str())
}

/// The text of a regular expression whose opening slash is gone; `None` where it does not end on its line.
fn regex(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let mut in_brackets = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '/' if !in_brackets => {
                return Some((text.get(..at)?, text.get(at.saturating_add(1)..)?));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_run_something() {
        for (program, commands) in [
            ("BEGIN{system(\"rm x\")}", ["rm x"].as_slice()),
            ("BEGIN{system( \"rm\" \" x\" )}", &["rm x"]),
            ("{ print | \"sh\" }", &["sh"]),
            ("{ \"date\" | getline d }", &["date"]),
            (
                "BEGIN { while ((\"ls\" | getline f) > 0) print f }",
                &["ls"],
            ),
            ("/\"/{system(\"rm x\")}", &["rm x"]),
            ("{ x = 4 / 2; system(\"rm x\"); y = 1 / 2 }", &["rm x"]),
            ("{ x++ / 1; system(\"rm x\"); y = 1 / 1 }", &["rm x"]),
            ("{ print $1 |& \"cat\" }", &["cat"]),
            ("{ \"rm x\" |& getline }", &["rm x"]),
            ("# it's \"\nBEGIN{system(\"rm x\")}", &["rm x"]),
            ("{ system($1) }", &[]),
            ("{ print $0 | cmd }", &[]),
            ("{ cmd | getline }", &[]),
            ("BEGIN{ f = \"system\"; @f(\"rm x\") }", &[]),
            ("{ system (\"rm x\") }", &["rm x"]),
        ] {
            let found = awk(program);
            assert!(found.runs, "{program}");
            for command in commands {
                assert!(
                    found.commands.iter().any(|text| text == command),
                    "{program}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn everyday_programs() {
        for plain in [
            "{print $1}",
            "$1 == \"system\" {print}",
            "/a|b/ {print $2}",
            "$1 || $2",
            "{ print \"a | b\" }",
            "NR>1 {sum += $3} END {print sum}",
            "$1 ~ /x|y/ || /z|w/",
            "{print $1 > \"out\"}",
            "!seen[$0]++",
            "{ print $1/2, $2/4 }",
            "BEGIN { FS=\"|\" } { print $2 }",
            "/[/|]/ {n++} END{print n/2}",
            "{ gsub(/a|b/, \"x\"); print }",
            "{ split($0, a, /,|;/) }",
            "/\"/ {print \"|\"}",
            "END{printf \"%d|%s\\n\", n, s}",
            "{ systems = 1; print systems }",
            "match($0, /(a|b)+/) {print RSTART}",
            "",
        ] {
            assert_eq!(awk(plain), Awk::default(), "{plain}");
        }
    }

    #[test]
    fn where_the_program_is() {
        for (all, expected) in [
            (vec!["awk", "{print}", "f"], vec![1]),
            (vec!["awk", "-F", "/", "{print}", "f"], vec![3]),
            (vec!["awk", "-F:", "-vx=1", "{print}"], vec![3]),
            (vec!["awk", "-f", "p", "f"], vec![]),
            (vec!["awk", "--file=p", "f"], vec![]),
            (vec!["gawk", "-E", "p", "f"], vec![]),
            (vec!["gawk", "-e", "1", "--source=2", "f"], vec![2, 3]),
            (vec!["gawk", "-e1", "f"], vec![1]),
            (vec!["awk", "--", "{print}", "f"], vec![2]),
        ] {
            let found: Vec<usize> = awk_programs(&all).iter().map(|text| text.index).collect();
            assert_eq!(found, expected, "{all:?}");
        }
        assert_eq!(
            awk_inline(&["awk", "-e", "1", "-e", "BEGIN{system(\"x\")}"]),
            Some(4)
        );
    }

    #[test]
    fn long_programs_are_read_in_one_go() {
        let slashes = "= / ".repeat(30_000);
        assert!(!awk(&slashes).runs);
        assert!(!awk(&"= /[".repeat(20_000)).runs);
        let pipes = "\"a\" | getline;".repeat(20_000);
        assert_eq!(awk(&pipes).commands.len(), 20_000);
    }
}
