//! Braces multiplied out.

use permc_grammar::glob::{Class, Item};

use super::PathPatternError;

/// Most alternatives of one pattern.
pub(super) const MOST_ALTERNATIVES: usize = 4_096;

/// Most items of all alternatives of one pattern together.
pub(super) const MOST_ITEMS: usize = 1 << 20;

/// One part of an alternative as it is spelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spelled {
    /// A character, and whether it can be nothing else: `\~` is no home.
    Char(char, bool),
    /// `/`
    Separator,
    /// `?`
    AnyChar,
    /// `*`, once for each star.
    Star,
    /// A class.
    Class(Class),
}

/// All alternatives.
pub(super) fn expand(items: &[Item]) -> Result<Vec<Vec<Spelled>>, PathPatternError> {
    let (n_alternatives, n_items) = size(items);
    if n_alternatives > MOST_ALTERNATIVES || n_items > MOST_ITEMS {
        return Err(PathPatternError::TooMany);
    }
    Ok(product(items))
}

/// Alternatives and items of the product, without making it.
fn size(items: &[Item]) -> (usize, usize) {
    items.iter().fold((1, 0), |(n, length), item| {
        let (more, more_length) = match item {
            Item::Alternates(branches) => branches.iter().map(|branch| size(branch)).fold(
                (0_usize, 0_usize),
                |(n, length), (more, more_length)| {
                    (n.saturating_add(more), length.saturating_add(more_length))
                },
            ),
            // What two stars say, two thousand say as well.
            Item::Stars(count) => (1, (*count).min(2)),
            _ => (1, 1),
        };
        let length = length
            .saturating_mul(more)
            .saturating_add(more_length.saturating_mul(n));
        (n.saturating_mul(more), length)
    })
}

fn product(items: &[Item]) -> Vec<Vec<Spelled>> {
    let mut all = vec![Vec::new()];
    for item in items {
        let one = match item {
            Item::Char(letter) => Spelled::Char(*letter, false),
            Item::Escaped(letter) => Spelled::Char(*letter, true),
            Item::Separator => Spelled::Separator,
            Item::AnyChar => Spelled::AnyChar,
            Item::Class(class) => Spelled::Class(class.clone()),
            Item::Stars(count) => {
                for alternative in &mut all {
                    alternative.extend(std::iter::repeat_n(Spelled::Star, (*count).min(2)));
                }
                continue;
            }
            Item::Alternates(branches) => {
                let tails: Vec<Vec<Spelled>> =
                    branches.iter().flat_map(|branch| product(branch)).collect();
                all = all
                    .iter()
                    .flat_map(|head| tails.iter().map(|tail| [head.as_slice(), tail].concat()))
                    .collect();
                continue;
            }
        };
        for alternative in &mut all {
            alternative.push(one.clone());
        }
    }
    all
}
