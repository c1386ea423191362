//! Patterns of trust tiers in their canonical form (page 3): what they match, and how long they are.
//!
//! Braces are multiplied out first, so that each alternative is a list of components. Whatever does not change what an
//! alternative matches does not change its form either: doubled separators, `.` components, longer runs of stars, escapes
//! and brackets around one letter. So no spelling gives a pattern a higher rank.

mod canonical;
mod charset;
mod expand;
mod matching;
mod refusal;

use std::fmt;

use permc_grammar::error::SyntaxError;
use permc_runtime::format;

pub(crate) use self::charset::CharSet;
pub(crate) use self::refusal::refusal;

/// A canonical pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PathPattern {
    /// What it matches, each alternative once, in a fixed order.
    pub(crate) alternatives: Vec<Alternative>,
    /// Unicode scalar values of the longest alternative: its rank among the patterns of a tier.
    pub(crate) length: usize,
}

/// One alternative of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Alternative {
    /// What the components are below.
    pub(crate) anchor: Anchor,
    /// None for the anchor itself.
    pub(crate) components: Vec<Component>,
}

/// What a pattern starts at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Anchor {
    /// The root.
    Root,
    /// The home directory.
    Home,
    /// The working directory.
    Cwd,
}

impl Anchor {
    /// All anchors, by their numbers in the artifact.
    pub(crate) const ALL: [Self; 3] = [Self::Root, Self::Home, Self::Cwd];

    /// The number in the artifact.
    pub(crate) const fn number(self) -> u32 {
        match self {
            Self::Root => format::ANCHOR_ROOT,
            Self::Home => format::ANCHOR_HOME,
            Self::Cwd => format::ANCHOR_CWD,
        }
    }
}

/// One component of an alternative.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Component {
    /// `**`: any number of components.
    Any,
    /// Exactly one.
    Name(Vec<Atom>),
}

/// One part of a component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Atom {
    /// This character.
    Char(char),
    /// Any character but `/`.
    AnyChar,
    /// One of these; none of them is `/`.
    Class(CharSet),
    /// Any run of characters but `/`.
    Star,
}

/// Why a text is no pattern of a tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathPatternError {
    /// It is no glob.
    Syntax(SyntaxError),
    /// It has a `..` component.
    Parent,
    /// Its braces multiply to more than the bounds.
    TooMany,
}

impl fmt::Display for PathPatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Parent => f.write_str("it has a `..` component"),
            Self::TooMany => write!(
                f,
                "its braces stand for more than {} alternatives or {} characters",
                expand::MOST_ALTERNATIVES,
                expand::MOST_ITEMS
            ),
        }
    }
}

impl PathPattern {
    /// Reads a pattern. `fold`: case is folded, and `\` is a separator instead of an escape.
    ///
    /// # Errors
    ///
    /// The text is no glob, has a `..` component, or its braces multiply to more than 4,096 alternatives.
    ///
    /// # Complexity
    ///
    /// O(text + characters of the alternatives).
    pub(crate) fn parse(text: &str, fold: bool) -> Result<Self, PathPatternError> {
        let separated = if fold {
            text.replace('\\', "/")
        } else {
            text.to_owned()
        };
        let items = permc_grammar::glob::parse(&separated).map_err(PathPatternError::Syntax)?;
        let mut alternatives = Vec::new();
        let mut length = 0;
        for spelled in expand::expand(&items)? {
            let alternative = canonical::canonical(&spelled, fold)?;
            length = length.max(alternative.length());
            alternatives.push(alternative);
        }
        alternatives.sort_unstable();
        alternatives.dedup();
        Ok(Self {
            alternatives,
            length,
        })
    }

    /// Whether some alternative starts at this anchor.
    pub(crate) fn has_anchor(&self, anchor: Anchor) -> bool {
        self.at(anchor).next().is_some()
    }

    /// The alternatives of one anchor.
    pub(crate) fn at(&self, anchor: Anchor) -> impl Iterator<Item = &Alternative> {
        let alternatives = self.alternatives.iter();
        alternatives.filter(move |alternative| alternative.anchor == anchor)
    }
}

impl Alternative {
    /// Whether it matches paths below an anchor whatever the anchor is: `**/x` does.
    pub(crate) fn is_seen_from(&self, anchor: Anchor) -> bool {
        let starts_anywhere = self.components.first() == Some(&Component::Any);
        self.anchor == anchor || (self.anchor == Anchor::Root && starts_anywhere)
    }

    /// The length of its text, with a home that is spelled `~` and without a working directory.
    fn length(&self) -> usize {
        let names = self.components.iter().map(|component| match component {
            Component::Any => 2,
            Component::Name(atoms) => atoms.len(),
        });
        let text: usize = names.sum();
        let n_components = self.components.len();
        let starts_anywhere = self.components.first() == Some(&Component::Any);
        let separators = match self.anchor {
            // `/**` and `**` are one; so are `/` and the root.
            Anchor::Root if starts_anywhere => n_components.saturating_sub(1),
            Anchor::Root => n_components.max(1),
            Anchor::Home => n_components.saturating_add(1),
            // The working directory itself is spelled `.`, and `./**` is not `**`.
            Anchor::Cwd if n_components == 0 => 1,
            Anchor::Cwd if starts_anywhere => n_components.saturating_add(1),
            Anchor::Cwd => n_components.saturating_sub(1),
        };
        text.saturating_add(separators)
    }
}

#[cfg(test)]
mod tests;
