//! The report: the last measurements beside the bars that permc has to hold.

mod measured;
mod rows;
mod table;

pub use measured::{Artifact, Measured, Time, Unreadable, compile_and_weigh, peak_kib};
pub use rows::rows;
pub use table::{Bar, Row, Verdict, render};
