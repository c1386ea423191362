//! Loads a permc artifact and answers `allow`, `ask` or `deny`.
//!
//! A policy is compiled once, by the `permc` compiler, into a decision table in which last-match-wins is already
//! resolved. This crate validates such an artifact and walks it: no regular expressions, no allocation and no lock on
//! the lookup path, no dependency, no `unsafe`, and no panic on any bytes. The core is `no_std` with `alloc`; the default
//! feature `std` adds files and hot reload.
//!
//! - [`Policy::from_bytes`] loads and validates, [`Policy::bind`] fixes home, agent and mode.
//! - [`Bound::check`] answers for ready values, [`Bound::check_tool`] for a tool call without looking into commands.
//! - [`Bound::resolve_provider_permission`] answers for a model's trust tier.
//! - [`Session`] holds what a human approved meanwhile.
//! - [`chain`] is who rules on an ask.
//! - [`chain`] is who rules on what the policy answers with ask.
//! - [`format`](mod@format) describes the file.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod automaton;
mod bytes;
pub mod chain;
mod checksum;
mod decision;
mod error;
mod exact;
mod fold;
pub mod format;
#[cfg(feature = "std")]
mod handle;
mod input;
mod inspect;
mod lookup;
mod mcp;
mod parts;
mod policy;
mod query;
mod session;
mod text;
mod tiers;
mod wildcard;

pub use crate::automaton::{AutomatonView, RowView, StateView};
pub use crate::decision::{
    Action, Decision, Layer, Origin, PATH_SURFACES, RuleRef, Source, is_path_surface,
};
pub use crate::error::{BindError, LoadError};
pub use crate::fold::fold_char;
#[cfg(feature = "std")]
pub use crate::handle::{PolicyHandle, PolicyReader};
pub use crate::input::{ToolDecision, ToolInput, ToolQuery};
pub use crate::inspect::{ClassView, Contents, GroupView, RuleView, TableView, ViewView};
pub use crate::mcp::mcp_targets;
pub use crate::policy::Policy;
pub use crate::query::{Bound, Context};
pub use crate::session::Session;
pub use crate::text::trim;
pub use crate::tiers::{TierAnswer, TierGroup, TierRow, TierView, TiersAt};
pub use crate::wildcard::{MatchContext, home_suffix, name_matches, pattern_matches};
