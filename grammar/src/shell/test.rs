//! `[[ ... ]]`: its words, and whether they make an expression.

use super::reader::Reader;
use super::simple::is_descriptor;
use super::tree::{CommandKind, Part, Quoting, Word};
use super::word::Mode;
use crate::span::Span;

/// Letters of the operators with one operand.
const UNARY: &str = "abcdefghknoprstuvwxzGLNOSR";
/// Operators with two operands, apart from `<` and `>`.
const BINARY: [&str; 13] = [
    "=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
];

const INCOMPLETE: &str = "a test that makes no expression";

impl Reader<'_> {
    /// The words behind `[[`, which has been read, up to `]]`.
    pub(super) fn test(&mut self, start: usize) -> CommandKind {
        let mut words: Vec<Word> = Vec::new();
        let mut open = 0_usize;
        loop {
            // A term, behind any number of `!` and `(`.
            self.skip_lines();
            if self.broken {
                break;
            }
            if self.byte(0) == Some(b'(') {
                open = open.saturating_add(1);
                if self.depth.saturating_add(open) > self.limits.max_depth {
                    self.stop();
                    break;
                }
                self.operator(1, &mut words);
                continue;
            }
            if self.eat_bang(&mut words) {
                continue;
            }
            if !self.term(start, &mut words) {
                break;
            }
            while !self.broken && open > 0 && self.byte(0) == Some(b')') {
                open = open.saturating_sub(1);
                self.operator(1, &mut words);
                self.skip_lines();
            }
            if self.broken {
                break;
            }
            if self.starts_with("&&") || self.starts_with("||") {
                self.operator(2, &mut words);
                continue;
            }
            if open == 0 && self.eat_word("]]") {
                break;
            }
            self.refused(start);
            break;
        }
        CommandKind::Test(words)
    }

    /// Reads a term; false where none is complete.
    fn term(&mut self, start: usize, words: &mut Vec<Word>) -> bool {
        let Some(first) = self.operand(start, Mode::Normal, words) else {
            return false;
        };
        self.skip_blanks();
        let is_unary = first
            .strip_prefix('-')
            .is_some_and(|letter| letter.len() == 1 && UNARY.contains(letter));
        if is_unary {
            if self.operand(start, Mode::Normal, words).is_none() {
                return false;
            }
            self.skip_lines();
            return true;
        }
        let ends_term = match self.byte(0) {
            Some(b'&') => self.byte(1) == Some(b'&'),
            Some(b'|') => self.byte(1) == Some(b'|'),
            Some(b')') => true,
            _ => self.reserved() == "]]",
        };
        if ends_term {
            return true;
        }
        let mut mode = Mode::Normal;
        if matches!(self.byte(0), Some(b'<' | b'>')) && self.byte(1) != Some(b'(') {
            if matches!(self.byte(1), Some(b'<' | b'>' | b'&' | b'|')) {
                self.refused(start);
                return false;
            }
            self.operator(1, words);
        } else {
            let Some(operator) = self.operand(start, Mode::Normal, words) else {
                return false;
            };
            if !BINARY.contains(&operator.as_str()) {
                if let Some(word) = words.last().map(|word| word.span) {
                    self.fault(word.start, word.end, INCOMPLETE);
                }
                return false;
            }
            mode = match operator.as_str() {
                "=~" => Mode::Regex,
                "=" | "==" | "!=" => Mode::TestPattern,
                _ => Mode::Normal,
            };
        }
        self.skip_blanks();
        if self.operand(start, mode, words).is_none() {
            return false;
        }
        self.skip_lines();
        true
    }

    /// A word that is neither `]]` nor missing, as it stands in the source.
    fn operand(&mut self, start: usize, mode: Mode, words: &mut Vec<Word>) -> Option<String> {
        if self.broken || self.reserved() == "]]" {
            self.refused(start);
            return None;
        }
        let word = self.word(mode);
        if self.broken {
            words.extend(word);
            return None;
        }
        let Some(word) = word else {
            self.refused(start);
            return None;
        };
        let text = self.joined(word.span.start, word.span.end);
        words.push(word);
        if is_descriptor(&text) && matches!(self.byte(0), Some(b'<' | b'>')) {
            self.unexpected("a redirection between `[[` and `]]`");
            return None;
        }
        Some(text)
    }

    fn eat_bang(&mut self, words: &mut Vec<Word>) -> bool {
        let is_bang = self.reserved() == "!";
        if is_bang {
            self.operator(1, words);
        }
        is_bang
    }

    /// Steps over an operator, which becomes a word.
    fn operator(&mut self, length: usize, words: &mut Vec<Word>) {
        self.settle();
        let span_start = self.at;
        self.advance(length);
        let span = Span::new(span_start, self.at);
        words.push(Word {
            span,
            parts: vec![Part::Text {
                span,
                text: self.joined(span.start, span.end),
                quoting: Quoting::None,
            }],
        });
    }

    /// What stands here does not go on as an expression would.
    fn refused(&mut self, start: usize) {
        if self.broken {
            return;
        }
        if self.byte(0).is_none() {
            self.fault(start, self.end, "a `[[` that nothing closes");
        } else {
            self.unexpected(INCOMPLETE);
        }
    }
}
