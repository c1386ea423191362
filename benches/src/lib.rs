//! What the benchmarks share: the policies and values, the peers that answer the same question, and the report.

pub mod calls;
pub mod corpus;
pub mod folders;
pub mod peers;
pub mod report;
