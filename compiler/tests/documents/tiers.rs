//! Trust tiers, as far as one document shows.

use crate::support::{Global, Tiers, fires, silent};
use permc::diagnostic::Code;

#[test]
fn tiers_of_one_document() {
    let row = |row: &str| {
        format!(
            r#"{{"providerPermissions": {{"tiers": [{{"id": "t", "directories": {{{row}}}}}]}}}}"#
        )
    };
    for (text, code, help) in [
        (row(r#"▸"": {}"#), Code::EMPTY_PATTERN, "**"),
        (row(r#"▸"../x": {}"#), Code::PARENT_COMPONENT, "absolute"),
        (row(r#"▸"a/..": {}"#), Code::PARENT_COMPONENT, "absolute"),
        (
            row(r#"▸"a/{..,b}": {}"#),
            Code::PARENT_COMPONENT,
            "absolute",
        ),
        (
            row(r#"▸"a/[.][.]/b": {}"#),
            Code::PARENT_COMPONENT,
            "absolute",
        ),
        (row(r#"▸"a/{b": {}"#), Code::BAD_GLOB, "`[{]`"),
        (row(r#"▸"a[": {}"#), Code::BAD_GLOB, "`[[]`"),
        (row(r#"▸"a\\": {}"#), Code::BAD_GLOB, r"`[\\]`"),
        (row(r#"▸"a/{b,}": {}"#), Code::BAD_GLOB, "two patterns"),
        (row(r#"▸"[b-a]": {}"#), Code::BAD_GLOB, "lower character"),
        (
            row(r#"▸"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}": {}"#),
            Code::TIER_TOO_COMPLEX,
            "several rows",
        ),
        (
            row(r#""**": ▸"deny""#),
            Code::WRONG_TYPE,
            r#""read": "allow""#,
        ),
        (
            row(r#""**": {▸"wirte": "deny"}"#),
            Code::UNKNOWN_GROUP,
            "`write`",
        ),
        (
            row(r#""**": {▸"bash": "deny"}"#),
            Code::UNKNOWN_GROUP,
            "`execute`",
        ),
        (
            row(r#""**": {▸"zzz": "deny"}"#),
            Code::UNKNOWN_GROUP,
            "groups are `read`",
        ),
        (
            row(r#""**": {"read": ▸"Allow"}"#),
            Code::UNKNOWN_ACTION,
            "`allow`",
        ),
        (
            row(r#""**": {"read": ▸{"action": "deny"}}"#),
            Code::ACTION_NOT_TEXT,
            r#"`"deny"`"#,
        ),
        (
            row(r#""**": {"read": "deny", ▸"read": "ask"}"#),
            Code::DUPLICATE_KEY,
            "remove one",
        ),
        (
            r#"{"providerPermissions": ▸[]}"#.into(),
            Code::WRONG_TYPE,
            "tiers",
        ),
        (
            r#"{"providerPermissions": {▸"tier": []}}"#.into(),
            Code::UNKNOWN_KEY,
            "`tiers`",
        ),
        (
            r#"{"providerPermissions": {"tiers": ▸{}}}"#.into(),
            Code::WRONG_TYPE,
            r#""tiers": ["#,
        ),
        (
            r#"{"providerPermissions": {"tiers": [▸{}]}}"#.into(),
            Code::MISSING_KEY,
            r#""id""#,
        ),
        (
            r#"{"providerPermissions": {"tiers": [{"id": ▸""}]}}"#.into(),
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"providerPermissions": {"tiers": [{"id": "a", ▸"directory": {}}]}}"#.into(),
            Code::UNKNOWN_KEY,
            "`directories`",
        ),
        (
            r#"{"providerPermissions": {"tiers": [{"id": "a", "label": ▸1}]}}"#.into(),
            Code::WRONG_TYPE,
            "double quotes",
        ),
        (
            r#"{"providerPermissions": {"tiers": [{"id": "a"}, {"id": ▸"a"}]}}"#.into(),
            Code::DUPLICATE_TIER,
            "another id",
        ),
        (
            r#"{"providerPermissions": {"defaultTier": ▸"limitd", "tiers": [{"id": "limited"}]}}"#
                .into(),
            Code::UNKNOWN_DEFAULT_TIER,
            "`limited`",
        ),
        (
            r#"{"providerPermissions": {"tiers": [{"id": "a"}], "assignments": {"m": ▸"b"}}}"#
                .into(),
            Code::UNKNOWN_ASSIGNED_TIER,
            "define the tier",
        ),
        (
            r#"{"providerPermissions": {"tiers": [{"id": "a"}], "assignments": {▸"": "a"}}}"#
                .into(),
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"providerPermissions": {"assignments": ▸[]}}"#.into(),
            Code::WRONG_TYPE,
            "assignments",
        ),
    ] {
        fires(Global, &text, code, help);
    }
    silent(
        Global,
        &row(
            r#""**": {"read": "allow", "write": "ask", "execute": "deny", "network": "deny"}, "..x": {}, "a..": {}, "~/s/**": {"read": "deny"}"#,
        ),
    );
    silent(
        Global,
        r#"{"providerPermissions": {"defaultTier": "constructor", "tiers": [{"id": "constructor", "label": ""}, {"id": "__proto__"}], "assignments": {"m": "__proto__"}}}"#,
    );
    silent(
        Tiers,
        r#"{"$schema": "x", "providerPermissions": {"tiers": []}}"#,
    );
    fires(
        Tiers,
        r#"{"providerPermissions": {}, ▸"permission": {}}"#,
        Code::NOT_IN_TIERS_FILE,
        "global document",
    );
    fires(
        Tiers,
        r#"{"providerPermissions": {}, ▸"debugLog": true}"#,
        Code::NOT_IN_TIERS_FILE,
        "global document",
    );
    fires(Tiers, r#"▸{}"#, Code::MISSING_KEY, "providerPermissions");
    fires(Tiers, r#"▸[]"#, Code::WRONG_TYPE, "providerPermissions");
}
