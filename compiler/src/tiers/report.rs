//! What is said about rows: patterns that are refused, rows that contradict one another, rows that decide nothing.

use std::collections::{BTreeMap, BTreeSet};

use permc_runtime::{Action, TierGroup};

use crate::diagnostic::{Code, Diagnostic, quote};
use crate::path_pattern::{PathPatternError, refusal};
use crate::rule::TierRow;

use super::Entry;
use super::build::Built;
use super::rank::Conflict;

/// Refusals past which nothing more is built.
pub(super) const MOST_REFUSALS: usize = 8;

/// Everything that was found.
#[derive(Default)]
pub(super) struct Findings {
    found: Vec<Diagnostic>,
    n_refused: usize,
}

impl Findings {
    /// A pattern that cannot be read.
    pub(super) fn refuse(&mut self, row: &TierRow, error: &PathPatternError) {
        self.n_refused = self.n_refused.saturating_add(1);
        self.found
            .push(refusal(&row.pattern, error).at(row.location, ""));
    }

    pub(super) const fn is_full(&self) -> bool {
        self.n_refused >= MOST_REFUSALS
    }

    pub(super) fn into_vec(self) -> Vec<Diagnostic> {
        self.found
    }
}

/// Two rows that disagree, and in which groups.
type Pair = (usize, usize);

/// What was found about the rows of one tier and scope, over all groups.
pub(super) struct Scope<'t> {
    tier: &'t str,
    rows: &'t [TierRow],
    is_project: bool,
    /// The lenient and the strict row of each conflict.
    conflicts: BTreeMap<Pair, Vec<(TierGroup, Action, Action)>>,
    /// Pairs of equally long rows that were not compared.
    n_undecided: usize,
    refused: BTreeSet<usize>,
    /// Rows, counted in each group, of which it was not found out whether they ever decide.
    n_unsearched: usize,
    /// Groups in which a row never decides, and the row that covers it.
    never: BTreeMap<usize, Vec<(TierGroup, Option<Cover>)>>,
}

/// A higher row that matches all that a row matches.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Cover {
    row: usize,
    effect: Action,
    is_longer: bool,
    is_same: bool,
}

impl<'t> Scope<'t> {
    pub(super) const fn new(tier: &'t str, rows: &'t [TierRow], is_project: bool) -> Self {
        Self {
            tier,
            rows,
            is_project,
            conflicts: BTreeMap::new(),
            n_undecided: 0,
            refused: BTreeSet::new(),
            n_unsearched: 0,
            never: BTreeMap::new(),
        }
    }

    pub(super) fn add_conflicts(
        &mut self,
        group: TierGroup,
        conflicts: &[Conflict],
        n_undecided: usize,
    ) {
        self.n_undecided = self.n_undecided.saturating_add(n_undecided);
        for Conflict { lenient, strict } in conflicts {
            let groups = self.conflicts.entry((lenient.0, strict.0)).or_default();
            groups.push((group, lenient.1, strict.1));
        }
    }

    pub(super) fn add_built(&mut self, group: TierGroup, entries: &[Entry<'_>], built: &Built) {
        let row = |rank: usize| entries.get(rank);
        self.refused.extend(
            built
                .refused
                .iter()
                .filter_map(|rank| Some(row(*rank)?.row)),
        );
        self.n_unsearched = self.n_unsearched.saturating_add(built.checked.n_undecided);
        for never in &built.checked.never {
            let Some(entry) = row(never.rank) else {
                continue;
            };
            let cover = never.cover.and_then(row).map(|cover| Cover {
                row: cover.row,
                effect: cover.effect,
                is_longer: cover.canonical.length > entry.canonical.length,
                is_same: never.is_same,
            });
            self.never
                .entry(entry.row)
                .or_default()
                .push((group, cover));
        }
    }

    /// Puts it into words.
    pub(super) fn finish(self, findings: &mut Findings) {
        for row in self.refused.iter().filter_map(|row| self.rows.get(*row)) {
            findings.n_refused = findings.n_refused.saturating_add(1);
            findings.found.push(
                Diagnostic::new(
                    Code::TIER_TOO_COMPLEX,
                    format!(
                        "the tier pattern {} is too complex: its automaton passes the budget",
                        quote(&row.pattern)
                    ),
                )
                .at(row.location, "")
                .help("use fewer `?` and classes behind a `*` of the same name"),
            );
        }
        for ((lenient, strict), groups) in &self.conflicts {
            findings
                .found
                .extend(self.conflict(*lenient, *strict, groups));
        }
        if let Some(first) = self.rows.first().filter(|_| self.n_undecided > 0) {
            let message = format!(
                "tier {}: {} pairs of equally long rows were not compared, that would take too long",
                quote(self.tier),
                self.n_undecided
            );
            findings.found.push(
                Diagnostic::new(Code::TIER_ROWS_DISAGREE, message)
                    .at(first.location, "in the rows from here on")
                    .help("where they meet, the stricter effect counts; split the tier, or write fewer, wider rows"),
            );
        }
        if let Some(first) = self.rows.first().filter(|_| self.n_unsearched > 0) {
            let message = format!(
                "tier {}: it was not found out within the search budget whether {} ever decides",
                quote(self.tier),
                if self.n_unsearched == 1 {
                    "a row".to_owned()
                } else {
                    format!("each of {} rows", self.n_unsearched)
                }
            );
            findings.found.push(
                Diagnostic::new(Code::TIER_ROW_NEVER_DECIDES, message)
                    .at(first.location, "in the rows from here on")
                    .help("raise the budget with `--budget search-nodes=N`, or write fewer `*` in a name"),
            );
        }
        for (row, tier_row) in self.rows.iter().enumerate() {
            if tier_row.effects.is_empty() {
                findings.found.push(self.about(
                    Code::TIER_ROW_NEVER_DECIDES,
                    tier_row,
                    "states no effect, so that it decides nothing".to_owned(),
                    "write effects such as `{ \"read\": \"deny\" }`, or remove the row",
                ));
            }
            if let Some(groups) = self.never.get(&row) {
                findings.found.extend(self.never(row, tier_row, groups));
            }
        }
    }

    fn about(&self, code: Code, row: &TierRow, what: String, help: &str) -> Diagnostic {
        let whose = if self.is_project {
            "project's rows for the tier"
        } else {
            "tier"
        };
        let message = format!(
            "the row {} of the {whose} {} {what}",
            quote(&row.pattern),
            quote(self.tier)
        );
        Diagnostic::new(code, message)
            .at(row.location, "")
            .help(help)
    }

    fn conflict(
        &self,
        lenient: usize,
        strict: usize,
        groups: &[(TierGroup, Action, Action)],
    ) -> Option<Diagnostic> {
        let (lenient, strict) = (self.rows.get(lenient)?, self.rows.get(strict)?);
        let (_, says, other) = groups.first()?;
        let names = listed(groups.iter().map(|(group, _, _)| *group));
        let what = format!(
            "and the equally long {} match the same paths but disagree about {names}: there the stricter `{}` counts, not `{}`",
            quote(&strict.pattern),
            other.as_str(),
            says.as_str()
        );
        let help = "make the row that should decide longer, or let both say the same";
        Some(
            self.about(Code::TIER_ROWS_DISAGREE, lenient, what, help)
                .related(strict.location, "equally long"),
        )
    }

    fn never(
        &self,
        row: usize,
        tier_row: &TierRow,
        groups: &[(TierGroup, Option<Cover>)],
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut left: Vec<(TierGroup, Option<Cover>)> = groups.to_vec();
        while let Some((group, cover)) = left.first().copied() {
            let own = tier_row.effect(group);
            let disagrees = |cover: &Cover| own.is_some_and(|own| own != cover.effect);
            let (alike, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|(group, other)| {
                other.map(|cover| cover.row) == cover.map(|cover| cover.row)
                    && other.is_some_and(|other| tier_row.effect(*group) != Some(other.effect))
                        == cover.is_some_and(|cover| disagrees(&cover))
            });
            left = others;
            let names = listed(alike.iter().map(|(group, _)| *group));
            let covering = cover.and_then(|cover| Some((cover, self.rows.get(cover.row)?)));
            found.push(match covering {
                // That two equally long rows disagree has been said.
                Some((cover, _)) if !cover.is_longer && disagrees(&cover) && self.is_conflict(row, cover.row) => {
                    continue;
                }
                Some((cover, wide)) if cover.is_longer && disagrees(&cover) && !cover.is_same => self
                    .about(
                        Code::TIER_BROADER_WINS,
                        tier_row,
                        format!(
                            "never decides about {names}: the broader {} is longer, and longer wins",
                            quote(&wide.pattern)
                        ),
                        "write the narrower row longer, for example with a leading directory or `**`, or remove it",
                    )
                    .related(wide.location, "matches all of it, and is longer"),
                Some((_, wide)) => self
                    .about(
                        Code::TIER_ROW_NEVER_DECIDES,
                        tier_row,
                        format!(
                            "never decides about {names}: {} matches all that it matches and outranks it",
                            quote(&wide.pattern)
                        ),
                        "remove the row, or make it longer than the other",
                    )
                    .related(wide.location, "outranks it"),
                None => self.about(
                    Code::TIER_ROW_NEVER_DECIDES,
                    tier_row,
                    format!("never decides about {names}: higher rows match all that it matches"),
                    "remove the row, or make it longer than those that cover it",
                ),
            });
        }
        found
    }

    fn is_conflict(&self, lenient: usize, strict: usize) -> bool {
        self.conflicts.contains_key(&(lenient, strict))
    }
}

/// `read, write and execute`
fn listed(groups: impl Iterator<Item = TierGroup>) -> String {
    let names: Vec<&str> = groups.map(TierGroup::as_str).collect();
    match names.split_last() {
        Some((last, [])) => format!("`{last}`"),
        Some((last, others)) => format!("`{}` and `{last}`", others.join("`, `")),
        None => String::new(),
    }
}
