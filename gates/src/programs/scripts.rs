//! Scripts of awk and sed: the commands that they run.

/// The commands in an awk program: `system("...")`, `| "..."`, `"..." | getline`.
pub(super) fn awk_commands(program: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (text, before, after) in strings(program) {
        let before = before.trim_end();
        let after = after.trim_start();
        let is_call = before
            .strip_suffix('(')
            .is_some_and(|head| head.trim_end().ends_with("system"));
        let is_output =
            before.ends_with("|&") || (before.ends_with('|') && !before.ends_with("||"));
        let is_input = after.strip_prefix('|').is_some_and(|rest| {
            !rest.starts_with('|')
                && rest
                    .trim_start_matches('&')
                    .trim_start()
                    .starts_with("getline")
        });
        if is_call || is_output || is_input {
            found.push(text);
        }
    }
    found
}

/// Whether an awk program runs commands, literal or not.
pub(super) fn awk_runs(program: &str) -> bool {
    let code = without_strings(program);
    if code.contains("system(") || code.contains("system (") {
        return true;
    }
    let mut rest = code.as_str();
    while let Some((before, after)) = rest.split_once('|') {
        if let Some(after) = after.strip_prefix('|') {
            rest = after;
            continue;
        }
        let after = after.trim_start_matches('&').trim_start();
        // Inside a regular expression a `|` is an alternative; a pipe has a string or `getline` behind it.
        let is_pipe = after.starts_with('"') || after.starts_with("getline");
        let from = before.trim_end();
        if is_pipe || (from.ends_with('"') && after.starts_with("getline")) {
            return true;
        }
        let is_print = from
            .rsplit(['{', ';', '}', '\n'])
            .next()
            .is_some_and(|statement| {
                let statement = statement.trim_start();
                (statement.starts_with("print") || statement.starts_with("printf"))
                    && !in_expression(statement)
            });
        if is_print && !after.is_empty() {
            return true;
        }
        rest = after;
    }
    false
}

/// Whether a `/` opened a regular expression that is still open.
fn in_expression(statement: &str) -> bool {
    statement.matches('/').count() % 2 == 1
}

/// The string literals of an awk program, each with what stands before and after it.
fn strings(program: &str) -> Vec<(String, &str, &str)> {
    let mut found = Vec::new();
    let mut at = 0_usize;
    while let Some(from) = program.get(at..).and_then(|rest| rest.find('"')) {
        let start = at.saturating_add(from);
        let inside = start.saturating_add(1);
        let mut text = String::new();
        let mut end = None;
        let mut characters = program.get(inside..).unwrap_or_default().char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    end = Some(inside.saturating_add(offset));
                    break;
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| match escaped {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                })),
                other => text.push(other),
            }
        }
        let Some(end) = end else { break };
        at = end.saturating_add(1);
        found.push((
            text,
            program.get(..start).unwrap_or_default(),
            program.get(at..).unwrap_or_default(),
        ));
        if found.len() > 200 {
            break;
        }
    }
    found
}

/// The program with its strings emptied.
fn without_strings(program: &str) -> String {
    let mut code = String::with_capacity(program.len());
    let mut characters = program.chars();
    let mut is_inside = false;
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                is_inside = !is_inside;
                code.push('"');
            }
            '\\' if is_inside => {
                characters.next();
            }
            other if !is_inside => code.push(other),
            _ => {}
        }
    }
    code
}

/// What a sed script does beyond editing the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sed {
    /// Commands of `e`; empty where the pattern space is run.
    pub(super) commands: Vec<String>,
    /// Files of `r`, `w`, `R`, `W` and of `s///w`.
    pub(super) files: Vec<String>,
}

/// Reads a sed script.
pub(super) fn sed(script: &str) -> Sed {
    let mut found = Sed::default();
    let mut rest = script;
    let mut n_steps = 0_usize;
    while !rest.is_empty() && n_steps < 10_000 {
        n_steps = n_steps.saturating_add(1);
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}', '!', ',', '$', '+', '~']);
        rest = rest.trim_start_matches(|character: char| character.is_ascii_digit());
        let Some(command) = rest.chars().next() else {
            break;
        };
        let after = rest.get(command.len_utf8()..).unwrap_or_default();
        match command {
            // An address.
            '/' => rest = after_delimited(after, '/').trim_start_matches(['I', 'M']),
            '\\' => {
                let mut characters = after.chars();
                let delimiter = characters.next().unwrap_or('/');
                rest =
                    after_delimited(characters.as_str(), delimiter).trim_start_matches(['I', 'M']);
            }
            's' | 'y' => {
                let mut characters = after.chars();
                let Some(delimiter) = characters.next() else {
                    break;
                };
                let replacement = after_delimited(characters.as_str(), delimiter);
                let flags = after_delimited(replacement, delimiter);
                let length = flags
                    .find(|character: char| !"gpIiMmew0123456789".contains(character))
                    .unwrap_or(flags.len());
                let own = if command == 's' {
                    flags.get(..length).unwrap_or_default()
                } else {
                    ""
                };
                rest = flags.get(own.len()..).unwrap_or_default();
                if let Some((before, _)) = own.split_once('w') {
                    if before.contains('e') {
                        found.commands.push(String::new());
                    }
                    let line = flags
                        .get(before.len().saturating_add(1)..)
                        .unwrap_or_default();
                    let line = line.lines().next().unwrap_or_default();
                    found.files.push(line.trim().to_owned());
                    rest = flags.split_once('\n').map_or("", |(_, rest)| rest);
                } else if own.contains('e') {
                    found.commands.push(String::new());
                }
            }
            'e' | 'r' | 'R' | 'w' | 'W' => {
                let line = after.lines().next().unwrap_or_default();
                rest = after.get(line.len()..).unwrap_or_default();
                let argument = line.trim().trim_end_matches('}').trim();
                if command == 'e' {
                    found.commands.push(argument.to_owned());
                } else {
                    found.files.push(argument.to_owned());
                }
            }
            // Text and labels go to the end of the line.
            'a' | 'i' | 'c' | ':' | '#' => {
                let line = after.lines().next().unwrap_or_default();
                rest = after.get(line.len()..).unwrap_or_default();
            }
            'b' | 't' | 'T' | 'v' | 'l' | 'q' | 'Q' | 'L' => {
                rest = after.trim_start_matches(|character: char| {
                    character != ';' && character != '\n' && character != '}'
                });
            }
            _ => rest = after,
        }
    }
    found
}

/// What follows the next unescaped delimiter.
fn after_delimited(text: &str, delimiter: char) -> &str {
    let mut characters = text.chars();
    let mut in_class = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '[' if !in_class => in_class = true,
            ']' if in_class => in_class = false,
            other if other == delimiter => return characters.as_str(),
            _ => {}
        }
    }
    ""
}

/// The commands that a sed script runs.
pub(super) fn sed_commands(script: &str) -> Vec<String> {
    let commands = sed(script).commands.into_iter();
    commands.filter(|command| !command.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awk_programs_that_run_something_and_those_that_do_not() {
        for (program, commands) in [
            ("BEGIN{system(\"rm x\")}", ["rm x"].as_slice()),
            ("{ print | \"sh\" }", &["sh"]),
            ("{ \"date\" | getline d }", &["date"]),
            (
                "BEGIN { while ((\"ls\" | getline f) > 0) print f }",
                &["ls"],
            ),
        ] {
            assert!(awk_runs(program), "{program}");
            assert_eq!(awk_commands(program), commands, "{program}");
        }
        assert!(awk_runs("{ system($1) }"));
        assert!(awk_runs("{ print $0 | cmd }"));
        for plain in [
            "{print $1}",
            "$1 == \"system\" {print}",
            "/a|b/ {print $2}",
            "$1 || $2",
            "{ print \"a | b\" }",
            "NR>1 {sum += $3} END {print sum}",
        ] {
            assert!(!awk_runs(plain), "{plain}");
            assert!(awk_commands(plain).is_empty(), "{plain}");
        }
    }

    #[test]
    fn sed_scripts_that_run_or_open_something_and_those_that_do_not() {
        for (script, commands, files) in [
            ("1e rm x", ["rm x"].as_slice(), [].as_slice()),
            ("e", &[""], &[]),
            ("s/a/b/e", &[""], &[]),
            ("s/a/b/gew out", &[""], &["out"]),
            ("r .env", &[], &[".env"]),
            ("/x/w .env", &[], &[".env"]),
            ("s/a/b/w .env", &[], &[".env"]),
            ("$!N;1!G;h;$r f", &[], &["f"]),
        ] {
            let found = sed(script);
            assert_eq!(found.commands, commands, "{script}");
            assert_eq!(found.files, files, "{script}");
        }
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
        ] {
            assert_eq!(sed(plain), Sed::default(), "{plain}");
        }
    }
}
