//! Compound commands, functions, coprocesses.

use super::expansion::Arithmetic;
use super::list::CLOSING;
use super::reader::{Ends, Reader};
use super::simple::{has_array, plain_text};
use super::tree::{CaseArm, Command, CommandKind, List, Part, Quoting, Word};
use super::word::Mode;
use crate::span::Span;

impl Reader<'_> {
    /// One command of a pipeline; `word` is the reserved word that it begins with, if any.
    pub(super) fn command(&mut self, word: &'static str) -> Option<Command> {
        self.n_commands = self.n_commands.saturating_add(1);
        if self.n_commands > self.limits.max_commands {
            self.stop();
            return None;
        }
        let start = self.at;
        let is_compound = self.byte(0) == Some(b'(') || (!word.is_empty() && begins(word));
        if !is_compound {
            if matches!(word, "]]" | "in" | "!") || CLOSING.contains(&word) {
                self.unexpected("a reserved word where no command can begin");
                return None;
            }
            return self.simple();
        }
        if !self.enter() {
            return None;
        }
        let kind = self.compound(word);
        self.leave();
        self.finished(start, kind?)
    }

    fn begins_compound(&self) -> bool {
        self.byte(0) == Some(b'(') || begins(self.reserved())
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

    fn compound(&mut self, word: &'static str) -> Option<CommandKind> {
        let start = self.at;
        if self.byte(0) == Some(b'(') {
            let mut inner_end = None;
            if self.byte(1) == Some(b'(') {
                match self.arithmetic(false) {
                    Arithmetic::Expression(expression) | Arithmetic::Fault(expression) => {
                        return Some(CommandKind::Arithmetic(expression));
                    }
                    Arithmetic::Parentheses { end } => inner_end = Some(end),
                }
            }
            self.advance(1);
            let list = self.filled(Ends::Plain);
            self.close(start, ")", "a parenthesis that nothing closes");
            if let Some(end) = inner_end
                && !self.broken
            {
                // Having looked for an expression in vain, bash refuses a line end here.
                let rest = self
                    .slice(end, self.at)
                    .trim_start_matches([' ', '\t', '\r']);
                let inner = self.slice(start, end);
                let is_doubtful = inner.contains("\\\n") || inner.contains("<<");
                if is_doubtful || rest.starts_with(['\n', '\\', '#']) {
                    self.note(
                        end,
                        self.at,
                        "two parentheses at once around what bash does not read twice alike",
                    );
                }
            }
            return Some(CommandKind::Subshell(list));
        }
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
        if list.pipelines.is_empty() && !self.broken && self.byte(0).is_some() {
            self.unexpected("a command is missing before this");
        }
        list
    }

    fn close(&mut self, start: usize, closing: &str, message: &'static str) {
        if !self.broken && !self.eat(closing) {
            if self.byte(0).is_none() {
                self.fault(start, self.end, message);
            } else {
                self.unexpected("something that does not close what is open");
            }
        }
    }

    fn close_word(&mut self, start: usize, closing: &str, message: &'static str) {
        if !self.broken && !self.eat_word(closing) {
            if self.byte(0).is_none() {
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
            if !self.broken && self.byte(0).is_none() {
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
        if self.byte(0).is_none() && !self.broken {
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
            let header = match self.arithmetic(false) {
                Arithmetic::Expression(header) => header,
                Arithmetic::Fault(header) => {
                    return CommandKind::ArithmeticFor {
                        header,
                        body: List::default(),
                    };
                }
                Arithmetic::Parentheses { .. } => {
                    self.unexpected("`((` that `))` does not close");
                    return empty_loop(is_select);
                }
            };
            if n_semicolons(&header) != 2 {
                let message = "a loop's header that does not have three parts";
                self.note(header.span.start, header.span.end, message);
            }
            self.skip_blanks();
            if self.byte(0) == Some(b';') && self.byte(1) != Some(b';') {
                self.advance(1);
            }
            let body = self.loop_body(start, true);
            return CommandKind::ArithmeticFor { header, body };
        }
        let word = self.word(Mode::Normal);
        let name = word.as_ref().and_then(plain_text).unwrap_or_default();
        if name.is_empty() || !is_identifier(name) {
            if !self.broken {
                let from = word.as_ref().map_or(self.at, |word| word.span.start);
                if from == self.at {
                    self.unexpected("the name of a loop's variable is missing");
                } else {
                    self.fault(from, self.at, "a loop's variable that has no name");
                }
            }
            return empty_loop(is_select);
        }
        let name = name.to_owned();
        self.skip_blanks();
        let mut words = None;
        let mut is_ended = self.byte(0) == Some(b'\n');
        if self.byte(0) == Some(b';') {
            self.advance(1);
            is_ended = true;
        } else {
            self.skip_lines();
            if is_ended && self.has_case && self.reserved() == "in" {
                self.unexpected("an `in` on a line of its own, which bash may give to a `case`");
            } else if self.eat_word("in") {
                is_ended = true;
                words = Some(self.loop_words(start));
            }
        }
        if is_select && words.is_none() && !self.broken {
            self.note(start, self.at, "a `select` without `in`");
        }
        let body = self.loop_body(start, is_ended);
        CommandKind::For {
            name,
            words,
            body,
            is_select,
        }
    }

    /// The words behind `in` and what ends them.
    fn loop_words(&mut self, start: usize) -> Vec<Word> {
        let mut words = Vec::new();
        self.skip_blanks();
        if self.has_case && self.reserved() == "esac" {
            self.unexpected("an `esac` behind `in`, which bash may give to a `case`");
        }
        while !self.broken {
            self.skip_blanks();
            match self.word(Mode::Normal) {
                Some(word) => words.push(word),
                None => break,
            }
        }
        match (self.byte(0), self.byte(1)) {
            _ if self.broken => {}
            (None, _) => self.fault(start, self.end, "a loop that nothing ends"),
            (Some(b';'), Some(b';' | b'&')) => {
                self.unexpected("something that cannot end the words of a loop");
            }
            (Some(b';'), _) => self.advance(1),
            (Some(b'\n'), _) => {}
            _ => self.unexpected("something that cannot be a word of the loop"),
        }
        words
    }

    /// The body of a loop; braces may hold it where something ends what stands before.
    fn loop_body(&mut self, start: usize, is_ended: bool) -> List {
        if self.broken {
            return List::default();
        }
        self.skip_lines();
        let from = self.at;
        if is_ended && self.eat_word("{") {
            let list = self.filled(Ends::Plain);
            self.close_word(from, "}", "a brace that nothing closes");
            return list;
        }
        self.do_body(start)
    }

    fn case(&mut self, start: usize) -> CommandKind {
        self.has_case = true;
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
                if self.byte(0).is_none() {
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
                        if self.byte(0).is_none() {
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
            if self.reserved() == "}" {
                self.unexpected("a pattern that bash may take for the end of a group");
                return None;
            }
            let Some(pattern) = self.word(Mode::Normal) else {
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
        self.skip_inline_blanks();
        let start = self.at;
        let word = if self.byte(0) == Some(b'#') {
            None
        } else {
            self.word(Mode::Normal)
        };
        if self.broken {
            return None;
        }
        let Some(name) = word.as_ref().and_then(plain_text) else {
            self.fault(start, self.at, "a function that has no name");
            return None;
        };
        let name = name.to_owned();
        self.skip_inline_blanks();
        let before = self.at;
        if self.eat("(") {
            self.skip_inline_blanks();
            if !self.eat(")") {
                // The body may be in parentheses.
                self.at = before;
            }
        }
        let command = self.function_body(start, name);
        Some(command.kind)
    }

    /// The body of a function whose name has been read.
    pub(super) fn function_body(&mut self, start: usize, name: String) -> Command {
        self.skip_lines();
        let from = self.at;
        let word = self.reserved();
        let is_body = self.begins_compound() && !matches!(word, "function" | "coproc");
        let body = if is_body && !self.broken {
            self.command(word)
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
        self.skip_inline_blanks();
        let before = self.at;
        let mut word = self.reserved();
        if word == "time" {
            word = "";
        }
        let is_body = |word: &str| word.is_empty() || !matches!(word, "function" | "coproc");
        if self.byte(0).is_none_or(|byte| byte == b'\n') || !is_body(word) {
            self.unexpected("a coprocess without a command");
            return None;
        }
        let mut is_simple = false;
        if !self.begins_compound() && word.is_empty() {
            // `NAME COMPOUND`, or a simple command.
            let first = self.word(Mode::Normal);
            if self.broken {
                return None;
            }
            self.skip_inline_blanks();
            let next = self.reserved();
            let follows = !next.is_empty() && next != "time";
            is_simple = true;
            let has_bracket = self
                .name_end()
                .is_some_and(|end| self.raw(end) == Some(b'['));
            if first.is_some() && has_bracket {
                self.unexpected("a bracket that bash may take for an assignment's");
                return None;
            }
            if first.is_some() && (follows || self.byte(0) == Some(b'(')) {
                let is_named = first
                    .as_ref()
                    .and_then(plain_text)
                    .is_some_and(is_identifier);
                if !is_named || !self.begins_compound() || !is_body(next) {
                    self.unexpected("something that cannot follow the name of a coprocess");
                    return None;
                }
                word = next;
                is_simple = false;
            } else {
                self.at = before;
            }
        }
        let command = self.command(word);
        if let Some(command) = &command
            && is_simple
            && matches!(command.kind, CommandKind::Function { .. })
        {
            self.fault(before, self.at, "a function where a coprocess stands");
        }
        if let Some(CommandKind::Simple(simple)) = command.as_ref().map(|command| &command.kind)
            && has_array(simple)
        {
            self.note(before, self.at, "an array in a coprocess");
        }
        if command.is_none() && !self.broken {
            self.unexpected("a coprocess without a command");
        }
        Some(CommandKind::Coprocess(Box::new(command?)))
    }
}

pub(super) fn begins(word: &str) -> bool {
    matches!(
        word,
        "{" | "if" | "while" | "until" | "for" | "select" | "case" | "function" | "coproc" | "[["
    )
}

fn is_identifier(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Semicolons between the three parts of a loop's header.
fn n_semicolons(header: &Word) -> usize {
    let texts = header.parts.iter().map(|part| match part {
        Part::Text {
            text,
            quoting: Quoting::None,
            ..
        } => text.bytes().filter(|byte| *byte == b';').count(),
        _ => 0,
    });
    texts.sum()
}

fn empty_loop(is_select: bool) -> CommandKind {
    CommandKind::For {
        name: String::new(),
        words: None,
        body: List::default(),
        is_select,
    }
}
