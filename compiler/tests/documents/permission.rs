//! `permission`: surfaces, patterns, actions and keys that stand twice.

use crate::support::{Global, MARK, fires, parse, silent};
use permc::diagnostic::Code;
use permc::parse::Body;

#[test]
fn permission_mistakes() {
    let cases = [
        (
            r#"{"permission": ▸[]}"#,
            Code::WRONG_TYPE,
            r#""permission": { "*": "ask" }"#,
        ),
        (
            r#"{"permission": {▸"": "deny"}}"#,
            Code::EMPTY_SURFACE,
            r#"`"*"`"#,
        ),
        (
            r#"{"permission": {"bash": {▸"": "deny"}}}"#,
            Code::EMPTY_PATTERN,
            r#"`"*"`"#,
        ),
        (
            r#"{"permission": {"bash": ▸"Allow"}}"#,
            Code::UNKNOWN_ACTION,
            "`allow`",
        ),
        (
            r#"{"permission": {"bash": {"git *": ▸"DENY"}}}"#,
            Code::UNKNOWN_ACTION,
            "`deny`",
        ),
        (
            r#"{"permission": {"bash": ▸"block"}}"#,
            Code::UNKNOWN_ACTION,
            "`deny`",
        ),
        (
            r#"{"permission": {"bash": ▸"disallow"}}"#,
            Code::UNKNOWN_ACTION,
            "`deny`",
        ),
        (
            r#"{"permission": {"bash": ▸"ask "}}"#,
            Code::UNKNOWN_ACTION,
            "`ask`",
        ),
        (
            r#"{"permission": {"bash": ▸""}}"#,
            Code::UNKNOWN_ACTION,
            r#"`"allow"`"#,
        ),
        (
            r#"{"permission": {"bash": ▸null}}"#,
            Code::ACTION_NOT_TEXT,
            r#"`"ask"`"#,
        ),
        (
            r#"{"permission": {"bash": ▸true}}"#,
            Code::ACTION_NOT_TEXT,
            r#"`"ask"`"#,
        ),
        (
            r#"{"permission": {"bash": ▸["deny"]}}"#,
            Code::ACTION_NOT_TEXT,
            r#"`"ask"`"#,
        ),
        (
            r#"{"permission": {"bash": {"ls": ▸7}}}"#,
            Code::ACTION_NOT_TEXT,
            r#"`"ask"`"#,
        ),
        (
            r#"{"permission": {"bash": {"ls": {"action": ▸"allow"}}}}"#,
            Code::OBJECT_NOT_DENY,
            r#"write `"allow"`"#,
        ),
        (
            r#"{"permission": {"bash": {"ls": {"action": ▸"ask", "reason": "x"}}}}"#,
            Code::OBJECT_NOT_DENY,
            r#"write `"ask"`"#,
        ),
        (
            r#"{"permission": {"bash": {"ls": {"action": ▸"Deny"}}}}"#,
            Code::UNKNOWN_ACTION,
            "`deny`",
        ),
        (
            r#"{"permission": {"bash": {"ls": {"action": ▸null}}}}"#,
            Code::ACTION_NOT_TEXT,
            r#"`"deny"`"#,
        ),
        (
            r#"{"permission": {"bash": {"ls": ▸{"reason": "x"}}}}"#,
            Code::MISSING_ACTION,
            r#""action": "deny""#,
        ),
        (
            r#"{"permission": {"bash": {"ls": ▸{}}}}"#,
            Code::MISSING_ACTION,
            r#""action": "deny""#,
        ),
        (
            r#"{"permission": {"bash": {"ls": {"action": "deny", ▸"resaon": "x"}}}}"#,
            Code::UNKNOWN_KEY,
            "`reason`",
        ),
        (
            r#"{"permission": {"bash": {"ls": {"action": "deny", "reason": ▸7}}}}"#,
            Code::WRONG_TYPE,
            "double quotes",
        ),
        (
            r#"{"permission": {"*": ▸{"*.env": "deny"}}}"#,
            Code::UNIVERSAL_MAP,
            r#""*": "ask""#,
        ),
        (
            r#"{"permission": {"*": ▸{"action": "deny", "reason": "x"}}}"#,
            Code::UNIVERSAL_MAP,
            r#""*": "deny""#,
        ),
        (
            r#"{"permission": {"*": ▸{}}}"#,
            Code::UNIVERSAL_MAP,
            r#""*": "ask""#,
        ),
    ];
    for (text, code, help) in cases {
        fires(Global, text, code, help);
    }
    for text in [
        "{}",
        r#"{"permission": {}}"#,
        r#"{"permission": {"bash": {}}}"#,
        r#"{"permission": {"*": "ask", "bash": {"*": "ask", " ": "deny", "git *": "allow"}, "web_*": "deny"}}"#,
        r#"{"permission": {"bash": {"ls": {"action": "deny"}, "rm": {"action": "deny", "reason": ""}}}}"#,
        "\u{feff}// comment\n{\"permission\": {\"bash\": \"ask\",},}",
    ] {
        silent(Global, text);
    }
}

#[test]
fn action_objects_under_a_surface() {
    let cases = [
        (
            r#"{"permission": {"bash": {▸"action": "deny"}}}"#,
            r#"`"bash": "deny"`"#,
        ),
        (
            r#"{"permission": {"bash": {▸"action": "allow"}}}"#,
            r#"`"bash": "allow"`"#,
        ),
        (
            r#"{"permission": {"bash": {▸"Action": "Deny"}}}"#,
            r#"`"bash": "deny"`"#,
        ),
        (
            r#"{"permission": {"bash": {"reason": "x", ▸"action": "deny"}}}"#,
            r#""bash": { "*": { "action": "deny""#,
        ),
        (
            r#"{"permission": {"bash": {"git *": "ask", ▸"action": "deny"}}}"#,
            "`actio?`",
        ),
        (
            r#"{"permission": {"bash": {"git *": "ask", ▸"action": "deny", "reason": "x"}}}"#,
            r#""*": { "action": "deny""#,
        ),
    ];
    for (text, help) in cases {
        fires(Global, text, Code::SURFACE_ACTION_OBJECT, help);
    }
    for text in [
        r#"{"permission": {"bash": {"*": {"action": "deny", "reason": "x"}}}}"#,
        r#"{"permission": {"bash": {"actio?": "deny"}}}"#,
        r#"{"permission": {"bash": {"action": {"action": "deny"}}}}"#,
        r#"{"permission": {"skill": {"reason": "deny"}}}"#,
        r#"{"permission": {"skill": {"Action": "deny", "other": "allow"}}}"#,
        r#"{"permission": {"action": "deny", "reason": {"*": "ask"}}}"#,
    ] {
        silent(Global, text);
    }
}

#[test]
fn reasons_are_counted_in_characters() {
    let text = |length: usize| {
        let reason = "ä".repeat(length);
        format!(
            r#"{{"permission": {{"bash": {{"ls": {{"action": "deny", "reason": ▸"{reason}"}}}}}}}}"#
        )
    };
    fires(Global, &text(501), Code::REASON_TOO_LONG, "one sentence");
    silent(Global, &text(500).replace(MARK, ""));
}

#[test]
fn overlong_patterns() {
    let text = |length: usize| {
        format!(
            r#"{{"permission": {{"bash": {{▸"{}": "ask"}}}}}}"#,
            "a".repeat(length)
        )
    };
    fires(
        Global,
        &text((1 << 20) + 1),
        Code::PATTERN_TOO_LONG,
        "wildcard",
    );
    silent(Global, &text(1 << 20).replace(MARK, ""));
}

#[test]
fn duplicate_keys_at_every_level() {
    for text in [
        r#"{"permission": {}, ▸"permission": {}}"#,
        r#"{"permission": {"bash": "ask", "read": "ask", ▸"bash": "ask"}}"#,
        r#"{"permission": {"bash": {"a": "ask", ▸"a": "deny"}}}"#,
        r#"{"permission": {"bash": {"a": {"action": "deny", ▸"action": "deny"}}}}"#,
        r#"{"$schema": "x", ▸"$schema": "y"}"#,
        r#"{"permissionDialogKeys": {"a": "y", ▸"a": "n"}}"#,
        r#"{"permission": {"bash": {"\u0061": "ask", ▸"a": "ask"}}}"#,
    ] {
        fires(Global, text, Code::DUPLICATE_KEY, "remove one");
        let parsed = parse(Global, &text.replace(MARK, ""));
        let [first] = parsed.diagnostics[0].secondary.as_slice() else {
            panic!("{text}: the first place is missing");
        };
        assert_eq!(first.text, "first declared here");
        assert!(first.location < parsed.diagnostics[0].primary.as_ref().unwrap().location);
    }
    silent(
        Global,
        r#"{"permission": {"bash": {"a": "ask"}, "read": {"a": "ask"}}}"#,
    );
}

#[test]
fn of_a_duplicate_pattern_the_stricter_is_kept() {
    for (text, wanted) in [
        (
            r#"{"permission": {"bash": {"a": "deny", "a": "allow"}}}"#,
            "deny",
        ),
        (
            r#"{"permission": {"bash": {"a": "allow", "a": "ask"}}}"#,
            "ask",
        ),
    ] {
        let parsed = parse(Global, text);
        let Body::Policy(policy) = &parsed.documents[0].body else {
            panic!()
        };
        let permc::config::SurfaceValue::Map(patterns) = &policy.permission[0].value else {
            panic!()
        };
        assert_eq!(patterns.len(), 1);
        assert_eq!(patterns[0].action.value.as_str(), wanted);
    }
}
