//! `shellTools`: tools that are gated as bash.

use super::ShellTool;
use super::fields::{Report, check_literal, check_name, first_members, name, object, unknown_key};
use crate::diagnostic::{Code, quote};
use permc_grammar::jsonc::Value;
use permc_grammar::span::Spanned;
use permc_runtime::is_path_surface;

/// Whether a tool or surface has a gate of its own, which a listing here would take away.
fn is_built_in(tool: &str) -> bool {
    is_path_surface(tool) || ["mcp", "skill"].contains(&tool)
}

/// Reads `shellTools`; entries with errors are reported and left out.
pub(super) fn parse(report: &mut Report, value: &Value) -> Vec<ShellTool> {
    let help = "write `\"shellTools\": { \"exec_command\": { \"commandArgument\": \"cmd\" } }`";
    let Some(members) = object(report, value, "`shellTools`", help) else {
        return Vec::new();
    };
    let mut tools = Vec::new();
    for member in first_members(members) {
        let tool = &member.key;
        let usable = check_name(report, tool, "a shell tool's name")
            && check_literal(report, tool, "the shell tool")
            && check_built_in(report, tool);
        if let Some(entry) = entry(report, tool, &member.value)
            && usable
        {
            tools.push(entry);
        }
    }
    tools
}

fn check_built_in(report: &mut Report, tool: &Spanned<String>) -> bool {
    if !is_built_in(&tool.value) {
        return true;
    }
    report.add(
        Code::BUILT_IN_SHELL_TOOL,
        tool.span,
        "has a gate of its own",
        format!("{} cannot be a shell tool", quote(&tool.value)),
        "remove the entry: as a shell tool it would lose its own rules",
    );
    false
}

fn entry(report: &mut Report, tool: &Spanned<String>, value: &Value) -> Option<ShellTool> {
    let what = format!("shell tool {}", quote(&tool.value));
    let help = "write `{ \"commandArgument\": \"cmd\" }` with the argument that holds the command";
    let members = object(report, value, &what, help)?;
    let mut command = None;
    let mut workdir = None;
    let mut has_command = false;
    for member in first_members(members) {
        match member.key.value.as_str() {
            "commandArgument" => {
                has_command = true;
                command = name(report, &member.value, "`commandArgument`");
            }
            "workdirArgument" => workdir = name(report, &member.value, "`workdirArgument`"),
            _ => unknown_key(
                report,
                &member.key,
                &what,
                &["commandArgument", "workdirArgument"],
            ),
        }
    }
    if !has_command {
        report.add(
            Code::MISSING_KEY,
            value.span,
            "no `commandArgument` in here",
            format!("{what} has no `commandArgument`"),
            help,
        );
    }
    Some(ShellTool {
        tool: tool.clone(),
        command_argument: command?,
        workdir_argument: workdir,
    })
}
