//! Compound commands, functions, coprocesses.

use super::reader::{Ends, Reader};
use super::simple::name_length;
use super::tree::{CaseArm, Command, CommandKind, List, Word};
use super::word::Mode;
use crate::span::Span;

impl Reader<'_> {
    /// One command of a pipeline.
    pub(super) fn command(&mut self) -> Option<Command> {
        self.skip_blanks();
        self.n_commands = self.n_commands.saturating_add(1);
        if self.n_commands > self.limits.max_commands {
            self.stop();
            return None;
        }
        let start = self.at;
        if !self.is_compound() {
            return self.simple();
        }
        if !self.enter() {
            return None;
        }
        let kind = self.compound();
        self.leave();
        self.finished(start, kind?)
    }

    /// Whether a compound command, a function or a coprocess begins here.
    fn is_compound(&self) -> bool {
        self.byte(0) == Some(b'(')
            || matches!(
                self.reserved(),
                "{" | "if"
                    | "while"
                    | "until"
                    | "for"
                    | "select"
                    | "case"
                    | "function"
                    | "coproc"
                    | "[["
            )
    }

    /// The command with the redirections that follow it.
    fn finished(&mut self, start: usize, kind: CommandKind) -> Option<Command> {
        let mut command = Command {
            span: Span::new(start, self.at),
            kind,
            redirects: Vec::new(),
        };
        while !self.broken {
            let before = self.at;
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => {
                    command.span.end = redirect.span.end;
                    command.redirects.push(redirect);
                }
                None => {
                    if !self.broken {
                        self.at = before;
                    }
                    break;
                }
            }
        }
        Some(command)
    }

    fn compound(&mut self) -> Option<CommandKind> {
        let start = self.at;
        if self.byte(0) == Some(b'(') {
            if self.byte(1) == Some(b'(')
                && let Some(end) = self.arithmetic_end(start.saturating_add(2))
            {
                let expression = self.arithmetic_word(start.saturating_add(2), end);
                return Some(CommandKind::Arithmetic(expression));
            }
            self.advance(1);
            let list = self.filled(Ends::Plain);
            self.close(start, ")", "a parenthesis that nothing closes");
            return Some(CommandKind::Subshell(list));
        }
        let word = self.reserved();
        self.advance(word.len());
        Some(match word {
            "{" => {
                let list = self.filled(Ends::Plain);
                self.close_word(start, "}", "a brace that nothing closes");
                CommandKind::Group(list)
            }
            "if" => self.conditional(start),
            "while" | "until" => {
                let condition = self.filled(Ends::Plain);
                let body = self.do_body(start);
                CommandKind::While { condition, body }
            }
            "for" | "select" => self.for_loop(start, word == "select"),
            "case" => self.case(start),
            "[[" => self.test(start),
            "function" => return self.function(),
            "coproc" => return self.coprocess(),
            _ => return None,
        })
    }

    /// A list that must hold a command.
    fn filled(&mut self, ends: Ends) -> List {
        let list = self.list(ends);
        if list.pipelines.is_empty() && !self.broken && self.at < self.end {
            self.unexpected("a command is missing before this");
        }
        list
    }

    fn close(&mut self, start: usize, closing: &str, message: &'static str) {
        if !self.broken && !self.eat(closing) {
            if self.at >= self.end {
                self.fault(start, self.end, message);
            } else {
                self.unexpected("something that does not close what is open");
            }
        }
    }

    fn close_word(&mut self, start: usize, closing: &str, message: &'static str) {
        if !self.broken && !self.eat_word(closing) {
            if self.at >= self.end {
                self.fault(start, self.end, message);
            } else {
                self.unexpected("something that does not close what is open");
            }
        }
    }

    fn conditional(&mut self, start: usize) -> CommandKind {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.filled(Ends::Plain);
            if !self.broken && self.at >= self.end {
                self.fault(start, self.end, "an `if` that nothing ends");
                branches.push((condition, List::default()));
                break;
            }
            if !self.expect_word("then", "`then` is missing") {
                branches.push((condition, List::default()));
                break;
            }
            let body = self.filled(Ends::Plain);
            branches.push((condition, body));
            if self.broken {
                break;
            }
            if self.eat_word("elif") {
                continue;
            }
            if self.eat_word("else") {
                otherwise = Some(self.filled(Ends::Plain));
            }
            self.close_word(start, "fi", "an `if` that nothing ends");
            break;
        }
        CommandKind::If {
            branches,
            otherwise,
        }
    }

    /// `do LIST done`, or `{ LIST; }`, which bash takes too.
    fn do_body(&mut self, start: usize) -> List {
        if self.broken {
            return List::default();
        }
        self.skip_lines();
        if self.at >= self.end && !self.broken {
            self.fault(start, self.end, "a loop that nothing ends");
            return List::default();
        }
        if self.expect_word("do", "`do` is missing") {
            let body = self.filled(Ends::Plain);
            self.close_word(start, "done", "a loop that nothing ends");
            return body;
        }
        List::default()
    }

    fn for_loop(&mut self, start: usize, is_select: bool) -> CommandKind {
        self.skip_blanks();
        if !is_select && self.starts_with("((") {
            let from = self.at.saturating_add(2);
            let Some(end) = self.arithmetic_end(from) else {
                self.unexpected("`((` that `))` does not close");
                return empty_loop(is_select);
            };
            let header = self.arithmetic_word(from, end);
            self.skip_blanks();
            self.eat(";");
            let body = self.loop_body(start);
            return CommandKind::ArithmeticFor { header, body };
        }
        let length = name_length(self.rest());
        let is_ended = self.byte(length).is_none_or(super::reader::is_meta);
        if length == 0 || !is_ended {
            self.unexpected("the name of a loop's variable is missing");
            return empty_loop(is_select);
        }
        let name = self
            .slice(self.at, self.at.saturating_add(length))
            .to_owned();
        self.advance(length);
        self.skip_lines();
        let mut words = None;
        if self.eat_word("in") {
            let mut list = Vec::new();
            loop {
                self.skip_blanks();
                if self.broken {
                    break;
                }
                match self.word(Mode::Normal) {
                    Some(word) => list.push(word),
                    None => break,
                }
            }
            words = Some(list);
            if !self.broken && !matches!(self.byte(0), Some(b';' | b'\n')) {
                if self.at >= self.end {
                    self.fault(start, self.end, "a loop that nothing ends");
                } else {
                    self.unexpected("something that cannot be a word of the loop");
                }
            }
        }
        if !self.broken && self.byte(0) == Some(b';') && !matches!(self.byte(1), Some(b';' | b'&'))
        {
            self.advance(1);
        }
        let body = self.loop_body(start);
        CommandKind::For {
            name,
            words,
            body,
            is_select,
        }
    }

    fn loop_body(&mut self, start: usize) -> List {
        if self.broken {
            return List::default();
        }
        self.skip_lines();
        let from = self.at;
        if self.eat_word("{") {
            let list = self.filled(Ends::Plain);
            self.close_word(from, "}", "a brace that nothing closes");
            return list;
        }
        self.do_body(start)
    }

    fn case(&mut self, start: usize) -> CommandKind {
        self.skip_blanks();
        let subject = self.word(Mode::Normal).unwrap_or_default();
        let mut arms = Vec::new();
        if subject.parts.is_empty() && !self.broken {
            self.unexpected("the word of `case` is missing");
        }
        if self.expect_word("in", "`in` is missing") {
            loop {
                self.skip_lines();
                if self.broken || self.eat_word("esac") {
                    break;
                }
                if self.at >= self.end {
                    self.fault(start, self.end, "a `case` that nothing ends");
                    break;
                }
                let Some(arm) = self.arm() else { break };
                arms.push(arm);
                if self.broken {
                    break;
                }
                self.skip_lines();
                if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) {
                    if !self.eat_word("esac") && !self.broken {
                        if self.at >= self.end {
                            self.fault(start, self.end, "a `case` that nothing ends");
                        } else {
                            self.unexpected("something that does not end an arm of `case`");
                        }
                    }
                    break;
                }
            }
        }
        CommandKind::Case { subject, arms }
    }

    fn arm(&mut self) -> Option<CaseArm> {
        self.eat("(");
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            let Some(pattern) = self.word(Mode::Pattern) else {
                if !self.broken {
                    self.unexpected("a pattern of `case` is missing");
                }
                return None;
            };
            patterns.push(pattern);
            self.skip_blanks();
            if self.broken {
                return None;
            }
            if self.eat(")") {
                break;
            }
            if self.byte(0) != Some(b'|') || matches!(self.byte(1), Some(b'|' | b'&')) {
                self.unexpected("something that cannot stand in a pattern of `case`");
                return None;
            }
            self.advance(1);
        }
        let body = self.list(Ends::Arm);
        Some(CaseArm { patterns, body })
    }

    fn function(&mut self) -> Option<CommandKind> {
        self.skip_blanks();
        let start = self.at;
        let name = self.word(Mode::Normal)?;
        if self.broken {
            return None;
        }
        let text = self.slice(name.span.start, name.span.end).to_owned();
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            if !self.eat(")") {
                self.unexpected("`)` is missing behind the name of a function");
                return None;
            }
        }
        let command = self.function_body(start, text);
        Some(command.kind)
    }

    /// The body of a function whose name has been read.
    pub(super) fn function_body(&mut self, start: usize, name: String) -> Command {
        self.skip_lines();
        let from = self.at;
        let is_body = self.is_compound() && !matches!(self.reserved(), "function" | "coproc");
        let body = if is_body {
            self.command()
        } else {
            if !self.broken {
                self.unexpected("a function whose body is no compound command");
            }
            None
        };
        let body = body.unwrap_or(Command {
            span: Span::new(from, from),
            kind: CommandKind::Group(List::default()),
            redirects: Vec::new(),
        });
        Command {
            span: Span::new(start, body.span.end.max(start)),
            kind: CommandKind::Function {
                name,
                body: Box::new(body),
            },
            redirects: Vec::new(),
        }
    }

    fn coprocess(&mut self) -> Option<CommandKind> {
        self.skip_blanks();
        let before = self.at;
        let length = name_length(self.rest());
        if length > 0 && !self.is_compound() {
            self.advance(length);
            let has_blank = matches!(self.byte(0), Some(b' ' | b'\t'));
            self.skip_blanks();
            let is_named = has_blank
                && self.is_compound()
                && !matches!(self.reserved(), "function" | "coproc");
            if !is_named {
                self.at = before;
            }
        }
        let command = self.command();
        if command.is_none() && !self.broken {
            self.unexpected("a coprocess without a command");
        }
        Some(CommandKind::Coprocess(Box::new(command?)))
    }

    /// Where the `))` stands that closes an arithmetic expression which begins at `from`.
    pub(super) fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes().get(..self.end)?;
        let mut open = 0_usize;
        let mut at = from;
        let mut quote: Option<u8> = None;
        while let Some(byte) = bytes.get(at) {
            match (quote, *byte) {
                (Some(b'\''), b'\'') | (Some(b'"'), b'"') => quote = None,
                (Some(b'\''), _) => {}
                (_, b'\\') => at = at.saturating_add(1),
                (Some(_), _) => {}
                (None, b'\'' | b'"') => quote = Some(*byte),
                (None, b'(') => open = open.saturating_add(1),
                (None, b')') if open > 0 => open = open.saturating_sub(1),
                (None, b')') => {
                    return (bytes.get(at.saturating_add(1)) == Some(&b')')).then_some(at);
                }
                _ => {}
            }
            at = at.saturating_add(1);
        }
        None
    }

    /// The expression between two places; reading goes on behind its `))`.
    pub(super) fn arithmetic_word(&mut self, from: usize, end: usize) -> Word {
        let outer = self.end;
        self.at = from;
        self.end = end;
        let parts = if self.enter() {
            let parts = self.parts(Mode::Arithmetic);
            self.leave();
            parts
        } else {
            Vec::new()
        };
        self.end = outer;
        if !self.broken {
            self.at = end.saturating_add(2).min(outer);
        }
        Word {
            span: Span::new(from, end),
            parts,
        }
    }
}

fn empty_loop(is_select: bool) -> CommandKind {
    CommandKind::For {
        name: String::new(),
        words: None,
        body: List::default(),
        is_select,
    }
}
