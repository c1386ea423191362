//! Does nothing: what any program costs.

fn main() {}
