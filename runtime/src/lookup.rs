//! The lookup: surface to class, class and value to the rank of the winner. No allocation, no lock.

use crate::automaton::{AnyAutomaton, Automaton, Cell, Walk};
use crate::bytes::{index, word};
use crate::exact::Exact;
use crate::fold::{folded_bytes, strip_folded_prefix};
use crate::format;
use crate::parts::{Class, Group, Parts, Strings, View};
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
        let context = MatchContext::default();
        let class = match AnyAutomaton::read(entry.kind, entry.bytes)? {
            AnyAutomaton::Narrow(table) => search(&table, &self.strings, surface, context, 0)?,
            AnyAutomaton::Wide(table) => search(&table, &self.strings, surface, context, 0)?,
        };
        class.checked_sub(1)
    }

    /// Cuts the tables of a class once, for all values that are asked.
    #[inline]
    pub(crate) fn prepare(&self, class: Class<'p>) -> Option<Prepared<'p>> {
        let mut tables = [const { None }; PREPARED_TABLES];
        let mut n_tables = 0_usize;
        let mut is_whole = true;
        for group in class.groups() {
            let Some(place) = tables.get_mut(n_tables).filter(|_| group.guard == 0) else {
                is_whole = false;
                break;
            };
            *place = Some(self.table(&group)?);
            n_tables = n_tables.saturating_add(1);
        }
        Some(Prepared {
            class,
            tables,
            is_whole,
        })
    }

    fn table(&self, group: &Group) -> Option<Table<'p>> {
        let entry = self.tables.get(group.table)?;
        Some(Table {
            bound: entry.bound,
            is_session: group.flags & format::GROUP_SESSION != 0,
            content: if entry.kind == format::TABLE_EXACT {
                Content::Exact(Exact::read(entry.bytes)?)
            } else {
                Content::Automaton(AnyAutomaton::read(entry.kind, entry.bytes)?)
            },
        })
    }

    /// The highest rule of the class that matches; every class ends in the default rule, so `None` is a fault.
    #[inline(always)]
    pub(crate) fn lookup(
        &self,
        prepared: &Prepared<'p>,
        surface: &str,
        value: &str,
        home: Option<&str>,
        with_session: bool,
    ) -> Option<Rank> {
        let fold = prepared.class.flags & format::CLASS_FOLD != 0;
        let context = MatchContext { home, fold };
        let mut best = 0;
        if prepared.is_whole {
            for table in prepared.tables.iter().map_while(Option::as_ref) {
                best = self.search(table, value, context, with_session, best)?;
            }
        } else {
            for group in prepared.class.groups() {
                if group.guard != 0 {
                    let guard = self.strings.optional(group.guard)?;
                    if !name_matches(guard, surface, false) {
                        continue;
                    }
                }
                best = self.search(&self.table(&group)?, value, context, with_session, best)?;
            }
        }
        best.checked_sub(1).map(Rank)
    }

    /// The best after one table.
    #[inline(always)]
    fn search(
        &self,
        table: &Table<'p>,
        value: &str,
        context: MatchContext<'_>,
        with_session: bool,
        best: u32,
    ) -> Option<u32> {
        if table.bound <= best || (table.is_session && !with_session) {
            return Some(best);
        }
        match &table.content {
            Content::Automaton(AnyAutomaton::Narrow(table)) => {
                search(table, &self.strings, value, context, best)
            }
            Content::Automaton(AnyAutomaton::Wide(table)) => {
                search(table, &self.strings, value, context, best)
            }
            Content::Exact(table) => {
                let rank = table.find(&self.strings, value.as_bytes())?;
                Some(best.max(rank))
            }
        }
    }
}

/// Tables that a prepared class holds; the classes that need more cut theirs on each lookup.
const PREPARED_TABLES: usize = 3;

/// A class with its tables cut.
#[derive(Clone, Debug)]
pub(crate) struct Prepared<'p> {
    pub(crate) class: Class<'p>,
    tables: [Option<Table<'p>>; PREPARED_TABLES],
    /// Whether these are all tables, and none has a guard.
    is_whole: bool,
}

#[derive(Clone, Debug)]
struct Table<'p> {
    bound: u32,
    is_session: bool,
    content: Content<'p>,
}

#[derive(Clone, Debug)]
enum Content<'p> {
    Automaton(AnyAutomaton<'p>),
    Exact(Exact<'p>),
}

/// The highest rank + 1 of one table, or `best` where that is higher.
#[inline]
fn search<C: Cell>(
    table: &Automaton<'_, C>,
    strings: &Strings<'_>,
    text: &str,
    context: MatchContext<'_>,
    best: u32,
) -> Option<u32> {
    if table.lists.is_empty() {
        walk_all(table, text, context, best, &mut |_, best| Some(best))
    } else {
        search_with_lists(table, strings, text, &context, best)
    }
}

/// Apart from the rest, because what it remembers makes a large frame.
#[inline(never)]
fn search_with_lists<C: Cell>(
    table: &Automaton<'_, C>,
    strings: &Strings<'_>,
    text: &str,
    context: &MatchContext<'_>,
    best: u32,
) -> Option<u32> {
    let mut value = Value {
        text,
        context,
        seen: None,
    };
    let mut visit = |list, best| value.look(table, strings, list, best);
    walk_all(table, text, *context, best, &mut visit)
}

/// One value during its walk over one table.
struct Value<'v> {
    text: &'v str,
    context: &'v MatchContext<'v>,
    /// Lists that have been looked at: a literal that stands in the value a thousand times is worth one look.
    seen: Option<[u64; format::MAX_LISTS / 64]>,
}

impl Value<'_> {
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
                if pattern_matches(pattern, self.text, *self.context) {
                    best = rank;
                    break;
                }
            }
            next = link.checked_sub(1);
        }
        Some(best)
    }
}

/// Walks from the start and, where the value is under the home directory, from the home start.
#[inline]
fn walk_all<C: Cell>(
    table: &Automaton<'_, C>,
    text: &str,
    context: MatchContext<'_>,
    best: u32,
    visit: &mut impl FnMut(u32, u32) -> Option<u32>,
) -> Option<u32> {
    let MatchContext { home, fold } = context;
    let best = walk(table, table.start, text, fold, best, visit)?;
    let (Some(home_start), Some(home)) = (table.home_start(), home) else {
        return Some(best);
    };
    let rest = if fold {
        strip_folded_prefix(text, home)
    } else {
        text.strip_prefix(home)
    };
    match rest {
        Some(rest) => walk(table, home_start, rest, fold, best, visit),
        None => Some(best),
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

pub(crate) fn feed_folded<C: Cell>(
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
