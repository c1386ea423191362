//! Compiles permission policies for AI agents into verified decision tables.
//!
//! [`compile()`] takes the documents of all scopes and gives an artifact that `permc-runtime` loads and asks. On the way,
//! scopes are merged, layers composed and last-match-wins resolved, so that a lookup costs the length of its value.
//! [`reference`](mod@reference) is the executable specification of what it must answer.

mod automata;
pub mod cli;
pub mod cold;
mod compile;
pub mod config;
pub mod decode;
pub mod diagnostic;
mod encode;
pub mod explain;
pub mod explain_tier;
pub mod front_matter;
mod groups;
mod lower;
pub mod manifest;
mod options;
pub mod parse;
mod path_pattern;
mod reach;
pub mod reference;
mod resolve;
pub mod rule;
pub mod source;
pub mod source_map;
pub mod suggest;
mod table;
mod tiers;
mod warnings;

pub use crate::compile::{Compilation, Output, compile};
pub use crate::encode::digest_of;
pub use crate::options::{Budget, Options};
pub use crate::reach::{Reach, reachability};
