//! Trust tiers as the artifact holds them.

use crate::automaton::AnyAutomaton;
use crate::bytes::{Reader, Word, index, word};
use crate::decision::{Action, RuleRef};
use crate::error::LoadError;
use crate::format::{self, section};
use crate::parts::{Names, Parts, Strings, cut};
use crate::policy::validate_names;

use super::{TierGroup, TierRow, at};

/// Words of one tier.
const TIER_WORDS: usize = 10;
/// Words of one set.
const SET_WORDS: usize = 4;
/// Words of one row.
const ROW_WORDS: usize = 6;

/// The section, cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiers<'a> {
    models: Names<'a>,
    /// The tier + 1 of each model.
    assigned: &'a [Word],
    tiers: &'a [Word],
    sets: &'a [Word],
    tables: &'a [Word],
    ranks: &'a [Word],
    rows: &'a [Word],
    default: u32,
}

/// One tier.
pub(crate) struct Tier<'a> {
    pub(crate) id: u32,
    pub(crate) label: u32,
    /// Set + 1 of each group.
    pub(crate) operator: &'a [Word],
    pub(crate) project: &'a [Word],
}

/// The rows of one tier, group and scope.
pub(crate) struct Set<'a> {
    tables: &'a [Word],
    ranks: &'a [Word],
}

impl<'a> Tiers<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let [
            n_models,
            n_slots,
            n_tiers,
            n_sets,
            n_tables,
            n_ranks,
            n_rows,
            default,
        ] = [
            reader.u32()?,
            reader.u32()?,
            reader.u32()?,
            reader.u32()?,
            reader.u32()?,
            reader.u32()?,
            reader.u32()?,
            reader.u32()?,
        ];
        let names = reader.words(n_models)?;
        let assigned = reader.words(n_models)?;
        let tiers = Self {
            models: Names::new(names, reader.words(n_slots)?)?,
            assigned,
            tiers: reader.words(n_tiers.checked_mul(10)?)?,
            sets: reader.words(n_sets.checked_mul(4)?)?,
            tables: reader.words(n_tables.checked_mul(2)?)?,
            ranks: reader.words(n_ranks.checked_mul(2)?)?,
            rows: reader.words(n_rows.checked_mul(6)?)?,
            default,
        };
        reader.is_empty().then_some(tiers)
    }

    /// Whether there are no tiers at all.
    pub(crate) const fn is_empty(&self) -> bool {
        self.tiers.is_empty()
    }

    /// The tier of a model, and whether it is the default one.
    #[inline]
    pub(crate) fn of_model(&self, strings: &Strings<'_>, model: &str) -> Option<(u32, bool)> {
        let assigned = self.models.find(strings, model);
        let tier = assigned.and_then(|model| word(self.assigned, index(model))?.checked_sub(1));
        match tier {
            Some(tier) => Some((tier, false)),
            None => Some((self.default.checked_sub(1)?, true)),
        }
    }

    pub(crate) fn tier(&self, tier: u32) -> Option<Tier<'a>> {
        let words = cut_entry(self.tiers, tier, TIER_WORDS)?;
        let (head, sets) = words.split_first_chunk::<2>()?;
        let (operator, project) = sets.split_at_checked(TierGroup::ALL.len())?;
        let [id, label] = head.map(u32::from_le_bytes);
        Some(Tier {
            id,
            label,
            operator,
            project,
        })
    }

    pub(crate) fn set(&self, set: u32) -> Option<Set<'a>> {
        let words = cut_entry(self.sets, set, SET_WORDS)?;
        let [first_table, n_tables, first_rank, n_ranks] =
            words.first_chunk()?.map(u32::from_le_bytes);
        let pair =
            |pool, first: u32, count: u32| cut(pool, first.checked_mul(2)?, count.checked_mul(2)?);
        Some(Set {
            tables: pair(self.tables, first_table, n_tables)?,
            ranks: pair(self.ranks, first_rank, n_ranks)?,
        })
    }

    pub(crate) fn row(
        &self,
        strings: &Strings<'a>,
        row: u32,
        is_project: bool,
    ) -> Option<TierRow<'a>> {
        let words = cut_entry(self.rows, row, ROW_WORDS)?;
        let [low, high, pattern, file, line, column] = words.first_chunk()?.map(u32::from_le_bytes);
        Some(TierRow {
            number: row,
            pattern: strings.get(pattern)?,
            rule: RuleRef {
                id: u64::from(low) | (u64::from(high) << 32),
                file: strings.optional(file).unwrap_or(""),
                line,
                column,
            },
            is_project,
        })
    }

    pub(crate) fn n_rows(&self) -> usize {
        index(Self::count(self.rows, ROW_WORDS))
    }

    fn count(entries: &[Word], words: usize) -> u32 {
        let count = entries.len().checked_div(words).unwrap_or(0);
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

impl Set<'_> {
    /// Anchor and table, in the order in which they are asked.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (u32, u32)> {
        let (tables, _) = self.tables.as_chunks::<2>();
        tables.iter().map(|words| {
            let [anchor, table] = words.map(u32::from_le_bytes);
            (anchor, table)
        })
    }

    /// The row of a rank, and what it says.
    pub(crate) fn rank(&self, rank: u32) -> Option<(u32, Action)> {
        let [row, action] = self
            .ranks
            .get(at(rank, 2)?..)?
            .first_chunk()?
            .map(u32::from_le_bytes);
        Some((row, Action::from_code(u8::try_from(action).ok()?)?))
    }

    fn n_ranks(&self) -> u32 {
        Tiers::count(self.ranks, 2)
    }
}

fn cut_entry(pool: &[Word], number: u32, words: usize) -> Option<&[Word]> {
    let start = at(number, words)?;
    pool.get(start..start.checked_add(words)?)
}

/// Checks every number of the section, so that lookups afterwards find what they name.
pub(crate) fn validate(parts: &Parts<'_>) -> Result<(), LoadError> {
    let wrong = |what| LoadError::section(section::TIERS, what);
    let (tiers, strings) = (&parts.tiers, &parts.strings);
    validate_names(&tiers.models, strings, section::TIERS)?;
    let n_tiers = Tiers::count(tiers.tiers, TIER_WORDS);
    let n_sets = Tiers::count(tiers.sets, SET_WORDS);
    let n_rows = Tiers::count(tiers.rows, ROW_WORDS);
    if tiers.default > n_tiers
        || tiers
            .assigned
            .iter()
            .any(|tier| u32::from_le_bytes(*tier) > n_tiers)
    {
        return Err(wrong("a tier is out of range"));
    }
    for number in 0..n_tiers {
        let tier = tiers.tier(number).ok_or(wrong("a tier is cut"))?;
        let is_label = tier.label == 0 || strings.optional(tier.label).is_some();
        if strings.get(tier.id).is_none() || !is_label {
            return Err(wrong("the name of a tier is out of range"));
        }
        let mut sets = tier.operator.iter().chain(tier.project);
        if sets.any(|set| u32::from_le_bytes(*set) > n_sets) {
            return Err(wrong("a set of rows is out of range"));
        }
    }
    for number in 0..n_sets {
        let set = tiers
            .set(number)
            .ok_or(wrong("a set's tables or ranks are out of range"))?;
        for (anchor, table) in set.tables() {
            let table = parts
                .tables
                .get(table)
                .ok_or(wrong("a table is out of range"))?;
            let automaton = AnyAutomaton::read(table.kind, table.bytes);
            let has_lists = match &automaton {
                Some(AnyAutomaton::Narrow(table)) => !table.lists.is_empty(),
                Some(AnyAutomaton::Wide(table)) => !table.lists.is_empty(),
                None => true,
            };
            if has_lists || anchor > format::ANCHOR_CWD {
                return Err(wrong("a table is of a kind that tiers do not have"));
            }
            if table.bound > set.n_ranks() {
                return Err(wrong("a rank is out of range"));
            }
        }
        for rank in 0..set.n_ranks() {
            match set.rank(rank) {
                Some((row, _)) if row < n_rows => {}
                _ => return Err(wrong("a row is out of range, or an action has no meaning")),
            }
        }
    }
    for row in 0..n_rows {
        let words = cut_entry(tiers.rows, row, ROW_WORDS).ok_or(wrong("a row is cut"))?;
        let file = word(words, 3).unwrap_or(0);
        if tiers.row(strings, row, false).is_none()
            || (file != 0 && strings.optional(file).is_none())
        {
            return Err(wrong("the pattern or file of a row is out of range"));
        }
    }
    Ok(())
}

/// A tier as it is stored, for tools.
#[derive(Clone, Copy, Debug)]
pub struct TierView<'a> {
    parts: Parts<'a>,
    number: u32,
}

impl<'a> TierView<'a> {
    /// All tiers, in the order of the document.
    pub(crate) fn all(parts: Parts<'a>) -> impl Iterator<Item = Self> {
        let n_tiers = Tiers::count(parts.tiers.tiers, TIER_WORDS);
        (0..n_tiers).map(move |number| Self { parts, number })
    }

    /// Model and tier of each assignment, by model; no tier where it is assigned to one that does not exist.
    pub(crate) fn assignments(
        parts: Parts<'a>,
    ) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
        let tiers = parts.tiers;
        let models = tiers.models.names.iter().zip(tiers.assigned);
        models.filter_map(move |(model, tier)| {
            let model = parts.strings.get(u32::from_le_bytes(*model))?;
            let tier = u32::from_le_bytes(*tier).checked_sub(1);
            Some((model, tier.and_then(|tier| Self::named(parts, tier))))
        })
    }

    /// The id of the default tier.
    pub(crate) fn default(parts: Parts<'a>) -> Option<&'a str> {
        Self::named(parts, parts.tiers.default.checked_sub(1)?)
    }

    fn named(parts: Parts<'a>, tier: u32) -> Option<&'a str> {
        parts.strings.get(parts.tiers.tier(tier)?.id)
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &'a str {
        Self::named(self.parts, self.number).unwrap_or("")
    }

    /// The label that people see.
    #[must_use]
    pub fn label(&self) -> Option<&'a str> {
        let tier = self.parts.tiers.tier(self.number)?;
        self.parts.strings.optional(tier.label)
    }

    /// The rows that say something about a group, lowest rank first, with what they say; of the project or the operator.
    #[must_use]
    pub fn rows(
        &self,
        group: TierGroup,
        of_project: bool,
    ) -> alloc::vec::Vec<(TierRow<'a>, Action)> {
        let rows = self.set(group, of_project).map(|set| {
            let ranks = (0..set.n_ranks()).filter_map(|rank| set.rank(rank));
            let row = |row| self.parts.tiers.row(&self.parts.strings, row, of_project);
            ranks
                .filter_map(|(number, action)| Some((row(number)?, action)))
                .collect()
        });
        rows.unwrap_or_default()
    }

    /// Anchor (see [`format`](mod@format)) and table of each walk for a group.
    #[must_use]
    pub fn tables(&self, group: TierGroup, of_project: bool) -> alloc::vec::Vec<(u32, u32)> {
        let set = self.set(group, of_project);
        set.map_or_else(alloc::vec::Vec::new, |set| set.tables().collect())
    }

    fn set(&self, group: TierGroup, of_project: bool) -> Option<Set<'a>> {
        let tier = self.parts.tiers.tier(self.number)?;
        let sets = if of_project {
            tier.project
        } else {
            tier.operator
        };
        let set = u32::from_le_bytes(*sets.get(group.number())?).checked_sub(1)?;
        self.parts.tiers.set(set)
    }
}
