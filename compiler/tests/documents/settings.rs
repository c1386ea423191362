//! The other keys of a document, and who may set them.

use crate::support::{Global, Json, Project, fires, parse, silent};
use permc::diagnostic::Code;
use permc::parse::Body;

#[test]
fn top_level_keys() {
    for (text, code, help) in [
        (r#"▸[]"#, Code::WRONG_TYPE, "permission"),
        (r#"{▸"permision": {}}"#, Code::UNKNOWN_KEY, "`permission`"),
        (r#"{▸"Permission": {}}"#, Code::UNKNOWN_KEY, "`permission`"),
        (r#"{▸"shelltools": {}}"#, Code::UNKNOWN_KEY, "`shellTools`"),
        (
            r#"{▸"zzz": {}}"#,
            Code::UNKNOWN_KEY,
            "known keys are `$schema`, `permission`",
        ),
        (r#"{"$schema": ▸7}"#, Code::WRONG_TYPE, "double quotes"),
        (
            r#"{"yoloMode": ▸"true"}"#,
            Code::WRONG_TYPE,
            "without quotes",
        ),
        (r#"{"debugLog": ▸1}"#, Code::WRONG_TYPE, "without quotes"),
        (
            r#"{"promptMaxRows": ▸-1}"#,
            Code::NOT_A_COUNT,
            "zero or more",
        ),
        (
            r#"{"forwardingTimeoutMs": ▸1.5}"#,
            Code::NOT_A_COUNT,
            "zero or more",
        ),
        (
            r#"{"toolTextSummaryMaxLength": ▸"80"}"#,
            Code::NOT_A_COUNT,
            "zero or more",
        ),
        (
            r#"{"permissionDialogKeys": ▸"y"}"#,
            Code::WRONG_TYPE,
            "object of keys",
        ),
        (
            r#"{"piInfrastructureReadPaths": ▸"~/x"}"#,
            Code::WRONG_TYPE,
            "piInfrastructureReadPaths",
        ),
        (
            r#"{"piInfrastructureReadPaths": [▸""]}"#,
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"piInfrastructureReadPaths": [▸7]}"#,
            Code::WRONG_TYPE,
            "double quotes",
        ),
    ] {
        fires(Global, text, code, help);
    }
    let all = r#"{
        "$schema": "x", "debugLog": true, "permissionReviewLog": false, "doublePressToConfirm": true,
        "toolInputPreviewMaxLength": 200, "toolTextSummaryMaxLength": 0, "forwardingTimeoutMs": 1e4,
        "permissionDialogKeys": {}, "promptNotifications": true, "promptMaxRows": 3, "promptFieldMaxWidth": 4,
        "reviewLogFieldMaxWidth": 5, "piInfrastructureReadPaths": ["~/x", "/opt/*"], "yoloMode": true }"#;
    silent(Global, all);
    silent(
        Project,
        &all.replace(r#""yoloMode": true"#, r#""yoloMode": false"#),
    );
}

#[test]
fn who_may_set_what() {
    for (kind, text, code, help) in [
        (
            Project,
            r#"{"yoloMode": ▸true}"#,
            Code::PROJECT_YOLO,
            "false",
        ),
        (
            Project,
            r#"{▸"authorizerChain": ["x"]}"#,
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            Project,
            r#"{"modelDelegation": {▸"allowedSurfaces": ["x"]}}"#,
            Code::PROJECT_DELEGATION,
            "global document",
        ),
        (
            Project,
            r#"{"modelDelegation": {▸"secretPatterns": ["x"]}}"#,
            Code::PROJECT_DELEGATION,
            "excludedSurfaces",
        ),
        (
            Project,
            r#"{"providerPermissions": {▸"defaultTier": "x"}}"#,
            Code::PROJECT_TIER_SETTING,
            "global document",
        ),
        (
            Project,
            r#"{"providerPermissions": {▸"assignments": {"m": "x"}}}"#,
            Code::PROJECT_TIER_SETTING,
            "rows",
        ),
        (
            Json,
            r#"{▸"yoloMode": false}"#,
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            Json,
            r#"{▸"authorizerChain": []}"#,
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            Json,
            r#"{▸"modelDelegation": {}}"#,
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            Json,
            r#"{▸"providerPermissions": {}}"#,
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            Json,
            r#"{▸"shellTools": {}}"#,
            Code::NOT_FOR_AGENTS,
            "project's document",
        ),
        (
            Json,
            r#"{▸"piInfrastructureReadPaths": []}"#,
            Code::NOT_FOR_AGENTS,
            "project's document",
        ),
        (
            Json,
            r#"{▸"debugLog": true}"#,
            Code::NOT_FOR_AGENTS,
            "project's document",
        ),
        (
            Json,
            r#"{▸"permissions": {}}"#,
            Code::UNKNOWN_KEY,
            "`permission`",
        ),
        (Json, r#"▸"ask""#, Code::WRONG_TYPE, "permission"),
    ] {
        fires(kind, text, code, help);
    }
    silent(
        Project,
        r#"{"yoloMode": false, "modelDelegation": {"excludedSurfaces": ["bash"]}, "shellTools": {"e": {"commandArgument": "c"}},
        "piInfrastructureReadPaths": ["x"],
        "providerPermissions": {"tiers": [{"id": "t", "directories": {"src/**": {"write": "deny"}}}]}}"#,
    );
    silent(Json, r#"{"$schema": "x", "permission": {"bash": "ask"}}"#);
    silent(
        Global,
        r#"{"yoloMode": true, "authorizerChain": ["x"], "modelDelegation": {"allowedSurfaces": ["a"], "secretPatterns": ["*.x"]}}"#,
    );
}

#[test]
fn what_a_scope_may_not_set_is_left_out() {
    let text = r#"{"yoloMode": true, "authorizerChain": ["x"], "modelDelegation": {"allowedSurfaces": ["a"], "excludedSurfaces": ["b"]},
        "providerPermissions": {"defaultTier": "t", "tiers": [{"id": "t"}]}, "permission": {"bash": "deny"}}"#;
    let parsed = parse(Project, text);
    assert_eq!(parsed.diagnostics.len(), 4);
    let Body::Policy(policy) = &parsed.documents[0].body else {
        panic!()
    };
    assert_eq!(
        (&policy.yolo_mode, &policy.authorizer_chain),
        (&None, &None)
    );
    let delegation = policy.delegation.as_ref().unwrap();
    assert!(delegation.allowed_surfaces.is_empty());
    assert_eq!(delegation.excluded_surfaces[0].value, "b");
    let tiers = policy.tiers.as_ref().unwrap();
    assert!(tiers.default_tier.is_none() && tiers.tiers.len() == 1);
    assert_eq!(policy.permission.len(), 1);
}

#[test]
fn shell_tools() {
    for (text, code, help) in [
        (
            r#"{"shellTools": ▸[]}"#,
            Code::WRONG_TYPE,
            "commandArgument",
        ),
        (
            r#"{"shellTools": {"e": ▸"cmd"}}"#,
            Code::WRONG_TYPE,
            "commandArgument",
        ),
        (
            r#"{"shellTools": {"e": ▸{}}}"#,
            Code::MISSING_KEY,
            "commandArgument",
        ),
        (
            r#"{"shellTools": {"e": {"commandArgument": ▸""}}}"#,
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"shellTools": {"e": {"commandArgument": ▸1}}}"#,
            Code::WRONG_TYPE,
            "double quotes",
        ),
        (
            r#"{"shellTools": {"e": {"commandArgument": "c", "workdirArgument": ▸" "}}}"#,
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"shellTools": {"e": {"commandArgument": "c", ▸"workDirArgument": "w"}}}"#,
            Code::UNKNOWN_KEY,
            "`workdirArgument`",
        ),
        (
            r#"{"shellTools": {▸"": {"commandArgument": "c"}}}"#,
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"shellTools": {▸"e ": {"commandArgument": "c"}}}"#,
            Code::PADDED_NAME,
            "write `e`",
        ),
        (
            r#"{"shellTools": {▸"e*": {"commandArgument": "c"}}}"#,
            Code::PATTERN_AS_NAME,
            "each name",
        ),
    ] {
        fires(Global, text, code, help);
    }
    for tool in [
        "read",
        "write",
        "edit",
        "find",
        "grep",
        "ls",
        "mcp",
        "skill",
        "path",
        "external_directory",
    ] {
        let text = format!(r#"{{"shellTools": {{▸"{tool}": {{"commandArgument": "c"}}}}}}"#);
        fires(
            Global,
            &text,
            Code::BUILT_IN_SHELL_TOOL,
            "lose its own rules",
        );
    }
    silent(
        Global,
        r#"{"shellTools": {"bash": {"commandArgument": "command"}, "reader": {"commandArgument": "c", "workdirArgument": "w"}}}"#,
    );
}

#[test]
fn chain_and_delegation() {
    for (text, code, help) in [
        (
            r#"{"authorizerChain": ▸"x"}"#,
            Code::WRONG_TYPE,
            r#""authorizerChain": ["#,
        ),
        (
            r#"{"authorizerChain": ["x", "y", ▸"x"]}"#,
            Code::DUPLICATE_NAME,
            "remove one",
        ),
        (
            r#"{"authorizerChain": [▸""]}"#,
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"authorizerChain": [▸" x"]}"#,
            Code::PADDED_NAME,
            "write `x`",
        ),
        (
            r#"{"authorizerChain": [▸{}]}"#,
            Code::WRONG_TYPE,
            "double quotes",
        ),
        (
            r#"{"modelDelegation": ▸true}"#,
            Code::WRONG_TYPE,
            "allowedSurfaces",
        ),
        (
            r#"{"modelDelegation": {▸"allowed": []}}"#,
            Code::UNKNOWN_KEY,
            "`allowedSurfaces`",
        ),
        (
            r#"{"modelDelegation": {▸"allowedSurface": []}}"#,
            Code::UNKNOWN_KEY,
            "`allowedSurfaces`?",
        ),
        (
            r#"{"modelDelegation": {"allowedSurfaces": [▸""]}}"#,
            Code::EMPTY_TEXT,
            "write the name",
        ),
        (
            r#"{"modelDelegation": {"excludedSurfaces": [▸"web_*"]}}"#,
            Code::PATTERN_AS_NAME,
            "each name",
        ),
        (
            r#"{"modelDelegation": {"allowedSurfaces": ["a"], "excludedSurfaces": ["b", ▸"a"]}}"#,
            Code::ALLOWED_AND_EXCLUDED,
            "one of the two lists",
        ),
        (
            r#"{"modelDelegation": {"allowedSurfaces": ["a", ▸"a"]}}"#,
            Code::DUPLICATE_NAME,
            "remove one",
        ),
        (
            r#"{"modelDelegation": {"allowedSurfaces": [▸"tier"]}}"#,
            Code::TIER_NEVER_DELEGATED,
            "remove `tier`",
        ),
    ] {
        fires(Global, text, code, help);
    }
    silent(
        Global,
        r#"{"authorizerChain": ["x", "y"], "modelDelegation": {"allowedSurfaces": ["a"], "excludedSurfaces": ["b", "tier"], "secretPatterns": ["*.k"]}}"#,
    );
    silent(Global, r#"{"authorizerChain": [], "modelDelegation": {}}"#);
}
