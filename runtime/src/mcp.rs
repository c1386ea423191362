//! MCP candidates, most specific first (page 2.2).

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::input::ToolInput;
use crate::text::trim;

/// The values under which an MCP call is checked, most specific first.
///
/// # Complexity
///
/// O(servers x tool name).
///
/// # Example
///
/// ```
/// use permc_runtime::mcp_targets;
///
/// let input = [("tool", "exa:search")];
/// assert_eq!(
///     mcp_targets(&input.as_slice(), &["exa"]),
///     ["exa_search", "exa:search", "exa", "search", "mcp_call", "mcp"]
/// );
/// ```
#[must_use]
pub fn mcp_targets<S: AsRef<str>>(input: &(impl ToolInput + ?Sized), servers: &[S]) -> Vec<String> {
    let field = |key| input.string(key).map(trim).filter(|text| !text.is_empty());
    let mut targets = Targets::default();
    let server = field("server");
    if let Some(reference) = field("tool") {
        targets.tool(reference, server, servers);
        targets.add("mcp_call");
    } else if let Some(name) = field("connect") {
        targets.add(format!("mcp_connect_{name}"));
        targets.add(name);
        targets.add("mcp_connect");
    } else if let Some(reference) = field("describe") {
        targets.tool(reference, server, servers);
        targets.add("mcp_describe");
    } else if let Some(query) = field("search") {
        if let Some(server) = server {
            targets.server(server);
        }
        targets.add(query);
        targets.add("mcp_search");
    } else if let Some(server) = server {
        targets.server(server);
        targets.add("mcp_list");
    } else {
        targets.add("mcp_status");
    }
    targets.add("mcp");
    targets.list
}

#[derive(Default)]
struct Targets {
    list: Vec<String>,
}

impl Targets {
    /// Duplicates keep their first place.
    fn add(&mut self, target: impl AsRef<str>) {
        let target = target.as_ref();
        if !self.list.iter().any(|known| known == target) {
            self.list.push(target.to_owned());
        }
    }

    fn server(&mut self, server: &str) {
        self.add(format!("mcp_server_{server}"));
        self.add(server);
    }

    fn qualified(&mut self, server: &str, tool: &str) {
        self.add(format!("{server}_{tool}"));
        self.add(format!("{server}:{tool}"));
        self.add(server);
    }

    fn tool<S: AsRef<str>>(&mut self, reference: &str, server: Option<&str>, servers: &[S]) {
        let split = split_qualified(reference);
        let tool = split.map_or(reference, |(_, tool)| tool);
        match server.or(split.map(|(server, _)| server)) {
            Some(server) => self.qualified(server, tool),
            None => {
                for server in servers_by_suffix(tool, servers) {
                    self.qualified(server, tool);
                }
            }
        }
        self.add(tool);
        self.add(reference);
    }
}

/// `server:tool` at the first colon, both sides trimmed and not blank.
fn split_qualified(reference: &str) -> Option<(&str, &str)> {
    let (server, tool) = reference.split_once(':')?;
    let (server, tool) = (trim(server), trim(tool));
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// Configured servers that end the tool's name, such as `exa` in `search_exa`; longest name first.
fn servers_by_suffix<'s, S: AsRef<str>>(tool: &str, servers: &'s [S]) -> Vec<&'s str> {
    let is_between = |rest: Option<&str>, end: bool| {
        rest.is_some_and(|rest| {
            if end {
                rest.ends_with('_')
            } else {
                rest.starts_with('_')
            }
        })
    };
    let mut hits: Vec<&str> = servers
        .iter()
        .map(AsRef::as_ref)
        .filter(|server: &&str| {
            is_between(tool.strip_suffix(server), true)
                && !is_between(tool.strip_prefix(server), false)
        })
        .collect();
    // A stable sort: equal lengths stay in configured order.
    hits.sort_by_key(|server| core::cmp::Reverse(server.chars().count()));
    hits
}
