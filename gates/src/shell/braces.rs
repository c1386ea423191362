//! Brace lists: `{a,b}` and `{1..3}` in the unquoted parts of a word.

use permc_grammar::shell::{Part, Quoting, Word};

/// Most words that one word may become.
const MOST_WORDS: usize = 64;
/// Deepest nesting of lists that is read; deeper ones stay text.
const DEEPEST: usize = 16;

/// A piece of a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'t> {
    /// Unquoted text.
    Text(&'t str),
    /// Unquoted `{`.
    Open,
    /// Unquoted `}`.
    Close,
    /// Unquoted `,`.
    Comma,
    /// A member of a sequence such as `{1..3}`.
    Number(i64),
    /// A member of a sequence such as `{a..c}`.
    Letter(char),
    /// Anything else.
    Part(&'t Part),
}

/// The words that a word's brace lists give, and whether there were any.
pub(crate) fn expand(word: &Word) -> (Vec<Vec<Token<'_>>>, bool) {
    let has_brace = word.parts.iter().any(|part| {
        matches!(part, Part::Text { text, quoting: Quoting::None, .. } if text.contains('{'))
    });
    if !has_brace {
        let plain = word.parts.iter().map(|part| match part {
            Part::Text {
                text,
                quoting: Quoting::None,
                ..
            } => Token::Text(text),
            other => Token::Part(other),
        });
        return (vec![plain.collect()], false);
    }
    let mut tokens = Vec::new();
    for part in &word.parts {
        match part {
            Part::Text {
                text,
                quoting: Quoting::None,
                ..
            } => split(text, &mut tokens),
            other => tokens.push(Token::Part(other)),
        }
    }
    let words = expand_tokens(&tokens, 0);
    let is_list = words.len() > 1 || words.first() != Some(&tokens);
    (words, is_list)
}

fn split<'t>(text: &'t str, tokens: &mut Vec<Token<'t>>) {
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}', ',']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        if !before.is_empty() {
            tokens.push(Token::Text(before));
        }
        let mut characters = from.chars();
        tokens.push(match characters.next() {
            Some('{') => Token::Open,
            Some('}') => Token::Close,
            _ => Token::Comma,
        });
        rest = characters.as_str();
    }
    if !rest.is_empty() {
        tokens.push(Token::Text(rest));
    }
}

fn expand_tokens<'t>(tokens: &[Token<'t>], depth: usize) -> Vec<Vec<Token<'t>>> {
    let mut done: Vec<Vec<Token<'t>>> = vec![Vec::new()];
    let mut at = 0_usize;
    while let Some(token) = tokens.get(at) {
        let group = (*token == Token::Open && depth < DEEPEST)
            .then(|| group(tokens.get(at.saturating_add(1)..).unwrap_or_default()))
            .flatten();
        let Some((members, length)) = group else {
            done.iter_mut().for_each(|word| word.push(*token));
            at = at.saturating_add(1);
            continue;
        };
        let mut alternatives = Vec::new();
        for member in members {
            alternatives.extend(expand_tokens(&member, depth.saturating_add(1)));
            if alternatives.len() > MOST_WORDS {
                break;
            }
        }
        let mut next = Vec::new();
        'all: for word in &done {
            for alternative in &alternatives {
                if next.len() >= MOST_WORDS {
                    break 'all;
                }
                let mut longer = word.clone();
                longer.extend(alternative);
                next.push(longer);
            }
        }
        done = next;
        at = at.saturating_add(length).saturating_add(2);
    }
    done
}

/// The members of the list whose inside the tokens begin with, and how many tokens that inside is.
fn group<'t>(inside: &[Token<'t>]) -> Option<(Vec<Vec<Token<'t>>>, usize)> {
    let mut members = vec![Vec::new()];
    let mut nested = 0_usize;
    let mut length = 0_usize;
    let mut is_closed = false;
    for token in inside {
        match token {
            Token::Close if nested == 0 => {
                is_closed = true;
                break;
            }
            Token::Open => nested = nested.saturating_add(1),
            Token::Close => nested = nested.saturating_sub(1),
            _ => {}
        }
        length = length.saturating_add(1);
        if *token == Token::Comma && nested == 0 {
            members.push(Vec::new());
        } else if let Some(member) = members.last_mut() {
            member.push(*token);
        }
    }
    if !is_closed {
        return None;
    }
    if members.len() > 1 {
        return Some((members, length));
    }
    match inside.get(..length)? {
        [Token::Text(text)] => Some((sequence(text)?, length)),
        _ => None,
    }
}

/// `a..c`, `1..3` and `1..9..2`.
fn sequence<'t>(text: &str) -> Option<Vec<Vec<Token<'t>>>> {
    let mut ends = text.split("..");
    let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
    if ends.next().is_some() {
        return None;
    }
    let step = match step {
        Some(step) => step.parse::<i64>().ok()?.checked_abs()?.max(1),
        None => 1,
    };
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let members = steps(first, last, step)?;
        return Some(members.map(|number| vec![Token::Number(number)]).collect());
    }
    let letter = |text: &str| {
        let mut characters = text.chars();
        let letter = characters.next()?;
        (characters.next().is_none() && letter.is_ascii()).then_some(i64::from(u32::from(letter)))
    };
    let members = steps(letter(first)?, letter(last)?, step)?;
    let letters = members.filter_map(|code| char::from_u32(u32::try_from(code).ok()?));
    Some(letters.map(|letter| vec![Token::Letter(letter)]).collect())
}

fn steps(first: i64, last: i64, step: i64) -> Option<impl Iterator<Item = i64>> {
    let distance = last.checked_sub(first)?.checked_abs()?;
    let count = distance.checked_div(step)?.saturating_add(1);
    let count = usize::try_from(count).ok()?.min(MOST_WORDS);
    let signed = if last < first {
        step.checked_neg()?
    } else {
        step
    };
    Some(
        (0_i64..)
            .take(count)
            .filter_map(move |n| first.checked_add(n.checked_mul(signed)?)),
    )
}
