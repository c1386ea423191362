//! `[[ ... ]]`: its words, and whether they make an expression.

use super::reader::Reader;
use super::tree::{CommandKind, Part, Quoting, Word};
use super::word::Mode;
use crate::span::Span;

/// Letters of the operators with one operand.
const UNARY: &str = "abcdefghknoprstuvwxzGLNOSR";
/// Operators with two operands, apart from `<` and `>`.
const BINARY: [&str; 13] = [
    "=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
];

impl Reader<'_> {
    /// The words behind `[[`, which has been read, up to `]]`.
    pub(super) fn test(&mut self, start: usize) -> CommandKind {
        let mut words: Vec<Word> = Vec::new();
        let mut is_closed = false;
        loop {
            self.skip_lines();
            if self.broken {
                break;
            }
            if self.at >= self.end {
                self.fault(start, self.end, "a `[[` that nothing closes");
                break;
            }
            if self.eat_word("]]") {
                is_closed = true;
                break;
            }
            let from = self.at;
            let operator = ["&&", "||", "(", ")", "<", ">"]
                .into_iter()
                .find(|operator| self.starts_with(operator) && !self.is_process());
            if let Some(operator) = operator {
                self.advance(operator.len());
                words.push(Word {
                    span: Span::new(from, self.at),
                    parts: vec![Part::Text {
                        span: Span::new(from, self.at),
                        text: operator.to_owned(),
                        quoting: Quoting::None,
                    }],
                });
                continue;
            }
            let mode = match words
                .last()
                .map(|word| self.slice(word.span.start, word.span.end))
            {
                Some("=~") => Mode::Regex,
                Some("=" | "==" | "!=") => Mode::TestPattern,
                _ => Mode::Normal,
            };
            match self.word(mode) {
                Some(word) => words.push(word),
                None if self.broken => break,
                None => {
                    self.unexpected("something that cannot stand between `[[` and `]]`");
                    break;
                }
            }
            if self.broken {
                break;
            }
        }
        if is_closed {
            let texts: Vec<&str> = words
                .iter()
                .map(|word| self.slice(word.span.start, word.span.end))
                .collect();
            if !is_expression(&texts) {
                self.note(start, self.at, "a test that makes no expression");
            }
        }
        CommandKind::Test(words)
    }

    fn is_process(&self) -> bool {
        self.starts_with("<(") || self.starts_with(">(")
    }
}

/// Whether the words make an expression. An explicit stack: parentheses may nest as deeply as the text is long.
fn is_expression(words: &[&str]) -> bool {
    let mut open = 0_usize;
    let mut wants_term = true;
    let mut at = 0_usize;
    let word = |at: usize| words.get(at).copied();
    while let Some(text) = word(at) {
        if wants_term {
            match text {
                "!" => at = at.saturating_add(1),
                "(" => {
                    open = open.saturating_add(1);
                    at = at.saturating_add(1);
                }
                ")" | "&&" | "||" | "<" | ">" => return false,
                _ => {
                    let next = word(at.saturating_add(1));
                    let is_binary = |next: Option<&str>| {
                        next.is_some_and(|next| {
                            BINARY.contains(&next) || next == "<" || next == ">"
                        })
                    };
                    let third = word(at.saturating_add(2));
                    let is_operand = |text: Option<&str>| {
                        !matches!(text, None | Some("&&" | "||" | ")" | "(" | "<" | ">"))
                    };
                    let is_unary = text
                        .strip_prefix('-')
                        .is_some_and(|letter| letter.len() == 1 && UNARY.contains(letter));
                    if is_unary && is_operand(next) {
                        at = at.saturating_add(2);
                    } else if is_binary(next) {
                        if !is_operand(third) {
                            return false;
                        }
                        at = at.saturating_add(3);
                    } else if is_unary {
                        return false;
                    } else {
                        at = at.saturating_add(1);
                    }
                    wants_term = false;
                }
            }
        } else {
            match text {
                "&&" | "||" => wants_term = true,
                ")" if open > 0 => open = open.saturating_sub(1),
                _ => return false,
            }
            at = at.saturating_add(1);
        }
    }
    !wants_term && open == 0
}

#[cfg(test)]
mod tests {
    use super::is_expression;

    #[test]
    fn expressions_and_what_bash_refuses() {
        for text in [
            "-f x",
            "x",
            "a == b && ! -d c",
            "( a = b || c ) && d",
            "a < b",
            "1 -eq 2",
        ] {
            assert!(
                is_expression(&text.split(' ').collect::<Vec<_>>()),
                "{text}"
            );
        }
        for text in ["a b", "a ==", "-f", "&& a", "( a", "a )", "a &&", "!"] {
            assert!(
                !is_expression(&text.split(' ').collect::<Vec<_>>()),
                "{text}"
            );
        }
        assert!(!is_expression(&[]));
    }
}
