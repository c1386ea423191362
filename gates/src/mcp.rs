//! MCP candidates beyond the recorded ones; they only tighten (page 2.2).

use permc_runtime::trim;

use crate::call::Arguments;

/// The candidates of a tool whose name begins with a configured server: `S_rest`, `S:rest`, `S`, `rest`.
pub(crate) fn extra_targets(input: &dyn Arguments, servers: &[&str]) -> Vec<String> {
    let field = |key| {
        input
            .string(&[key])
            .map(trim)
            .filter(|text| !text.is_empty())
    };
    let Some(tool) = field("tool").or_else(|| field("describe")) else {
        return Vec::new();
    };
    let longest = servers
        .iter()
        .filter_map(|server| Some((*server, tool.strip_prefix(server)?.strip_prefix('_')?)))
        .filter(|(_, rest)| !rest.is_empty())
        .max_by_key(|(server, _)| server.chars().count());
    match longest {
        Some((server, rest)) => vec![
            format!("{server}_{rest}"),
            format!("{server}:{rest}"),
            server.to_owned(),
            rest.to_owned(),
        ],
        None => Vec::new(),
    }
}

/// Server and tool of a host's own spelling, `mcp__server__tool`.
pub(crate) fn host_native(tool: &str, servers: &[&str]) -> Option<(String, String)> {
    let rest = tool.strip_prefix("mcp__")?;
    let configured = servers
        .iter()
        .filter_map(|server| Some((*server, rest.strip_prefix(server)?.strip_prefix("__")?)))
        .filter(|(_, name)| !name.is_empty())
        .max_by_key(|(server, _)| server.chars().count());
    let (server, name) = match configured {
        Some(found) => found,
        None => rest
            .split_once("__")
            .filter(|(server, name)| !server.is_empty() && !name.is_empty())?,
    };
    Some((server.to_owned(), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_server_in_front_gives_candidates() {
        let targets = |tool| extra_targets(&[("tool", tool)].as_slice(), &["gh", "gh_ent"]);
        assert_eq!(targets("gh_list"), ["gh_list", "gh:list", "gh", "list"]);
        assert_eq!(
            targets("gh_ent_list"),
            ["gh_ent_list", "gh_ent:list", "gh_ent", "list"]
        );
        assert!(targets("ghlist").is_empty());
        assert!(targets("list_gh").is_empty());
    }

    #[test]
    fn host_spellings_split_at_a_configured_server_first() {
        let split = |tool, servers: &[&str]| host_native(tool, servers);
        let pair = |server: &str, tool: &str| Some((server.to_owned(), tool.to_owned()));
        assert_eq!(split("mcp__gh__list", &["gh"]), pair("gh", "list"));
        assert_eq!(split("mcp__a__b__c", &["a__b"]), pair("a__b", "c"));
        assert_eq!(split("mcp__a__b__c", &[]), pair("a", "b__c"));
        assert_eq!(split("mcp__a", &[]), None);
        assert_eq!(split("mcp", &[]), None);
    }
}
