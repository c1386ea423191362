//! Reading one string: its text, or the exact character that is wrong with it.
//!
//! The grammar decides whether a string is one. This module resolves the escapes
//! of those that are and finds the fault in those that are not.

use crate::error::{Kind, SyntaxError};
use crate::span::{Span, Spanned};

/// Reads the string whose opening quote stands at `start`.
pub(super) fn read(text: &str, start: usize) -> Result<Spanned<String>, SyntaxError> {
    let mut value = String::new();
    let mut at = start.saturating_add(1);
    loop {
        let rest = text.get(at..).unwrap_or("");
        let stop = |character: char| matches!(character, '"' | '\\' | '\0'..='\u{1f}');
        let length = rest.find(stop).unwrap_or(rest.len());
        value.push_str(rest.get(..length).unwrap_or(""));
        at = at.saturating_add(length);
        match rest.get(length..).and_then(|rest| rest.chars().next()) {
            Some('"') => {
                let span = Span::new(start, at.saturating_add(1));
                return Ok(Spanned::new(value, span));
            }
            Some('\\') => {
                let (character, end) = escape(text, at)?;
                value.push(character);
                at = end;
            }
            Some(control) if !ends_line(text, at) => {
                let span = Span::new(at, at.saturating_add(1));
                return Err(SyntaxError::new(Kind::ControlCharacter(control), span));
            }
            _ => return Err(SyntaxError::new(Kind::UnclosedString, Span::new(start, at))),
        }
    }
}

fn ends_line(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or("");
    rest.starts_with('\n') || rest.starts_with("\r\n")
}

/// Resolves the escape whose backslash stands at `start`: the character and where it ends.
fn escape(text: &str, start: usize) -> Result<(char, usize), SyntaxError> {
    let rest = text.get(start..).unwrap_or("");
    let letter = rest.chars().nth(1);
    let simple = match letter {
        Some(same @ ('"' | '\\' | '/')) => same,
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => return unicode_escape(text, start),
        Some(other) if !other.is_control() => {
            let length = other.len_utf8().saturating_add(1);
            let span = Span::new(start, start.saturating_add(length));
            let escape = rest.get(..length).unwrap_or("").to_owned();
            return Err(SyntaxError::new(Kind::BadEscape(escape), span));
        }
        _ => {
            let span = Span::new(start, start.saturating_add(1));
            return Err(SyntaxError::new(Kind::BadEscape("\\".to_owned()), span));
        }
    };
    Ok((simple, start.saturating_add(2)))
}

fn unicode_escape(text: &str, start: usize) -> Result<(char, usize), SyntaxError> {
    let first = unit(text, start)?;
    let end = start.saturating_add(6);
    if let Some(character) = char::from_u32(first) {
        return Ok((character, end));
    }
    if let Ok(second) = unit(text, end)
        && let Some(Ok(character)) = char::decode_utf16([first, second].map(to_u16)).next()
    {
        return Ok((character, end.saturating_add(6)));
    }
    let escape = text.get(start..end).unwrap_or("").to_owned();
    Err(SyntaxError::new(
        Kind::LoneSurrogate(escape),
        Span::new(start, end),
    ))
}

/// The number in the `\u` escape that stands at `start`.
fn unit(text: &str, start: usize) -> Result<u32, SyntaxError> {
    let digits_start = start.saturating_add(2);
    let mut number = 0_u32;
    let mut n_digits = 0_usize;
    if text.get(start..digits_start) == Some("\\u") {
        let rest = text.get(digits_start..).unwrap_or("");
        for digit in rest.chars().take(4).map_while(|digit| digit.to_digit(16)) {
            number = number << 4 | digit;
            n_digits = n_digits.saturating_add(1);
        }
    }
    if n_digits == 4 {
        return Ok(number);
    }
    let span = Span::new(start, digits_start.saturating_add(n_digits));
    Err(SyntaxError::new(Kind::BadUnicodeEscape, span))
}

/// Four hexadecimal digits always fit.
fn to_u16(unit: u32) -> u16 {
    u16::try_from(unit).unwrap_or(0)
}
