//! Fields: what a program gets as one argument, as far as text tells.

/// One argument after quotes are removed and known variables are put in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    /// The argument; a part that is only known at run time stands as it was typed.
    pub(crate) text: String,
    /// The parts of the text that are not literal, in order.
    pub(crate) wilds: Vec<Wild>,
    /// Whether it begins with an unquoted `~`.
    pub(crate) has_tilde: bool,
    /// Whether any part is quoted.
    pub(crate) is_quoted: bool,
    /// Whether a brace list was expanded to get it.
    pub(crate) is_brace: bool,
    /// Whether an expansion stands in it, known or not.
    pub(crate) is_expanded: bool,
    /// Whether only `HOME` and `PWD` were expanded, inside quotes.
    pub(crate) is_home_only: bool,
    /// Whether a process substitution stands in it.
    pub(crate) is_process: bool,
    /// Whether `$HOME`, `$PWD` or `$OLDPWD` stands in it.
    pub(crate) has_place: bool,
}

/// A part of a field that is not literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wild {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: WildKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WildKind {
    /// Known at run time only.
    Unknown,
    /// `*`
    Star,
    /// `?`
    Question,
    /// `[...]`
    Class,
}

impl WildKind {
    /// The number under which path words keep it; 0 is known at run time only.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Star => 1,
            Self::Question => 2,
            Self::Class => 3,
        }
    }
}

impl Field {
    /// A field that is text and nothing else.
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Whether a part is known at run time only.
    pub(crate) fn is_computed(&self) -> bool {
        self.wilds.iter().any(|wild| wild.kind == WildKind::Unknown)
    }

    /// Whether a part is an unquoted `*`, `?` or `[...]`.
    pub(crate) fn is_glob(&self) -> bool {
        self.wilds.iter().any(|wild| wild.kind != WildKind::Unknown)
    }

    /// Whether the text is exactly what the program gets.
    pub(crate) fn is_literal(&self) -> bool {
        self.wilds.is_empty()
    }

    /// Whether it is what was typed, quotes aside: no expansion, known or not, no glob, no brace list, no `~`.
    pub(crate) fn is_plain(&self) -> bool {
        let is_expanded = self.is_expanded || self.is_brace || self.is_process || self.has_place;
        self.is_literal() && !is_expanded && !self.has_tilde && !self.is_home_only
    }

    /// Adds text that is neither glob nor expansion.
    pub(crate) fn push_literal(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a part that is known at run time only, as it was typed.
    pub(crate) fn push_unknown(&mut self, spelling: &str) {
        let start = self.text.len();
        self.text.push_str(spelling);
        self.wilds.push(Wild {
            start,
            end: self.text.len(),
            kind: WildKind::Unknown,
        });
    }

    /// Adds unquoted text, in which `*`, `?` and `[...]` are globs.
    pub(crate) fn push_unquoted(&mut self, text: &str) {
        if self.text.is_empty() && !self.is_quoted && text.starts_with('~') {
            self.has_tilde = true;
        }
        let offset = self.text.len();
        self.text.push_str(text);
        let mut characters = text.char_indices();
        while let Some((at, character)) = characters.next() {
            let (kind, end) = match character {
                '*' => (WildKind::Star, at.saturating_add(1)),
                '?' => (WildKind::Question, at.saturating_add(1)),
                '[' => match class_end(text.get(at..).unwrap_or_default()) {
                    Some(length) => (WildKind::Class, at.saturating_add(length)),
                    None => continue,
                },
                _ => continue,
            };
            self.wilds.push(Wild {
                start: offset.saturating_add(at),
                end: offset.saturating_add(end),
                kind,
            });
            while characters
                .clone()
                .next()
                .is_some_and(|(next, _)| next < end)
            {
                characters.next();
            }
        }
    }

    /// The text with each run-time part as `*`: a permission pattern that covers what the field can be.
    pub(crate) fn pattern(&self) -> String {
        let mut pattern = String::with_capacity(self.text.len());
        let mut at = 0;
        for wild in &self.wilds {
            pattern.push_str(self.text.get(at..wild.start).unwrap_or_default());
            pattern.push(if wild.kind == WildKind::Question {
                '?'
            } else {
                '*'
            });
            at = wild.end;
        }
        pattern.push_str(self.text.get(at..).unwrap_or_default());
        pattern
    }

    /// The part of the field from a byte on, its wild parts with it.
    pub(crate) fn tail(&self, from: usize) -> Self {
        let shift = |wild: &Wild| {
            Some(Wild {
                start: wild.start.checked_sub(from)?,
                end: wild.end.checked_sub(from)?,
                kind: wild.kind,
            })
        };
        let text = self.text.get(from..).unwrap_or_default().to_owned();
        Self {
            has_tilde: text.starts_with('~'),
            text,
            wilds: self.wilds.iter().filter_map(shift).collect(),
            is_quoted: self.is_quoted,
            is_expanded: self.is_expanded,
            ..Self::default()
        }
    }

    /// The part between two bytes, its wild parts with it.
    pub(crate) fn part(&self, from: usize, to: usize) -> Self {
        let mut part = self.tail(from);
        let length = to.saturating_sub(from);
        part.text.truncate(length.min(part.text.len()));
        part.wilds.retain(|wild| wild.end <= length);
        part
    }
}

/// Bytes of the bracket expression that the text begins with.
fn class_end(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let inside = inside.strip_prefix(['!', '^']).unwrap_or(inside);
    let first = inside.strip_prefix(']').unwrap_or(inside);
    let close = first.find(']')?;
    if first.get(..close)?.contains('/') {
        return None;
    }
    let before = text.len().saturating_sub(first.len());
    Some(before.saturating_add(close).saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unquoted_stars_questions_and_classes_are_wild() {
        let mut field = Field::default();
        field.push_unquoted("~/a*[bc]?");
        assert!(field.has_tilde);
        let kinds: Vec<_> = field
            .wilds
            .iter()
            .map(|wild| (wild.start, wild.end, wild.kind))
            .collect();
        assert_eq!(
            kinds,
            [
                (3, 4, WildKind::Star),
                (4, 8, WildKind::Class),
                (8, 9, WildKind::Question)
            ]
        );
        assert_eq!(field.pattern(), "~/a**?");
    }

    #[test]
    fn a_bracket_that_nothing_closes_is_text() {
        let mut field = Field::default();
        field.push_unquoted("a[b");
        assert!(field.is_literal());
        let mut quoted = Field::default();
        quoted.push_literal("*");
        assert!(quoted.is_literal());
    }
}
