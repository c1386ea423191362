//! What an artifact holds, for tools; nothing here is on the lookup path.

use alloc::vec::Vec;

use crate::bytes::{Reader, Word, index, word};
use crate::decision::{Action, Layer, Origin};
use crate::error::LoadError;
use crate::format::{self, section};
use crate::parts::{Parts, linear_entries};
use crate::policy::Policy;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableView {
    /// [`format::TABLE_DENSE`] or [`format::TABLE_LINEAR`].
    pub kind: u32,
    /// Length in bytes.
    pub bytes: usize,
    /// States of an automaton, patterns of a linear table.
    pub n_states: u32,
    /// Byte classes of an automaton.
    pub n_classes: u32,
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
        let parts = self.parts;
        (0_u32..).take(parts.tables.len()).filter_map(move |id| {
            let entry = parts.tables.get(id)?;
            let mut reader = Reader::new(entry.bytes);
            let (n_states, n_classes) = if entry.kind == format::TABLE_LINEAR {
                (u32::try_from(linear_entries(entry.bytes)?.len()).ok()?, 0)
            } else {
                (
                    reader.u32()?,
                    reader.u32()?.saturating_sub(format::ROW_HEAD),
                )
            };
            Some(TableView {
                kind: entry.kind,
                bytes: entry.bytes.len(),
                n_states,
                n_classes,
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

fn rule_view<'a>(parts: &Parts<'a>, rule: u32) -> Option<RuleView<'a>> {
    let (rules, strings) = (&parts.rules, &parts.strings);
    let at = index(rule);
    Some(RuleView {
        id: u64::from_le_bytes(*rules.ids.get(at)?),
        surface: strings.get(word(rules.surfaces, at)?)?,
        pattern: strings.get(word(rules.patterns, at)?)?,
        action: rules.action(rule)?,
        layer: rules.layer(rule)?,
        origin: rules.origin(rule)?,
        reason: strings.optional(word(rules.reasons, at)?),
        file: strings.optional(word(rules.files, at)?),
        line: word(rules.lines, at)?,
        column: word(rules.columns, at)?,
    })
}
