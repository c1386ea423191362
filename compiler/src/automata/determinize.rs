//! Subset construction in the running-maximum form (page 5.2).
//!
//! A state is (base, extras, pass, end). *base* is the set of inner stars that have been reached: they stay reached, so
//! the set only grows along a path, and it is interned once for all states that share it. *extras* are the other live
//! positions. *pass* is the best rule whose trailing star was reached on entering the state, *end* the best rule that is
//! satisfied if the input ends here. A trailing star itself is not kept: the walk's running maximum remembers it. So
//! rules of shape prefix cost a trie, suffixes and infixes an Aho-Corasick (Aho and Corasick, 1975).

use std::collections::HashMap;

use super::alphabet::{Alphabet, ByteKind};
use super::program::{Op, Program};

/// A deterministic automaton. Ranks are stored plus one, 0 for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dfa {
    pub(crate) alphabet: Alphabet,
    /// Target state for each state and class, row by row.
    pub(crate) transitions: Vec<u32>,
    pub(crate) pass: Vec<u32>,
    pub(crate) end: Vec<u32>,
    /// List + 1 of the patterns to look at on entering a state, 0 for none.
    pub(crate) lists: Vec<u32>,
    pub(crate) start: u32,
    /// Where patterns that mean home start; `None` if there are none.
    pub(crate) home_start: Option<u32>,
}

impl Dfa {
    pub(crate) fn n_states(&self) -> usize {
        self.pass.len()
    }

    /// The state after a byte.
    pub(crate) fn next(&self, state: u32, byte: u8) -> u32 {
        let row = usize::try_from(state).unwrap_or(usize::MAX);
        let at = row
            .saturating_mul(self.alphabet.len())
            .saturating_add(self.alphabet.class(byte));
        self.transitions.get(at).copied().unwrap_or(0)
    }

    pub(crate) fn pass(&self, state: u32) -> u32 {
        at(&self.pass, state)
    }

    pub(crate) fn end(&self, state: u32) -> u32 {
        at(&self.end, state)
    }
}

fn at(column: &[u32], state: u32) -> u32 {
    usize::try_from(state)
        .ok()
        .and_then(|state| column.get(state))
        .copied()
        .unwrap_or(0)
}

/// A budget was used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OverBudget;

/// What is known once a program is satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The rule of this rank matches.
    Rank(u32),
    /// The patterns of this list may match. Of several at one place the last one is kept: lists must be numbered so that
    /// it links to the others.
    List(u32),
}

/// Builds the automaton of programs.
///
/// # Errors
///
/// More than `max_states` states or `max_steps` steps.
///
/// # Complexity
///
/// O(`max_states` x classes + `max_steps`) time and memory, whatever the programs.
pub(crate) fn determinize(
    programs: &[(Outcome, &Program)],
    max_states: usize,
    max_steps: usize,
) -> Result<Dfa, OverBudget> {
    let mut builder = Builder::new(programs, max_states, max_steps);
    let start = builder.initial(false)?;
    let has_home = programs.iter().any(|(_, program)| program.home);
    let home_start = if has_home {
        Some(builder.initial(true)?)
    } else {
        None
    };
    builder.run()?;
    Ok(Dfa {
        alphabet: builder.alphabet,
        transitions: builder.transitions,
        pass: builder.keys.iter().map(|key| key.pass).collect(),
        end: builder.keys.iter().map(|key| key.end).collect(),
        lists: builder.keys.iter().map(|key| key.list).collect(),
        start,
        home_start,
    })
}

/// One position of one program.
#[derive(Clone, Copy)]
struct Position {
    /// `None` at the program's end.
    op: Option<Op>,
    /// Rank + 1 of the program, 0 if it has a list.
    rank: u32,
    /// List + 1 of the program, 0 if it has a rank.
    list: u32,
    /// The program may end here although a space and a star follow.
    may_end: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    base: u32,
    extras: Box<[u32]>,
    pass: u32,
    end: u32,
    list: u32,
}

/// An interned set of inner stars with what follows them.
struct Base {
    stars: Box<[u32]>,
    /// (class, position after the star's first literal byte), sorted by class.
    advances: Box<[(usize, u32)]>,
}

/// A state while its positions are collected.
#[derive(Default)]
struct Collected {
    stars: Vec<u32>,
    extras: Vec<u32>,
    pass: u32,
    end: u32,
    list: u32,
}

struct Builder {
    alphabet: Alphabet,
    positions: Vec<Position>,
    /// First position of each program, and whether it starts after home.
    starts: Vec<(u32, bool)>,
    bases: Vec<Base>,
    base_ids: HashMap<Box<[u32]>, u32>,
    base_targets: HashMap<(u32, usize), u32>,
    keys: Vec<Key>,
    key_ids: HashMap<Key, u32>,
    transitions: Vec<u32>,
    max_states: usize,
    steps_left: usize,
}

impl Builder {
    fn new(programs: &[(Outcome, &Program)], max_states: usize, max_steps: usize) -> Self {
        let alphabet = Alphabet::new(programs.iter().map(|(_, program)| *program));
        let mut positions = Vec::new();
        let mut starts = Vec::new();
        for (outcome, program) in programs {
            let (rank, list) = match outcome {
                Outcome::Rank(rank) => (rank.saturating_add(1), 0),
                Outcome::List(list) => (0, list.saturating_add(1)),
            };
            starts.push((id(positions.len()), program.home));
            let n_ops = program.ops.len();
            for (index, op) in program.ops.iter().enumerate() {
                positions.push(Position {
                    op: Some(*op),
                    rank,
                    list,
                    may_end: program.optional_tail && index.saturating_add(2) == n_ops,
                });
            }
            positions.push(Position {
                op: None,
                rank,
                list,
                may_end: false,
            });
        }
        Self {
            alphabet,
            positions,
            starts,
            bases: Vec::new(),
            base_ids: HashMap::new(),
            base_targets: HashMap::new(),
            keys: Vec::new(),
            key_ids: HashMap::new(),
            transitions: Vec::new(),
            max_states,
            steps_left: max_steps,
        }
    }

    fn position(&self, position: u32) -> Position {
        // INVARIANT: positions come from `starts` and steps inside a program; the default accepts nothing.
        usize::try_from(position)
            .ok()
            .and_then(|index| self.positions.get(index))
            .copied()
            .unwrap_or(Position {
                op: None,
                rank: 0,
                list: 0,
                may_end: false,
            })
    }

    fn spend(&mut self, n_steps: usize) -> Result<(), OverBudget> {
        self.steps_left = self.steps_left.checked_sub(n_steps).ok_or(OverBudget)?;
        Ok(())
    }

    fn initial(&mut self, home: bool) -> Result<u32, OverBudget> {
        let mut collected = Collected::default();
        let starts: Vec<u32> = self
            .starts
            .iter()
            .filter(|(_, starts_at_home)| *starts_at_home == home)
            .map(|(start, _)| *start)
            .collect();
        self.spend(starts.len())?;
        for start in starts {
            self.add(&mut collected, start);
        }
        let none = self.intern_base(&[])?;
        self.intern(none, collected)
    }

    /// Adds a position and what is reached from it without reading a byte.
    fn add(&self, collected: &mut Collected, mut position: u32) {
        loop {
            let here = self.position(position);
            let next = position.saturating_add(1);
            if here.may_end {
                collected.end = collected.end.max(here.rank);
            }
            match here.op {
                None => {
                    collected.end = collected.end.max(here.rank);
                    return;
                }
                Some(Op::Star) => {
                    if self.position(next).op.is_none() {
                        collected.pass = collected.pass.max(here.rank);
                        collected.list = collected.list.max(here.list);
                    } else {
                        collected.stars.push(position);
                    }
                    return;
                }
                Some(Op::Tail) => collected.extras.push(position),
                Some(Op::Byte(_) | Op::Lead) => {
                    collected.extras.push(position);
                    return;
                }
            }
            position = next;
        }
    }

    fn run(&mut self) -> Result<(), OverBudget> {
        let n_classes = self.alphabet.len();
        let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); n_classes];
        let mut state = 0_usize;
        while let Some(key) = self.keys.get(state).cloned() {
            self.spend(n_classes.saturating_add(key.extras.len()))?;
            self.advance(&key.extras, &mut by_class)?;
            for (class, targets) in by_class.iter_mut().enumerate() {
                let target = if targets.is_empty() {
                    self.base_target(key.base, class)?
                } else {
                    self.base_advances(key.base, class, targets);
                    self.collect(key.base, targets)?
                };
                targets.clear();
                self.transitions.push(target);
            }
            state = state.saturating_add(1);
        }
        Ok(())
    }

    fn collect(&mut self, base: u32, positions: &[u32]) -> Result<u32, OverBudget> {
        let mut collected = Collected::default();
        for position in positions {
            self.add(&mut collected, *position);
        }
        self.intern(base, collected)
    }

    /// Where a class leads if nothing but the base is alive; worked out once for each base and class, because the base of
    /// an Aho-Corasick holds every pattern.
    fn base_target(&mut self, base: u32, class: usize) -> Result<u32, OverBudget> {
        if let Some(target) = self.base_targets.get(&(base, class)) {
            return Ok(*target);
        }
        let mut positions = Vec::new();
        self.base_advances(base, class, &mut positions);
        let target = self.collect(base, &positions)?;
        self.base_targets.insert((base, class), target);
        Ok(target)
    }

    /// Adds the positions that a base reaches on a class.
    fn base_advances(&self, base: u32, class: usize, positions: &mut Vec<u32>) {
        let base = usize::try_from(base)
            .ok()
            .and_then(|base| self.bases.get(base));
        let advances = base.map_or([].as_slice(), |base| &base.advances);
        let first = advances.partition_point(|(at, _)| *at < class);
        let on_class = advances
            .iter()
            .skip(first)
            .take_while(|(at, _)| *at == class);
        positions.extend(on_class.map(|(_, position)| *position));
    }

    /// The positions that extras reach on each class.
    fn advance(&mut self, extras: &[u32], by_class: &mut [Vec<u32>]) -> Result<(), OverBudget> {
        let mut push = |class: usize, position: u32| {
            if let Some(targets) = by_class.get_mut(class) {
                targets.push(position);
            }
        };
        let mut n_wild = 0_usize;
        for position in extras {
            let next = position.saturating_add(1);
            match self.position(*position).op {
                Some(Op::Byte(byte)) => push(self.alphabet.class(byte), next),
                Some(Op::Lead) => {
                    n_wild = n_wild.saturating_add(1);
                    for (class, kind) in self.alphabet.kinds().iter().enumerate() {
                        match kind {
                            ByteKind::Ascii => push(class, next.saturating_add(1)),
                            ByteKind::Lead => push(class, next),
                            ByteKind::Continuation => {}
                        }
                    }
                }
                Some(Op::Tail) => {
                    n_wild = n_wild.saturating_add(1);
                    for (class, kind) in self.alphabet.kinds().iter().enumerate() {
                        if *kind == ByteKind::Continuation {
                            push(class, *position);
                        }
                    }
                }
                Some(Op::Star) | None => {}
            }
        }
        self.spend(n_wild.saturating_mul(self.alphabet.len()))
    }

    fn intern(&mut self, base: u32, collected: Collected) -> Result<u32, OverBudget> {
        let Collected {
            stars,
            mut extras,
            pass,
            end,
            list,
        } = collected;
        self.spend(extras.len().saturating_add(stars.len()))?;
        let base = if stars.is_empty() {
            base
        } else {
            self.grow_base(base, stars)?
        };
        extras.sort_unstable();
        extras.dedup();
        let key = Key {
            base,
            extras: extras.into_boxed_slice(),
            pass,
            end,
            list,
        };
        if let Some(state) = self.key_ids.get(&key) {
            return Ok(*state);
        }
        if self.keys.len() >= self.max_states {
            return Err(OverBudget);
        }
        let state = id(self.keys.len());
        self.keys.push(key.clone());
        self.key_ids.insert(key, state);
        Ok(state)
    }

    fn grow_base(&mut self, base: u32, added: Vec<u32>) -> Result<u32, OverBudget> {
        let mut stars = added;
        if let Some(known) = usize::try_from(base)
            .ok()
            .and_then(|base| self.bases.get(base))
        {
            if stars
                .iter()
                .all(|star| known.stars.binary_search(star).is_ok())
            {
                return Ok(base);
            }
            stars.extend(known.stars.iter().copied());
        }
        stars.sort_unstable();
        stars.dedup();
        self.intern_base(&stars)
    }

    fn intern_base(&mut self, stars: &[u32]) -> Result<u32, OverBudget> {
        self.spend(stars.len())?;
        if let Some(base) = self.base_ids.get(stars) {
            return Ok(*base);
        }
        let mut advances: Vec<(usize, u32)> = Vec::with_capacity(stars.len());
        for star in stars {
            // INVARIANT: a program is normalized, so a literal byte follows every inner star.
            if let Some(Op::Byte(byte)) = self.position(star.saturating_add(1)).op {
                advances.push((self.alphabet.class(byte), star.saturating_add(2)));
            }
        }
        advances.sort_unstable();
        let base = id(self.bases.len());
        self.bases.push(Base {
            stars: stars.into(),
            advances: advances.into_boxed_slice(),
        });
        self.base_ids.insert(stars.into(), base);
        Ok(base)
    }
}

/// Counts are bounded by budgets far below 2^32.
fn id(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use permc_grammar::pattern::HomeMode;
    use permc_runtime::{MatchContext, pattern_matches};

    use super::*;

    fn build(patterns: &[&str], max_states: usize) -> Result<Dfa, OverBudget> {
        let programs: Vec<Program> = patterns
            .iter()
            .map(|pattern| Program::parse(pattern, HomeMode::Expand, false).unwrap())
            .collect();
        let ranked: Vec<(Outcome, &Program)> = (0..).map(Outcome::Rank).zip(&programs).collect();
        determinize(&ranked, max_states, 1_000_000)
    }

    fn best(dfa: &Dfa, start: u32, text: &str) -> u32 {
        let mut state = start;
        let mut best = dfa.pass(state);
        for byte in text.bytes() {
            state = dfa.next(state, byte);
            best = best.max(dfa.pass(state));
        }
        best.max(dfa.end(state))
    }

    #[test]
    fn equals_one_by_one_matching() {
        let patterns = [
            "*", "git *", "git", "*é", "?", "a?é*", "*a*b", "a*b", "*ab*", " *", "??", "*日?",
            "a * *", "x*?", "git *a *",
        ];
        let dfa = build(&patterns, 10_000).unwrap();
        for value in [
            "", "a", "é", "git", "git ", "git x", "gitx", "ab", "aéé", "xéx", "日", "日本",
            "a日本", " ", " x", "a b", "a b c", "xx", "x", "xaxb", "aab", "git a", "git xa y",
            "日日é",
        ] {
            let expected = (0_u32..)
                .zip(patterns)
                .filter(|(_, pattern)| pattern_matches(pattern, value, MatchContext::default()))
                .map(|(rank, _)| rank + 1)
                .max()
                .unwrap_or(0);
            assert_eq!(best(&dfa, dfa.start, value), expected, "{value:?}");
        }
    }

    #[test]
    fn home_patterns_have_a_start_of_their_own() {
        let dfa = build(&["~", "/x", "~/x*"], 100).unwrap();
        let home = dfa.home_start.unwrap();
        assert_eq!(best(&dfa, home, ""), 1);
        assert_eq!(best(&dfa, home, "/xy"), 3);
        assert_eq!(best(&dfa, dfa.start, "/x"), 2);
        assert_eq!(best(&dfa, dfa.start, "~"), 0);
    }

    #[test]
    fn prefixes_cost_a_trie_and_suffixes_their_length() {
        let prefixes: Vec<String> = (0..500).map(|n| format!("tool{n} run *")).collect();
        let total: usize = prefixes.iter().map(String::len).sum();
        let dfa = build(
            &prefixes.iter().map(String::as_str).collect::<Vec<_>>(),
            100_000,
        )
        .unwrap();
        assert!(dfa.n_states() <= total + 2, "{}", dfa.n_states());
        let suffixes: Vec<String> = (0..500).map(|n| format!("*.ext{n}")).collect();
        let total: usize = suffixes.iter().map(String::len).sum();
        let dfa = build(
            &suffixes.iter().map(String::as_str).collect::<Vec<_>>(),
            100_000,
        )
        .unwrap();
        assert!(dfa.n_states() <= total + 2, "{}", dfa.n_states());
    }

    #[test]
    fn budgets_end_what_would_explode() {
        let rules: Vec<String> = (0..50).map(|n| format!("*a{n}x*b{n}y*")).collect();
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        assert_eq!(build(&rules, 5_000), Err(OverBudget));
        assert!(build(&rules[..2], 5_000).is_ok());
    }
}
