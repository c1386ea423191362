//! What is wrong with a text, where, and how to put it right.
//!
//! The error owns its words: nothing of the parser library shows through, and
//! user text is quoted, shortened and escaped, so a message is always one line.

use std::fmt;

use crate::span::Span;

/// The longest piece of user text that a message repeats, in characters.
const QUOTE_LIMIT: usize = 40;

/// The first thing wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    kind: Kind,
    span: Span,
    related: Option<(Span, &'static str)>,
}

impl SyntaxError {
    /// What is wrong: one line, lower-case start, no final period.
    #[must_use]
    pub fn message(&self) -> String {
        self.kind.to_string()
    }

    /// Where it is wrong; empty where something is missing at the end.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// A second place that explains the first, with the words to put beside it.
    #[must_use]
    pub fn related(&self) -> Option<(Span, String)> {
        self.related.map(|(span, label)| (span, label.to_owned()))
    }

    /// How to put it right, where that is known.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        self.kind.help()
    }

    /// Whether the text was refused for its size alone.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(self.kind, Kind::TooLarge { .. })
    }

    /// Whether the text was refused because it nests too deep.
    #[must_use]
    pub fn is_too_deep(&self) -> bool {
        matches!(self.kind, Kind::TooDeep { .. } | Kind::OutOfStack)
    }

    pub(crate) fn new(kind: Kind, span: Span) -> Self {
        Self {
            kind,
            span,
            related: None,
        }
    }

    pub(crate) fn with_related(mut self, span: Span, label: &'static str) -> Self {
        self.related = Some((span, label));
        self
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for SyntaxError {}

/// User text in a message: in backticks, at most [`QUOTE_LIMIT`] characters, with
/// everything escaped that could break the line or reorder it on a screen.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("`");
    let mut characters = text.chars();
    for character in characters.by_ref().take(QUOTE_LIMIT) {
        if is_visible(character) {
            quoted.push(character);
        } else {
            quoted.extend(character.escape_unicode());
        }
    }
    if characters.next().is_some() {
        quoted.push_str("...");
    }
    quoted.push('`');
    quoted
}

fn is_visible(character: char) -> bool {
    let invisible = character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
    !invisible
}

/// The reason; private, so that reasons can be added and split freely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    TooLarge {
        what: &'static str,
        bytes: usize,
        max: usize,
    },
    TooDeep {
        max: usize,
    },
    OutOfStack,
    /// The parser's output is not what its grammar promises.
    Unreadable,
    EmptyDocument,
    EmptyPattern,
    /// What was expected and what stands there, both as finished words.
    Unexpected {
        expected: String,
        found: String,
        help: Option<&'static str>,
    },
    Trailing {
        found: String,
    },
    UnclosedString,
    UnclosedComment,
    LoneReturn,
    ControlCharacter(char),
    BadEscape(String),
    BadUnicodeEscape,
    LoneSurrogate(String),
    OtherQuotes(char),
    BareKey(String),
    BadNumber(String),
    /// A word where a value belongs, and what JSON says instead, if it does.
    NotAValue {
        word: String,
        instead: Option<&'static str>,
    },
    NotWhitespace(char),
    HashComment,
    UnopenedBrace,
    UnclosedBrace,
    UnclosedClass,
    DanglingEscape,
    EmptyBranch,
    BadRange(String),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { what, bytes, max } => {
                write!(
                    f,
                    "the {what} has {bytes} bytes, more than the limit of {max}"
                )
            }
            Self::TooDeep { max } => write!(f, "nesting is deeper than the limit of {max} levels"),
            Self::OutOfStack => f.write_str("nesting is too deep for the memory at hand"),
            Self::Unreadable => f.write_str("the document cannot be read"),
            Self::EmptyDocument => f.write_str("the document is empty"),
            Self::EmptyPattern => f.write_str("the pattern is empty"),
            Self::Unexpected {
                expected, found, ..
            } => {
                write!(f, "expected {expected}, found {found}")
            }
            Self::Trailing { found } => {
                write!(f, "expected the end of the file, found {found}")
            }
            Self::UnclosedString => f.write_str("the string is not closed on its line"),
            Self::UnclosedComment => f.write_str("the block comment is not closed"),
            Self::LoneReturn => {
                f.write_str("a carriage return in a line comment does not end the line")
            }
            Self::ControlCharacter(found) => {
                write!(
                    f,
                    "raw control character U+{:04X} in a string",
                    u32::from(*found)
                )
            }
            Self::BadEscape(escape) => write!(f, "unknown escape {} in a string", quote(escape)),
            Self::BadUnicodeEscape => {
                f.write_str("`\\u` is not followed by four hexadecimal digits")
            }
            Self::LoneSurrogate(escape) => {
                write!(f, "{} is one half of a surrogate pair", quote(escape))
            }
            Self::OtherQuotes(_) => f.write_str("only double quotes can delimit a string"),
            Self::BareKey(word) => write!(f, "the key {} is not in double quotes", quote(word)),
            Self::BadNumber(word) => write!(f, "{} is not a JSON number", quote(word)),
            Self::NotAValue { word, .. } => write!(f, "{} is not a JSON value", quote(word)),
            Self::NotWhitespace(found) => {
                write!(f, "U+{:04X} is not JSON white space", u32::from(*found))
            }
            Self::HashComment => f.write_str("`#` does not start a comment"),
            Self::UnopenedBrace => f.write_str("a brace of the glob is closed but not opened"),
            Self::UnclosedBrace => f.write_str("the brace of the glob is not closed"),
            Self::UnclosedClass => f.write_str("the bracket of the glob is not closed"),
            Self::DanglingEscape => f.write_str("the glob ends in a backslash"),
            Self::EmptyBranch => f.write_str("a branch of the glob's braces is empty"),
            Self::BadRange(range) => write!(f, "{} is no range of characters", quote(range)),
        }
    }
}

impl Kind {
    fn help(&self) -> Option<String> {
        let fixed = match self {
            Self::Unexpected { help, .. } => return help.map(str::to_owned),
            Self::Unreadable => return None,
            Self::TooLarge { .. } => "split it, or check that this is the right file",
            Self::TooDeep { .. } | Self::OutOfStack => "nest less deeply",
            Self::EmptyDocument => "an empty object is written `{}`",
            Self::EmptyPattern => "write `*` to match every value",
            Self::Trailing { .. } => "a document holds exactly one value",
            Self::UnclosedString => {
                "add the closing `\"`; a line break in a string is written `\\n`"
            }
            Self::UnclosedComment => "add the closing `*/`",
            Self::LoneReturn => "end the line with LF or CRLF",
            Self::ControlCharacter(found) => {
                return Some(match found {
                    '\t' => "write a tab as `\\t`".to_owned(),
                    '\r' => "write a carriage return as `\\r`".to_owned(),
                    other => format!("write it as `\\u{:04x}`", u32::from(*other)),
                });
            }
            Self::BadEscape(_) => "a backslash itself is written `\\\\`",
            Self::BadUnicodeEscape => {
                "write four digits, as in `\\u00e9`; a backslash itself is written `\\\\`"
            }
            Self::LoneSurrogate(_) => {
                "write both halves, as in `\\ud83d\\ude00`, or the character itself"
            }
            Self::OtherQuotes(_) => "write `\"` on both sides",
            Self::BareKey(word) => return Some(format!("write {}", quote(&format!("\"{word}\"")))),
            Self::BadNumber(_) => {
                "a number has no plus sign, no leading zero and digits on both sides of a point"
            }
            Self::NotAValue { word, instead } => {
                return Some(match instead {
                    Some(instead) => format!("write `{instead}`"),
                    None => format!(
                        "text needs double quotes: {}",
                        quote(&format!("\"{word}\""))
                    ),
                });
            }
            Self::NotWhitespace(_) => "use spaces, tabs and line breaks only",
            Self::HashComment => "comments are written `// ...` or `/* ... */`",
            Self::UnopenedBrace => "a brace that is meant literally is written `[}]`",
            Self::UnclosedBrace => {
                "close every `{` and `[` inside; a brace that is meant literally is written `[{]`"
            }
            Self::UnclosedClass => {
                "add the closing `]`; a bracket that is meant literally is written `[[]`"
            }
            Self::DanglingEscape => {
                "a backslash itself is written `[\\\\]`; folders are separated by `/`"
            }
            Self::EmptyBranch => {
                "write two patterns, one with and one without what stands in the braces"
            }
            Self::BadRange(_) => "write the lower character first, as in `[a-z]`",
        };
        Some(fixed.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_user_text_stays_short_and_on_one_line() {
        assert_eq!(quote("plain \u{e9}"), "`plain \u{e9}`");
        assert_eq!(quote("a\nb\u{202e}c"), "`a\\u{a}b\\u{202e}c`");
        assert_eq!(quote(&"x".repeat(40)), format!("`{}`", "x".repeat(40)));
        assert_eq!(quote(&"x".repeat(41)), format!("`{}...`", "x".repeat(40)));
    }
}
