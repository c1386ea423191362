//! Settling an automaton: what can never win is taken out, and every state learns what can still come.
//!
//! Two bounds decide it. *Guaranteed* is the least rank that every walk into a state has already met; an outcome that is
//! not above it never wins. *Cap* is the highest rank that can still come; where it is not above what is guaranteed, all
//! that follows is one and the same dead state.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::alphabet::Alphabet;
use super::determinize::Dfa;

/// What a state answers. Ranks and lists are stored plus one, 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Head {
    /// The best rule that is satisfied on entering the state.
    pub(crate) pass: u32,
    /// The best rule that is satisfied if the value ends here.
    pub(crate) end: u32,
    /// The best rule that can still come, the end included; 0 if that is none.
    pub(crate) cap: u32,
    /// Patterns to look at on entering the state.
    pub(crate) list: u32,
}

impl Head {
    /// Whether a walk must look at the head on entering the state.
    pub(crate) const fn needs_attention(&self) -> bool {
        self.pass != 0 || self.list != 0 || self.cap == 0
    }
}

/// An automaton with settled heads.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) alphabet: Alphabet,
    /// Target state for each state and class, row by row.
    pub(crate) transitions: Vec<u32>,
    pub(crate) heads: Vec<Head>,
    pub(crate) start: u32,
    pub(crate) home_start: Option<u32>,
}

impl Machine {
    pub(crate) fn n_states(&self) -> usize {
        self.heads.len()
    }

    /// The targets of a state, one a class.
    pub(crate) fn row(&self, state: u32) -> &[u32] {
        let n_classes = self.alphabet.len();
        let start = index(state).saturating_mul(n_classes);
        self.transitions
            .get(start..start.saturating_add(n_classes))
            .unwrap_or_default()
    }

    pub(crate) fn head(&self, state: u32) -> Head {
        self.heads.get(index(state)).copied().unwrap_or_default()
    }
}

/// Settles an automaton. `list_tops` holds the highest rank + 1 of each list, those that it links to included.
///
/// # Complexity
///
/// O(transitions x log states).
pub(crate) fn settle(dfa: &Dfa, list_tops: &[u32]) -> Machine {
    let n_states = dfa.n_states();
    let top = |list: u32| {
        let list = list.checked_sub(1).map(index);
        list.and_then(|list| list_tops.get(list))
            .copied()
            .unwrap_or(0)
    };
    let mut machine = Machine {
        alphabet: dfa.alphabet.clone(),
        transitions: dfa.transitions.clone(),
        heads: Vec::with_capacity(n_states),
        start: dfa.start,
        home_start: dfa.home_start,
    };
    let (before, after) = guaranteed(dfa, &machine);
    let columns = dfa.pass.iter().zip(&dfa.end).zip(&dfa.lists);
    for (((pass, end), list), (before, after)) in columns.zip(before.iter().zip(&after)) {
        let keep = |rank: u32, floor: u32| if rank > floor { rank } else { 0 };
        machine.heads.push(Head {
            pass: keep(*pass, *before),
            end: keep(*end, *after),
            cap: 0,
            list: if top(*list) > *after { *list } else { 0 },
        });
    }
    let caps = caps(&machine, top);
    bury(&mut machine, &caps, &after);
    machine
}

/// For each state the least rank + 1 that walks have met before they enter it, and after.
fn guaranteed(dfa: &Dfa, machine: &Machine) -> (Vec<u32>, Vec<u32>) {
    let mut before = vec![u32::MAX; dfa.n_states()];
    let mut after = vec![u32::MAX; dfa.n_states()];
    let mut queue = BinaryHeap::new();
    for start in [Some(dfa.start), dfa.home_start].into_iter().flatten() {
        if let Some(before) = before.get_mut(index(start)) {
            *before = 0;
        }
        queue.push((Reverse(dfa.pass(start)), start));
    }
    // As Dijkstra's, with the maximum in place of the sum: a state is final when it is taken for the first time.
    while let Some((Reverse(least), state)) = queue.pop() {
        match after.get_mut(index(state)) {
            Some(after) if *after == u32::MAX => *after = least,
            _ => continue,
        }
        let mut last = None;
        for target in machine.row(state) {
            if last == Some(*target) {
                continue;
            }
            last = Some(*target);
            let Some(known) = before.get_mut(index(*target)) else {
                continue;
            };
            if least < *known {
                *known = least;
                queue.push((Reverse(least.max(dfa.pass(*target))), *target));
            }
        }
    }
    (before, after)
}

/// The highest rank + 1 that can come after entering each state.
fn caps(machine: &Machine, top: impl Fn(u32) -> u32) -> Vec<u32> {
    let n_states = machine.n_states();
    let mut caps: Vec<u32> = machine.heads.iter().map(|head| head.end).collect();
    let sources = Sources::new(machine);
    let mut queue: Vec<(u32, u32)> = Vec::new();
    for (state, head) in (0..).zip(&machine.heads) {
        queue.push((head.end.max(head.pass).max(top(head.list)), state));
    }
    queue.sort_unstable();
    // The highest rank reaches back first, so that each state is visited for its cap once, whatever the loops.
    let mut reached = vec![false; n_states];
    let mut stack = Vec::new();
    while let Some((rank, state)) = queue.pop() {
        if rank == 0 {
            break;
        }
        stack.push(state);
        while let Some(state) = stack.pop() {
            for source in sources.of(state) {
                if let Some(reached) = reached.get_mut(index(*source))
                    && !*reached
                {
                    *reached = true;
                    if let Some(cap) = caps.get_mut(index(*source)) {
                        *cap = (*cap).max(rank);
                    }
                    stack.push(*source);
                }
            }
        }
    }
    caps
}

/// The states that lead to each state.
struct Sources {
    firsts: Vec<u32>,
    sources: Vec<u32>,
}

impl Sources {
    fn new(machine: &Machine) -> Self {
        let n_states = machine.n_states();
        let mut firsts = vec![0_u32; n_states.saturating_add(2)];
        let edges = |mut visit: Box<dyn FnMut(u32, u32) + '_>| {
            for state in (0..).take(n_states) {
                let mut last = None;
                for target in machine.row(state) {
                    if last != Some(*target) {
                        visit(state, *target);
                    }
                    last = Some(*target);
                }
            }
        };
        edges(Box::new(|_, target| {
            if let Some(count) = firsts.get_mut(index(target).saturating_add(2)) {
                *count = count.saturating_add(1);
            }
        }));
        let mut total = 0_u32;
        for first in &mut firsts {
            total = total.saturating_add(*first);
            *first = total;
        }
        let mut sources = vec![0_u32; index(total)];
        edges(Box::new(|state, target| {
            if let Some(next) = firsts.get_mut(index(target).saturating_add(1)) {
                if let Some(place) = sources.get_mut(index(*next)) {
                    *place = state;
                }
                *next = next.saturating_add(1);
            }
        }));
        Self { firsts, sources }
    }

    fn of(&self, state: u32) -> &[u32] {
        let first = self.firsts.get(index(state)).copied().unwrap_or(0);
        let end = self
            .firsts
            .get(index(state).saturating_add(1))
            .copied()
            .unwrap_or(0);
        self.sources
            .get(index(first)..index(end))
            .unwrap_or_default()
    }
}

/// Gives heads their caps; a state behind which nothing better can come leads to the dead state alone.
fn bury(machine: &mut Machine, caps: &[u32], guaranteed: &[u32]) {
    let n_classes = machine.alphabet.len();
    // INVARIANT: determinization is bounded by budgets far below 2^32 states.
    let dead = u32::try_from(machine.n_states()).unwrap_or(u32::MAX);
    let rows = machine.transitions.chunks_mut(n_classes.max(1));
    let mut any = false;
    for ((head, row), (cap, guaranteed)) in machine
        .heads
        .iter_mut()
        .zip(rows)
        .zip(caps.iter().zip(guaranteed))
    {
        if *cap > *guaranteed {
            head.cap = *cap;
        } else {
            head.end = 0;
            row.fill(dead);
            any = true;
        }
    }
    if any {
        let is_dead = |state: u32| {
            let head = machine.heads.get(index(state));
            head.is_none_or(|head| *head == Head::default())
        };
        for target in &mut machine.transitions {
            if is_dead(*target) {
                *target = dead;
            }
        }
        machine.heads.push(Head::default());
        machine
            .transitions
            .extend(std::iter::repeat_n(dead, n_classes));
    }
}

fn index(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use permc_grammar::pattern::HomeMode;

    use super::super::determinize::{Outcome, determinize};
    use super::super::program::Program;
    use super::*;

    fn machine(patterns: &[&str]) -> Machine {
        let programs: Vec<Program> = patterns
            .iter()
            .map(|pattern| Program::parse(pattern, HomeMode::Expand, false).unwrap())
            .collect();
        let ranked: Vec<(Outcome, &Program)> = (0..).map(Outcome::Rank).zip(&programs).collect();
        settle(&determinize(&ranked, 10_000, 1_000_000).unwrap(), &[])
    }

    fn after(machine: &Machine, text: &str) -> u32 {
        text.bytes().fold(machine.start, |state, byte| {
            machine.row(state)[machine.alphabet.class(byte)]
        })
    }

    #[test]
    fn what_is_below_a_guarantee_never_answers() {
        // Rank 1 matches everything, so rank 0 never wins and leaves no state behind.
        let machine = machine(&["git *", "*", "npm *"]);
        assert_eq!(machine.head(machine.start).pass, 2);
        assert_eq!(machine.head(after(&machine, "git ")).cap, 0);
        assert_eq!(machine.head(after(&machine, "npm ")).pass, 3);
    }

    #[test]
    fn a_walk_is_over_where_nothing_better_can_come() {
        let machine = machine(&["*", "git *", "*.env", "sudo *"]);
        let git = machine.head(after(&machine, "git "));
        assert_eq!((git.pass, git.cap), (2, 3));
        let sudo = machine.head(after(&machine, "sudo "));
        assert_eq!((sudo.pass, sudo.cap), (4, 0));
        assert!(sudo.needs_attention());
    }

    #[test]
    fn caps_are_the_highest_rank_ahead() {
        let machine = machine(&["*", "ab", "abc", "x"]);
        assert_eq!(machine.head(machine.start).cap, 4);
        assert_eq!(machine.head(after(&machine, "a")).cap, 3);
        let ab = machine.head(after(&machine, "ab"));
        assert_eq!((ab.end, ab.cap), (2, 3));
        assert_eq!(machine.head(after(&machine, "abc")).cap, 3);
        assert_eq!(machine.head(after(&machine, "abcd")).cap, 0);
    }
}
