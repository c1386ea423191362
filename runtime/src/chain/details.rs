//! What an ask is about (page 4.1).

use alloc::string::String;
use alloc::vec::Vec;

/// The facts of one ask. Fixed by the node in which the call was made; whoever rules on it sees the same.
///
/// # Example
///
/// ```
/// use permc_runtime::chain::Details;
///
/// let details = Details { surface: "bash".to_owned(), value: "make deploy".to_owned(), ..Details::default() };
/// assert!(details.forwarded.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Unique for each ask.
    pub request_id: String,
    /// Where the ask comes from: `tool_call`, or `forwarded`.
    pub source: String,
    /// The agent that calls.
    pub agent: Option<String>,
    /// The model that calls.
    pub model: Option<String>,
    /// The host's id of the call.
    pub tool_call_id: Option<String>,
    /// The tool.
    pub tool: String,
    /// The working directory of the call.
    pub cwd: String,
    /// The ask in words.
    pub message: String,
    /// The path that is asked about, where it is one.
    pub path: Option<String>,
    /// The whole command, of a shell call.
    pub command: Option<String>,
    /// The target, of an MCP call.
    pub target: Option<String>,
    /// The beginning of the call's arguments.
    pub input_preview: String,
    /// The surface of the gate that asks.
    pub surface: String,
    /// The value that the gate asks about.
    pub value: String,
    /// The paths of the call, each with all its aliases.
    pub aliases: Vec<String>,
    /// Paths of the call that only run time knows as a whole; `*` stands for what is open.
    pub open_paths: Vec<String>,
    /// Surface and pattern of the session rule that would settle the ask.
    pub suggestion: Option<(String, String)>,
    /// The rule that asks, by its id.
    pub rule: Option<u64>,
    /// How the ask came here, if another node forwarded it.
    pub forwarded: Option<Forwarding>,
}

/// How a forwarded ask came here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forwarding {
    /// The node in which the call was made, by the name that it gives itself.
    pub node: String,
    /// How many nodes passed it on.
    pub hops: u32,
}
