//! `$'...'` and its escapes.

use super::reader::Reader;
use super::tree::{Part, Quoting};
use crate::span::Span;

impl Reader<'_> {
    /// `$'...'`, which begins here. Where it ends is found first: any character behind a backslash is not its end.
    pub(super) fn ansi(&mut self, start: usize) -> Option<Part> {
        self.advance(2);
        let rest = self.rest();
        let mut bytes = rest.bytes().enumerate();
        let length = loop {
            match bytes.next() {
                Some((at, b'\'')) => break at,
                Some((_, b'\\')) => {
                    bytes.next();
                }
                Some(_) => {}
                None => {
                    self.unclosed(start, 2, "a quote that nothing closes");
                    return None;
                }
            }
        };
        let inside = rest.get(..length).unwrap_or_default();
        self.at = self.at.saturating_add(length).saturating_add(1);
        Some(Part::Text {
            span: Span::new(start, self.at),
            text: decoded(inside),
            quoting: Quoting::Ansi,
        })
    }
}

/// The text that the escapes stand for. Bytes that make no character become U+FFFD.
fn decoded(inside: &str) -> String {
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = escape(after, &mut bytes);
    }
    bytes.extend_from_slice(rest.as_bytes());
    // The shell ends such a text at its first NUL.
    if let Some(nul) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(nul);
    }
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Decodes the escape whose backslash stands before the text; gives what follows it.
fn escape<'t>(text: &'t str, bytes: &mut Vec<u8>) -> &'t str {
    let mut characters = text.chars();
    let Some(character) = characters.next() else {
        bytes.push(b'\\');
        return text;
    };
    let rest = characters.as_str();
    let decoded = match character {
        'a' => 0x07,
        'b' => 0x08,
        'e' | 'E' => 0x1b,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        '?' => b'?',
        '0'..='7' => {
            let (value, rest) = digits(text, 8, 3);
            bytes.push(low_byte(value));
            return rest;
        }
        'x' => {
            let inner = rest.strip_prefix('{');
            let (value, after) = match inner {
                Some(inner) => digits(inner, 16, usize::MAX),
                None => digits(rest, 16, 2),
            };
            if inner.is_none() && after.len() == rest.len() {
                bytes.extend_from_slice(b"\\x");
                return rest;
            }
            bytes.push(low_byte(value));
            return match inner {
                Some(_) => after.strip_prefix('}').unwrap_or(after),
                None => after,
            };
        }
        'u' | 'U' => {
            let (value, after) = digits(rest, 16, if character == 'u' { 4 } else { 8 });
            if after.len() == rest.len() {
                bytes.push(b'\\');
                push(character, bytes);
                return rest;
            }
            push(
                char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
                bytes,
            );
            return after;
        }
        'c' => {
            let mut characters = rest.chars();
            let Some(control) = characters.next() else {
                bytes.extend_from_slice(b"\\c");
                return rest;
            };
            let mut after = characters.as_str();
            if control == '\\' {
                after = after.strip_prefix('\\').unwrap_or(after);
            }
            let byte = match control {
                '?' => 0x7f,
                _ => low_byte(u32::from(control.to_ascii_uppercase())) & 0x1f,
            };
            bytes.push(byte);
            return after;
        }
        other => {
            bytes.push(b'\\');
            push(other, bytes);
            return rest;
        }
    };
    bytes.push(decoded);
    rest
}

fn push(character: char, bytes: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
}

fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

/// The number that the text begins with, and what follows it.
fn digits(text: &str, radix: u32, most: usize) -> (u32, &str) {
    let mut value = 0_u32;
    let mut rest = text;
    for _ in 0..most {
        let mut characters = rest.chars();
        let Some(digit) = characters.next().and_then(|next| next.to_digit(radix)) else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        rest = characters.as_str();
    }
    (value, rest)
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn escapes_are_those_of_bash() {
        for (inside, text) in [
            (
                r#"\a\b\e\E\f\n\r\t\v\\\'\"\?"#,
                "\x07\x08\x1b\x1b\x0c\n\r\t\x0b\\'\"?",
            ),
            (r"\x72m", "rm"),
            (r"\162\155x", "rmx"),
            (r"\1234", "S4"),
            (r"\x{72}m", "rm"),
            (r"\x4", "\x04"),
            (r"\xg \x", r"\xg \x"),
            (r"\u0072\u6d", "rm"),
            (r"\U00000072", "r"),
            (r"\U1F600", "\u{1F600}"),
            (r"\xc3\xa9", "é"),
            (r"\xc3", "\u{FFFD}"),
            (r"\uD800", "\u{FFFD}"),
            (r"\ca\cA\c?", "\x01\x01\x7f"),
            (r"\c\\x", "\x1cx"),
            (r"a\0b", "a"),
            (r"\q\ z", r"\q\ z"),
            ("a\\\nb", "a\\\nb"),
            ("", ""),
            ("é\\n", "é\n"),
        ] {
            assert_eq!(decoded(inside), text, "{inside:?}");
        }
    }
}
