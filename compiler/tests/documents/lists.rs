//! MCP servers and session rules.

use crate::support::{Mcp, Session, fires, parse, silent};
use permc::diagnostic::Code;
use permc::parse::Body;

#[test]
fn mcp_files() {
    for (text, code, help) in [
        (r#"▸[]"#, Code::WRONG_TYPE, "mcpServers"),
        (r#"{"mcpServers": ▸[]}"#, Code::WRONG_TYPE, "keys"),
        (
            r#"{"mcpServers": {}, ▸"mcp-servers": {}}"#,
            Code::MCP_BOTH_KEYS,
            "`mcpServers`",
        ),
        (r#"{▸"mcpServer": {}}"#, Code::MCP_NEAR_MISS, "`mcpServers`"),
        (r#"{▸"mcp_servers": {}}"#, Code::MCP_NEAR_MISS, "`mcp"),
        (
            r#"{"mcpServers": {▸" ": {}}}"#,
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"mcpServers": {"a": {}, ▸"a": {}}}"#,
            Code::DUPLICATE_KEY,
            "rename",
        ),
        (
            r#"{"mcpServers": {"a": {}, ▸" a ": {}}}"#,
            Code::DUPLICATE_KEY,
            "rename",
        ),
        (
            r#"{"mcpServers": {}, ▸"mcpServers": {}}"#,
            Code::DUPLICATE_KEY,
            "remove one",
        ),
    ] {
        fires(Mcp, text, code, help);
    }
    silent(Mcp, "{}");
    silent(Mcp, r#"{"settings": {"a": 1, "a": 2}, "imports": []}"#);
    for key in ["mcpServers", "mcp-servers"] {
        let text = format!(r#"{{"{key}": {{"z": {{}}, " a": {{"x": 1, "x": 2}}, "10": null}}}}"#);
        silent(Mcp, &text);
        let Body::Mcp(names) = &parse(Mcp, &text).documents[0].body else {
            panic!()
        };
        let names: Vec<_> = names.iter().map(|name| name.value.as_str()).collect();
        assert_eq!(names, ["z", "a", "10"]);
    }
}

#[test]
fn session_files() {
    for (text, code, help) in [
        (r#"▸{"bash": "x"}"#, Code::SESSION_SHAPE, r#"[["bash""#),
        (
            r#"[▸"bash", ["a", "b"]]"#,
            Code::SESSION_SHAPE,
            r#"[["bash""#,
        ),
        (
            r#"[["a", "b"], ▸["a"]]"#,
            Code::SESSION_SHAPE,
            r#"[["bash""#,
        ),
        (r#"[▸["a", "b", "c"]]"#, Code::SESSION_SHAPE, r#"[["bash""#),
        (r#"[["a", ▸7]]"#, Code::WRONG_TYPE, "double quotes"),
        (r#"[[▸"", "x"]]"#, Code::EMPTY_SURFACE, "write both"),
        (r#"[["x", ▸""]]"#, Code::EMPTY_PATTERN, "write both"),
    ] {
        fires(Session, text, code, help);
    }
    silent(Session, "[]");
    let text = r#"[["bash", "git *"], ["bash", "git *"]]"#;
    silent(Session, text);
    let Body::Session(rules) = &parse(Session, text).documents[0].body else {
        panic!()
    };
    assert_eq!(
        (rules[1].0.value.as_str(), rules[1].1.value.as_str()),
        ("bash", "git *")
    );
}
