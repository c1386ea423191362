//! What the integration tests share: data files, policies in memory, two engines behind one question.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test support: a failure here is a failed test"
)]

pub mod calls;
pub mod data;
pub mod engine;
pub mod folder;
pub mod forge;
pub mod generator;
pub mod golden;
pub mod layouts;
pub mod recorded;
#[cfg(unix)]
pub mod sandbox;
pub mod tiers;
