//! What an artifact holds, for tools; nothing here is on the lookup path.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::automaton::{AnyAutomaton, Automaton, AutomatonView};
use crate::bytes::{Reader, Word, index, word};
use crate::decision::{Action, Layer, Origin};
use crate::error::LoadError;
use crate::exact::Exact;
use crate::format::{self, section};
use crate::parts::{Class, Parts};
use crate::policy::Policy;
use crate::query::Bound;
use crate::tiers::TierView;
use crate::wildcard::name_matches;

/// A view of everything that a loaded artifact holds.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    parts: Parts<'a>,
    bytes: &'a [u8],
}

/// One rule as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleView<'a> {
    /// Stable id.
    pub id: u64,
    /// Surface pattern.
    pub surface: &'a str,
    /// Pattern.
    pub pattern: &'a str,
    /// Action, after any clamp.
    pub action: Action,
    /// Layer.
    pub layer: Layer,
    /// Origin.
    pub origin: Origin,
    /// Reason of a deny.
    pub reason: Option<&'a str>,
    /// File relative to its scope's root; `None` for rules that no file holds.
    pub file: Option<&'a str>,
    /// Line, from 1; 0 without a file.
    pub line: u32,
    /// Column, from 1; 0 without a file.
    pub column: u32,
}

/// One table as it is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableView {
    /// Length in bytes.
    pub bytes: usize,
    /// Patterns of a hash table, which has nothing of what follows; 0 for an automaton.
    pub n_exact: usize,
    /// States: rows, and the places inside paths that need none.
    pub n_states: usize,
    /// Byte classes.
    pub n_classes: u32,
    /// Bytes of a cell: 2 or 4.
    pub cell_width: usize,
    /// Rows with one transition a class.
    pub n_dense: usize,
    /// Rows that hold exceptions from a dense row.
    pub n_delta: usize,
    /// Rows that hold a run of bytes.
    pub n_paths: usize,
    /// Bytes in all runs, each a state of its own without them.
    pub n_path_bytes: usize,
    /// Patterns that are looked at one by one after a literal of theirs was met.
    pub n_looked_at: usize,
    /// Lists of such patterns.
    pub n_lists: usize,
}

/// One table that a class asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupView<'a> {
    /// The table.
    pub table: u32,
    /// The surface pattern that a name must match for the table to be asked; `None` where it always is.
    pub guard: Option<&'a str>,
    /// Whether it answers for rules of the session layer, which `tool_permission` leaves out.
    pub is_session: bool,
}

/// One surface class as it is stored.
#[derive(Clone, Copy, Debug)]
pub struct ClassView<'a> {
    class: Class<'a>,
}

impl ClassView<'_> {
    /// The tables that are asked, in that order.
    pub fn tables(&self) -> impl Iterator<Item = u32> {
        self.class.groups().map(|group| group.table)
    }

    /// The rule of a rank.
    #[must_use]
    pub fn rule(&self, rank: u32) -> Option<u32> {
        word(self.class.rules, index(rank))
    }

    /// Number of rules that can win.
    #[must_use]
    pub const fn n_rules(&self) -> usize {
        self.class.rules.len()
    }

    /// Whether values are folded.
    #[must_use]
    pub const fn is_folded(&self) -> bool {
        self.class.flags & format::CLASS_FOLD != 0
    }
}

/// One agent view as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewView<'a> {
    /// The agent; `None` for the base view.
    pub agent: Option<&'a str>,
    /// Whether a broken file clamped every allow to ask.
    pub clamped: bool,
}

impl<D: AsRef<[u8]>> Policy<D> {
    /// Opens the artifact for tools.
    ///
    /// # Errors
    ///
    /// None for bytes that stay as they were when the policy was loaded.
    pub fn contents(&self) -> Result<Contents<'_>, LoadError> {
        Ok(Contents {
            parts: Parts::read(self.bytes())?,
            bytes: self.bytes(),
        })
    }
}

impl<'a> Contents<'a> {
    /// Id, name, offset and length of each section.
    #[must_use]
    pub fn sections(&self) -> Vec<(u32, &'static str, u64, u64)> {
        let mut entries = Reader::new(self.bytes.get(format::HEADER_LEN..).unwrap_or_default());
        let mut sections = Vec::new();
        for _ in section::ALL {
            if let (Some(id), Some(_), Some(offset), Some(length)) =
                (entries.u32(), entries.u32(), entries.u64(), entries.u64())
            {
                sections.push((id, section::name(id), offset, length));
            }
        }
        sections
    }

    /// All rules, in the order of their numbers.
    pub fn rules(&self) -> impl Iterator<Item = RuleView<'a>> {
        let parts = self.parts;
        (0_u32..)
            .take(parts.rules.len())
            .filter_map(move |rule| rule_view(&parts, rule))
    }

    /// All tables, in the order of their numbers.
    pub fn tables(&self) -> impl Iterator<Item = TableView> {
        let contents = *self;
        (0_u32..)
            .take(self.parts.tables.len())
            .filter_map(move |id| {
                let bytes = contents.parts.tables.get(id)?.bytes.len();
                let Some(automaton) = contents.automaton(id) else {
                    return Some(TableView {
                        bytes,
                        n_exact: contents.exact(id)?.n_patterns(),
                        ..TableView::default()
                    });
                };
                let [n_dense, n_delta, n_paths, n_path_bytes] = automaton.n_rows();
                let (n_looked_at, n_lists) = automaton.n_looked_at();
                Some(TableView {
                    bytes,
                    n_exact: 0,
                    n_states: n_dense.saturating_add(n_delta).saturating_add(n_path_bytes),
                    n_classes: automaton.n_classes(),
                    cell_width: automaton.cell_width(),
                    n_dense,
                    n_delta,
                    n_paths,
                    n_path_bytes,
                    n_looked_at,
                    n_lists,
                })
            })
    }

    fn exact(&self, table: u32) -> Option<Exact<'a>> {
        let entry = self.parts.tables.get(table)?;
        let is_exact = entry.kind == format::TABLE_EXACT;
        is_exact.then(|| Exact::read(entry.bytes)).flatten()
    }

    /// The number of patterns of a hash table; `None` for an automaton.
    #[must_use]
    pub fn n_exact(&self, table: u32) -> Option<usize> {
        Some(self.exact(table)?.n_patterns())
    }

    /// The automaton of a table; `None` for a hash table.
    #[must_use]
    pub fn automaton(&self, table: u32) -> Option<AutomatonView<'a>> {
        let entry = self.parts.tables.get(table)?;
        AnyAutomaton::read(entry.kind, entry.bytes).map(AutomatonView)
    }

    /// The patterns that a table looks at on entering a state with this list, with their ranks.
    pub fn looked_at(
        &self,
        automaton: &AutomatonView<'a>,
        list: u32,
    ) -> impl Iterator<Item = (u32, &'a str)> {
        let strings = self.parts.strings;
        automaton
            .entries(list)
            .filter_map(move |(rank, text)| Some((rank, strings.get(text)?)))
    }

    /// The class that answers for a surface in a view, by number of view.
    #[must_use]
    pub fn class(&self, view: usize, surface: &str) -> Option<ClassView<'a>> {
        let view = self.parts.views.get(view)?;
        let class = self.parts.class(&view, surface)?;
        Some(ClassView { class })
    }

    /// The tables that a class asks, in that order, with when they are asked.
    pub fn groups(&self, class: &ClassView<'a>) -> impl Iterator<Item = GroupView<'a>> {
        let strings = self.parts.strings;
        let groups: Vec<_> = class.class.groups().collect();
        groups.into_iter().map(move |group| GroupView {
            table: group.table,
            guard: strings.optional(group.guard),
            is_session: group.flags & format::GROUP_SESSION != 0,
        })
    }

    /// The class of each surface with a name of its own in a view, in the order of [`Self::surfaces`].
    pub fn named_classes(&self, view: usize) -> impl Iterator<Item = u32> {
        let view = self.parts.views.get(view);
        let named = view.map_or(&[][..], |view| view.named);
        named.iter().map(|class| u32::from_le_bytes(*class))
    }

    /// The classes of all other surfaces in a view.
    pub fn other_classes(&self, view: usize) -> impl Iterator<Item = u32> {
        let view = self.parts.views.get(view);
        let others = view.map_or(&[][..], |view| view.others);
        others.iter().map(|class| u32::from_le_bytes(*class))
    }

    /// The table that finds the class of another surface in a view; `None` where there is one class only.
    #[must_use]
    pub fn other_table(&self, view: usize) -> Option<u32> {
        let view = self.parts.views.get(view)?;
        (view.automaton != format::NONE).then_some(view.automaton)
    }

    /// The ranks that the states of a table answer themselves, without what is looked at.
    #[must_use]
    pub fn ranks(&self, automaton: &AutomatonView<'a>) -> BTreeSet<u32> {
        let heads = match &automaton.0 {
            AnyAutomaton::Narrow(Automaton { heads, .. }) => heads,
            AnyAutomaton::Wide(Automaton { heads, .. }) => heads,
        };
        heads
            .iter()
            .flat_map(|[pass, end, _, _]| [pass, end])
            .filter_map(|rank| u32::from_le_bytes(*rank).checked_sub(1))
            .collect()
    }

    /// The lists of a table, each with its own patterns only.
    #[must_use]
    pub fn lists(&self, automaton: &AutomatonView<'a>) -> Vec<Vec<(u32, &'a str)>> {
        let (lists, entries) = match &automaton.0 {
            AnyAutomaton::Narrow(Automaton { lists, entries, .. })
            | AnyAutomaton::Wide(Automaton { lists, entries, .. }) => (lists, entries),
        };
        let text = |[rank, text]: &[Word; 2]| {
            let text = self.parts.strings.get(u32::from_le_bytes(*text))?;
            Some((u32::from_le_bytes(*rank), text))
        };
        let of_list = |[first, count, _]: &[Word; 3]| {
            let first = index(u32::from_le_bytes(*first));
            let end = first.saturating_add(index(u32::from_le_bytes(*count)));
            let own = entries.get(first..end).unwrap_or_default();
            own.iter().filter_map(text).collect()
        };
        lists.iter().map(of_list).collect()
    }

    /// All classes, in the order of their numbers.
    pub fn classes(&self) -> impl Iterator<Item = ClassView<'a>> {
        let parts = self.parts;
        (0_u32..).take(parts.classes.len()).filter_map(move |id| {
            Some(ClassView {
                class: parts.classes.get(id)?,
            })
        })
    }

    /// All views; the first is the base view.
    pub fn views(&self) -> impl Iterator<Item = ViewView<'a>> {
        let parts = self.parts;
        (0..parts.views.len()).filter_map(move |id| {
            let view = parts.views.get(id)?;
            Some(ViewView {
                agent: parts.strings.optional(view.agent),
                clamped: view.flags & format::VIEW_CLAMPED != 0,
            })
        })
    }

    /// Number of surface classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.parts.classes.len()
    }

    /// The surfaces with a name of their own.
    pub fn surfaces(&self) -> impl Iterator<Item = &'a str> {
        self.strings(self.parts.surfaces.names)
    }

    /// The config flags of [`format`](mod@format).
    #[must_use]
    pub const fn flags(&self) -> u32 {
        self.parts.config.flags
    }

    /// Configured MCP servers.
    pub fn servers(&self) -> impl Iterator<Item = &'a str> {
        self.strings(self.parts.config.servers)
    }

    /// Shell tools: name, command argument, working directory argument.
    pub fn shell_tools(&self) -> impl Iterator<Item = (&'a str, &'a str, Option<&'a str>)> {
        let strings = self.parts.strings;
        let (entries, _) = self.parts.config.shell_tools.as_chunks::<3>();
        entries.iter().filter_map(move |entry| {
            let [tool, command, workdir] = entry.map(u32::from_le_bytes);
            Some((
                strings.get(tool)?,
                strings.get(command)?,
                strings.optional(workdir),
            ))
        })
    }

    /// Directories and patterns of infrastructure reads.
    pub fn infrastructure_paths(&self) -> impl Iterator<Item = &'a str> {
        self.strings(self.parts.config.infrastructure_paths)
    }

    /// The configured authorizer chain.
    pub fn authorizer_chain(&self) -> impl Iterator<Item = &'a str> {
        self.strings(self.parts.config.chain)
    }

    /// Surfaces on which a link may allow.
    pub fn delegation_allowed(&self) -> impl Iterator<Item = &'a str> {
        self.strings(self.parts.config.delegation_allowed)
    }

    /// Surfaces on which no link may allow.
    pub fn delegation_excluded(&self) -> impl Iterator<Item = &'a str> {
        self.strings(self.parts.config.delegation_excluded)
    }

    /// Further secret-shaped patterns.
    pub fn secret_patterns(&self) -> impl Iterator<Item = &'a str> {
        self.strings(self.parts.config.secret_patterns)
    }

    /// The trust tiers, in the order of their document.
    pub fn tiers(&self) -> impl Iterator<Item = TierView<'a>> {
        TierView::all(self.parts)
    }

    /// Model and tier of each assignment, by model; no tier where it is assigned to one that does not exist.
    pub fn tier_assignments(&self) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
        TierView::assignments(self.parts)
    }

    /// Number of rows of all tiers.
    #[must_use]
    pub fn n_tier_rows(&self) -> usize {
        self.parts.tiers.n_rows()
    }

    /// The tier of models that are not assigned.
    #[must_use]
    pub fn default_tier(&self) -> Option<&'a str> {
        TierView::default(self.parts)
    }

    /// The section that only tools read.
    #[must_use]
    pub const fn cold(&self) -> &'a [u8] {
        self.parts.cold
    }

    fn strings(&self, ids: &'a [Word]) -> impl Iterator<Item = &'a str> {
        let strings = self.parts.strings;
        ids.iter()
            .filter_map(move |id| strings.get(u32::from_le_bytes(*id)))
    }
}

impl<'p> Bound<'p> {
    /// The rules that can win for a surface, lowest first: what a caller needs that reasons about patterns.
    ///
    /// # Complexity
    ///
    /// O(rules of the surface's class).
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let bound = policy.bind(Context { home: Some("/home/dev"), ..Context::default() })?;
    /// for rule in bound.rules("bash") {
    ///     println!("{} {}", rule.action.as_str(), rule.pattern);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rules(&self, surface: &str) -> Vec<RuleView<'p>> {
        let (parts, view) = self.tables();
        let Some(class) = parts.class(view, surface) else {
            return Vec::new();
        };
        let rules = class.rules.iter();
        rules
            .filter_map(|rule| rule_view(parts, u32::from_le_bytes(*rule)))
            .filter(|rule| name_matches(rule.surface, surface, false))
            .collect()
    }

    /// Directories and patterns of infrastructure reads.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let bound = policy.bind(Context { home: Some("/home/dev"), ..Context::default() })?;
    /// println!("{}", bound.infrastructure_paths().count());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn infrastructure_paths(&self) -> impl Iterator<Item = &'p str> {
        let (parts, _) = self.tables();
        let strings = parts.strings;
        let paths = parts.config.infrastructure_paths.iter();
        paths.filter_map(move |id| strings.get(u32::from_le_bytes(*id)))
    }
}

fn rule_view<'a>(parts: &Parts<'a>, rule: u32) -> Option<RuleView<'a>> {
    let (rules, strings) = (&parts.rules, &parts.strings);
    let at = index(rule);
    let (action, layer, origin) = rules.verdict(rule)?;
    Some(RuleView {
        id: u64::from_le_bytes(*rules.ids.get(at)?),
        surface: strings.get(word(rules.surfaces, at)?)?,
        pattern: strings.get(word(rules.patterns, at)?)?,
        action,
        layer,
        origin,
        reason: strings.optional(word(rules.reasons, at)?),
        file: strings.optional(word(rules.files, at)?),
        line: word(rules.lines, at)?,
        column: word(rules.columns, at)?,
    })
}
