//! Path patterns as one nondeterministic automaton over the bytes of a path below its anchor: nothing for the anchor
//! itself, otherwise `/` and a component, again and again.

use regex_syntax::utf8::Utf8Sequences;

use crate::path_pattern::{Alternative, Atom, CharSet, Component};

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// First byte, last byte, target.
    pub(crate) moves: Vec<(u8, u8, u32)>,
    /// States that are reached without a byte.
    pub(crate) jumps: Vec<u32>,
    /// Rank + 1 of the pattern.
    pub(crate) rank: u32,
    pub(crate) role: Role,
    /// States of the same pattern that add nothing while this one is live: first, and the one behind the last.
    pub(crate) dominates: (u32, u32),
}

/// What a state says about the pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing yet.
    #[default]
    Inner,
    /// It matches if the path ends here.
    End,
    /// It matches whatever follows.
    Pass,
}

/// The automaton of some patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathNfa {
    pub(crate) states: Vec<State>,
    /// The first state of each alternative.
    pub(crate) starts: Vec<u32>,
}

impl PathNfa {
    /// Adds an alternative of the pattern with this rank.
    ///
    /// # Complexity
    ///
    /// O(bytes of the alternative).
    pub(crate) fn add(&mut self, rank: u32, alternative: &Alternative) {
        let mut builder = Builder {
            first: id(self.states.len()),
            rank: rank.saturating_add(1),
            nfa: self,
        };
        let start = builder.push(Role::Inner);
        builder.nfa.starts.push(start);
        builder.components(start, &alternative.components);
    }
}

struct Builder<'n> {
    nfa: &'n mut PathNfa,
    /// The first state of the alternative.
    first: u32,
    rank: u32,
}

impl Builder<'_> {
    fn push(&mut self, role: Role) -> u32 {
        let state = id(self.nfa.states.len());
        self.nfa.states.push(State {
            rank: self.rank,
            role,
            ..State::default()
        });
        state
    }

    fn state(&mut self, state: u32) -> Option<&mut State> {
        self.nfa.states.get_mut(usize::try_from(state).ok()?)
    }

    fn step(&mut self, from: u32, (first, last): (u8, u8), to: u32) {
        if let Some(state) = self.state(from) {
            state.moves.push((first, last, to));
        }
    }

    /// All bytes but `/`.
    fn step_inside(&mut self, from: u32, to: u32) {
        self.step(from, (0, b'/' - 1), to);
        self.step(from, (b'/' + 1, u8::MAX), to);
    }

    fn jump(&mut self, from: u32, to: u32) {
        if let Some(state) = self.state(from) {
            state.jumps.push(to);
        }
    }

    fn set_role(&mut self, state: u32, role: Role) {
        if let Some(state) = self.state(state) {
            state.role = role;
        }
    }

    fn set_dominates(&mut self, state: u32, dominates: (u32, u32)) {
        if let Some(state) = self.state(state) {
            state.dominates = dominates;
        }
    }

    fn components(&mut self, start: u32, components: &[Component]) {
        let mut at = start;
        for (index, component) in components.iter().enumerate() {
            let is_last = index.saturating_add(1) == components.len();
            at = match component {
                Component::Any if is_last => {
                    self.rest(at, index == 0);
                    return;
                }
                Component::Any => self.any(at),
                Component::Name(atoms) => self.name(at, atoms),
            };
        }
        self.set_role(at, Role::End);
    }

    /// A last `**`: the directory itself and all that is in it.
    fn rest(&mut self, at: u32, is_whole: bool) {
        if is_whole {
            self.set_role(at, Role::Pass);
            return;
        }
        self.set_role(at, Role::End);
        let below = self.push(Role::Pass);
        self.step(at, (b'/', b'/'), below);
    }

    /// Any number of components.
    ///
    /// Inside one of them the loop can still end wherever an earlier state of the pattern could lead, so that none of
    /// those is needed any more.
    fn any(&mut self, at: u32) -> u32 {
        let boundary = self.push(Role::Inner);
        let slash = self.push(Role::Inner);
        let inside = self.push(Role::Inner);
        self.jump(at, boundary);
        self.step(boundary, (b'/', b'/'), slash);
        self.step_inside(slash, inside);
        self.step_inside(inside, inside);
        self.jump(inside, boundary);
        for state in [slash, inside] {
            self.set_dominates(state, (self.first, boundary));
        }
        boundary
    }

    fn name(&mut self, at: u32, atoms: &[Atom]) -> u32 {
        let first = self.push(Role::Inner);
        self.step(at, (b'/', b'/'), first);
        let mut at = first;
        for atom in atoms {
            at = match atom {
                Atom::Char(letter) => {
                    let mut buffer = [0; 4];
                    let bytes = letter.encode_utf8(&mut buffer).bytes();
                    bytes.fold(at, |at, byte| {
                        let next = self.push(Role::Inner);
                        self.step(at, (byte, byte), next);
                        next
                    })
                }
                Atom::AnyChar => self.class(at, &CharSet::all()),
                Atom::Class(set) => self.class(at, set),
                Atom::Star => {
                    let star = self.push(Role::Inner);
                    self.jump(at, star);
                    self.step_inside(star, star);
                    self.set_dominates(star, (first, star));
                    star
                }
            };
        }
        at
    }

    fn class(&mut self, at: u32, set: &CharSet) -> u32 {
        let mut ends = Vec::new();
        for (first, last) in set.ranges() {
            for sequence in Utf8Sequences::new(*first, *last) {
                let mut here = at;
                let mut ranges = sequence.as_slice().iter().peekable();
                while let Some(range) = ranges.next() {
                    if ranges.peek().is_none() {
                        ends.push((here, (range.start, range.end)));
                    } else {
                        let next = self.push(Role::Inner);
                        self.step(here, (range.start, range.end), next);
                        here = next;
                    }
                }
            }
        }
        let after = self.push(Role::Inner);
        for (from, range) in ends {
            self.step(from, range, after);
        }
        after
    }
}

/// Patterns are bounded far below 2^32 states.
fn id(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
