//! What the pages call *blank*, *trim* and *line* (page 1.5).

/// Unicode `White_Space` and U+FEFF.
pub(crate) fn is_blank_char(character: char) -> bool {
    character.is_whitespace() || character == '\u{FEFF}'
}

/// The text without blanks at both ends.
///
/// # Example
///
/// ```
/// assert_eq!(permc_runtime::trim("\u{FEFF} bash\t\n"), "bash");
/// ```
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_blank_char)
}
