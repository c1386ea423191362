//! Patterns that are looked at one by one after a literal of theirs was met.

use std::collections::BTreeMap;

use crate::automata::program::{Op, Program};
use permc_runtime::format::MAX_LISTS;

/// Bytes of a literal that an automaton spells out before a pattern is looked at.
pub(crate) const MAX_LITERAL: usize = 16;

/// Rank and pattern string of each rule.
type Entries = Vec<(u32, u32)>;

/// One list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct List {
    /// Rank and pattern string, ranks descending.
    pub(crate) entries: Vec<(u32, u32)>,
    /// A list whose literal this one's ends with; its number is lower.
    pub(crate) next: Option<u32>,
}

/// A rule that is looked at, with the literals of which one must be met: any of them will do.
pub(crate) struct Looked<'p> {
    pub(crate) rank: u32,
    /// The pattern as a string's number.
    pub(crate) pattern: u32,
    pub(crate) program: &'p Program,
}

/// The highest rank + 1 of each list, those behind it included.
pub(crate) fn tops(lists: &[List]) -> Vec<u32> {
    let mut tops: Vec<u32> = Vec::with_capacity(lists.len());
    for list in lists {
        let own = list
            .entries
            .first()
            .map_or(0, |(rank, _)| rank.saturating_add(1));
        let behind = list
            .next
            .and_then(|next| tops.get(usize::try_from(next).ok()?))
            .copied()
            .unwrap_or(0);
        tops.push(own.max(behind));
    }
    tops
}

/// Lists by literal, so that an automaton over the literals finds what to look at, wherever they stand.
///
/// Each rule is listed under the literal of its pattern that the fewest rules share. Where more literals are needed than
/// one table may have lists, several sets are made.
///
/// # Complexity
///
/// O(total length of the patterns).
pub(crate) fn anywhere(rules: &[Looked<'_>]) -> Vec<(Vec<Vec<u8>>, Vec<List>)> {
    let mut n_uses: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let candidates: Vec<Vec<Vec<u8>>> = rules.iter().map(|rule| literals(rule.program)).collect();
    for literal in candidates.iter().flatten() {
        let count = n_uses.entry(literal.clone()).or_default();
        *count = count.saturating_add(1);
    }
    let mut by_literal: BTreeMap<(usize, Vec<u8>), Entries> = BTreeMap::new();
    for (rule, literals) in rules.iter().zip(candidates) {
        let rarest = literals
            .into_iter()
            .min_by_key(|literal| {
                let uses = n_uses.get(literal).copied().unwrap_or(0);
                (uses, std::cmp::Reverse(literal.len()))
            })
            .unwrap_or_default();
        by_literal
            .entry((rarest.len(), rarest))
            .or_default()
            .push((rule.rank, rule.pattern));
    }
    let all: Vec<(Vec<u8>, Entries)> = by_literal
        .into_iter()
        .map(|((_, literal), entries)| (literal, entries))
        .collect();
    all.chunks(MAX_LISTS).map(linked).collect()
}

/// Numbers literals that stand by length, and links each to the longest other that it ends with.
fn linked(all: &[(Vec<u8>, Entries)]) -> (Vec<Vec<u8>>, Vec<List>) {
    let numbers: BTreeMap<&[u8], u32> = (0..)
        .zip(all)
        .map(|(number, (literal, _))| (literal.as_slice(), number))
        .collect();
    let lists = all
        .iter()
        .map(|(literal, entries)| {
            let mut entries = entries.clone();
            entries.sort_unstable_by(|a, b| b.cmp(a));
            let next = (1..=literal.len())
                .filter_map(|skip| literal.get(skip..))
                .find_map(|suffix| numbers.get(suffix).copied());
            List { entries, next }
        })
        .collect();
    let literals = all.iter().map(|(literal, _)| literal.clone()).collect();
    (literals, lists)
}

/// The literals that every value of the pattern holds, each cut to what is worth spelling out.
fn literals(program: &Program) -> Vec<Vec<u8>> {
    let ops = if program.optional_tail {
        program.ops.len().saturating_sub(2)
    } else {
        program.ops.len()
    };
    let ops = program.ops.get(..ops).unwrap_or_default();
    let mut literals = Vec::new();
    let mut literal = Vec::new();
    for op in ops.iter().map(Some).chain([None]) {
        match op {
            Some(Op::Byte(byte)) => literal.push(*byte),
            _ if literal.is_empty() => {}
            _ => {
                literal.truncate(MAX_LITERAL);
                literals.push(std::mem::take(&mut literal));
            }
        }
    }
    literals
}

#[cfg(test)]
mod tests {
    use permc_grammar::pattern::HomeMode;

    use super::*;

    fn program(text: &str) -> Program {
        Program::parse(text, HomeMode::Expand, false).unwrap()
    }

    #[test]
    fn literals_are_those_that_every_value_holds() {
        let of = |text: &str| -> Vec<String> {
            literals(&program(text))
                .into_iter()
                .map(|literal| String::from_utf8(literal).unwrap())
                .collect()
        };
        assert_eq!(of("*a1*b2*"), ["a1", "b2"]);
        assert_eq!(of("*a*b *"), ["a", "b"]);
        assert_eq!(of("x?y"), ["x", "y"]);
        assert_eq!(of("~/a*b"), ["/a", "b"]);
        assert_eq!(of("???"), Vec::<String>::new());
        assert_eq!(of(&"z".repeat(99)), ["z".repeat(16)]);
    }

    #[test]
    fn rules_are_listed_under_their_rarest_literal_and_lists_are_linked() {
        let programs = [
            program("*git*ab*"),
            program("*git*b*"),
            program("*git*cab*"),
        ];
        let rules: Vec<Looked<'_>> = (0..)
            .zip(&programs)
            .map(|(rank, program)| Looked {
                rank,
                pattern: rank + 10,
                program,
            })
            .collect();
        let sets = anywhere(&rules);
        let (literals, lists) = &sets[0];
        assert_eq!(literals, &[b"b".to_vec(), b"ab".to_vec(), b"cab".to_vec()]);
        assert_eq!(lists[1].next, Some(0));
        assert_eq!(lists[2].next, Some(1));
        assert_eq!(lists[2].entries, [(2, 12)]);
        assert_eq!(tops(lists), [2, 2, 3]);
    }
}
