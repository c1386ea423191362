//! The command line, run in process in a directory of its own; a few runs of the real program where only that shows it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of a test say what is wrong by failing"
)]

#[path = "cli/artifacts.rs"]
mod artifacts;
#[path = "cli/budgets.rs"]
mod budgets;
#[path = "cli/compiling.rs"]
mod compiling;
#[path = "cli/deciding.rs"]
mod deciding;
#[path = "cli/explaining.rs"]
mod explaining;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/init.rs"]
mod init;
#[path = "cli/inspecting.rs"]
mod inspecting;
#[path = "cli/process.rs"]
mod process;
#[path = "cli/query.rs"]
mod query;
#[path = "cli/stream.rs"]
mod stream;
#[path = "cli/support.rs"]
mod support;
#[path = "cli/tiers.rs"]
mod tiers;
