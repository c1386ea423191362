//! Exact search over the values of a class: is there one whose winner satisfies a condition?

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use permc_runtime::fold_char;

use super::determinize::Dfa;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A shortest such value, home written as `~`.
    Witness(String),
    /// There is none.
    Nothing,
    /// The budget ended the search.
    Undecided,
}

/// Stands for the text of the home directory, which the compiler does not know.
const SYMBOLIC_HOME: &str = "/\u{F8FF}home";

/// Searches breadth first for a value whose highest rank + 1 satisfies `accept`.
///
/// `alphabet` must hold every character that the patterns spell and one that none does; [`letters`] makes it. All
/// characters that no pattern spells lead to the same states, so the search is exact.
///
/// # Complexity
///
/// O(`max_nodes` x letters x tables).
pub(crate) fn find(
    tables: &[Dfa],
    alphabet: &[char],
    max_nodes: usize,
    accept: impl Fn(u32) -> bool,
) -> Found {
    let mut witness = None;
    let explored = explore(tables, alphabet, max_nodes, |search, node, best| {
        if accept(best) {
            witness = Some(search.spell(node));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    match (witness, explored) {
        (Some(witness), _) => Found::Witness(witness),
        (None, ControlFlow::Continue(false)) => Found::Undecided,
        (None, _) => Found::Nothing,
    }
}

/// Every rank + 1 that wins on some value, with a shortest such value; the flag says whether the search was completed.
///
/// # Complexity
///
/// As [`find`].
pub(crate) fn winners(
    tables: &[Dfa],
    alphabet: &[char],
    max_nodes: usize,
) -> (BTreeMap<u32, String>, bool) {
    let mut winners = BTreeMap::new();
    let completed = explore(tables, alphabet, max_nodes, |search, node, best| {
        winners.entry(best).or_insert_with(|| search.spell(node));
        ControlFlow::Continue(())
    });
    (winners, completed == ControlFlow::Continue(true))
}

/// Visits every reachable combination of states breadth first; continues with whether all of them were visited.
fn explore(
    tables: &[Dfa],
    alphabet: &[char],
    max_nodes: usize,
    mut visit: impl FnMut(&Search<'_>, usize, u32) -> ControlFlow<()>,
) -> ControlFlow<(), bool> {
    let mut search = Search {
        tables,
        nodes: Vec::new(),
        seen: HashSet::new(),
    };
    for root in [search.root(false), search.root(true)]
        .into_iter()
        .flatten()
    {
        search.visit(root, None);
    }
    let mut next = 0;
    while let Some(node) = search.nodes.get(next) {
        let walk = node.walk.clone();
        visit(&search, next, search.outcome(&walk))?;
        if search.nodes.len() > max_nodes {
            return ControlFlow::Continue(false);
        }
        for letter in alphabet {
            let step = search.step(&walk, *letter);
            search.visit(step, Some((next, *letter)));
        }
        next = next.saturating_add(1);
    }
    ControlFlow::Continue(true)
}

/// The characters of the patterns, and one printable character that none of them spells.
pub(crate) fn letters<'p>(patterns: impl Iterator<Item = &'p str>, fold: bool) -> Vec<char> {
    let mut spelled: BTreeSet<char> = patterns
        .flat_map(str::chars)
        .map(|letter| if fold { fold_char(letter) } else { letter })
        .collect();
    let fresh = ('a'..='z')
        .chain('A'..='Z')
        .chain('\u{4E00}'..='\u{9FFF}')
        .chain('\0'..=char::MAX)
        .find(|letter| !spelled.contains(letter) && (!fold || fold_char(*letter) == *letter));
    spelled.extend(fresh);
    spelled.into_iter().collect()
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Walk {
    /// (table, state) of everything that walks.
    states: Vec<(usize, u32)>,
    /// The running maximum of passes.
    best: u32,
    home: bool,
}

struct Node {
    walk: Walk,
    parent: Option<(usize, char)>,
}

struct Search<'t> {
    tables: &'t [Dfa],
    nodes: Vec<Node>,
    seen: HashSet<Walk>,
}

impl Search<'_> {
    fn root(&self, home: bool) -> Option<Walk> {
        let mut walk = Walk {
            states: (0..)
                .zip(self.tables)
                .map(|(table, dfa)| (table, dfa.start))
                .collect(),
            best: self
                .tables
                .iter()
                .map(|dfa| dfa.pass(dfa.start))
                .max()
                .unwrap_or(0),
            home,
        };
        if !home {
            return Some(walk);
        }
        for letter in SYMBOLIC_HOME.chars() {
            walk = self.step(&walk, letter);
        }
        let mut any = false;
        for (table, dfa) in self.tables.iter().enumerate() {
            if let Some(start) = dfa.home_start {
                walk.states.push((table, start));
                walk.best = walk.best.max(dfa.pass(start));
                any = true;
            }
        }
        any.then_some(walk)
    }

    fn visit(&mut self, walk: Walk, parent: Option<(usize, char)>) {
        if self.seen.insert(walk.clone()) {
            self.nodes.push(Node { walk, parent });
        }
    }

    fn step(&self, walk: &Walk, letter: char) -> Walk {
        let mut walk = walk.clone();
        let mut buffer = [0; 4];
        let bytes = letter.encode_utf8(&mut buffer).as_bytes();
        for (table, state) in &mut walk.states {
            let Some(dfa) = self.tables.get(*table) else {
                continue;
            };
            for byte in bytes {
                *state = dfa.next(*state, *byte);
                walk.best = walk.best.max(dfa.pass(*state));
            }
        }
        walk
    }

    fn outcome(&self, walk: &Walk) -> u32 {
        walk.states
            .iter()
            .filter_map(|(table, state)| Some(self.tables.get(*table)?.end(*state)))
            .fold(walk.best, u32::max)
    }

    fn spell(&self, node: usize) -> String {
        let mut letters = Vec::new();
        let mut at = node;
        let mut home = false;
        while let Some(node) = self.nodes.get(at) {
            home = node.walk.home;
            let Some((parent, letter)) = node.parent else {
                break;
            };
            letters.push(letter);
            at = parent;
        }
        let text: String = letters.into_iter().rev().collect();
        if home { format!("~{text}") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use permc_grammar::pattern::HomeMode;

    use super::super::determinize::{Outcome, determinize};
    use super::super::program::Program;
    use super::*;

    fn table(patterns: &[&str]) -> Dfa {
        let programs: Vec<Program> = patterns
            .iter()
            .map(|pattern| Program::parse(pattern, HomeMode::Expand, false).unwrap())
            .collect();
        let ranked: Vec<(Outcome, &Program)> = (0..).map(Outcome::Rank).zip(&programs).collect();
        determinize(&ranked, 10_000, 1_000_000).unwrap()
    }

    #[test]
    fn finds_a_shortest_value_or_none() {
        let patterns = ["*", "git *", "git*"];
        let tables = [table(&patterns)];
        let alphabet = letters(patterns.into_iter(), false);
        assert_eq!(
            find(&tables, &alphabet, 10_000, |best| best == 1),
            Found::Witness(String::new())
        );
        assert_eq!(
            find(&tables, &alphabet, 10_000, |best| best == 2),
            Found::Nothing
        );
        assert_eq!(
            find(&tables, &alphabet, 10_000, |best| best == 3),
            Found::Witness("git".into())
        );
        assert_eq!(
            find(&tables, &alphabet, 2, |best| best == 3),
            Found::Undecided
        );
    }

    #[test]
    fn several_tables_walk_together_and_home_is_symbolic() {
        let tables = [table(&["*", "~/x*"]), table(&["a*b"])];
        let alphabet = letters(["*", "~/x*", "a*b"].into_iter(), false);
        assert_eq!(
            find(&tables, &alphabet, 10_000, |best| best == 2),
            Found::Witness("~/x".into())
        );
    }
}
