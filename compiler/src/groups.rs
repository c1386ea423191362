//! Which rules share a table: one for all while a budget holds, else a trie, an Aho-Corasick, and what needs a look.
//!
//! Rules with two or more inner stars multiply with each other (page 5.2), and so does whatever a budget refuses. For
//! them the automaton finds only the rarest of their literals, and a lookup that meets it matches their patterns one by
//! one. Head and tail rules are looked at in the same way once the trie has met their head, so that a large policy
//! costs two walks.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use permc_runtime::format::MAX_LISTS;

use crate::automata::determinize::{Dfa, Outcome, determinize};
use crate::automata::program::{Op, Program, Shape};
use crate::options::Budget;
use crate::table::lists::{List, Looked, MAX_LITERAL, anywhere};
use crate::table::{Strings, Table};

/// One rule with its rank in the class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranked<'p> {
    pub(crate) rank: u32,
    pub(crate) pattern: &'p str,
    pub(crate) program: &'p Program,
}

/// A table, and its automaton where that holds everything that the table answers.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) table: Table,
    pub(crate) dfa: Option<Dfa>,
    bound: u32,
}

/// Head and tail rules with one head that are looked at; more of them take an automaton over their tails.
const MAX_TAILS: usize = 4;

/// Steps that a trie or an Aho-Corasick takes for a position: about one a byte class.
const STEPS_PER_POSITION: usize = 64;

/// Tables for ranked rules, those that can answer the highest rank first.
///
/// With `searchable`, head and tail rules are not looked at, so that more of the automata can be searched.
///
/// # Complexity
///
/// O(total pattern length) beside what the budget allows.
pub(crate) fn build(
    rules: &[Ranked<'_>],
    budget: &Budget,
    strings: &mut Strings,
    searchable: bool,
    fold: bool,
) -> Vec<Built> {
    if rules.is_empty() {
        return Vec::new();
    }
    let builder = Builder { budget };
    // A trie alone would be larger than the budget: do not try.
    let hopeless = n_positions(rules) > budget.merged_states.saturating_mul(8);
    let whole = if hopeless {
        None
    } else {
        builder.attempt(&ranked(rules), &[], bound(rules), budget.merged_states)
    };
    if let Some(whole) = whole {
        return vec![whole];
    }
    let mut tables = Vec::new();
    let mut looked = Vec::new();
    let of_shape = |shape: Shape| -> Vec<Ranked<'_>> {
        let of_shape = rules.iter().filter(|rule| rule.program.shape() == shape);
        of_shape.copied().collect()
    };
    let (heads, mids) = if searchable {
        (Vec::new(), of_shape(Shape::Mid))
    } else {
        heads(of_shape(Shape::Mid))
    };
    builder.tails(mids, &mut tables, &mut looked);
    looked.extend(of_shape(Shape::Multi));
    let (mut prefixes, infixes) = (of_shape(Shape::Prefix), of_shape(Shape::Infix));
    if !searchable && !fold {
        let (exact, others): (Vec<_>, Vec<_>) = prefixes.iter().partition(|rule| is_exact(rule));
        // A trie that is walked anyway finds a few exact patterns for nothing; many are spread over more memory than a
        // walk can do without waiting.
        if exact.len() >= budget.exact_rules.max(1) {
            let bound = bound(&exact);
            let patterns: Vec<(u32, &str, u32)> = exact
                .iter()
                .map(|rule| (rule.rank, rule.pattern, strings.add(rule.pattern)))
                .collect();
            if let Some(table) = Table::exact(&patterns, bound) {
                prefixes = others;
                tables.push(Built {
                    table,
                    dfa: None,
                    bound,
                });
            }
        }
    }
    let joint = if searchable {
        None
    } else {
        builder.joint(&prefixes, &heads, &infixes, &looked, strings)
    };
    match joint {
        Some(joint) => tables.push(joint),
        None => {
            builder.trie(prefixes, &heads, strings, &mut tables, &mut looked);
            builder.anywhere(infixes, looked, strings, &mut tables);
        }
    }
    tables.sort_by_key(|built| Reverse(built.bound));
    tables
}

/// Head and tail rules by their head.
struct Head<'p> {
    program: Program,
    rules: Vec<Ranked<'p>>,
}

impl Head<'_> {
    /// The head's list. Where its state is entered, literals that the head ends with are met as well: it links to the
    /// longest of them.
    fn list(&self, literals: &[Vec<u8>], strings: &mut Strings) -> List {
        let head: Vec<u8> = self
            .program
            .ops
            .iter()
            .filter_map(|op| match op {
                Op::Byte(byte) => Some(*byte),
                _ => None,
            })
            .collect();
        let entries = self.rules.iter().rev();
        List {
            entries: entries
                .map(|rule| (rule.rank, strings.add(rule.pattern)))
                .collect(),
            next: longest_suffix(literals, &head),
        }
    }
}

/// The number of the longest literal that a text ends with; literals stand by length.
fn longest_suffix(literals: &[Vec<u8>], text: &[u8]) -> Option<u32> {
    let longest = literals.last().map_or(0, Vec::len).min(text.len());
    (0..=longest).rev().find_map(|length| {
        let suffix = text.get(text.len().saturating_sub(length)..)?;
        let order = |literal: &Vec<u8>| (literal.len(), literal.as_slice()).cmp(&(length, suffix));
        u32::try_from(literals.binary_search_by(order).ok()?).ok()
    })
}

/// Splits head and tail rules into those that a trie finds by their head, and the rest.
fn heads(mids: Vec<Ranked<'_>>) -> (Vec<Head<'_>>, Vec<Ranked<'_>>) {
    let mut by_head: BTreeMap<(bool, Vec<u8>), Vec<Ranked<'_>>> = BTreeMap::new();
    let mut rest = Vec::new();
    for rule in mids {
        let bytes = rule.program.ops.iter().map_while(|op| match op {
            Op::Byte(byte) => Some(*byte),
            _ => None,
        });
        let head: Vec<u8> = bytes.collect();
        if rule.program.ops.get(head.len()) == Some(&Op::Star) {
            let same_head = by_head.entry((rule.program.home, head));
            same_head.or_default().push(rule);
        } else {
            rest.push(rule);
        }
    }
    let mut heads = Vec::new();
    for ((home, head), rules) in by_head {
        if rules.len() > MAX_TAILS || heads.len() == MAX_LISTS {
            rest.extend(rules);
            continue;
        }
        let ops = head.into_iter().map(Op::Byte).chain([Op::Star]).collect();
        let program = Program {
            home,
            ops,
            optional_tail: false,
        };
        heads.push(Head { program, rules });
    }
    rest.sort_by_key(|rule| rule.rank);
    (heads, rest)
}

struct Builder<'b> {
    budget: &'b Budget,
}

impl Builder<'_> {
    fn attempt(
        &self,
        programs: &[(Outcome, &Program)],
        lists: &[List],
        bound: u32,
        max_states: usize,
    ) -> Option<Built> {
        let steps = self
            .budget
            .steps
            .saturating_add(positions(programs).saturating_mul(STEPS_PER_POSITION));
        let dfa = determinize(programs, max_states, steps).ok()?;
        let table = Table::new(&dfa, lists, bound, self.budget.steps)?;
        Some(Built {
            table,
            dfa: lists.is_empty().then_some(dfa),
            bound,
        })
    }

    /// A trie or an Aho-Corasick has at most one state a position; room is left for stars that meet.
    fn room(&self, programs: &[(Outcome, &Program)]) -> usize {
        let linear = positions(programs).saturating_mul(4).saturating_add(64);
        linear.min(self.budget.group_states)
    }

    /// Prefixes, heads, infixes and literals in one table. A place in the trie knows its place in the Aho-Corasick, so
    /// there are no more states than in both; but fewer rows are runs, so that only small tables gain from it.
    fn joint(
        &self,
        prefixes: &[Ranked<'_>],
        heads: &[Head<'_>],
        infixes: &[Ranked<'_>],
        looked: &[Ranked<'_>],
        strings: &mut Strings,
    ) -> Option<Built> {
        let of_shapes = [prefixes, infixes, looked];
        let of_heads = heads.iter().flat_map(|head| &head.rules);
        let all = of_shapes.into_iter().flatten().chain(of_heads);
        // A state takes a few bytes at least.
        let n_positions = all
            .clone()
            .map(|rule| rule.program.ops.len())
            .sum::<usize>();
        if n_positions > self.budget.joint_bytes {
            return None;
        }
        let mut sets = anywhere(&to_look_at(looked, strings));
        let (literals, mut lists) = sets.pop().unwrap_or_default();
        if !sets.is_empty() || lists.len().saturating_add(heads.len()) > MAX_LISTS {
            return None;
        }
        let literal_programs: Vec<Program> = literals
            .iter()
            .map(|bytes| anywhere_program(bytes))
            .collect();
        let of_literals = literal_programs.iter();
        let of_lists: Vec<&Program> = of_literals
            .chain(heads.iter().map(|head| &head.program))
            .collect();
        lists.extend(heads.iter().map(|head| head.list(&literals, strings)));
        let mut programs = ranked(prefixes);
        programs.extend(ranked(infixes));
        programs.extend((0..).map(Outcome::List).zip(of_lists));
        let built = self.attempt(&programs, &lists, bound(all), self.room(&programs))?;
        (built.table.bytes.len() <= self.budget.joint_bytes).then_some(built)
    }

    /// Prefixes and heads; whatever passes the budget is looked at.
    fn trie<'p>(
        &self,
        prefixes: Vec<Ranked<'p>>,
        heads: &[Head<'p>],
        strings: &mut Strings,
        tables: &mut Vec<Built>,
        looked: &mut Vec<Ranked<'p>>,
    ) {
        let lists: Vec<List> = heads.iter().map(|head| head.list(&[], strings)).collect();
        let of_heads = (0..)
            .map(Outcome::List)
            .zip(heads.iter().map(|head| &head.program));
        let of_heads: Vec<(Outcome, &Program)> = of_heads.collect();
        let (plain, wild): (Vec<_>, Vec<_>) = prefixes.into_iter().partition(has_no_wild_letter);
        let all: Vec<Ranked<'p>> = plain.iter().chain(&wild).copied().collect();
        for (rules, rest) in [(&all, &[][..]), (&plain, wild.as_slice())] {
            if rules.is_empty() && heads.is_empty() {
                break;
            }
            let programs: Vec<_> = ranked(rules).into_iter().chain(of_heads.clone()).collect();
            let in_heads = heads.iter().flat_map(|head| &head.rules);
            let bound = bound(rules.iter().chain(in_heads));
            if let Some(built) = self.attempt(&programs, &lists, bound, self.room(&programs)) {
                tables.push(built);
                looked.extend(rest);
                return;
            }
        }
        looked.extend(all);
        looked.extend(heads.iter().flat_map(|head| &head.rules));
    }

    /// Head and tail rules that many share a head with.
    fn tails<'p>(
        &self,
        mids: Vec<Ranked<'p>>,
        tables: &mut Vec<Built>,
        looked: &mut Vec<Ranked<'p>>,
    ) {
        if mids.is_empty() {
            return;
        }
        let programs = ranked(&mids);
        match self.attempt(&programs, &[], bound(&mids), self.room(&programs)) {
            Some(built) => tables.push(built),
            None => looked.extend(mids),
        }
    }

    /// Infixes, suffixes, and the literals of what is looked at.
    fn anywhere<'p>(
        &self,
        infixes: Vec<Ranked<'p>>,
        mut looked: Vec<Ranked<'p>>,
        strings: &mut Strings,
        tables: &mut Vec<Built>,
    ) {
        let (plain, wild): (Vec<_>, Vec<_>) = infixes.into_iter().partition(has_no_wild_letter);
        let all: Vec<Ranked<'p>> = plain.iter().chain(&wild).copied().collect();
        for (rules, rest) in [(&all, &[][..]), (&plain, wild.as_slice())] {
            let looked: Vec<Ranked<'p>> = looked.iter().chain(rest).copied().collect();
            if let Some(built) = self.literals(rules, &looked, strings, true) {
                tables.extend(built);
                return;
            }
        }
        looked.extend(all);
        let built = self.literals(&[], &looked, strings, false);
        tables.extend(built.unwrap_or_default());
    }

    /// Infixes and what is looked at in as few automata as lists allow. Without a budget this holds for any rules: their
    /// literals are cut short, so the automata are linear in the number of rules.
    fn literals(
        &self,
        infixes: &[Ranked<'_>],
        looked: &[Ranked<'_>],
        strings: &mut Strings,
        bounded: bool,
    ) -> Option<Vec<Built>> {
        let mut infixes = ranked(infixes);
        let mut sets = anywhere(&to_look_at(looked, strings));
        if sets.is_empty() && !infixes.is_empty() {
            sets.push((Vec::new(), Vec::new()));
        }
        let mut built = Vec::new();
        for (literals, lists) in sets {
            let literals: Vec<Program> = literals
                .iter()
                .map(|bytes| anywhere_program(bytes))
                .collect();
            let mut programs = std::mem::take(&mut infixes);
            let of_rules = programs.iter().filter_map(|(outcome, _)| match outcome {
                Outcome::Rank(rank) => Some(*rank),
                Outcome::List(_) => None,
            });
            let of_lists = lists.iter().flat_map(|list| &list.entries);
            let highest = of_rules.chain(of_lists.map(|(rank, _)| *rank)).max();
            let bound = highest.map_or(0, |rank| rank.saturating_add(1));
            programs.extend((0..).map(Outcome::List).zip(&literals));
            let room = self.room(&programs);
            built.push(if bounded {
                self.attempt(&programs, &lists, bound, room)?
            } else {
                let dfa = determinize(&programs, usize::MAX, usize::MAX).ok()?;
                let table = Table::new(&dfa, &lists, bound, 0)?;
                Built {
                    table,
                    dfa: None,
                    bound,
                }
            });
        }
        Some(built)
    }
}

fn to_look_at<'p>(rules: &[Ranked<'p>], strings: &mut Strings) -> Vec<Looked<'p>> {
    let rules = rules.iter();
    rules
        .map(|rule| Looked {
            rank: rule.rank,
            pattern: strings.add(rule.pattern),
            program: rule.program,
        })
        .collect()
}

/// `*literal*`; everything, for no literal.
fn anywhere_program(literal: &[u8]) -> Program {
    let mut ops = vec![Op::Star];
    if !literal.is_empty() {
        ops.extend(literal.iter().take(MAX_LITERAL).copied().map(Op::Byte));
        ops.push(Op::Star);
    }
    Program {
        home: false,
        ops,
        optional_tail: false,
    }
}

/// Whether the pattern is the one value that it matches.
fn is_exact(rule: &Ranked<'_>) -> bool {
    let is_byte = |op: &Op| matches!(op, Op::Byte(_));
    let program = rule.program;
    !program.home && !program.optional_tail && program.ops.iter().all(is_byte)
}

fn has_no_wild_letter(rule: &Ranked<'_>) -> bool {
    !rule.program.ops.contains(&Op::Lead)
}

fn ranked<'p>(rules: &[Ranked<'p>]) -> Vec<(Outcome, &'p Program)> {
    let ranked = rules.iter();
    ranked
        .map(|rule| (Outcome::Rank(rule.rank), rule.program))
        .collect()
}

fn bound<'r, 'p: 'r>(rules: impl IntoIterator<Item = &'r Ranked<'p>>) -> u32 {
    let ranks = rules.into_iter().map(|rule| rule.rank.saturating_add(1));
    ranks.max().unwrap_or(0)
}

fn positions(programs: &[(Outcome, &Program)]) -> usize {
    let lengths = programs.iter().map(|(_, program)| program.ops.len());
    lengths.fold(0, usize::saturating_add)
}

fn n_positions(rules: &[Ranked<'_>]) -> usize {
    rules.iter().map(|rule| rule.program.ops.len()).sum()
}
