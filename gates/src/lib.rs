//! Whole tool calls: what an agent is about to do becomes queries to a policy and one decision.
//!
//! A check answers for a surface and ready values. An agent runs commands, opens files and calls tools; this crate takes
//! such a call apart, asks the policy about every command that a shell would run and every path that it names, and gives
//! the strictest answer, with what led to it.
//!
//! - [`Gates::new`] binds a policy to a home, an agent and a mode.
//! - [`Gates::decide`] answers for one [`Call`].
//! - [`Gates::explain`] also tells how the answer came about.
//! - [`Files`] is how links and globs are looked at: [`NoFiles`] never does, [`RealFiles`] asks the file system.

mod bash;
mod call;
mod decide;
mod decision;
mod explain;
mod files;
mod mcp;
mod overlap;
mod path;
mod paths;
mod programs;
mod quick;
mod shell;
mod suggest;
mod text;
mod tier;

pub use crate::call::Arguments;
pub use crate::decide::{Call, Gates};
pub use crate::decision::{Decision, Gate, Resolution, UnitAnswer};
pub use crate::explain::{
    Answer, Explanation, FormExplanation, PathExplanation, PathSort, UnitExplanation, UnitSort,
};
pub use crate::files::{Files, NoFiles, RealFiles};
pub use crate::shell::{Floor, Surrounding};
