//! The section of trust tiers.

use std::collections::HashMap;

use permc_runtime::Action;

use crate::rule::ResolvedPolicy;
use crate::source_map::SourceMap;
use crate::table::Strings;
use crate::tiers::LoweredTiers;

use super::{Section, TooLarge, name_slots};

/// Writes the section. The tables of tiers stand in the section of tables from `first_table` on.
pub(super) fn section(
    policy: &ResolvedPolicy,
    lowered: &LoweredTiers,
    first_table: usize,
    sources: &SourceMap,
    strings: &mut Strings,
) -> Result<Vec<u8>, TooLarge> {
    let tiers = &policy.tiers;
    let names = tiers.assignments.iter().map(|(model, _)| model.as_str());
    let slots = name_slots(names.clone());
    let mut sets = Section::new("tiers");
    let mut tables = Pool::default();
    let mut ranks = Pool::default();
    for set in &lowered.sets {
        let set_tables = set.tables.iter().map(|(anchor, table)| {
            let table = usize::try_from(*table)
                .ok()
                .map(|table| table.saturating_add(first_table));
            (
                *anchor,
                table
                    .and_then(|table| u32::try_from(table).ok())
                    .unwrap_or(u32::MAX),
            )
        });
        let set_ranks = set.ranks.iter().map(|(row, effect)| (*row, code(*effect)));
        for (first, length) in [
            tables.add(set_tables.collect()),
            ranks.add(set_ranks.collect()),
        ] {
            sets.count(first)?;
            sets.count(length)?;
        }
    }
    let plus_one = |tier: &Option<usize>| tier.map_or(0, |tier| tier.saturating_add(1));
    let mut section = Section::new("tiers");
    section.count(tiers.assignments.len())?;
    section.count(slots.len())?;
    section.count(tiers.tiers.len())?;
    section.count(lowered.sets.len())?;
    section.count(tables.pairs.len())?;
    section.count(ranks.pairs.len())?;
    section.count(tiers.rows().count())?;
    section.count(plus_one(&tiers.default))?;
    section.words(names.map(|model| strings.add(model)));
    for (_, tier) in &tiers.assignments {
        section.count(plus_one(tier))?;
    }
    section.words(slots);
    for (tier, sets) in tiers.tiers.iter().zip(&lowered.tiers) {
        section.word(strings.add(&tier.id));
        let label = tier.label.as_deref();
        section.word(label.map_or(0, |label| strings.add(label).saturating_add(1)));
        section.words(sets.iter().copied());
    }
    section.bytes.extend_from_slice(&sets.bytes);
    for pool in [&tables, &ranks] {
        section.words(
            pool.pairs
                .iter()
                .flat_map(|(first, second)| [*first, *second]),
        );
    }
    for (tier, row, is_project) in tiers.rows() {
        let id = row.id(&tier.id, is_project);
        section.bytes.extend_from_slice(&id.to_le_bytes());
        section.word(strings.add(&row.pattern));
        let file = sources.file(row.location.file);
        section.word(file.map_or(0, |file| strings.add(&file.name).saturating_add(1)));
        let at = file.map(|file| file.line_column(row.location.span.start));
        section.word(at.map_or(0, |at| at.line));
        section.word(at.map_or(0, |at| at.column));
    }
    Ok(section.bytes)
}

fn code(effect: Action) -> u32 {
    u32::from(effect.code())
}

/// Lists of pairs, equal ones once.
#[derive(Default)]
struct Pool {
    pairs: Vec<(u32, u32)>,
    known: HashMap<Vec<(u32, u32)>, usize>,
}

impl Pool {
    /// Where the list stands, and how long it is.
    fn add(&mut self, list: Vec<(u32, u32)>) -> (usize, usize) {
        let length = list.len();
        if let Some(first) = self.known.get(&list) {
            return (*first, length);
        }
        let first = self.pairs.len();
        self.pairs.extend_from_slice(&list);
        self.known.insert(list, first);
        (first, length)
    }
}
