//! Matching one alternative at a time, by the textbook: what tests and lints hold the automata against.

use super::{Alternative, Atom, Component};

impl Alternative {
    /// Whether a path below the anchor matches: nothing for the anchor itself, else `/` and a component, again and again.
    ///
    /// # Complexity
    ///
    /// O(components x components of the path + letters x letters).
    pub(crate) fn matches_path(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').skip(1).collect();
        // `reached[n]`: the components so far match the first n names.
        let mut reached: Vec<bool> = vec![false; names.len().saturating_add(1)];
        if let Some(first) = reached.first_mut() {
            *first = true;
        }
        for component in &self.components {
            let mut next = vec![false; reached.len()];
            for (n, here) in reached.iter().enumerate() {
                match component {
                    Component::Any if *here => {
                        next.iter_mut().skip(n).for_each(|next| *next = true);
                    }
                    Component::Name(atoms) if *here => {
                        let name = names.get(n);
                        if let (Some(name), Some(next)) = (name, next.get_mut(n.saturating_add(1)))
                        {
                            *next |= matches_name(atoms, name);
                        }
                    }
                    _ => {}
                }
            }
            reached = next;
        }
        reached.last() == Some(&true)
    }
}

/// `reached[i]` says whether the first `i` atoms match the letters read so far.
fn matches_name(atoms: &[Atom], name: &str) -> bool {
    let mut reached = vec![true];
    for atom in atoms {
        let before = reached.last() == Some(&true);
        reached.push(before && *atom == Atom::Star);
    }
    for letter in name.chars() {
        let mut next = vec![false];
        for ((atom, before), stays) in atoms.iter().zip(&reached).zip(reached.iter().skip(1)) {
            let here = match atom {
                Atom::Char(expected) => *before && *expected == letter,
                Atom::AnyChar => *before,
                Atom::Class(set) => *before && set.contains(letter),
                Atom::Star => *stays || *before || next.last() == Some(&true),
            };
            next.push(here);
        }
        reached = next;
    }
    reached.last() == Some(&true)
}
