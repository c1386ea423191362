//! What a compilation depends on beside its sources.

use permc_grammar::limits::Limits;

/// Options of a compilation. Everything that changes the artifact is in here or in the sources.
///
/// # Example
///
/// ```
/// let options = permc::Options { fold_paths: true, ..permc::Options::default() };
/// assert!(!options.fail_closed);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Path surfaces fold case, and `\` equals `/`.
    pub fold_paths: bool,
    /// Leave project and project-agent documents out.
    pub untrusted_project: bool,
    /// A broken project, agent or project-agent document clamps allows to ask instead of stopping the compilation.
    pub fail_closed: bool,
    /// Limits of one source file.
    pub limits: Limits,
    /// Budgets of the automata.
    pub budget: Budget,
}

/// How large automata may grow before another layout is taken. Every policy compiles under any budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// States up to which all rules of a surface share one table.
    pub merged_states: usize,
    /// Bytes up to which prefixes, infixes and the literals of all other rules share a table, so that one walk is enough.
    pub joint_bytes: usize,
    /// States up to which the rules of one shape share a table; beyond, an automaton finds a literal of theirs and the
    /// patterns that have it are matched one by one.
    pub group_states: usize,
    /// Steps of one determinization beyond 64 for each position of its patterns, a bound on its time and memory.
    pub steps: usize,
    /// Exact patterns from which those of a class that needs several tables are found by hash.
    pub exact_rules: usize,
    /// Rules of the base view times agents up to which every agent has tables of its own. Beyond, agents take those of the
    /// base view as they are and one more for their own rules.
    pub shared_rules: usize,
    /// States of the automaton over surface names.
    pub surface_states: usize,
    /// Nodes that an exact search (which rule can win, is a tool exposed) may visit before it is undecided.
    pub search_nodes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            merged_states: 2_048,
            joint_bytes: 32_768,
            group_states: 1 << 20,
            steps: 4_000_000,
            exact_rules: 16_384,
            shared_rules: 4_096,
            surface_states: 2_048,
            search_nodes: 50_000,
        }
    }
}
