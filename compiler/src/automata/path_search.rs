//! Exact questions about path patterns: do two of them meet, and can a pattern win among others?
//!
//! Only paths that exist as such are walked: names are not empty, not `.` and not `..`, and the bytes are UTF-8.

use std::collections::{HashSet, VecDeque};

use super::determinize::Dfa;
use super::path_nfa::{PathNfa, Role};

/// Where a walk stands in a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    name: Name,
    /// Bytes of a character that are still to come.
    pending: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    /// Nothing was read: the anchor itself.
    Start,
    /// Behind a separator.
    Empty,
    /// `.`
    Dot,
    /// `..`
    Dots,
    /// A name.
    Whole,
}

impl Shape {
    const START: Self = Self {
        name: Name::Start,
        pending: 0,
    };

    /// Whether a path may end here.
    fn is_path(self) -> bool {
        self.pending == 0 && matches!(self.name, Name::Start | Name::Whole)
    }

    fn step(self, byte: u8) -> Option<Self> {
        let (name, pending) = match byte {
            0x80..=0xBF => (Name::Whole, self.pending.checked_sub(1)?),
            _ if self.pending > 0 => return None,
            b'/' if self.is_path() => (Name::Empty, 0),
            b'/' => return None,
            _ if self.name == Name::Start => return None,
            b'.' => match self.name {
                Name::Empty => (Name::Dot, 0),
                Name::Dot => (Name::Dots, 0),
                _ => (Name::Whole, 0),
            },
            0..=0x7F => (Name::Whole, 0),
            0xC2..=0xDF => (Name::Whole, 1),
            0xE0..=0xEF => (Name::Whole, 2),
            0xF0..=0xF4 => (Name::Whole, 3),
            _ => return None,
        };
        Some(Self { name, pending })
    }
}

/// Whether some path matches both patterns; `None` where that takes more than `max_nodes`.
///
/// # Complexity
///
/// O(`max_nodes` x moves of a position).
pub(crate) fn meet(left: &PathNfa, right: &PathNfa, max_nodes: usize) -> Option<bool> {
    let mut seen = HashSet::new();
    let mut waiting = Vec::new();
    for left in &left.starts {
        for right in &right.starts {
            waiting.push((*left, *right, Shape::START));
        }
    }
    while let Some(node) = waiting.pop() {
        if !seen.insert(node) {
            continue;
        }
        if seen.len() > max_nodes {
            return None;
        }
        let (l, r, shape) = node;
        let (Some(from_left), Some(from_right)) = (position(left, l), position(right, r)) else {
            continue;
        };
        if shape.is_path() && from_left.role != Role::Inner && from_right.role != Role::Inner {
            return Some(true);
        }
        waiting.extend(from_left.jumps.iter().map(|l| (*l, r, shape)));
        waiting.extend(from_right.jumps.iter().map(|r| (l, *r, shape)));
        // Whatever follows keeps a pattern that has passed where it is.
        let moves = |role: Role, moves: &[(u8, u8, u32)], stay: u32| {
            let mut moves = moves.to_vec();
            if role == Role::Pass {
                moves.push((0, u8::MAX, stay));
            }
            moves
        };
        for (first, last, l) in moves(from_left.role, &from_left.moves, l) {
            for (other_first, other_last, r) in moves(from_right.role, &from_right.moves, r) {
                let (first, last) = (first.max(other_first), last.min(other_last));
                for byte in telling(first, last) {
                    waiting.extend(shape.step(byte).map(|shape| (l, r, shape)));
                }
            }
        }
    }
    Some(false)
}

fn position(nfa: &PathNfa, state: u32) -> Option<&super::path_nfa::State> {
    nfa.states.get(usize::try_from(state).ok()?)
}

/// Bytes of a range, one of each kind that shapes tell apart.
fn telling(first: u8, last: u8) -> impl Iterator<Item = u8> {
    const EDGES: [u8; 9] = [0, b'.', b'/', b'/' + 1, 0x80, 0xC2, 0xE0, 0xF0, 0xF5];
    let edges = EDGES
        .into_iter()
        .filter(move |edge| (first..=last).contains(edge));
    let own = (first <= last).then_some(first);
    own.into_iter()
        .chain(edges.filter(move |edge| *edge != first))
}

/// Where a walk over an automaton begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin<'d> {
    dfa: &'d Dfa,
    state: u32,
    /// The best rank + 1 that is satisfied whatever follows.
    passed: u32,
}

impl<'d> Begin<'d> {
    /// The walk behind some bytes.
    pub(crate) fn behind(dfa: &'d Dfa, bytes: &str) -> Self {
        let mut begin = Self {
            dfa,
            state: dfa.start,
            passed: dfa.pass(dfa.start),
        };
        for byte in bytes.bytes() {
            begin.state = dfa.next(begin.state, byte);
            begin.passed = begin.passed.max(dfa.pass(begin.state));
        }
        begin
    }

    /// The best rank + 1 if the path goes on with these bytes and ends there.
    pub(crate) fn best(&self, rest: &str) -> u32 {
        let mut walk = *self;
        for byte in rest.bytes() {
            walk.state = walk.dfa.next(walk.state, byte);
            walk.passed = walk.passed.max(walk.dfa.pass(walk.state));
        }
        walk.passed.max(walk.dfa.end(walk.state))
    }
}

/// The ranks + 1 among `wanted` that win on some path; `None` where that takes more nodes than `nodes_left`, from which
/// they are taken, one for each automaton.
///
/// # Complexity
///
/// O(`nodes_left` x classes).
pub(crate) fn winning(
    begins: &[Begin<'_>],
    wanted: &HashSet<u32>,
    nodes_left: &mut usize,
) -> Option<HashSet<u32>> {
    let letters = letters(begins);
    let states: Vec<u32> = begins.iter().map(|begin| begin.state).collect();
    let passed = begins.iter().map(|begin| begin.passed).max().unwrap_or(0);
    let best = |states: &[u32], rank: fn(&Dfa, u32) -> u32| {
        let pairs = begins.iter().zip(states);
        pairs
            .map(|(begin, state)| rank(begin.dfa, *state))
            .max()
            .unwrap_or(0)
    };
    let first = (states, Shape::START, passed);
    let mut found = HashSet::new();
    let mut seen = HashSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    while let Some((states, shape, passed)) = waiting.pop_front() {
        if shape.is_path() {
            let winner = passed.max(best(&states, Dfa::end));
            if wanted.contains(&winner) {
                found.insert(winner);
                if found.len() == wanted.len() {
                    break;
                }
            }
        }
        for byte in &letters {
            let Some(shape) = shape.step(*byte) else {
                continue;
            };
            let next = begins.iter().zip(&states);
            let next: Vec<u32> = next
                .map(|(begin, state)| begin.dfa.next(*state, *byte))
                .collect();
            let passed = passed.max(best(&next, Dfa::pass));
            let node = (next, shape, passed);
            if seen.insert(node.clone()) {
                *nodes_left = nodes_left.checked_sub(begins.len())?;
                waiting.push_back(node);
            }
        }
    }
    Some(found)
}

/// One byte of each kind that some automaton or the shapes tell apart.
fn letters(begins: &[Begin<'_>]) -> Vec<u8> {
    let mut starts = [false; 256];
    for Begin { dfa, .. } in begins {
        let mut before = None;
        for (class, start) in dfa.alphabet.class_map().iter().zip(&mut starts) {
            *start |= before != Some(*class);
            before = Some(*class);
        }
    }
    let starts = (0..=u8::MAX)
        .zip(starts)
        .filter_map(|(byte, is_start)| is_start.then_some(byte));
    let mut letters: Vec<u8> = starts.chain(telling(0, u8::MAX)).collect();
    letters.sort_unstable();
    letters.dedup();
    letters
}
