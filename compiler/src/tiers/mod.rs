//! Trust tiers become tables: the longest pattern that matches is resolved ahead of time (page 3).

mod build;
mod check;
mod rank;
mod report;

use std::collections::HashMap;
use std::rc::Rc;

use permc_runtime::{Action, TierGroup};

use crate::diagnostic::Diagnostic;
use crate::options::Budget;
use crate::path_pattern::{Anchor, PathPattern};
use crate::rule::{TierRow, Tiers};
use crate::table::{Table, Tables};

use self::build::Built;
use self::rank::{Ranking, rank};
use self::report::Findings;

/// Trust tiers as tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoweredTiers {
    /// The tables, numbered by themselves.
    pub(crate) tables: Vec<Table>,
    pub(crate) sets: Vec<Set>,
    /// Set + 1 of each tier: the operator's rows by group, then the project's.
    pub(crate) tiers: Vec<Vec<u32>>,
    pub(crate) uses_home: bool,
}

/// The rows of one tier, group and scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Set {
    /// Anchor and table, the one with the highest rank first.
    pub(crate) tables: Vec<(u32, u32)>,
    /// Row, counted over all tiers and scopes, and what it says, lowest rank first.
    pub(crate) ranks: Vec<(u32, Action)>,
}

/// A row that speaks about a group, with its canonical pattern.
#[derive(Clone, Copy, Debug)]
struct Entry<'a> {
    /// Place among the rows of its tier and scope.
    row: usize,
    pattern: usize,
    canonical: &'a PathPattern,
    effect: Action,
}

/// Lowers all tiers. Rows whose patterns are refused are named; then there is nothing to be encoded.
///
/// # Complexity
///
/// Near-linear in the length of the patterns for each distinct list of them, within the budget.
pub(crate) fn lower(tiers: &Tiers, fold: bool, budget: &Budget) -> (LoweredTiers, Vec<Diagnostic>) {
    let mut findings = Findings::default();
    let patterns = Patterns::new(tiers, fold, &mut findings);
    let mut lowering = Lowering {
        patterns: &patterns,
        budget,
        effort: check::Effort::new(budget),
        tables: Tables::default(),
        built: HashMap::new(),
        rankings: rank::Memory::default(),
    };
    let mut lowered = LoweredTiers {
        uses_home: patterns
            .all
            .iter()
            .any(|pattern| pattern.has_anchor(Anchor::Home)),
        ..LoweredTiers::default()
    };
    let mut first_row = 0_u32;
    for tier in &tiers.tiers {
        let mut sets = Vec::with_capacity(8);
        for (rows, is_project) in tier.scopes() {
            let mut report = report::Scope::new(&tier.id, rows, is_project);
            for group in TierGroup::ALL {
                // Past a few refusals there is no artifact anyway, and each one has cost its budget.
                let set = if findings.is_full() {
                    None
                } else {
                    lowering.set(rows, group, first_row, &mut report)
                };
                let number = set.map(|set| {
                    lowered.sets.push(set);
                    count(lowered.sets.len())
                });
                sets.push(number.unwrap_or(0));
            }
            report.finish(&mut findings);
            first_row = first_row.saturating_add(count(rows.len()));
        }
        lowered.tiers.push(sets);
    }
    lowered.tables = lowering.tables.into_vec();
    (lowered, findings.into_vec())
}

/// Every distinct pattern, read once.
struct Patterns {
    /// Distinct canonical patterns.
    all: Vec<PathPattern>,
    /// The canonical pattern of each text that is one.
    by_text: HashMap<String, usize>,
}

impl Patterns {
    fn new(tiers: &Tiers, fold: bool, findings: &mut Findings) -> Self {
        let mut patterns = Self {
            all: Vec::new(),
            by_text: HashMap::new(),
        };
        let mut numbers: HashMap<PathPattern, usize> = HashMap::new();
        let rows = tiers
            .tiers
            .iter()
            .flat_map(|tier| tier.operator.iter().chain(&tier.project));
        for row in rows {
            if patterns.by_text.contains_key(&row.pattern) {
                continue;
            }
            match PathPattern::parse(&row.pattern, fold) {
                Ok(pattern) => {
                    let number = *numbers.entry(pattern).or_insert_with_key(|pattern| {
                        patterns.all.push(pattern.clone());
                        patterns.all.len().saturating_sub(1)
                    });
                    patterns.by_text.insert(row.pattern.clone(), number);
                }
                Err(error) => findings.refuse(row, &error),
            }
        }
        patterns
    }

    fn get(&self, row: &TierRow) -> Option<(usize, &PathPattern)> {
        let number = *self.by_text.get(&row.pattern)?;
        Some((number, self.all.get(number)?))
    }
}

struct Lowering<'p> {
    patterns: &'p Patterns,
    budget: &'p Budget,
    effort: check::Effort,
    tables: Tables,
    /// By the patterns of a set, lowest rank first.
    built: HashMap<Vec<usize>, Rc<Built>>,
    rankings: rank::Memory,
}

impl Lowering<'_> {
    /// The set of the rows that speak about a group; none where none does.
    fn set(
        &mut self,
        rows: &[TierRow],
        group: TierGroup,
        first_row: u32,
        report: &mut report::Scope<'_>,
    ) -> Option<Set> {
        let entries = rows.iter().enumerate().filter_map(|(row, tier_row)| {
            let effect = tier_row.effect(group)?;
            let (pattern, canonical) = self.patterns.get(tier_row)?;
            Some(Entry {
                row,
                pattern,
                canonical,
                effect,
            })
        });
        let entries: Vec<Entry<'_>> = entries.collect();
        if entries.is_empty() {
            return None;
        }
        let Ranking {
            entries,
            conflicts,
            n_undecided,
        } = rank(entries, &mut self.rankings);
        report.add_conflicts(group, &conflicts, n_undecided);
        let key: Vec<usize> = entries.iter().map(|entry| entry.pattern).collect();
        let built = match self.built.get(&key) {
            Some(built) => Rc::clone(built),
            None => {
                let patterns: Vec<&PathPattern> =
                    entries.iter().map(|entry| entry.canonical).collect();
                let built = Rc::new(Built::new(
                    &patterns,
                    self.budget,
                    &mut self.effort,
                    &mut self.tables,
                ));
                self.built.insert(key, Rc::clone(&built));
                built
            }
        };
        report.add_built(group, &entries, &built);
        Some(Set {
            tables: built.tables.clone(),
            ranks: entries
                .iter()
                .map(|entry| (first_row.saturating_add(count(entry.row)), entry.effect))
                .collect(),
        })
    }
}

/// Counts are bounded by the size of documents, far below 2^32.
fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
