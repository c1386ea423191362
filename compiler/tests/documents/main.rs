//! Every mistake that a source file can hold, each beside the nearest text that is none.
//!
//! In the texts `▸` stands where the diagnostic has to point; it is taken out before the text is read.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of a test say what is wrong by failing"
)]

mod files;
mod front_matter;
mod lists;
mod long_texts;
mod permission;
mod settings;
mod support;
mod tiers;
