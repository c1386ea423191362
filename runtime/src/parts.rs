//! An artifact's bytes cut into its columns, without copying; checks lengths only.

use crate::bytes::{Reader, Word, index, word};
use crate::decision::{Action, Layer, Origin};
use crate::error::{Kind, LoadError};
use crate::format::{self, section};
use crate::tiers::Tiers;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) digest: &'a [u8; 32],
    pub(crate) strings: Strings<'a>,
    pub(crate) rules: Rules<'a>,
    pub(crate) tables: Tables<'a>,
    pub(crate) classes: Classes<'a>,
    pub(crate) surfaces: Names<'a>,
    pub(crate) views: Views<'a>,
    pub(crate) config: Config<'a>,
    pub(crate) tiers: Tiers<'a>,
    pub(crate) cold: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Strings<'a> {
    pub(crate) ends: &'a [Word],
    pub(crate) text: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) ids: &'a [[u8; 8]],
    pub(crate) surfaces: &'a [Word],
    pub(crate) patterns: &'a [Word],
    pub(crate) reasons: &'a [Word],
    pub(crate) files: &'a [Word],
    pub(crate) lines: &'a [Word],
    pub(crate) columns: &'a [Word],
    /// Action, layer and origin of each rule.
    verdicts: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables<'a> {
    index: &'a [Word],
    section: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TableEntry<'a> {
    pub(crate) kind: u32,
    pub(crate) bound: u32,
    pub(crate) bytes: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Classes<'a> {
    classes: &'a [Word],
    groups: &'a [Word],
    rules: &'a [Word],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Class<'a> {
    pub(crate) rules: &'a [Word],
    groups: &'a [Word],
    pub(crate) flags: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) table: u32,
    pub(crate) guard: u32,
    pub(crate) flags: u32,
}

/// Words of one group entry.
const GROUP_WORDS: usize = 3;
/// Words of one class entry.
const CLASS_WORDS: usize = 5;
/// Words of one view entry.
const VIEW_WORDS: usize = 5;
/// Words of one table entry.
const TABLE_WORDS: usize = 4;

/// Names by hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    pub(crate) names: &'a [Word],
    pub(crate) slots: &'a [Word],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Views<'a> {
    views: &'a [Word],
    named: &'a [Word],
    n_surfaces: usize,
    others: &'a [Word],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) agent: u32,
    pub(crate) flags: u32,
    pub(crate) automaton: u32,
    pub(crate) named: &'a [Word],
    pub(crate) others: &'a [Word],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Config<'a> {
    pub(crate) flags: u32,
    pub(crate) servers: &'a [Word],
    pub(crate) shell_tools: &'a [Word],
    pub(crate) infrastructure_paths: &'a [Word],
    pub(crate) chain: &'a [Word],
    pub(crate) delegation_allowed: &'a [Word],
    pub(crate) delegation_excluded: &'a [Word],
    pub(crate) secret_patterns: &'a [Word],
}

impl<'a> Parts<'a> {
    /// Cuts the sections into columns. Expects that the header has been validated.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, LoadError> {
        const COUNTS: &str = "its counts contradict its length";
        let sections = Sections::read(bytes)?;
        let get = |id: u32| sections.get(id);
        macro_rules! cut {
            ($kind:ident, $id:expr) => {
                $kind::read(get($id)?).ok_or(LoadError::section($id, COUNTS))?
            };
        }
        Ok(Self {
            digest: bytes
                .get(format::DIGEST_OFFSET..)
                .and_then(|rest| rest.first_chunk())
                .ok_or(LoadError::new(Kind::Header("it is cut")))?,
            strings: cut!(Strings, section::STRINGS),
            rules: cut!(Rules, section::RULES),
            tables: cut!(Tables, section::TABLES),
            classes: cut!(Classes, section::CLASSES),
            surfaces: cut!(Names, section::SURFACES),
            views: cut!(Views, section::VIEWS),
            config: cut!(Config, section::CONFIG),
            tiers: cut!(Tiers, section::TIERS),
            cold: get(section::COLD)?,
        })
    }
}

/// The section table, whose shape [`Sections::read`] has checked.
struct Sections<'a> {
    bytes: &'a [u8],
    entries: Reader<'a>,
}

impl<'a> Sections<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, LoadError> {
        let header = |what| LoadError::new(Kind::Header(what));
        let body = bytes.get(format::HEADER_LEN..).ok_or(header("it is cut"))?;
        let table_len = section::ALL
            .len()
            .checked_mul(format::SECTION_ENTRY_LEN)
            .ok_or(header("it is cut"))?;
        let table = body
            .get(..table_len)
            .ok_or(header("the section table is cut"))?;
        Ok(Self {
            bytes,
            entries: Reader::new(table),
        })
    }

    fn get(&self, id: u32) -> Result<&'a [u8], LoadError> {
        let missing = LoadError::section(id, "it is missing or out of range");
        let mut entries = self.entries;
        while let (Some(found), Some(_), Some(offset), Some(length)) =
            (entries.u32(), entries.u32(), entries.u64(), entries.u64())
        {
            if found == id {
                let start = usize::try_from(offset).map_err(|_| missing.clone())?;
                let length = usize::try_from(length).map_err(|_| missing.clone())?;
                let end = start.checked_add(length).ok_or_else(|| missing.clone())?;
                return self.bytes.get(start..end).ok_or(missing);
            }
        }
        Err(missing)
    }
}

impl<'a> Strings<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let ends = reader.list()?;
        let length = ends.last().map_or(0, |end| u32::from_le_bytes(*end));
        let text = reader.take(index(length))?;
        reader.is_empty().then_some(Self { ends, text })
    }

    pub(crate) fn bytes(&self, id: u32) -> Option<&'a [u8]> {
        let id = index(id);
        let end = word(self.ends, id)?;
        let start = match id.checked_sub(1) {
            Some(previous) => word(self.ends, previous)?,
            None => 0,
        };
        self.text.get(index(start)..index(end))
    }

    pub(crate) fn get(&self, id: u32) -> Option<&'a str> {
        core::str::from_utf8(self.bytes(id)?).ok()
    }

    /// A string that is stored plus one, 0 for none.
    pub(crate) fn optional(&self, id_plus_one: u32) -> Option<&'a str> {
        self.get(id_plus_one.checked_sub(1)?)
    }
}

impl<'a> Rules<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let n_rules = reader.u32()?;
        let _zero = reader.u32()?;
        let n_bytes = index(n_rules);
        let rules = Self {
            ids: reader.take(n_bytes.checked_mul(8)?)?.as_chunks::<8>().0,
            surfaces: reader.words(n_rules)?,
            patterns: reader.words(n_rules)?,
            reasons: reader.words(n_rules)?,
            files: reader.words(n_rules)?,
            lines: reader.words(n_rules)?,
            columns: reader.words(n_rules)?,
            verdicts: reader.take(n_bytes)?,
        };
        reader.is_empty().then_some(rules)
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// What a rule says, where it sits, who wrote it.
    pub(crate) fn verdict(&self, rule: u32) -> Option<(Action, Layer, Origin)> {
        let verdict = *self.verdicts.get(index(rule))?;
        Some((
            Action::from_code(verdict & 3)?,
            Layer::from_code((verdict >> 2) & 3)?,
            Origin::from_code(verdict >> 4)?,
        ))
    }
}

impl<'a> Tables<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let n_tables = reader.u32()?;
        let index = reader.words(n_tables.checked_mul(4)?)?;
        Some(Self {
            index,
            section: bytes,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.index.len().checked_div(TABLE_WORDS).unwrap_or(0)
    }

    pub(crate) fn get(&self, id: u32) -> Option<TableEntry<'a>> {
        let at = index(id).checked_mul(TABLE_WORDS)?;
        let [kind, offset, length, bound] = *self.index.get(at..)?.first_chunk()?;
        let start = index(u32::from_le_bytes(offset));
        let end = start.checked_add(index(u32::from_le_bytes(length)))?;
        Some(TableEntry {
            kind: u32::from_le_bytes(kind),
            bound: u32::from_le_bytes(bound),
            bytes: self.section.get(start..end)?,
        })
    }
}

impl<'a> Classes<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let n_classes = reader.u32()?;
        let n_groups = reader.u32()?;
        let n_rules = reader.u32()?;
        let classes = Self {
            classes: reader.words(n_classes.checked_mul(5)?)?,
            groups: reader.words(n_groups.checked_mul(3)?)?,
            rules: reader.words(n_rules)?,
        };
        reader.is_empty().then_some(classes)
    }

    pub(crate) fn len(&self) -> usize {
        self.classes.len().checked_div(CLASS_WORDS).unwrap_or(0)
    }

    pub(crate) fn get(&self, id: u32) -> Option<Class<'a>> {
        let at = index(id).checked_mul(CLASS_WORDS)?;
        let [first_rule, n_rules, first_group, n_groups, flags] = self
            .classes
            .get(at..)?
            .first_chunk()?
            .map(u32::from_le_bytes);
        let groups = cut(
            self.groups,
            first_group.checked_mul(3)?,
            n_groups.checked_mul(3)?,
        )?;
        Some(Class {
            rules: cut(self.rules, first_rule, n_rules)?,
            groups,
            flags,
        })
    }
}

impl Class<'_> {
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group> {
        let (groups, _) = self.groups.as_chunks::<GROUP_WORDS>();
        groups.iter().map(|words| {
            let [table, guard, flags] = words.map(u32::from_le_bytes);
            Group {
                table,
                guard,
                flags,
            }
        })
    }
}

impl<'a> Names<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let n_names = reader.u32()?;
        let n_slots = reader.u32()?;
        let names = Self::new(reader.words(n_names)?, reader.words(n_slots)?)?;
        reader.is_empty().then_some(names)
    }

    pub(crate) fn new(names: &'a [Word], slots: &'a [Word]) -> Option<Self> {
        let well_formed = slots.len().is_power_of_two() && names.len() < slots.len();
        well_formed.then_some(Self { names, slots })
    }

    /// The number of a name: a probe of the hash table.
    pub(crate) fn find(&self, strings: &Strings<'_>, name: &str) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = index(format::surface_hash(name.as_bytes())) & mask;
        for _ in self.slots {
            let number = word(self.slots, slot)?.checked_sub(1)?;
            if strings.bytes(word(self.names, index(number))?)? == name.as_bytes() {
                return Some(number);
            }
            slot = slot.wrapping_add(1) & mask;
        }
        None
    }
}

impl<'a> Views<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let n_views = reader.u32()?;
        let n_surfaces = reader.u32()?;
        let n_others = reader.u32()?;
        let views = Self {
            views: reader.words(n_views.checked_mul(5)?)?,
            named: reader.words(n_views.checked_mul(n_surfaces)?)?,
            n_surfaces: index(n_surfaces),
            others: reader.words(n_others)?,
        };
        reader.is_empty().then_some(views)
    }

    pub(crate) fn len(&self) -> usize {
        self.views.len().checked_div(VIEW_WORDS).unwrap_or(0)
    }

    pub(crate) fn get(&self, id: usize) -> Option<View<'a>> {
        let at = id.checked_mul(VIEW_WORDS)?;
        let [agent, flags, automaton, first, n_others] =
            self.views.get(at..)?.first_chunk()?.map(u32::from_le_bytes);
        let start = id.checked_mul(self.n_surfaces)?;
        Some(View {
            agent,
            flags,
            automaton,
            named: self.named.get(start..start.checked_add(self.n_surfaces)?)?,
            others: cut(self.others, first, n_others)?,
        })
    }

    /// The view of an agent, by binary search; 0, the base view, for an unknown one.
    pub(crate) fn find(&self, strings: &Strings<'_>, agent: &str) -> usize {
        let (mut low, mut high) = (1_usize, self.len());
        while low < high {
            let middle = low.midpoint(high);
            let name = self
                .get(middle)
                .and_then(|view| strings.optional(view.agent))
                .unwrap_or("");
            match name.cmp(agent) {
                core::cmp::Ordering::Equal => return middle,
                core::cmp::Ordering::Less => low = middle.saturating_add(1),
                core::cmp::Ordering::Greater => high = middle,
            }
        }
        0
    }
}

impl<'a> Config<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let flags = reader.u32()?;
        let servers = reader.list()?;
        let n_shell_tools = reader.u32()?;
        let config = Self {
            flags,
            servers,
            shell_tools: reader.words(n_shell_tools.checked_mul(3)?)?,
            infrastructure_paths: reader.list()?,
            chain: reader.list()?,
            delegation_allowed: reader.list()?,
            delegation_excluded: reader.list()?,
            secret_patterns: reader.list()?,
        };
        reader.is_empty().then_some(config)
    }
}

pub(crate) fn cut(pool: &[Word], first: u32, n_words: u32) -> Option<&[Word]> {
    let start = index(first);
    pool.get(start..start.checked_add(index(n_words))?)
}
