//! The stable codes of all diagnostics, each with a name, a severity, a title and a long text.
//!
//! The first two digits say what a code is about: `00` files and limits, `01` what stands in a document, `02` who may set
//! what, `03` front matter, `04` the smaller files, `05` warnings of the compile, `06` budgets. A code is never used for
//! something else later. To add one: a line below and `codes/PCxxxx.md` with what, why, wrong and right.

use super::Severity;
use Severity::{Error, Warning};
use std::fmt;

/// A stable diagnostic code such as `PC0101`.
///
/// # Example
///
/// ```
/// use permc::diagnostic::Code;
///
/// assert_eq!(Code::from_name("pc0101"), Some(Code::UNKNOWN_KEY));
/// assert_eq!(Code::from_name("unknown-key"), Some(Code::UNKNOWN_KEY));
/// assert_eq!(Code::UNKNOWN_KEY.as_str(), "PC0101");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static str);

/// What there is to know about a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// The name, in kebab case.
    pub name: &'static str,
    /// The severity of a diagnostic with this code.
    pub severity: Severity,
    /// One line.
    pub title: &'static str,
    /// What it means, why it is refused, the wrong and the right form; Markdown.
    pub long: &'static str,
}

impl Code {
    /// The code as text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The code with this text or kebab-case name; upper and lower case are the same.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        CODES
            .iter()
            .find(|info| {
                info.code.0.eq_ignore_ascii_case(name) || info.name.eq_ignore_ascii_case(name)
            })
            .map(|info| info.code)
    }

    /// What there is to know about the code.
    #[must_use]
    pub fn info(self) -> Option<&'static CodeInfo> {
        CODES
            .binary_search_by_key(&self, |info| info.code)
            .ok()
            .and_then(|at| CODES.get(at))
    }

    /// The severity of a diagnostic with this code.
    #[must_use]
    pub fn severity(self) -> Severity {
        self.info().map_or(Severity::Error, |info| info.severity)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

macro_rules! codes {
    ($($constant:ident $code:literal $name:literal $severity:ident $title:literal;)*) => {
        impl Code {
            $(
                #[doc = concat!("`", $code, "`: ", $title, ".")]
                pub const $constant: Self = Self($code);
            )*
        }

        /// All codes, in order.
        pub const CODES: &[CodeInfo] = &[
            $(CodeInfo {
                code: Code::$constant,
                name: $name,
                severity: $severity,
                title: $title,
                long: include_str!(concat!("codes/", $code, ".md")),
            },)*
        ];
    };
}

codes! {
    UNREADABLE_FILE "PC0001" "unreadable-file" Error "a file or directory cannot be read";
    NOT_UTF8 "PC0002" "not-utf8" Error "a file is not UTF-8";
    FILE_TOO_LARGE "PC0003" "file-too-large" Error "a file is larger than the limit";
    NESTED_TOO_DEEP "PC0004" "nested-too-deep" Error "a document is nested deeper than the limit";
    SYNTAX "PC0005" "syntax" Error "a document is not well-formed";
    AGENT_TWICE "PC0006" "agent-twice" Error "two files of one scope are for the same agent";
    BLANK_AGENT_NAME "PC0007" "blank-agent-name" Error "an agent file has a blank name";

    UNKNOWN_KEY "PC0101" "unknown-key" Error "a key is not known";
    DUPLICATE_KEY "PC0102" "duplicate-key" Error "a key stands twice in one object";
    WRONG_TYPE "PC0103" "wrong-type" Error "a value has the wrong type";
    EMPTY_SURFACE "PC0104" "empty-surface" Error "a surface key is empty";
    EMPTY_PATTERN "PC0105" "empty-pattern" Error "a pattern is empty";
    UNKNOWN_ACTION "PC0106" "unknown-action" Error "a word is not allow, ask or deny";
    ACTION_NOT_TEXT "PC0107" "action-not-text" Error "an action is not a string";
    OBJECT_NOT_DENY "PC0108" "object-not-deny" Error "only deny can be written as an object";
    MISSING_ACTION "PC0109" "missing-action" Error "an object value has no action";
    REASON_TOO_LONG "PC0110" "reason-too-long" Error "a reason is longer than 500 characters";
    UNIVERSAL_MAP "PC0111" "universal-map" Error "the universal key holds a map";
    SURFACE_ACTION_OBJECT "PC0112" "surface-action-object" Error "a surface holds an action object";
    EMPTY_TEXT "PC0113" "empty-text" Error "a name is blank";
    DUPLICATE_NAME "PC0114" "duplicate-name" Error "a name stands twice in one list";
    BUILT_IN_SHELL_TOOL "PC0115" "built-in-shell-tool" Error "a built-in tool is listed as a shell tool";
    MISSING_KEY "PC0116" "missing-key" Error "a required key is missing";
    ALLOWED_AND_EXCLUDED "PC0117" "allowed-and-excluded" Error "a surface is both allowed and excluded";
    NOT_A_COUNT "PC0118" "not-a-count" Error "a number is not a non-negative integer";
    DUPLICATE_TIER "PC0119" "duplicate-tier" Error "a tier id is used twice";
    UNKNOWN_GROUP "PC0120" "unknown-group" Error "a tier row names an unknown group";
    PARENT_COMPONENT "PC0121" "parent-component" Error "a tier pattern holds a parent component";
    UNKNOWN_DEFAULT_TIER "PC0122" "unknown-default-tier" Warning "the default tier does not exist";
    UNKNOWN_ASSIGNED_TIER "PC0123" "unknown-assigned-tier" Warning "a model is assigned to a tier that does not exist";
    PATTERN_TOO_LONG "PC0125" "pattern-too-long" Error "a pattern is longer than 1 MiB";
    PATTERN_AS_NAME "PC0126" "pattern-as-name" Error "a literal name holds a wildcard";
    TIER_NEVER_DELEGATED "PC0127" "tier-never-delegated" Warning "tier asks cannot be delegated";
    PADDED_NAME "PC0128" "padded-name" Error "a name has blanks around it";
    BAD_GLOB "PC0129" "bad-glob" Error "a tier pattern is no glob";
    TIER_TOO_COMPLEX "PC0130" "tier-too-complex" Error "a tier pattern passes the budget";
    TIER_ROWS_DISAGREE "PC0131" "tier-rows-disagree" Warning "equally long tier rows disagree";
    TIER_BROADER_WINS "PC0132" "tier-broader-wins" Warning "a broader tier row outranks a narrower one";
    TIER_ROW_NEVER_DECIDES "PC0133" "tier-row-never-decides" Warning "a tier row decides nothing";

    OPERATOR_ONLY "PC0201" "operator-only" Error "a key belongs to the operator's document";
    PROJECT_YOLO "PC0202" "project-yolo" Error "a project turns yolo mode on";
    PROJECT_DELEGATION "PC0203" "project-delegation" Error "a project sets more of the delegation than exclusions";
    PROJECT_TIER_SETTING "PC0204" "project-tier-setting" Error "a project chooses tiers for models";
    PROJECT_NEW_TIER "PC0205" "project-new-tier" Error "a project defines a new tier";
    NOT_FOR_AGENTS "PC0206" "not-for-agents" Error "an agent's document sets more than rules";
    SHELL_TOOL_CHANGED "PC0207" "shell-tool-changed" Error "a project changes a shell tool of the operator";
    TIERS_TWICE "PC0208" "tiers-twice" Error "tiers are given in two places";

    UNTERMINATED_FRONT_MATTER "PC0301" "unterminated-front-matter" Error "front matter does not end";
    FRONT_MATTER_SYNTAX "PC0302" "front-matter-syntax" Error "front matter is not well-formed YAML";
    FRONT_MATTER_FEATURE "PC0303" "front-matter-feature" Error "front matter uses YAML beyond plain maps";
    NEAR_MISS_PERMISSION "PC0304" "near-miss-permission" Error "a key is nearly, but not, permission";
    EMPTY_PERMISSION "PC0305" "empty-permission" Error "permission is given but empty";
    MISPLACED_FRONT_MATTER "PC0306" "misplaced-front-matter" Error "front matter does not start on the first line";
    FRONT_MATTER_NOT_MAP "PC0307" "front-matter-not-map" Error "front matter is not a map";

    MCP_BOTH_KEYS "PC0401" "mcp-both-keys" Error "both spellings of the server list are present";
    MCP_NEAR_MISS "PC0402" "mcp-near-miss" Error "a key is nearly, but not, mcpServers";
    SESSION_SHAPE "PC0403" "session-shape" Error "a session file is not a list of pairs";
    NOT_IN_TIERS_FILE "PC0404" "not-in-tiers-file" Error "a tiers file holds another section";

    INTEGER_KEY_ORDER "PC0501" "integer-key-order" Warning "the reference would order integer-like keys differently";
    SESSION_OVERRIDES_DENY "PC0502" "session-overrides-deny" Warning "a session rule overrides a configured deny";
    UNTRUSTED_PROJECT "PC0503" "untrusted-project" Warning "the project's documents were left out";
    FAIL_CLOSED_CLAMP "PC0504" "fail-closed-clamp" Warning "a broken document turned allows into asks";

    TABLE_TOO_LARGE "PC0603" "table-too-large" Error "the artifact is larger than the limit";
}

#[cfg(test)]
mod tests {
    use super::{CODES, Code};

    #[test]
    fn codes_are_sorted_unique_and_described() {
        assert!(
            CODES.windows(2).all(|pair| pair[0].code < pair[1].code),
            "sorted and unique"
        );
        let mut names: Vec<_> = CODES.iter().map(|info| info.name).collect();
        names.sort_unstable();
        assert!(
            names.windows(2).all(|pair| pair[0] != pair[1]),
            "names are unique"
        );
        for info in CODES {
            let code = info.code.as_str();
            assert!(code.len() == 6 && code.starts_with("PC"), "{code}");
            assert!(code.chars().skip(2).all(|c| c.is_ascii_digit()), "{code}");
            assert!(
                info.name.split('-').all(|word| !word.is_empty()
                    && word
                        .chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())),
                "{code}: {}",
                info.name
            );
            assert!(
                !info.title.is_empty() && !info.title.ends_with('.'),
                "{code}"
            );
            assert!(info.long.len() > 100, "{code} needs a long text");
            assert!(
                info.long.ends_with('\n') && !info.long.contains('\r'),
                "{code}"
            );
        }
    }

    #[test]
    fn every_code_is_found_by_text_and_name() {
        for info in CODES {
            assert_eq!(Code::from_name(info.code.as_str()), Some(info.code));
            assert_eq!(Code::from_name(info.name), Some(info.code));
            assert_eq!(info.code.info(), Some(info));
            assert_eq!(info.code.severity(), info.severity);
        }
        assert_eq!(Code::from_name("PC9999"), None);
    }
}
