//! Lowering: each view's ordered list becomes surface classes and tables, shared wherever they are equal.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use permc_grammar::pattern::HomeMode;
use permc_runtime::{Action, Layer, PATH_SURFACES, format, is_path_surface, name_matches};

use crate::automata::determinize::Dfa;
use crate::automata::program::Program;
use crate::automata::search::{Found, find, letters, winners};
use crate::automata::subsets::determinize_sets;
use crate::groups::{Ranked, build};
use crate::options::Budget;
use crate::rule::{ResolvedPolicy, Rule, View};
use crate::table::{Strings, Table, Tables};

/// A policy as tables.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) strings: Strings,
    pub(crate) tables: Vec<Table>,
    pub(crate) classes: Vec<Class>,
    /// Surfaces with a number, sorted.
    pub(crate) surfaces: Vec<String>,
    pub(crate) views: Vec<LoweredView>,
    pub(crate) uses_home: bool,
}

/// One surface class: the rules that can win on its surfaces, and the tables that find the winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) rules: Vec<u32>,
    pub(crate) groups: Vec<Group>,
    pub(crate) flags: u32,
    /// Which rules can win, where that was asked for.
    pub(crate) winners: Option<Winners>,
}

/// What a search over a class found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Winners {
    /// A value on which the rule wins, for each rule that was found to win.
    pub(crate) witnesses: HashMap<u32, String>,
    /// Whether rules without a witness are known never to win.
    pub(crate) complete: bool,
}

/// One table of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) table: u32,
    /// String + 1 of the surface pattern that the name must match, 0 for none.
    pub(crate) guard: u32,
    pub(crate) flags: u32,
}

/// One agent's view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoweredView {
    pub(crate) agent: Option<String>,
    pub(crate) clamped: bool,
    /// The automaton over other surface names.
    pub(crate) automaton: Option<u32>,
    /// The classes that it answers.
    pub(crate) others: Vec<u32>,
    /// The class of each surface with a number.
    pub(crate) named: Vec<u32>,
}

/// Lowers a policy. Every policy lowers: what a budget refuses takes a layout that is slower to ask.
///
/// # Complexity
///
/// O(views x surfaces + distinct classes x their patterns), within the budget.
pub(crate) fn lower(policy: &ResolvedPolicy, budget: &Budget) -> Lowered {
    lower_with(policy, budget, false)
}

/// Lowers a policy and, on request, finds out which rules of each class can win.
pub(crate) fn lower_with(policy: &ResolvedPolicy, budget: &Budget, with_winners: bool) -> Lowered {
    let mut lowering = Lowering {
        policy,
        budget,
        with_winners,
        in_base: true,
        strings: Strings::default(),
        tables: Tables::default(),
        classes: Vec::new(),
        class_ids: HashMap::new(),
        programs: HashMap::new(),
        base: Vec::new(),
    };
    let surfaces: Vec<String> = named_surfaces(policy)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let views = policy
        .views
        .iter()
        .map(|view| {
            lowering.in_base = view.agent.is_none();
            lowering.view(view, &surfaces)
        })
        .collect();
    let uses_home = policy
        .rules
        .iter()
        .any(|rule| permc_runtime::home_suffix(&rule.pattern).is_some());
    Lowered {
        strings: lowering.strings,
        tables: lowering.tables.into_vec(),
        classes: lowering.classes,
        surfaces,
        views,
        uses_home,
    }
}

/// The surfaces that tools of every host have, and those that rules name.
fn named_surfaces(policy: &ResolvedPolicy) -> BTreeSet<&str> {
    let literal = policy
        .rules
        .iter()
        .map(|rule| rule.surface.as_str())
        .filter(|surface| !is_wildcard(surface));
    PATH_SURFACES
        .into_iter()
        .chain(["bash", "mcp", "skill"])
        .chain(literal)
        .collect()
}

fn is_wildcard(surface: &str) -> bool {
    surface.contains(['*', '?'])
}

/// The rules of one surface pattern in a view, by their position in the view.
struct SurfaceRules<'p> {
    pattern: &'p str,
    positions: Vec<usize>,
}

struct Lowering<'p> {
    policy: &'p ResolvedPolicy,
    budget: &'p Budget,
    with_winners: bool,
    /// Whether the base view is being lowered.
    in_base: bool,
    strings: Strings,
    tables: Tables,
    classes: Vec<Class>,
    /// The class of a rule list, folded or not.
    class_ids: HashMap<(Vec<u32>, bool), u32>,
    programs: HashMap<(String, bool), Rc<Program>>,
    /// The classes of the base view whose tables agents share, for policies with many agents.
    base: Vec<BaseClass<'p>>,
}

/// A class of the base view.
struct BaseClass<'p> {
    patterns: Vec<&'p str>,
    fold: bool,
    groups: Vec<Group>,
}

/// A rule that can win, with its program.
struct Live<'p> {
    rule: &'p Rule,
    program: Rc<Program>,
}

impl<'p> Lowering<'p> {
    fn view(&mut self, view: &View, surfaces: &[String]) -> LoweredView {
        let by_surface = self.by_surface(view);
        let wildcards: Vec<usize> = (0..by_surface.len())
            .filter(|index| {
                by_surface
                    .get(*index)
                    .is_some_and(|rules| is_wildcard(rules.pattern))
            })
            .collect();
        let mut classes = ViewClasses {
            view,
            by_surface: &by_surface,
            ids: HashMap::new(),
            // Literal surfaces that many wide surface patterns match would multiply; past this they share tables.
            merged_left: view.rules.len().saturating_mul(8).saturating_add(65_536),
        };
        let pattern = |index: &usize| by_surface.get(*index).map_or("", |rules| rules.pattern);
        let named = surfaces
            .iter()
            .map(|surface| {
                let matching: Vec<usize> = (0..by_surface.len())
                    .filter(|index| match wildcards.binary_search(index) {
                        Ok(_) => name_matches(pattern(index), surface, false),
                        Err(_) => pattern(index) == surface,
                    })
                    .collect();
                self.class_of(&mut classes, matching, is_path_surface(surface))
            })
            .collect();
        let (universal, patterned): (Vec<usize>, Vec<usize>) =
            wildcards.iter().partition(|index| pattern(index) == "*");
        let (automaton, others) = if patterned.is_empty() {
            (None, vec![self.class_of(&mut classes, universal, false)])
        } else {
            self.other_surfaces(&mut classes, &universal, &patterned)
        };
        LoweredView {
            agent: view.agent.clone(),
            clamped: view.clamped,
            automaton,
            others,
            named,
        }
    }

    fn by_surface(&self, view: &View) -> Vec<SurfaceRules<'p>> {
        let mut by_surface: Vec<SurfaceRules<'p>> = Vec::new();
        let mut index: HashMap<&str, usize> = HashMap::new();
        for (position, rule) in view.rules.iter().enumerate() {
            let Some(rule) = self.policy.rule(*rule) else {
                continue;
            };
            let at = *index.entry(&rule.surface).or_insert_with(|| {
                by_surface.push(SurfaceRules {
                    pattern: &rule.surface,
                    positions: Vec::new(),
                });
                by_surface.len().saturating_sub(1)
            });
            if let Some(rules) = by_surface.get_mut(at) {
                rules.positions.push(position);
            }
        }
        by_surface
    }

    /// The automaton over names that have no number, and the classes that it answers.
    fn other_surfaces(
        &mut self,
        classes: &mut ViewClasses<'_, 'p>,
        universal: &[usize],
        patterned: &[usize],
    ) -> (Option<u32>, Vec<u32>) {
        let programs: Option<Vec<Program>> = patterned
            .iter()
            .map(|index| {
                let pattern = classes.by_surface.get(*index)?.pattern;
                Program::parse(pattern, HomeMode::Literal, false).ok()
            })
            .collect();
        let sets = programs
            .and_then(|programs| determinize_sets(&programs, self.budget.surface_states).ok());
        let automaton = sets.and_then(|(dfa, sets)| {
            let bound = u32::try_from(sets.len()).ok()?;
            Some((Table::new(&dfa, &[], bound, self.budget.steps)?, sets))
        });
        let Some((table, sets)) = automaton else {
            return (
                None,
                vec![self.guarded_class(classes, universal, patterned)],
            );
        };
        let others: Vec<u32> = sets
            .iter()
            .map(|set| {
                let chosen = set.iter().filter_map(|index| patterned.get(*index));
                let mut matching: Vec<usize> = universal.iter().chain(chosen).copied().collect();
                matching.sort_unstable();
                self.class_of(classes, matching, false)
            })
            .collect();
        let automaton = self.tables.add(table);
        (Some(automaton), others)
    }

    /// The class of the surfaces that exactly these surface patterns match.
    fn class_of(
        &mut self,
        classes: &mut ViewClasses<'_, 'p>,
        matching: Vec<usize>,
        on_path: bool,
    ) -> u32 {
        let fold = on_path && self.policy.fold_paths;
        let key = (matching, fold);
        if let Some(class) = classes.ids.get(&key) {
            return *class;
        }
        let matching = &key.0;
        let n_rules = classes.positions(matching).count();
        let class = match classes.merged_left.checked_sub(n_rules) {
            Some(left) => {
                classes.merged_left = left;
                let mut positions: Vec<usize> = classes.positions(matching).collect();
                positions.sort_unstable();
                let rules: Vec<u32> = positions
                    .into_iter()
                    .filter_map(|position| classes.view.rules.get(position))
                    .copied()
                    .collect();
                self.merged_class(rules, fold)
            }
            None => {
                let groups = self.surface_groups(classes, matching, fold, false);
                self.shared_class(classes.view, groups, fold)
            }
        };
        classes.ids.insert(key, class);
        class
    }

    /// One class with tables of its own, shared by everything that has the same rules.
    fn merged_class(&mut self, rules: Vec<u32>, fold: bool) -> u32 {
        let key = (rules, fold);
        if let Some(class) = self.class_ids.get(&key) {
            return *class;
        }
        let (live_ids, live) = self.live(&key.0, fold);
        let mut tables = Vec::new();
        let shared = self.shared(&live, fold);
        let n_shared = shared.map_or(0, |base| base.patterns.len());
        let mut groups = shared.map_or_else(Vec::new, |base| base.groups.clone());
        for session in [false, true] {
            let ranked: Vec<(u32, &Live<'p>)> = (0..)
                .zip(&live)
                .skip(n_shared)
                .filter(|(_, live)| (live.rule.layer == Layer::Session) == session)
                .collect();
            let flags = if session { format::GROUP_SESSION } else { 0 };
            groups.extend(self.groups(&ranked, flags, fold, &mut tables));
        }
        if self.in_base && live.iter().all(|live| live.rule.layer != Layer::Session) {
            self.base.push(BaseClass {
                patterns: live.iter().map(|live| live.rule.pattern.as_str()).collect(),
                fold,
                groups: groups.clone(),
            });
        }
        let is_exposed = self.is_exposed(&live, &tables, groups.len(), fold);
        let flags = class_flags(fold, is_exposed);
        let winners = self
            .with_winners
            .then(|| self.winners(&live_ids, &live, &tables, groups.len(), fold));
        let class = self.push_class(Class {
            rules: live_ids,
            groups,
            flags,
            winners,
        });
        self.class_ids.insert(key, class);
        class
    }

    /// The class of the base view that these rules begin with. A pattern that an agent states again keeps its place, so
    /// the tables are the same, whatever the actions.
    fn shared(&self, live: &[Live<'p>], fold: bool) -> Option<&BaseClass<'p>> {
        if self.in_base || self.with_winners {
            return None;
        }
        let n_agents = self.policy.views.len().saturating_sub(1);
        let begins_with = |base: &&BaseClass<'p>| {
            base.fold == fold
                && base.patterns.len() <= live.len()
                && base
                    .patterns
                    .iter()
                    .zip(live)
                    .all(|(pattern, live)| *pattern == live.rule.pattern)
        };
        let bases = self.base.iter().filter(begins_with);
        bases
            .max_by_key(|base| base.patterns.len())
            .filter(|base| base.patterns.len().saturating_mul(n_agents) > self.budget.shared_rules)
    }

    /// The rules that can win: not those below a rule that matches everything, nor an earlier one of the same pattern.
    /// Session rules hide nothing here, because `tool_permission` looks past them.
    fn live(&mut self, rules: &[u32], fold: bool) -> (Vec<u32>, Vec<Live<'p>>) {
        let mut ids = Vec::new();
        let mut live: Vec<Live<'p>> = Vec::new();
        let mut seen: BTreeSet<(bool, &str)> = BTreeSet::new();
        let mut hidden = [false, false];
        for id in rules.iter().rev() {
            let Some(rule) = self.policy.rule(*id) else {
                continue;
            };
            let session = rule.layer == Layer::Session;
            let Some(program) = self.program(&rule.pattern, fold) else {
                continue;
            };
            let Some(hidden) = hidden.get_mut(usize::from(session)) else {
                continue;
            };
            if *hidden || !seen.insert((session, rule.pattern.as_str())) {
                continue;
            }
            *hidden = program.is_universal();
            ids.push(*id);
            live.push(Live { rule, program });
        }
        ids.reverse();
        live.reverse();
        (ids, live)
    }

    fn program(&mut self, pattern: &str, fold: bool) -> Option<Rc<Program>> {
        if let Some(program) = self.programs.get(&(pattern.to_owned(), fold)) {
            return Some(Rc::clone(program));
        }
        // INVARIANT: resolved patterns have been parsed when the documents were checked.
        let program = Rc::new(Program::parse(pattern, HomeMode::Expand, fold).ok()?);
        self.programs
            .insert((pattern.to_owned(), fold), Rc::clone(&program));
        Some(program)
    }

    /// Tables for ranked rules, each as one group.
    fn groups(
        &mut self,
        ranked: &[(u32, &Live<'p>)],
        flags: u32,
        fold: bool,
        tables: &mut Vec<Dfa>,
    ) -> Vec<Group> {
        let rules: Vec<Ranked<'_>> = ranked
            .iter()
            .map(|(rank, live)| Ranked {
                rank: *rank,
                pattern: &live.rule.pattern,
                program: &live.program,
            })
            .collect();
        let built = build(
            &rules,
            self.budget,
            &mut self.strings,
            self.with_winners,
            fold,
        );
        let mut groups = Vec::with_capacity(built.len());
        for built in built {
            groups.push(Group {
                table: self.tables.add(built.table),
                guard: 0,
                flags,
            });
            tables.extend(built.dfa);
        }
        groups
    }

    /// Whether some value is not denied. Undecided counts as exposed: the tool is shown, each call is still checked.
    fn is_exposed(&self, live: &[Live<'p>], tables: &[Dfa], n_groups: usize, fold: bool) -> bool {
        let is_open = |live: &Live<'_>| live.rule.action != Action::Deny;
        match live.last() {
            Some(top) if is_open(top) => return true,
            _ if !live.iter().any(is_open) => return false,
            _ if tables.len() < n_groups => return true,
            _ => {}
        }
        let open: Vec<bool> = live.iter().map(is_open).collect();
        let alphabet = letters(live.iter().map(|live| live.rule.pattern.as_str()), fold);
        let found = find(tables, &alphabet, self.budget.search_nodes, |best| {
            best.checked_sub(1)
                .and_then(|rank| open.get(usize::try_from(rank).ok()?))
                == Some(&true)
        });
        found != Found::Nothing
    }

    fn winners(
        &self,
        ids: &[u32],
        live: &[Live<'p>],
        tables: &[Dfa],
        n_groups: usize,
        fold: bool,
    ) -> Winners {
        if tables.len() < n_groups {
            // Patterns that are matched one by one are no automaton to search.
            return Winners {
                witnesses: HashMap::new(),
                complete: false,
            };
        }
        let alphabet = letters(live.iter().map(|live| live.rule.pattern.as_str()), fold);
        let (found, complete) = winners(tables, &alphabet, self.budget.search_nodes);
        let witnesses = found
            .into_iter()
            .filter_map(|(best, value)| {
                let rank = usize::try_from(best.checked_sub(1)?).ok()?;
                Some((*ids.get(rank)?, value))
            })
            .collect();
        Winners {
            witnesses,
            complete,
        }
    }

    /// The class of names that no automaton resolves: every table is asked whose surface pattern matches the name.
    fn guarded_class(
        &mut self,
        classes: &ViewClasses<'_, 'p>,
        universal: &[usize],
        patterned: &[usize],
    ) -> u32 {
        let mut groups = self.surface_groups(classes, universal, false, false);
        groups.extend(self.surface_groups(classes, patterned, false, true));
        self.shared_class(classes.view, groups, false)
    }

    /// Tables a surface pattern, with ranks that are positions in the view.
    fn surface_groups(
        &mut self,
        classes: &ViewClasses<'_, 'p>,
        matching: &[usize],
        fold: bool,
        guarded: bool,
    ) -> Vec<Group> {
        let mut groups = Vec::new();
        for index in matching {
            let Some(surface) = classes.by_surface.get(*index) else {
                continue;
            };
            let guard = if guarded {
                self.strings.add(surface.pattern).saturating_add(1)
            } else {
                0
            };
            let mut live = Vec::new();
            for position in &surface.positions {
                let rule = classes
                    .view
                    .rules
                    .get(*position)
                    .and_then(|rule| self.policy.rule(*rule));
                let Some(rule) = rule else { continue };
                let rank = u32::try_from(*position).unwrap_or(u32::MAX);
                if let Some(program) = self.program(&rule.pattern, fold) {
                    live.push((rank, Live { rule, program }));
                }
            }
            for session in [false, true] {
                let ranked: Vec<(u32, &Live<'p>)> = live
                    .iter()
                    .filter(|(_, live)| (live.rule.layer == Layer::Session) == session)
                    .map(|(rank, live)| (*rank, live))
                    .collect();
                let flags = if session { format::GROUP_SESSION } else { 0 };
                let tables = self.groups(&ranked, flags, fold, &mut Vec::new());
                groups.extend(tables.into_iter().map(|group| Group { guard, ..group }));
            }
        }
        groups
    }

    /// A class over the whole view's rules.
    fn shared_class(&mut self, view: &View, groups: Vec<Group>, fold: bool) -> u32 {
        let exposed = view
            .rules
            .iter()
            .filter_map(|rule| self.policy.rule(*rule))
            .any(|rule| rule.action != Action::Deny);
        self.push_class(Class {
            rules: view.rules.clone(),
            groups,
            flags: class_flags(fold, exposed),
            winners: None,
        })
    }

    fn push_class(&mut self, class: Class) -> u32 {
        let id = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        self.classes.push(class);
        id
    }
}

/// The classes of one view while it is lowered.
struct ViewClasses<'v, 'p> {
    view: &'v View,
    by_surface: &'v [SurfaceRules<'p>],
    ids: HashMap<(Vec<usize>, bool), u32>,
    merged_left: usize,
}

impl ViewClasses<'_, '_> {
    fn positions(&self, matching: &[usize]) -> impl Iterator<Item = usize> {
        matching
            .iter()
            .filter_map(|index| self.by_surface.get(*index))
            .flat_map(|rules| rules.positions.iter().copied())
    }
}

fn class_flags(fold: bool, exposed: bool) -> u32 {
    let fold = if fold { format::CLASS_FOLD } else { 0 };
    let exposed = if exposed { format::CLASS_EXPOSED } else { 0 };
    fold | exposed
}
