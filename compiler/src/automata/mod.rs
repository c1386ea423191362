//! From patterns to deterministic automata.

pub(crate) mod alphabet;
pub(crate) mod determinize;
pub(crate) mod minimize;
pub(crate) mod overlap;
pub(crate) mod path_nfa;
pub(crate) mod path_search;
pub(crate) mod path_sets;
pub(crate) mod program;
pub(crate) mod search;
pub(crate) mod settle;
pub(crate) mod subsets;
