//! Which tables a surface class asks, in which layout, and why: read from the tables, the patterns and the budgets.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use permc_grammar::pattern::HomeMode;
use permc_runtime::{AutomatonView, ClassView, Contents, GroupView, Layer, RuleView, name_matches};

use super::super::text::{counted, grouped, ticked};
use crate::automata::program::{Op, Program, Shape};
use crate::options::Budget;

/// How the rules of a table share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// All rules, and nothing is looked at.
    Whole,
    /// What is found from the start and what is found anywhere, in one.
    Joint,
    /// Prefixes, and heads behind which a tail is looked at.
    Trie,
    /// Heads that lead into an automaton over their tails.
    Tails,
    /// Exact patterns, by hash.
    Exact,
    /// Infixes, and literals at which patterns are looked at.
    Anywhere,
}

impl Kind {
    /// The name in JSON.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Joint => "joint",
            Self::Trie => "trie",
            Self::Tails => "tails",
            Self::Exact => "exact",
            Self::Anywhere => "anywhere",
        }
    }
}

/// A table as one class asks it.
#[derive(Clone, Debug)]
pub(super) struct Asked<'a> {
    pub(super) group: GroupView<'a>,
    pub(super) kind: Kind,
    /// What the table holds, in words.
    pub(super) words: String,
    /// Rules that its states answer.
    pub(super) n_rules: usize,
    /// Rules whose patterns are looked at.
    pub(super) n_looked_at: usize,
    /// An agent shares the table with the base view.
    pub(super) of_base: bool,
}

/// The surfaces that have a class, in views that agree on them.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses<'a> {
    /// Agents, `None` for the base view.
    pub(super) agents: Vec<Option<&'a str>>,
    pub(super) surfaces: Vec<&'a str>,
    /// Surfaces without a name of their own are among them.
    pub(super) others: bool,
}

/// A class with its layout.
#[derive(Clone, Debug)]
pub(super) struct Layout<'a> {
    pub(super) class: usize,
    pub(super) n_rules: usize,
    pub(super) is_folded: bool,
    pub(super) uses: Vec<Uses<'a>>,
    /// The tables in the order in which they are asked.
    pub(super) asked: Vec<Asked<'a>>,
    /// Why it is no simpler; empty for one table.
    pub(super) reasons: Vec<String>,
}

/// What is known of a pattern.
#[derive(Clone, Debug)]
struct Known {
    shape: Shape,
    n_positions: usize,
    home: bool,
    /// The bytes before the first wildcard.
    head: Vec<u8>,
}

/// Reads layouts; patterns are parsed once.
pub(super) struct Reader<'a> {
    contents: Contents<'a>,
    rules: Vec<RuleView<'a>>,
    budget: Budget,
    known: HashMap<(String, bool), Known>,
    /// The classes of the base view with their tables, those with the most rules first.
    base: Vec<(ClassView<'a>, Vec<GroupView<'a>>)>,
    /// The tables of those that agents share, once they were read.
    of_base: HashMap<usize, Vec<Asked<'a>>>,
}

/// The rules of one class, and how its patterns are read.
struct Of<'r, 'a> {
    rules: &'r [RuleView<'a>],
    fold: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(contents: Contents<'a>, budget: Budget) -> Self {
        let of_base: BTreeSet<u32> = contents
            .named_classes(0)
            .chain(contents.other_classes(0))
            .collect();
        let mut base: Vec<(ClassView<'a>, Vec<GroupView<'a>>)> = (0..)
            .zip(contents.classes())
            .filter(|(number, _)| of_base.contains(number))
            .map(|(_, class)| (class, contents.groups(&class).collect()))
            .collect();
        base.sort_by_key(|(class, _)| Reverse(class.n_rules()));
        Self {
            contents,
            rules: contents.rules().collect(),
            budget,
            known: HashMap::new(),
            base,
            of_base: HashMap::new(),
        }
    }

    /// The layouts of the first classes, `most` of them.
    pub(super) fn layouts(&mut self, most: usize) -> Vec<Layout<'a>> {
        let uses = uses(&self.contents);
        let classes = self.contents.classes().enumerate().take(most);
        let classes: Vec<(usize, ClassView<'a>)> = classes.collect();
        classes
            .into_iter()
            .map(|(number, class)| {
                let uses = uses.get(&number).cloned().unwrap_or_default();
                self.layout(number, &class, uses)
            })
            .collect()
    }

    /// The rules of a class by rank.
    pub(super) fn rules_of(&self, class: &ClassView<'a>) -> Vec<RuleView<'a>> {
        (0..)
            .take(class.n_rules())
            .filter_map(|rank| {
                let rule = usize::try_from(class.rule(rank)?).ok()?;
                self.rules.get(rule).copied()
            })
            .collect()
    }

    fn layout(&mut self, number: usize, class: &ClassView<'a>, uses: Vec<Uses<'a>>) -> Layout<'a> {
        let asked = self.asked(class);
        let reasons = self.reasons(class, &uses, &asked);
        Layout {
            class: number,
            n_rules: class.n_rules(),
            is_folded: class.is_folded(),
            uses,
            asked,
            reasons,
        }
    }

    /// The tables of a class, in the order in which they are asked.
    pub(super) fn asked(&mut self, class: &ClassView<'a>) -> Vec<Asked<'a>> {
        let rules = self.rules_of(class);
        let of = Of {
            rules: &rules,
            fold: class.is_folded(),
        };
        let all: Vec<GroupView<'a>> = self.contents.groups(class).collect();
        let mut asked = match self.shared(&all) {
            Some(base) => self.asked_of_base(base),
            None => Vec::new(),
        };
        let own = all.get(asked.len()..).unwrap_or_default();
        for group in own {
            let same = own
                .iter()
                .filter(|other| (other.guard, other.is_session) == (group.guard, group.is_session));
            let is_alone = same.count() == 1;
            if let Some(automaton) = self.contents.automaton(group.table) {
                asked.push(self.table(*group, &automaton, &of, is_alone));
            } else if let Some(n_rules) = self.contents.n_exact(group.table) {
                asked.push(Asked {
                    group: *group,
                    kind: Kind::Exact,
                    words: counted_as(n_rules, "exact pattern by hash", "exact patterns by hash"),
                    n_rules,
                    n_looked_at: 0,
                    of_base: false,
                });
            }
        }
        asked
    }

    /// The class of the base view, by its place in `base`, whose tables an agent's class takes before its own.
    fn shared(&self, groups: &[GroupView<'a>]) -> Option<usize> {
        let n_agents = self.contents.views().count().saturating_sub(1);
        self.base.iter().position(|(class, of_base)| {
            let n_rules = class.n_rules().saturating_mul(n_agents);
            n_rules > self.budget.shared_rules
                && of_base.len() < groups.len()
                && groups.starts_with(of_base)
                && groups.iter().all(|group| group.guard.is_none())
        })
    }

    /// The tables of a class of the base view, as an agent's class asks them.
    fn asked_of_base(&mut self, base: usize) -> Vec<Asked<'a>> {
        if let Some(asked) = self.of_base.get(&base) {
            return asked.clone();
        }
        let class = self.base.get(base).map(|(class, _)| *class);
        let mut asked = class.map_or_else(Vec::new, |class| self.asked(&class));
        for asked in &mut asked {
            asked.of_base = true;
            asked.words.push_str(" (shared with the base view)");
        }
        self.of_base.insert(base, asked.clone());
        asked
    }

    fn table(
        &mut self,
        group: GroupView<'a>,
        automaton: &AutomatonView<'a>,
        of: &Of<'_, 'a>,
        is_alone: bool,
    ) -> Asked<'a> {
        let ranks = self.contents.ranks(automaton);
        let mut shapes: BTreeMap<Shape, usize> = BTreeMap::new();
        for rank in &ranks {
            let rule = usize::try_from(*rank)
                .ok()
                .and_then(|rank| of.rules.get(rank));
            if let Some(known) = rule.and_then(|rule| self.known(rule.pattern, of.fold)) {
                let count = shapes.entry(known.shape).or_default();
                *count = count.saturating_add(1);
            }
        }
        let (mut n_behind_heads, mut n_literals, mut n_at_literals) = (0_usize, 0_usize, 0_usize);
        for (list, entries) in (0..).zip(self.contents.lists(automaton)) {
            if self.is_head(automaton, list, &entries, of.fold) {
                n_behind_heads = n_behind_heads.saturating_add(entries.len());
            } else {
                n_literals = n_literals.saturating_add(1);
                n_at_literals = n_at_literals.saturating_add(entries.len());
            }
        }
        let count = |shape| shapes.get(&shape).copied().unwrap_or(0);
        let (prefixes, infixes) = (count(Shape::Prefix), count(Shape::Infix));
        let (mids, multis) = (count(Shape::Mid), count(Shape::Multi));
        let from_start = prefixes > 0 || n_behind_heads > 0;
        let anywhere = infixes > 0 || n_literals > 0;
        let n_looked_at = n_behind_heads.saturating_add(n_at_literals);
        let kind = match (from_start, anywhere) {
            _ if is_alone && n_looked_at == 0 => Kind::Whole,
            (true, true) => Kind::Joint,
            (true, false) => Kind::Trie,
            (false, true) => Kind::Anywhere,
            (false, false) => Kind::Tails,
        };
        let of_prefixes = counted_as(prefixes, "prefix", "prefixes");
        let of_infixes = counted_as(infixes, "infix", "infixes");
        let looked_at = |count| {
            let verb = if count == 1 { "is" } else { "are" };
            format!("{} {verb} looked at", counted(count, "rule"))
        };
        let mut parts = match kind {
            Kind::Whole if ranks.len() == 1 => vec!["one table for one rule".to_owned()],
            Kind::Whole => vec![format!(
                "one table for all {}",
                counted(ranks.len(), "rule")
            )],
            Kind::Joint => {
                let both = [(prefixes, of_prefixes), (infixes, of_infixes)];
                let some = both.into_iter().filter(|(count, _)| *count > 0);
                some.map(|(_, words)| words).collect()
            }
            Kind::Trie if prefixes == 0 => vec!["trie of heads".to_owned()],
            Kind::Trie => vec![format!("trie of {of_prefixes}")],
            Kind::Anywhere if infixes == 0 => vec!["Aho-Corasick of literals".to_owned()],
            Kind::Anywhere => vec![format!("Aho-Corasick of {of_infixes}")],
            Kind::Tails | Kind::Exact => Vec::new(),
        };
        if kind != Kind::Whole {
            let heads = counted(mids, "head-and-tail rule");
            let behind = counted(n_behind_heads, "head-and-tail rule");
            let (literals, at) = (counted(n_literals, "literal"), looked_at(n_at_literals));
            let more = [
                (mids, format!("{heads} with an Aho-Corasick of their tails")),
                (multis, counted(multis, "rule with more stars")),
                (
                    n_behind_heads,
                    format!("{behind} looked at after their head"),
                ),
                (n_literals, format!("{literals} after which {at}")),
            ];
            let some = more.into_iter().filter(|(count, _)| *count > 0);
            parts.extend(some.map(|(_, words)| words));
        }
        let joint = if kind == Kind::Joint {
            "one walk for "
        } else {
            ""
        };
        Asked {
            group,
            kind,
            words: format!("{joint}{}", parts.join(", ")),
            n_rules: ranks.len(),
            n_looked_at,
            of_base: false,
        }
    }

    /// Whether a list belongs to a head: its rules are met where the head stands at the start of a value, only there.
    fn is_head(
        &mut self,
        automaton: &AutomatonView<'a>,
        list: u32,
        entries: &[(u32, &'a str)],
        fold: bool,
    ) -> bool {
        let Some((_, pattern)) = entries.first() else {
            return false;
        };
        let Some(known) = self.known(pattern, fold) else {
            return false;
        };
        if known.shape != Shape::Mid {
            return false;
        }
        let start = if known.home {
            automaton.home_start()
        } else {
            Some(automaton.start())
        };
        let Some(start) = start else {
            return false;
        };
        let after = |skipped: &[u8]| {
            let bytes = skipped.iter().chain(&known.head);
            let state = bytes.fold(start, |state, byte| automaton.next(state, *byte));
            automaton.list(state) == Some(list)
        };
        // No pattern has this byte, so that it leaves the start without being the start of anything.
        after(&[]) && !after(&[0xff])
    }

    fn known(&mut self, pattern: &str, fold: bool) -> Option<Known> {
        let key = (pattern.to_owned(), fold);
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        let program = Program::parse(pattern, HomeMode::Expand, fold).ok()?;
        let head = program.ops.iter().map_while(|op| match op {
            Op::Byte(byte) => Some(*byte),
            _ => None,
        });
        let known = Known {
            shape: program.shape(),
            n_positions: program.ops.len(),
            home: program.home,
            head: head.collect(),
        };
        self.known.insert(key, known.clone());
        Some(known)
    }

    /// Why the class has more than one table, or looks at patterns.
    fn reasons(
        &mut self,
        class: &ClassView<'a>,
        uses: &[Uses<'a>],
        asked: &[Asked<'a>],
    ) -> Vec<String> {
        let rules = self.rules_of(class);
        let fold = class.is_folded();
        let Budget {
            merged_states,
            joint_bytes,
            group_states,
            steps,
            surface_states,
            ..
        } = self.budget;
        if asked.iter().any(|asked| asked.group.guard.is_some()) {
            return vec![format!(
                "an automaton over surface names would pass surface-states ({}): a table is asked for each wildcard \
                 surface that matches",
                grouped(surface_states)
            )];
        }
        let named = uses.iter().flat_map(|uses| &uses.surfaces).next();
        let is_foreign = |rule: &RuleView<'_>, surface: &str| {
            rule.surface != surface && !name_matches(rule.surface, surface, false)
        };
        if named.is_some_and(|surface| rules.iter().any(|rule| is_foreign(rule, surface))) {
            return vec![
                "many rules stand under overlapping surface patterns: each surface pattern keeps tables of its own"
                    .to_owned(),
            ];
        }
        if asked.iter().any(|asked| asked.of_base) {
            return vec![format!(
                "the rules of the base view times the agents pass shared-rules ({}): agents take its tables, and one \
                 more for rules of their own",
                grouped(self.budget.shared_rules)
            )];
        }
        let mut reasons = Vec::new();
        for session in [false, true] {
            let of_layer = |asked: &&Asked<'_>| asked.group.is_session == session;
            let asked: Vec<&Asked<'_>> = asked.iter().filter(of_layer).collect();
            if asked.is_empty() || asked.iter().any(|asked| asked.kind == Kind::Whole) {
                continue;
            }
            let rules = rules
                .iter()
                .filter(|rule| (rule.layer == Layer::Session) == session);
            let known: Vec<Known> = rules
                .filter_map(|rule| self.known(rule.pattern, fold))
                .collect();
            let n_positions: usize = known.iter().map(|known| known.n_positions).sum();
            let most = grouped(merged_states);
            reasons.push(if n_positions > merged_states.saturating_mul(8) {
                format!(
                    "not one table: the patterns have {} positions, more than 8 for each of merged-states ({most})",
                    grouped(n_positions)
                )
            } else {
                format!(
                    "not one table: it would pass merged-states ({most}) or steps ({})",
                    grouped(steps)
                )
            });
            let has = |kind| asked.iter().any(|asked| asked.kind == kind);
            if has(Kind::Joint) {
                reasons.push(format!(
                    "one walk finds prefixes, infixes and literals: the table fits joint-bytes ({})",
                    grouped(joint_bytes)
                ));
            } else if has(Kind::Trie) && has(Kind::Anywhere) {
                reasons.push(format!(
                    "what starts a value and what stands in it have a table each: one for both would pass joint-bytes \
                     ({})",
                    grouped(joint_bytes)
                ));
            }
            let n_multi = known
                .iter()
                .filter(|known| known.shape == Shape::Multi)
                .count();
            let n_single = known.len().saturating_sub(n_multi);
            let n_found: usize = asked.iter().map(|asked| asked.n_rules).sum();
            let is_refused = n_found == 0 && n_single > 0;
            if is_refused {
                reasons.push(format!(
                    "every pattern is looked at: tables of one shape would pass group-states ({}) or steps ({})",
                    grouped(group_states),
                    grouped(steps)
                ));
            }
        }
        reasons
    }
}

fn counted_as(count: usize, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{} {noun}", grouped(count))
}

/// For each class the surfaces that have it, views with the same surfaces together.
fn uses<'a>(contents: &Contents<'a>) -> BTreeMap<usize, Vec<Uses<'a>>> {
    let surfaces: Vec<&str> = contents.surfaces().collect();
    let mut classes: BTreeMap<usize, Vec<Uses<'a>>> = BTreeMap::new();
    for (number, view) in contents.views().enumerate() {
        let mut of_view: BTreeMap<u32, Uses<'a>> = BTreeMap::new();
        for (surface, class) in surfaces.iter().zip(contents.named_classes(number)) {
            of_view.entry(class).or_default().surfaces.push(surface);
        }
        for class in contents.other_classes(number) {
            of_view.entry(class).or_default().others = true;
        }
        for (class, found) in of_view {
            let all = classes
                .entry(usize::try_from(class).unwrap_or(usize::MAX))
                .or_default();
            let same = all
                .iter_mut()
                .find(|known| known.others == found.others && known.surfaces == found.surfaces);
            match same {
                Some(known) => known.agents.push(view.agent),
                None => all.push(Uses {
                    agents: vec![view.agent],
                    ..found
                }),
            }
        }
    }
    classes
}

impl Uses<'_> {
    /// The surfaces and the views, in words.
    pub(super) fn words(&self) -> String {
        let mut surfaces: Vec<String> = some(self.surfaces.iter().map(|name| ticked(name)), 8);
        if self.others {
            surfaces.push("other surfaces".to_owned());
        }
        let agents = self.agents.iter().map(|agent| match agent {
            Some(agent) => ticked(agent),
            None => "the base view".to_owned(),
        });
        let agents: Vec<String> = some(agents, 4);
        format!("{} for {}", surfaces.join(", "), agents.join(", "))
    }
}

/// The first names, and how many more there are.
fn some(names: impl ExactSizeIterator<Item = String>, most: usize) -> Vec<String> {
    let more = names.len().saturating_sub(most);
    let mut shown: Vec<String> = names.take(most).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    shown
}
