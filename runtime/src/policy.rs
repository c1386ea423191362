//! Loading: one pass that validates everything, so that lookups afterwards cannot fail.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::automaton;
use crate::bytes::{Reader, index};
use crate::error::{BindError, Kind, LoadError};
use crate::exact::Exact;
use crate::format::{self, section};
use crate::parts::{Names, Parts, Strings};
use crate::query::{Bound, Context};
use crate::tiers;

/// A loaded and validated artifact.
///
/// Generic over what holds the bytes: a `Vec<u8>`, a static slice, a host's own memory map. A policy is `Send + Sync`
/// where its bytes are, is shared by reference, and is never changed.
///
/// # Example
///
/// ```
/// use permc_runtime::Policy;
///
/// let error = Policy::from_bytes(b"{}".as_slice()).unwrap_err();
/// assert!(error.is_not_an_artifact());
/// ```
#[derive(Clone)]
pub struct Policy<D = Vec<u8>> {
    data: D,
}

impl<D: AsRef<[u8]>> Policy<D> {
    /// Validates the bytes and keeps them.
    ///
    /// Checked in this order, later checks relying on earlier ones: magic, version, features, length, section table,
    /// checksum, then the sections strings, rules, tables, classes, surfaces, views, config, tiers. Never panics.
    ///
    /// # Errors
    ///
    /// Another kind of file, another version, cut, changed or hostile bytes: see [`LoadError`].
    ///
    /// # Complexity
    ///
    /// O(bytes) time; allocates an eighth of the bytes at most, and frees it.
    pub fn from_bytes(data: D) -> Result<Self, LoadError> {
        validate(data.as_ref())?;
        Ok(Self { data })
    }

    /// The policy digest: SHA-256 over the content, as stored by the compiler.
    ///
    /// The checksum that loading verifies covers it; recomputing it is up to tools.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.data
            .as_ref()
            .get(format::DIGEST_OFFSET..)
            .and_then(|rest| rest.first_chunk())
            .copied()
            .unwrap_or_default()
    }

    /// The artifact's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// Fixes what a check depends on beside surface and values.
    ///
    /// # Errors
    ///
    /// The policy has patterns under the home directory and the context has none: their denies would match nothing. It has
    /// trust tiers, and the context has no absolute working directory.
    ///
    /// # Complexity
    ///
    /// O(log agents + home + working directory).
    pub fn bind(&self, context: Context<'_>) -> Result<Bound<'_>, BindError> {
        Bound::new(Parts::read(self.data.as_ref()), context)
    }

    /// Whether some pattern means the home directory, so that binding needs one.
    #[must_use]
    pub fn uses_home(&self) -> bool {
        Parts::read(self.data.as_ref())
            .is_ok_and(|parts| parts.config.flags & format::CONFIG_USES_HOME != 0)
    }
}

#[cfg(feature = "std")]
impl Policy<Vec<u8>> {
    /// Reads and validates a file.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or as [`Policy::from_bytes`].
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Self, LoadError> {
        use alloc::string::ToString as _;

        let bytes = std::fs::read(path)
            .map_err(|error| LoadError::new(Kind::Unreadable(error.to_string())))?;
        Self::from_bytes(bytes)
    }
}

impl<D: AsRef<[u8]>> fmt::Debug for Policy<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("bytes", &self.data.as_ref().len())
            .finish_non_exhaustive()
    }
}

fn validate(bytes: &[u8]) -> Result<(), LoadError> {
    validate_header(bytes)?;
    let parts = Parts::read(bytes)?;
    validate_strings(&parts)?;
    validate_rules(&parts)?;
    validate_tables(&parts)?;
    validate_classes(&parts)?;
    validate_surfaces(&parts)?;
    validate_views(&parts)?;
    validate_config(&parts)?;
    tiers::validate(&parts)
}

fn validate_header(bytes: &[u8]) -> Result<(), LoadError> {
    let error = LoadError::new;
    if bytes.is_empty() {
        return Err(error(Kind::Empty));
    }
    let Some(body) = bytes.strip_prefix(&format::MAGIC) else {
        let changed = bytes.starts_with(b"\x7fPERMC\n") || bytes.starts_with(b"\x7fPERMC\r\r\n");
        return Err(error(if changed {
            Kind::LineEnds
        } else if format::MAGIC.starts_with(bytes) {
            Kind::Header("it is cut")
        } else {
            Kind::NotAnArtifact
        }));
    };
    let cut = || error(Kind::Header("it is cut"));
    let mut reader = Reader::new(body);
    let version = reader.u32().ok_or_else(cut)?;
    if version != format::VERSION {
        return Err(error(Kind::Version(version)));
    }
    let features = reader.u32().ok_or_else(cut)?;
    let unknown = features & !format::KNOWN_FEATURES;
    if unknown != 0 {
        return Err(error(Kind::Features(unknown)));
    }
    let stated = reader.u64().ok_or_else(cut)?;
    if u64::try_from(bytes.len()) != Ok(stated) {
        return Err(error(Kind::Length {
            stated,
            actual: bytes.len(),
        }));
    }
    let n_sections = reader.u32().ok_or_else(cut)?;
    let zero = reader.u32().ok_or_else(cut)?;
    if usize::try_from(n_sections) != Ok(section::ALL.len()) || zero != 0 {
        return Err(error(Kind::Header(
            "its section count or reserved word is wrong",
        )));
    }
    reader.take(32).ok_or_else(cut)?;

    let content_len = bytes
        .len()
        .checked_sub(format::TRAILER_LEN)
        .ok_or_else(cut)?;
    let (content, trailer) = bytes.split_at_checked(content_len).ok_or_else(cut)?;
    let stored = Reader::new(trailer).u32().ok_or_else(cut)?;
    if format::crc32c(content) != stored {
        return Err(error(Kind::Checksum));
    }
    validate_section_table(content, reader)
}

/// Sections stand in order, one after another, with nothing but zeros up to the next multiple of 8 between them.
fn validate_section_table(content: &[u8], mut entries: Reader<'_>) -> Result<(), LoadError> {
    let cut = || LoadError::new(Kind::Header("the section table is cut"));
    let table_len = section::ALL
        .len()
        .checked_mul(format::SECTION_ENTRY_LEN)
        .ok_or_else(cut)?;
    let mut end = format::HEADER_LEN.checked_add(table_len).ok_or_else(cut)?;
    for id in section::ALL {
        let wrong = |what| LoadError::section(id, what);
        let found = entries.u32().ok_or_else(cut)?;
        let zero = entries.u32().ok_or_else(cut)?;
        if found != id || zero != 0 {
            return Err(wrong("it is not where the section table must have it"));
        }
        let offset = entries.u64().ok_or_else(cut)?;
        let length = entries.u64().ok_or_else(cut)?;
        let outside = || wrong("it lies outside the file");
        let start = usize::try_from(offset).map_err(|_| outside())?;
        let length = usize::try_from(length).map_err(|_| outside())?;
        if end.checked_next_multiple_of(8) != Some(start) {
            return Err(wrong("it overlaps its neighbor or leaves a gap"));
        }
        let gap = content.get(end..start).ok_or_else(outside)?;
        if gap.iter().any(|byte| *byte != 0) {
            return Err(wrong("the gap before it is not zero"));
        }
        end = start.checked_add(length).ok_or_else(outside)?;
        if end > content.len() {
            return Err(outside());
        }
    }
    if end == content.len() {
        Ok(())
    } else {
        Err(LoadError::new(Kind::Header(
            "bytes follow the last section",
        )))
    }
}

fn validate_strings(parts: &Parts<'_>) -> Result<(), LoadError> {
    let wrong = |what| LoadError::section(section::STRINGS, what);
    let text = core::str::from_utf8(parts.strings.text).map_err(|_| wrong("text is not UTF-8"))?;
    let mut start = 0;
    for end in parts.strings.ends {
        let end = u32::from_le_bytes(*end);
        if end < start || !text.is_char_boundary(index(end)) {
            return Err(wrong("an end is out of order or inside a character"));
        }
        start = end;
    }
    Ok(())
}

fn validate_rules(parts: &Parts<'_>) -> Result<(), LoadError> {
    let wrong = |what| LoadError::section(section::RULES, what);
    let rules = &parts.rules;
    let n_strings = parts.strings.ends.len();
    let plain = [rules.surfaces, rules.patterns];
    let optional = [rules.reasons, rules.files];
    if plain
        .into_iter()
        .flatten()
        .any(|id| index(u32::from_le_bytes(*id)) >= n_strings)
        || optional
            .into_iter()
            .flatten()
            .any(|id| index(u32::from_le_bytes(*id)) > n_strings)
    {
        return Err(wrong("a string is out of range"));
    }
    for rule in 0..u32::try_from(rules.len()).map_err(|_| wrong("there are too many rules"))? {
        if rules.verdict(rule).is_none() {
            return Err(wrong("an action, layer or origin has no meaning"));
        }
    }
    Ok(())
}

fn validate_tables(parts: &Parts<'_>) -> Result<(), LoadError> {
    let wrong = |what| LoadError::section(section::TABLES, what);
    let n_tables =
        u32::try_from(parts.tables.len()).map_err(|_| wrong("there are too many tables"))?;
    let n_strings = parts.strings.ends.len();
    for id in 0..n_tables {
        let table = parts
            .tables
            .get(id)
            .ok_or(wrong("a table is out of range"))?;
        if table.kind == format::TABLE_EXACT {
            let exact = Exact::read(table.bytes)
                .ok_or(wrong("a hash table has no power of two of whole slots"))?;
            exact.validate(&parts.strings, table.bound).map_err(wrong)?;
        } else {
            automaton::validate(table.kind, table.bytes, table.bound, n_strings).map_err(wrong)?;
        }
    }
    Ok(())
}

fn validate_classes(parts: &Parts<'_>) -> Result<(), LoadError> {
    let wrong = |what| LoadError::section(section::CLASSES, what);
    let n_classes =
        u32::try_from(parts.classes.len()).map_err(|_| wrong("there are too many classes"))?;
    for id in 0..n_classes {
        let class = parts
            .classes
            .get(id)
            .ok_or(wrong("a class is out of range"))?;
        if class
            .rules
            .iter()
            .any(|rule| index(u32::from_le_bytes(*rule)) >= parts.rules.len())
        {
            return Err(wrong("a rule is out of range"));
        }
        for group in class.groups() {
            let table = parts
                .tables
                .get(group.table)
                .ok_or(wrong("a table is out of range"))?;
            if index(table.bound) > class.rules.len() {
                return Err(wrong("a rank is out of range"));
            }
            if group.guard != 0 && parts.strings.optional(group.guard).is_none() {
                return Err(wrong("a surface pattern is out of range"));
            }
        }
    }
    Ok(())
}

fn validate_surfaces(parts: &Parts<'_>) -> Result<(), LoadError> {
    validate_names(&parts.surfaces, &parts.strings, section::SURFACES)
}

/// Each name is found by its hash.
pub(crate) fn validate_names(
    names: &Names<'_>,
    strings: &Strings<'_>,
    id: u32,
) -> Result<(), LoadError> {
    let wrong = |what| LoadError::section(id, what);
    let mut previous = None;
    for name in names.names {
        let name = strings
            .get(u32::from_le_bytes(*name))
            .ok_or(wrong("a name is out of range"))?;
        if previous.is_some_and(|previous| previous >= name) {
            return Err(wrong("the names are not in order"));
        }
        previous = Some(name);
    }
    // Each name has one slot, and no empty slot stands between it and where its hash says: then a probe finds it.
    let n_slots = names.slots.len();
    let mask = n_slots.saturating_sub(1);
    let n_taken = names.slots.iter().filter(|slot| **slot != [0; 4]).count();
    let last_empty = names.slots.iter().rposition(|slot| *slot == [0; 4]);
    let (Some(last_empty), true) = (last_empty, n_taken == names.names.len()) else {
        return Err(wrong("there are not as many slots as names"));
    };
    let mut since_empty = mask.saturating_sub(last_empty);
    let mut found = vec![false; names.names.len()];
    for (at, slot) in names.slots.iter().enumerate() {
        let Some(number) = u32::from_le_bytes(*slot).checked_sub(1) else {
            since_empty = 0;
            continue;
        };
        since_empty = since_empty.saturating_add(1);
        let name = names
            .names
            .get(index(number))
            .and_then(|name| strings.bytes(u32::from_le_bytes(*name)))
            .ok_or(wrong("a slot is out of range"))?;
        let home = index(format::surface_hash(name)) & mask;
        let distance = at.wrapping_sub(home) & mask;
        let is_first = found
            .get_mut(index(number))
            .is_some_and(|found| !core::mem::replace(found, true));
        if distance >= since_empty || !is_first {
            return Err(wrong("a name is not where its hash says"));
        }
    }
    Ok(())
}

fn validate_views(parts: &Parts<'_>) -> Result<(), LoadError> {
    let wrong = |what| LoadError::section(section::VIEWS, what);
    let n_classes = parts.classes.len();
    if parts.views.len() == 0 {
        return Err(wrong("there is no base view"));
    }
    let mut previous = None;
    for id in 0..parts.views.len() {
        let view = parts.views.get(id).ok_or(wrong("a view is out of range"))?;
        let agent = parts.strings.optional(view.agent);
        if id == 0 && view.agent != 0 || id > 0 && (agent.is_none() || agent <= previous) {
            return Err(wrong("the agents are not in order"));
        }
        previous = agent;
        if view.named.len() != parts.surfaces.names.len() {
            return Err(wrong("the surfaces do not fit the surface table"));
        }
        if view
            .named
            .iter()
            .chain(view.others)
            .any(|class| index(u32::from_le_bytes(*class)) >= n_classes)
        {
            return Err(wrong("a class is out of range"));
        }
        let n_classes_needed = if view.automaton == format::NONE {
            1
        } else {
            let table = parts
                .tables
                .get(view.automaton)
                .filter(|table| table.kind != format::TABLE_EXACT)
                .ok_or(wrong("a table is out of range or no automaton"))?;
            table.bound
        };
        if index(n_classes_needed) > view.others.len() {
            return Err(wrong("there are too few classes for other surfaces"));
        }
    }
    Ok(())
}

fn validate_config(parts: &Parts<'_>) -> Result<(), LoadError> {
    let wrong = |what| LoadError::section(section::CONFIG, what);
    let config = &parts.config;
    let n_strings = parts.strings.ends.len();
    let lists = [
        config.servers,
        config.infrastructure_paths,
        config.chain,
        config.delegation_allowed,
        config.delegation_excluded,
        config.secret_patterns,
    ];
    if lists
        .into_iter()
        .flatten()
        .any(|id| index(u32::from_le_bytes(*id)) >= n_strings)
    {
        return Err(wrong("a string is out of range"));
    }
    for tool in config.shell_tools.as_chunks::<3>().0 {
        let [tool, command, workdir] = tool.map(|id| index(u32::from_le_bytes(id)));
        if tool >= n_strings || command >= n_strings || workdir > n_strings {
            return Err(wrong("a string is out of range"));
        }
    }
    let known = format::CONFIG_YOLO
        | format::CONFIG_USES_HOME
        | format::CONFIG_FOLD_PATHS
        | format::CONFIG_DELEGATION;
    if config.flags & !known != 0 {
        return Err(wrong("a flag has no meaning"));
    }
    Ok(())
}
