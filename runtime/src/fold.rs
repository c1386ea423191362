//! Case folding for volumes that fold: simple Unicode lower-casing, and `\` equals `/` (page 1.2).

/// The folded form of one character.
///
/// Simple lower-casing maps one character to one; the one character whose full mapping is longer (U+0130) maps to `i`.
///
/// # Example
///
/// ```
/// assert_eq!(permc_runtime::fold_char('É'), 'é');
/// assert_eq!(permc_runtime::fold_char('\\'), '/');
/// ```
#[must_use]
pub fn fold_char(character: char) -> char {
    if character.is_ascii() {
        return match character {
            '\\' => '/',
            other => other.to_ascii_lowercase(),
        };
    }
    character.to_lowercase().next().unwrap_or(character)
}

/// The UTF-8 bytes of the folded text, without allocation.
pub(crate) fn folded_bytes(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.chars()
        .flat_map(|character| Utf8::new(fold_char(character)))
}

/// `text` without a prefix that equals `prefix` after folding.
pub(crate) fn strip_folded_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let mut characters = text.chars();
    for expected in prefix.chars() {
        if fold_char(characters.next()?) != fold_char(expected) {
            return None;
        }
    }
    Some(characters.as_str())
}

struct Utf8 {
    bytes: [u8; 4],
    next: usize,
    length: usize,
}

impl Utf8 {
    fn new(character: char) -> Self {
        let mut bytes = [0; 4];
        let length = character.encode_utf8(&mut bytes).len();
        Self {
            bytes,
            next: 0,
            length,
        }
    }
}

impl Iterator for Utf8 {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.next >= self.length {
            return None;
        }
        let byte = self.bytes.get(self.next).copied();
        self.next = self.next.saturating_add(1);
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_one_character_to_one() {
        assert_eq!(fold_char('\u{130}'), 'i');
        assert_eq!(fold_char('ß'), 'ß');
        assert_eq!(fold_char('/'), '/');
        for character in '\0'..=char::MAX {
            assert_eq!(
                fold_char(fold_char(character)),
                fold_char(character),
                "{character:?}"
            );
        }
    }

    #[test]
    fn bytes_are_those_of_the_folded_text() {
        let bytes: Vec<u8> = folded_bytes("C:\\ÄÖ\u{130}日").collect();
        assert_eq!(bytes, "c:/äöi日".as_bytes());
    }

    #[test]
    fn prefixes_compare_folded() {
        assert_eq!(strip_folded_prefix("/HOME/Dev/X", "/home/dev"), Some("/X"));
        assert_eq!(strip_folded_prefix("/home/de", "/home/dev"), None);
    }
}
