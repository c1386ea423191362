//! One-shot normalization: a tool call becomes a surface and ready values, without looking into commands (page 2.1).

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::decision::Decision;
use crate::mcp::mcp_targets;
use crate::query::Bound;
use crate::session::Session;
use crate::text::trim;

/// The arguments of a tool call, as far as a check looks at them.
pub trait ToolInput {
    /// The argument of this name if it is a string, as it is.
    fn string(&self, key: &str) -> Option<&str>;
}

impl ToolInput for &[(&str, &str)] {
    fn string(&self, key: &str) -> Option<&str> {
        self.iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| *value)
    }
}

/// What a tool call is checked as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolQuery<'a> {
    /// The surface.
    pub surface: &'a str,
    /// The values.
    pub values: Vec<Cow<'a, str>>,
    /// The raw command of a shell tool.
    pub command: Option<&'a str>,
    /// Whether the value that decides is the call's MCP target.
    pub is_mcp: bool,
}

/// The answer about a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDecision<'a> {
    /// The answer.
    pub decision: Decision<'a>,
    /// The raw command of a shell tool.
    pub command: Option<&'a str>,
    /// The MCP candidate that decided.
    pub target: Option<String>,
}

impl Bound<'_> {
    /// Turns a tool call into surface and values.
    ///
    /// A shell gives its command without comment-only lines, a skill its name, MCP its candidates, every other tool
    /// `*`. Never panics.
    #[must_use]
    pub fn normalize<'a>(
        &self,
        tool: &'a str,
        input: &'a (impl ToolInput + ?Sized),
    ) -> ToolQuery<'a> {
        let tool = trim(tool);
        let plain = |surface, value| ToolQuery {
            surface,
            values: vec![value],
            command: None,
            is_mcp: false,
        };
        let command_key = match self.shell_tool(tool) {
            Some((command, _)) => Some(command),
            None if tool == "bash" => Some("command"),
            None => None,
        };
        if let Some(key) = command_key {
            let command = input.string(key).unwrap_or("");
            return ToolQuery {
                surface: "bash",
                values: vec![without_comment_lines(command)],
                command: Some(command),
                is_mcp: false,
            };
        }
        match tool {
            "mcp" => {
                let servers: Vec<&str> = self.servers().collect();
                ToolQuery {
                    surface: tool,
                    values: mcp_targets(input, &servers)
                        .into_iter()
                        .map(Cow::Owned)
                        .collect(),
                    command: None,
                    is_mcp: true,
                }
            }
            "skill" => plain(tool, Cow::Borrowed(input.string("name").unwrap_or("*"))),
            _ => plain(tool, Cow::Borrowed("*")),
        }
    }

    /// Normalizes a tool call and checks it: one answer without any decomposition.
    #[must_use]
    pub fn check_tool<'a>(
        &'a self,
        tool: &'a str,
        input: &'a (impl ToolInput + ?Sized),
        session: &'a Session,
    ) -> ToolDecision<'a> {
        let query = self.normalize(tool, input);
        let values: Vec<&str> = query.values.iter().map(AsRef::as_ref).collect();
        let decision = self.check(query.surface, &values, session);
        let target = decision
            .value
            .filter(|_| query.is_mcp)
            .and_then(|index| values.get(index))
            .map(|target| (*target).to_owned());
        ToolDecision {
            decision,
            command: query.command,
            target,
        }
    }
}

/// The command without lines that hold only a comment, trimmed; the raw text where nothing is left.
fn without_comment_lines(command: &str) -> Cow<'_, str> {
    let is_comment = |line: &&str| trim(line).starts_with('#');
    let kept = if command.split('\n').any(|line| is_comment(&line)) {
        let lines: Vec<&str> = command
            .split('\n')
            .filter(|line| !is_comment(line))
            .collect();
        Cow::Owned(trim(&lines.join("\n")).to_owned())
    } else {
        Cow::Borrowed(trim(command))
    };
    if kept.is_empty() {
        Cow::Borrowed(command)
    } else {
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::without_comment_lines;

    #[test]
    fn comment_only_lines_go_and_others_stay() {
        assert_eq!(
            without_comment_lines("# why\n  git status \n\t# end"),
            "git status"
        );
        assert_eq!(without_comment_lines("echo a # b"), "echo a # b");
        assert_eq!(without_comment_lines(" # only "), " # only ");
        assert_eq!(without_comment_lines("  "), "  ");
        assert_eq!(without_comment_lines("a\n#b\nc"), "a\nc");
    }
}
