//! Text of policies and paths on its way to a terminal: nothing in it that the terminal would obey or hide.

use std::path::Path;

use permc_runtime::RuleRef;

/// The text with control and invisible characters spelled out.
pub(crate) fn shown(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\'' | '"' | '\\' => result.push(character),
            _ => result.extend(character.escape_debug()),
        }
    }
    result
}

/// The same in backticks.
pub(crate) fn ticked(text: &str) -> String {
    format!("`{}`", shown(text))
}

/// A path in backticks, relative to the working directory where it is inside.
pub(crate) fn shown_path(path: &Path, cwd: &Path) -> String {
    let short = path.strip_prefix(cwd).unwrap_or(path);
    if short.as_os_str().is_empty() {
        return "`.`".to_owned();
    }
    ticked(&short.to_string_lossy())
}

/// A line with every character replaced by exactly one visible one, so that columns stay what they are.
pub(crate) fn shown_line(line: &str) -> String {
    line.chars()
        .map(|character| match character {
            '\t' => ' ',
            ' '..='~' => character,
            _ if character.escape_debug().len() > 1 => '\u{fffd}',
            _ => character,
        })
        .collect()
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A rule's id as it is shown everywhere.
pub(crate) fn rule_id(id: u64) -> String {
    format!("{id:016x}")
}

/// `file:line:column`.
pub(crate) fn place(file: &str, line: u32, column: u32) -> String {
    format!("{}:{line}:{column}", shown(file))
}

/// The place of a rule.
pub(crate) fn rule_place(rule: &RuleRef<'_>) -> String {
    place(rule.file, rule.line, rule.column)
}

/// A count with its noun: `1 rule`, `2 rules`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// A number with its digits in groups of three.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len().saturating_add(4));
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len().saturating_sub(index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Rows with their columns aligned; the last column is not padded.
pub(crate) fn table(rows: &[Vec<String>], indent: &str) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let width = cell.chars().count();
            match widths.get_mut(column) {
                Some(known) => *known = width.max(*known),
                None => widths.push(width),
            }
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = indent.to_owned();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            let padding = width.saturating_sub(cell.chars().count()).saturating_add(2);
            line.extend(std::iter::repeat_n(' ', padding));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, hex, shown, shown_line, table};

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(shown("git \"*\" \\ ä"), "git \"*\" \\ ä");
        assert_eq!(shown("\u{1b}[2J\n\u{202e}"), "\\u{1b}[2J\\n\\u{202e}");
        assert_eq!(shown_line("\ta\u{1b}\u{200b}ä"), " a\u{fffd}\u{fffd}ä");
    }

    #[test]
    fn small_things() {
        assert_eq!(hex(&[0, 171, 255]), "00abff");
        assert_eq!(
            (counted(1, "rule"), counted(0, "rule")),
            ("1 rule".into(), "0 rules".into())
        );
        let numbers = [0, 999, 1_000, 12_345_678].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "12,345,678"]);
        let rows = [
            vec!["a".into(), "b".into()],
            vec!["long".into(), String::new()],
        ];
        assert_eq!(table(&rows, "  "), "  a     b\n  long\n");
    }
}
