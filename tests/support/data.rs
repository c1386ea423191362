//! The recorded data under `tests/data`.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use serde_json::{Value, json};

/// Says how much a test did, past the capture of the test runner.
pub fn say(text: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The folder of this package.
#[must_use]
pub fn tests_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The root of the repository.
#[must_use]
pub fn root() -> &'static Path {
    tests_folder()
        .parent()
        .expect("the package lies in the repository")
}

/// All lines of a JSON lines file under `tests/data`, object key order kept.
#[must_use]
pub fn json_lines(name: &str) -> Vec<Value> {
    let path: PathBuf = tests_folder().join("data").join(name);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .enumerate()
        .map(|(line, text)| {
            serde_json::from_str(text)
                .unwrap_or_else(|error| panic!("{name}:{}: {error}", line + 1))
        })
        .collect()
}

/// The documents of a recorded policy: `scopes` with `global`, `project`, `agents`, `projectAgents`, and MCP servers.
///
/// Agents of the operator become Markdown with front matter (JSON is YAML flow style), agents of the project JSONC, so that
/// both readers meet every recorded pattern.
#[must_use]
pub fn recorded_sources(scopes: &Value, servers: &Value) -> SourceSet {
    recorded_sources_with(scopes, servers, &Value::Null)
}

/// The same with shell tools in the operator's document.
#[must_use]
pub fn recorded_sources_with(scopes: &Value, servers: &Value, shell_tools: &Value) -> SourceSet {
    let mut documents = Vec::new();
    let text = |permission: &Value| json!({ "permission": permission }).to_string();
    for (scope, role) in [("global", Role::Global), ("project", Role::Project)] {
        if let Some(permission) = scopes.get(scope).filter(|permission| !permission.is_null()) {
            let text = if scope == "global" && !shell_tools.is_null() {
                json!({ "permission": permission, "shellTools": shell_tools }).to_string()
            } else {
                text(permission)
            };
            documents.push(SourceDocument::new(role, format!("{scope}.jsonc"), text));
        }
    }
    for (agent, permission) in members(&scopes["agents"]) {
        let front_matter = format!("---\npermission: {permission}\n---\nYou are {agent}.\n");
        documents.push(SourceDocument::new(
            Role::Agent(agent.clone()),
            format!("{agent}.md"),
            front_matter,
        ));
    }
    for (agent, permission) in members(&scopes["projectAgents"]) {
        let role = Role::ProjectAgent(agent.clone());
        documents.push(SourceDocument::new(
            role,
            format!("{agent}.jsonc"),
            text(permission),
        ));
    }
    let names = servers.as_array().cloned().unwrap_or_default();
    if !names.is_empty() {
        let servers: serde_json::Map<String, Value> = names
            .iter()
            .map(|name| (name.as_str().unwrap().to_owned(), json!({})))
            .collect();
        let text = json!({ "mcpServers": servers }).to_string();
        documents.push(SourceDocument::new(Role::Mcp, "mcp.json", text));
    }
    SourceSet::from(documents)
}

fn members(object: &Value) -> Vec<(&String, &Value)> {
    object
        .as_object()
        .map(|object| object.iter().collect())
        .unwrap_or_default()
}

/// The input of a tool call.
#[derive(Debug)]
pub struct JsonInput<'a>(pub &'a Value);

impl permc_runtime::ToolInput for JsonInput<'_> {
    fn string(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }
}
