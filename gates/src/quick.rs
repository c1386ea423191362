//! The short way for everyday commands of plain words: the same answer as the walk over a tree gives, in less time.

use permc_runtime::{Action, Session};

use crate::bash::{SURFACE, Shell, is_grant};
use crate::decide::Gates;
use crate::decision::{Gate, UnitAnswer};
use crate::paths::{Looked, Paths};
use crate::programs;
use crate::suggest;

/// Most words of a command that takes the short way.
const MOST_WORDS: usize = 16;
/// Most bytes of it.
const LONGEST: usize = 256;

/// The words of a command.
struct Words<'c> {
    all: [&'c str; MOST_WORDS],
    n_words: usize,
}

impl<'c> Words<'c> {
    /// The words of a text with single blanks between them; `None` where it has anything that some table looks at.
    fn of(command: &'c str) -> Option<Self> {
        if command.len() > LONGEST {
            return None;
        }
        let mut words = Self {
            all: [""; MOST_WORDS],
            n_words: 0,
        };
        for word in command.split(' ') {
            if word.is_empty() || !programs::is_plain(word) {
                return None;
            }
            *words.all.get_mut(words.n_words)? = word;
            words.n_words = words.n_words.saturating_add(1);
        }
        Some(words)
    }

    fn as_slice(&self) -> &[&'c str] {
        self.all.get(..self.n_words).unwrap_or_default()
    }
}

impl<'p> Gates<'p> {
    /// The answer about an everyday command; `None` where it needs a closer look.
    ///
    /// It has one unit without floors, no other spellings but those without leading options, and each operand may be a
    /// path.
    pub(crate) fn quick<'a>(
        &'a self,
        command: &str,
        session: &'a Session,
        paths: &Paths<'a, '_>,
        looked: &mut Looked<'a>,
    ) -> Option<Shell<'a>> {
        let words = Words::of(command)?;
        let words = words.as_slice();
        let operands = programs::everyday(words)?;
        for (index, word) in words.iter().enumerate() {
            if operands >> index & 1 == 1 {
                paths.look_at_operand(word, looked);
            }
        }
        let checked = self.bound().check(SURFACE, &[command], session);
        let mut gate = Gate::of(SURFACE, &checked, command.to_owned());
        // Options in front of what may be a subcommand; without any there is no other spelling.
        let mut form = None;
        let readings = programs::without_globals(words);
        if !readings.is_empty() {
            let forms: Vec<String> = readings
                .into_iter()
                .map(|kept| joined(words, &kept))
                .collect();
            let is_granted = self.is_granted(command, session) || is_grant(&gate);
            form = self.tighten(&mut gate, &forms, is_granted);
        }
        let suggestion = if gate.state == Action::Ask {
            suggest::for_unit(command, None)
        } else {
            None
        };
        let answer = UnitAnswer {
            text: command.to_owned(),
            surrounding: None,
            floor: None,
            state: gate.state,
            matched_pattern: gate.matched_pattern,
            form,
            is_compound: false,
        };
        Some(Shell {
            gate,
            units: vec![answer],
            suggestions: suggestion
                .map(|pattern| (SURFACE.to_owned(), pattern))
                .into_iter()
                .collect(),
        })
    }
}

/// The words of some indices.
fn joined(words: &[&str], kept: &[usize]) -> String {
    let kept = kept.iter().filter_map(|index| words.get(*index).copied());
    kept.collect::<Vec<_>>().join(" ")
}
