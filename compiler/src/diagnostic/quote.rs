//! User text inside messages and on a terminal: bounded, and with nothing in it that a terminal would obey.

/// Puts user text in backticks, cut after 60 characters, with invisible characters spelled out.
///
/// # Example
///
/// ```
/// use permc::diagnostic::quote;
///
/// assert_eq!(quote("git *"), "`git *`");
/// assert_eq!(quote("a\u{1b}[2J"), "`a\\u{1b}[2J`");
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut quoted = String::from("`");
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST {
            quoted.push('…');
            break;
        }
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_invisible(c) => quoted.extend(c.escape_unicode()),
            c => quoted.push(c),
        }
    }
    quoted.push('`');
    quoted
}

/// The text with every character that a terminal could obey, or hide, replaced by a visible one.
///
/// A tab stays; a line feed stays only where `lines` says so.
pub(super) fn visible(text: &str, lines: bool) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => c,
            '\n' if lines => c,
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
            '\u{7f}' => '\u{2421}',
            c if is_invisible(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Control characters, and format characters that reorder or hide text.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{quote, visible};

    #[test]
    fn quotes_are_bounded_and_harmless() {
        assert_eq!(quote("ä"), "`ä`");
        assert_eq!(quote("a\nb"), "`a\\nb`");
        assert_eq!(quote("\u{202e}x"), "`\\u{202e}x`");
        let long = quote(&"ß".repeat(1000));
        assert_eq!(long.chars().count(), 63);
    }

    #[test]
    fn visible_text_keeps_its_number_of_characters() {
        assert_eq!(
            visible("a\u{1b}b\u{9b}c\u{7f}\u{202e}\t", false),
            "a\u{241b}b\u{fffd}c\u{2421}\u{fffd}\t"
        );
        assert_eq!(visible("a\nb", true), "a\nb");
        assert_eq!(visible("a\nb", false), "a\u{240a}b");
    }
}
