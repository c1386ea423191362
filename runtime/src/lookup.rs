//! The lookup: surface to class, class and value to the rank of the winner. No allocation, no lock.

use crate::automaton::{AnyAutomaton, Automaton, Cell, Walk};
use crate::bytes::{index, word};
use crate::fold::{folded_bytes, strip_folded_prefix};
use crate::format;
use crate::parts::{Class, Parts, Strings, View};
use crate::wildcard::{MatchContext, name_matches, pattern_matches};

/// The winner among a class's rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u32);

impl Rank {
    /// The rule of the rank.
    pub(crate) fn rule(self, class: &Class<'_>) -> Option<u32> {
        word(class.rules, index(self.0))
    }
}

/// Bytes that are folded at a time.
const FOLD_BLOCK: usize = 256;

impl<'p> Parts<'p> {
    /// The class of a surface in a view.
    #[inline]
    pub(crate) fn class(&self, view: &View<'p>, surface: &str) -> Option<Class<'p>> {
        let id = match self.surfaces.find(&self.strings, surface) {
            Some(named) => word(view.named, index(named))?,
            None if view.automaton == format::NONE => word(view.others, 0)?,
            None => word(view.others, index(self.other_class(view, surface)?))?,
        };
        self.classes.get(id)
    }

    #[cold]
    fn other_class(&self, view: &View<'p>, surface: &str) -> Option<u32> {
        let entry = self.tables.get(view.automaton)?;
        let mut values = Value::new(surface, MatchContext::default());
        let class = match AnyAutomaton::read(entry.kind, entry.bytes)? {
            AnyAutomaton::Narrow(table) => values.search(&table, &self.strings, 0)?,
            AnyAutomaton::Wide(table) => values.search(&table, &self.strings, 0)?,
        };
        class.checked_sub(1)
    }

    /// The highest rule of the class that matches; every class ends in the default rule, so `None` is a fault.
    #[inline]
    pub(crate) fn lookup(
        &self,
        class: &Class<'p>,
        surface: &str,
        value: &str,
        home: Option<&str>,
        with_session: bool,
    ) -> Option<Rank> {
        let fold = class.flags & format::CLASS_FOLD != 0;
        let mut best = 0;
        for group in class.groups() {
            if !with_session && group.flags & format::GROUP_SESSION != 0 {
                continue;
            }
            if group.guard != 0 {
                let guard = self.strings.optional(group.guard)?;
                if !name_matches(guard, surface, false) {
                    continue;
                }
            }
            let entry = self.tables.get(group.table)?;
            if entry.bound <= best {
                continue;
            }
            let mut value = Value::new(value, MatchContext { home, fold });
            best = match AnyAutomaton::read(entry.kind, entry.bytes)? {
                AnyAutomaton::Narrow(table) => value.search(&table, &self.strings, best)?,
                AnyAutomaton::Wide(table) => value.search(&table, &self.strings, best)?,
            };
        }
        best.checked_sub(1).map(Rank)
    }
}

/// One value during its walk over one table.
struct Value<'v> {
    text: &'v str,
    context: MatchContext<'v>,
    /// Lists that have been looked at: a literal that stands in the value a thousand times is worth one look.
    seen: Option<[u64; format::MAX_LISTS / 64]>,
}

impl<'v> Value<'v> {
    #[inline]
    const fn new(text: &'v str, context: MatchContext<'v>) -> Self {
        Self {
            text,
            context,
            seen: None,
        }
    }

    /// The highest rank + 1 of one table, or `best` where that is higher.
    #[inline]
    fn search<C: Cell>(
        &mut self,
        table: &Automaton<'_, C>,
        strings: &Strings<'_>,
        best: u32,
    ) -> Option<u32> {
        let MatchContext { home, fold } = self.context;
        let text = self.text;
        let mut visit = |list, best| self.look(table, strings, list, best);
        let best = walk(table, table.start, text, fold, best, &mut visit)?;
        let (Some(home_start), Some(home)) = (table.home_start(), home) else {
            return Some(best);
        };
        let rest = if fold {
            strip_folded_prefix(text, home)
        } else {
            text.strip_prefix(home)
        };
        match rest {
            Some(rest) => walk(table, home_start, rest, fold, best, &mut visit),
            None => Some(best),
        }
    }

    /// Matches the patterns of a list and of those that it links to, one by one; the best after it.
    ///
    /// # Complexity
    ///
    /// O(patterns x value), once for each list and value.
    #[cold]
    #[inline(never)]
    fn look<C>(
        &mut self,
        table: &Automaton<'_, C>,
        strings: &Strings<'_>,
        list: u32,
        mut best: u32,
    ) -> Option<u32> {
        let seen = self.seen.get_or_insert([0; format::MAX_LISTS / 64]);
        let mut next = Some(list);
        while let Some(list) = next {
            let word = seen.get_mut(index(list >> 6))?;
            let bit = 1_u64.wrapping_shl(list & 63);
            if *word & bit != 0 {
                break;
            }
            *word |= bit;
            let [first, count, link] = table.lists.get(index(list))?.map(u32::from_le_bytes);
            let first = index(first);
            let entries = table.entries.get(first..first.checked_add(index(count))?)?;
            for [rank, pattern] in entries {
                let rank = u32::from_le_bytes(*rank).checked_add(1)?;
                if rank <= best {
                    break;
                }
                let pattern = strings.get(u32::from_le_bytes(*pattern))?;
                if pattern_matches(pattern, self.text, self.context) {
                    best = rank;
                    break;
                }
            }
            next = link.checked_sub(1);
        }
        Some(best)
    }
}

#[inline]
fn walk<C: Cell>(
    table: &Automaton<'_, C>,
    start: u32,
    text: &str,
    fold: bool,
    best: u32,
    visit: &mut impl FnMut(u32, u32) -> Option<u32>,
) -> Option<u32> {
    let mut walk = Walk::new(table, start, best, visit)?;
    if fold {
        feed_folded(&mut walk, text, visit)?;
    } else {
        walk.feed(text.as_bytes(), visit)?;
    }
    walk.finish()
}

fn feed_folded<C: Cell>(
    walk: &mut Walk<'_, '_, C>,
    text: &str,
    visit: &mut impl FnMut(u32, u32) -> Option<u32>,
) -> Option<()> {
    let mut block = [0_u8; FOLD_BLOCK];
    let mut length = 0_usize;
    for byte in folded_bytes(text) {
        if length == FOLD_BLOCK {
            walk.feed(&block, visit)?;
            length = 0;
        }
        *block.get_mut(length)? = byte;
        length = length.checked_add(1)?;
    }
    walk.feed(block.get(..length)?, visit)
}
