//! Shell texts with a real bash beside the reader.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "tests: a failure here is what they are for"
)]

#[path = "support/bash.rs"]
mod bash;
#[path = "support/generate.rs"]
mod generate;
#[path = "support/pieces.rs"]
mod pieces;

mod oracle;
