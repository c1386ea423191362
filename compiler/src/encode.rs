//! Writing an artifact: tables, columns and lists into the sections of [`format`](mod@format).

mod tiers;

use std::collections::HashMap;

use permc_runtime::format::{self, section};
use sha2::{Digest as _, Sha256};

use crate::cold::Cold;
use crate::lower::{Class, Lowered};
use crate::rule::ResolvedPolicy;
use crate::source_map::SourceMap;
use crate::table::Strings;
use crate::tiers::LoweredTiers;

/// An artifact would be larger than its format can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge(pub(crate) &'static str);

/// Encodes a lowered policy.
///
/// The bytes depend on nothing but the arguments: no time, no path, no order of a hash map.
///
/// # Errors
///
/// A section passes 4 GiB.
///
/// # Complexity
///
/// O(bytes).
pub(crate) fn encode(
    policy: &ResolvedPolicy,
    lowered: Lowered,
    lowered_tiers: &LoweredTiers,
    cold: &Cold,
    sources: &SourceMap,
) -> Result<Vec<u8>, TooLarge> {
    let Lowered {
        mut strings,
        mut tables,
        classes,
        surfaces,
        views,
        uses_home,
    } = lowered;
    let rules = rules(policy, sources, &mut strings)?;
    let surfaces = named_surfaces(&surfaces, &mut strings)?;
    let views = views_section(&views, &mut strings)?;
    let uses_home = uses_home || lowered_tiers.uses_home;
    let config = config(policy, uses_home, &mut strings)?;
    let first_table = tables.len();
    tables.extend(lowered_tiers.tables.iter().cloned());
    let tiers = tiers::section(policy, lowered_tiers, first_table, sources, &mut strings)?;
    let tables = tables_section(&tables)?;
    let classes = classes_section(&classes)?;
    let cold = cold.encode().ok_or(TooLarge("cold"))?;
    let sections = [
        (section::STRINGS, strings_section(&strings)?),
        (section::RULES, rules),
        (section::TABLES, tables),
        (section::CLASSES, classes),
        (section::SURFACES, surfaces),
        (section::VIEWS, views),
        (section::CONFIG, config),
        (section::TIERS, tiers),
        (section::COLD, cold),
    ];
    Ok(container(&sections))
}

/// The policy digest of an artifact's bytes: SHA-256 over everything but the digest itself and the checksum.
///
/// # Example
///
/// ```
/// assert_eq!(permc::digest_of(b"short"), None);
/// ```
#[must_use]
pub fn digest_of(bytes: &[u8]) -> Option<[u8; 32]> {
    let content = bytes.get(..bytes.len().checked_sub(format::TRAILER_LEN)?)?;
    let mut hash = Sha256::new();
    hash.update(content.get(..format::DIGEST_OFFSET)?);
    hash.update(content.get(format::HEADER_LEN..)?);
    Some(hash.finalize().into())
}

fn container(sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&format::MAGIC);
    bytes.extend_from_slice(&format::VERSION.to_le_bytes());
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    let table_len = sections.len().saturating_mul(format::SECTION_ENTRY_LEN);
    let mut offset = format::HEADER_LEN.saturating_add(table_len);
    let mut entries = Vec::new();
    let mut body = Vec::new();
    for (id, content) in sections {
        let start = offset.next_multiple_of(8);
        body.resize(body.len().saturating_add(start.saturating_sub(offset)), 0);
        body.extend_from_slice(content);
        offset = start.saturating_add(content.len());
        entries.extend_from_slice(&id.to_le_bytes());
        entries.extend_from_slice(&0_u32.to_le_bytes());
        entries.extend_from_slice(&long(start).to_le_bytes());
        entries.extend_from_slice(&long(content.len()).to_le_bytes());
    }
    let total = offset.saturating_add(format::TRAILER_LEN);
    bytes.extend_from_slice(&long(total).to_le_bytes());
    bytes.extend_from_slice(
        &u32::try_from(sections.len())
            .unwrap_or(u32::MAX)
            .to_le_bytes(),
    );
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    let mut hash = Sha256::new();
    hash.update(&bytes);
    hash.update(&entries);
    hash.update(&body);
    let digest: [u8; 32] = hash.finalize().into();
    bytes.extend_from_slice(&digest);
    bytes.extend_from_slice(&entries);
    bytes.extend_from_slice(&body);
    let checksum = format::crc32c(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

fn long(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// Collects the words of one section.
struct Section {
    name: &'static str,
    bytes: Vec<u8>,
}

impl Section {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            bytes: Vec::new(),
        }
    }

    fn word(&mut self, word: u32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        for word in words {
            self.word(word);
        }
    }

    fn count(&mut self, count: usize) -> Result<(), TooLarge> {
        let count = u32::try_from(count).map_err(|_| TooLarge(self.name))?;
        self.word(count);
        Ok(())
    }

    fn list(&mut self, words: &[u32]) -> Result<(), TooLarge> {
        self.count(words.len())?;
        self.words(words.iter().copied());
        Ok(())
    }
}

fn strings_section(strings: &Strings) -> Result<Vec<u8>, TooLarge> {
    let mut section = Section::new("strings");
    section.count(strings.iter().len())?;
    let mut end = 0_usize;
    for text in strings.iter() {
        end = end.saturating_add(text.len());
        section.count(end)?;
    }
    for text in strings.iter() {
        section.bytes.extend_from_slice(text.as_bytes());
    }
    Ok(section.bytes)
}

fn rules(
    policy: &ResolvedPolicy,
    sources: &SourceMap,
    strings: &mut Strings,
) -> Result<Vec<u8>, TooLarge> {
    let mut section = Section::new("rules");
    section.count(policy.rules.len())?;
    section.word(0);
    for rule in &policy.rules {
        section.bytes.extend_from_slice(&rule.id().to_le_bytes());
    }
    section.words(policy.rules.iter().map(|rule| strings.add(&rule.surface)));
    section.words(policy.rules.iter().map(|rule| strings.add(&rule.pattern)));
    let mut optional =
        |text: Option<&str>| text.map_or(0, |text| strings.add(text).saturating_add(1));
    section.words(
        policy
            .rules
            .iter()
            .map(|rule| optional(rule.reason.as_deref())),
    );
    let places: Vec<_> = policy
        .rules
        .iter()
        .map(|rule| {
            let location = rule.location?;
            let file = sources.file(location.file)?;
            Some((file.name.as_str(), file.line_column(location.span.start)))
        })
        .collect();
    section.words(
        places
            .iter()
            .map(|place| optional(place.map(|(file, _)| file))),
    );
    section.words(
        places
            .iter()
            .map(|place| place.map_or(0, |(_, at)| at.line)),
    );
    section.words(
        places
            .iter()
            .map(|place| place.map_or(0, |(_, at)| at.column)),
    );
    section.bytes.extend(
        policy
            .rules
            .iter()
            .map(|rule| rule.action.code() | (rule.layer.code() << 2) | (rule.origin.code() << 4)),
    );
    Ok(section.bytes)
}

fn tables_section(tables: &[crate::table::Table]) -> Result<Vec<u8>, TooLarge> {
    let mut section = Section::new("tables");
    section.count(tables.len())?;
    let mut offset = tables.len().saturating_mul(16).saturating_add(4);
    for table in tables {
        section.word(table.kind);
        section.count(offset)?;
        section.count(table.bytes.len())?;
        section.word(table.bound);
        offset = offset.saturating_add(table.bytes.len());
    }
    for table in tables {
        section.bytes.extend_from_slice(&table.bytes);
    }
    Ok(section.bytes)
}

fn classes_section(classes: &[Class]) -> Result<Vec<u8>, TooLarge> {
    let mut pool: Vec<u32> = Vec::new();
    let mut firsts: HashMap<&[u32], usize> = HashMap::new();
    let mut groups = Section::new("classes");
    let mut n_groups = 0_usize;
    let mut entries = Section::new("classes");
    for class in classes {
        let first = *firsts.entry(&class.rules).or_insert_with(|| {
            let first = pool.len();
            pool.extend_from_slice(&class.rules);
            first
        });
        entries.count(first)?;
        entries.count(class.rules.len())?;
        entries.count(n_groups)?;
        entries.count(class.groups.len())?;
        entries.word(class.flags);
        for group in &class.groups {
            groups.words([group.table, group.guard, group.flags]);
        }
        n_groups = n_groups.saturating_add(class.groups.len());
    }
    let mut section = Section::new("classes");
    section.count(classes.len())?;
    section.count(n_groups)?;
    section.count(pool.len())?;
    section.bytes.extend_from_slice(&entries.bytes);
    section.bytes.extend_from_slice(&groups.bytes);
    section.words(pool);
    Ok(section.bytes)
}

fn named_surfaces(surfaces: &[String], strings: &mut Strings) -> Result<Vec<u8>, TooLarge> {
    let slots = name_slots(surfaces.iter().map(String::as_str));
    let mut section = Section::new("surfaces");
    section.count(surfaces.len())?;
    section.count(slots.len())?;
    section.words(surfaces.iter().map(|surface| strings.add(surface)));
    section.words(slots);
    Ok(section.bytes)
}

/// The slots of a hash table over names, each holding number + 1, 0 for an empty one.
fn name_slots<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> Vec<u32> {
    let n_slots = names
        .len()
        .saturating_mul(2)
        .saturating_add(1)
        .next_power_of_two();
    let mask = n_slots.saturating_sub(1);
    let mut slots = vec![0_u32; n_slots];
    for (number, name) in (1_u32..).zip(names) {
        let hash = format::surface_hash(name.as_bytes());
        let mut slot = usize::try_from(hash).unwrap_or(0) & mask;
        while slots.get(slot).is_some_and(|taken| *taken != 0) {
            slot = slot.wrapping_add(1) & mask;
        }
        if let Some(slot) = slots.get_mut(slot) {
            *slot = number;
        }
    }
    slots
}

fn views_section(
    views: &[crate::lower::LoweredView],
    strings: &mut Strings,
) -> Result<Vec<u8>, TooLarge> {
    let mut section = Section::new("views");
    section.count(views.len())?;
    section.count(views.first().map_or(0, |view| view.named.len()))?;
    section.count(views.iter().map(|view| view.others.len()).sum())?;
    let mut first = 0_usize;
    for view in views {
        section.word(
            view.agent
                .as_deref()
                .map_or(0, |agent| strings.add(agent).saturating_add(1)),
        );
        section.word(if view.clamped {
            format::VIEW_CLAMPED
        } else {
            0
        });
        section.word(view.automaton.unwrap_or(format::NONE));
        section.count(first)?;
        section.count(view.others.len())?;
        first = first.saturating_add(view.others.len());
    }
    section.words(views.iter().flat_map(|view| view.named.iter().copied()));
    section.words(views.iter().flat_map(|view| view.others.iter().copied()));
    Ok(section.bytes)
}

fn config(
    policy: &ResolvedPolicy,
    uses_home: bool,
    strings: &mut Strings,
) -> Result<Vec<u8>, TooLarge> {
    let mut section = Section::new("config");
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    section.word(
        flag(policy.yolo, format::CONFIG_YOLO)
            | flag(uses_home, format::CONFIG_USES_HOME)
            | flag(policy.fold_paths, format::CONFIG_FOLD_PATHS)
            | flag(policy.delegation.is_some(), format::CONFIG_DELEGATION),
    );
    list(&mut section, &policy.servers, strings)?;
    section.count(policy.shell_tools.len())?;
    for tool in &policy.shell_tools {
        section.word(strings.add(&tool.tool));
        section.word(strings.add(&tool.command_argument));
        let workdir = tool.workdir_argument.as_deref();
        section.word(workdir.map_or(0, |workdir| strings.add(workdir).saturating_add(1)));
    }
    list(&mut section, &policy.infrastructure_paths, strings)?;
    list(&mut section, &policy.authorizer_chain, strings)?;
    let delegation = policy.delegation.clone().unwrap_or_default();
    list(&mut section, &delegation.allowed_surfaces, strings)?;
    list(&mut section, &delegation.excluded_surfaces, strings)?;
    list(&mut section, &delegation.secret_patterns, strings)?;
    Ok(section.bytes)
}

fn list(section: &mut Section, texts: &[String], strings: &mut Strings) -> Result<(), TooLarge> {
    let ids: Vec<u32> = texts.iter().map(|text| strings.add(text)).collect();
    section.list(&ids)
}
