//! Markdown agent files.

use crate::support::{Markdown, fires, found_at, parse, silent};
use permc::diagnostic::Code;
use permc::parse::Body;

#[test]
fn front_matter_mistakes() {
    for (text, code, help) in [
        (
            "▸---\npermission:\n  bash: ask\n",
            Code::UNTERMINATED_FRONT_MATTER,
            "only `---`",
        ),
        (
            "\n▸---\npermission:\n  bash: ask\n---\n",
            Code::MISPLACED_FRONT_MATTER,
            "blank lines",
        ),
        (
            "---\n▸- permission\n---\n",
            Code::FRONT_MATTER_NOT_MAP,
            "permission:",
        ),
        (
            "---\n▸permissions:\n  bash: ask\n---\n",
            Code::NEAR_MISS_PERMISSION,
            "`permission`",
        ),
        (
            "---\n▸Permission:\n  bash: ask\n---\n",
            Code::NEAR_MISS_PERMISSION,
            "`permission`",
        ),
        (
            "---\nname: x\n▸permision: {}\n---\n",
            Code::NEAR_MISS_PERMISSION,
            "`permission`",
        ),
        ("---\n▸permission:\n---\n", Code::EMPTY_PERMISSION, "indent"),
        (
            "---\n▸permission:\nbash: ask\n---\n",
            Code::EMPTY_PERMISSION,
            "indent",
        ),
        (
            "---\n▸permission: ~\n---\n",
            Code::EMPTY_PERMISSION,
            "indent",
        ),
        (
            "---\npermission: ▸ask\n---\n",
            Code::WRONG_TYPE,
            "surfaces as keys",
        ),
        (
            "---\npermission:\n  bash: ▸true\n---\n",
            Code::ACTION_NOT_TEXT,
            r#"`"allow"`"#,
        ),
        (
            "---\npermission:\n  ▸bash:\n  read: ask\n---\n",
            Code::ACTION_NOT_TEXT,
            r#"`"allow"`"#,
        ),
        (
            "---\npermission:\n  bash:\n    é *: ▸Deny\n---\n",
            Code::UNKNOWN_ACTION,
            "`deny`",
        ),
        (
            "---\r\npermission:\r\n  bash: ask\r\n  ▸bash: deny\r\n---\r\n",
            Code::DUPLICATE_KEY,
            "remove one",
        ),
        (
            "---\npermission: {}\n▸permission: {}\n---\n",
            Code::DUPLICATE_KEY,
            "remove one",
        ),
        (
            "---\n▸yoloMode: true\n---\n",
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            "---\n▸authorizerChain: []\n---\n",
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            "---\n▸modelDelegation: {}\n---\n",
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            "---\n▸providerPermissions: {}\n---\n",
            Code::OPERATOR_ONLY,
            "global document",
        ),
        (
            "---\n▸shellTools: {}\n---\n",
            Code::NOT_FOR_AGENTS,
            "project's document",
        ),
        (
            "---\n▸piInfrastructureReadPaths: []\n---\n",
            Code::NOT_FOR_AGENTS,
            "project's document",
        ),
        (
            "---\npermission:\n  bash:\n    ▸*: ask\n---\n",
            Code::FRONT_MATTER_FEATURE,
            r#"`"*"`"#,
        ),
        (
            "---\npermission:\n  bash:\n    ▸*.env: ask\n---\n",
            Code::FRONT_MATTER_FEATURE,
            r#"`"*.env"`"#,
        ),
        (
            "---\npermission:\n  bash: ▸&x ask\n---\n",
            Code::FRONT_MATTER_FEATURE,
            "quotes",
        ),
        (
            "---\na: ▸&x 1\nb: *x\n---\n",
            Code::FRONT_MATTER_FEATURE,
            "quotes",
        ),
        (
            "---\npermission:\n  bash:\n    ▸!git *: ask\n---\n",
            Code::FRONT_MATTER_FEATURE,
            r#"`"!git *"`"#,
        ),
        (
            "---\npermission:\n  ▸<<: ask\n---\n",
            Code::FRONT_MATTER_FEATURE,
            r#"`"<<"`"#,
        ),
        (
            "---\npermission:\n  bash:\n    ▸[ab]: ask\n---\n",
            Code::FRONT_MATTER_FEATURE,
            "quotes",
        ),
        (
            "---\npermission:\n  bash:\n    ▸{a,b}: ask\n---\n",
            Code::FRONT_MATTER_FEATURE,
            "quotes",
        ),
        (
            "---\npermission:\n  bash:\n    ? ▸{a: b}\n    : ask\n---\n",
            Code::FRONT_MATTER_FEATURE,
            "quotes",
        ),
        (
            "---\npermission: {}\n...\n▸a: b\n---\n",
            Code::FRONT_MATTER_FEATURE,
            "one document",
        ),
        (
            "---\npermission:\n  bash:\n    [ab]▸*: ask\n---\n",
            Code::FRONT_MATTER_SYNTAX,
            r#"`"[ab]*"`"#,
        ),
        (
            "---\npermission:\n  bash:\n    ▸@x: ask\n---\n",
            Code::FRONT_MATTER_SYNTAX,
            r#"`"@x"`"#,
        ),
        (
            "---\npermission:\n\t▸bash: ask\n---\n",
            Code::FRONT_MATTER_SYNTAX,
            "spaces",
        ),
        (
            "---\ndescription: a▸: b\n---\n",
            Code::FRONT_MATTER_SYNTAX,
            "double quotes",
        ),
    ] {
        fires(Markdown, text, code, help);
    }
}

#[test]
fn front_matter_that_is_fine() {
    for text in [
        "",
        "# Title\n",
        "# Title\n---\npermission: x\n---\n",
        "\n---\na rule\n---\npermission: x\n",
        "----\n",
        "---\n---\n",
        "---\n# only a comment\n---\n",
        "---\npermission: {}\n---\n",
        "\u{feff}--- \r\npermission:\r\n  \"*\": ask\r\n---\t\r\ntext\r\n",
        "---\nname: x\ntools: [read, \"*\"]\nmission: y\npermissionMode: plan\nmodel: null\n---\n",
        "---\nname: a\nname: b\n---\n",
        "---\npermission:\n  bash:\n    \"*\": ask\n    git *: allow\n    '&x': deny\n    ~/x: deny\n    true: deny\n    1: ask\n    a:b: ask\n    \"<<\": ask\n  write: {\"*.rs\": allow}\n---\n",
        "---\npermission:\n  bash:\n    rm *:\n      action: deny\n      reason: >\n        use the\n        trash\n---\n",
    ] {
        silent(Markdown, text);
    }
}

#[test]
fn front_matter_rules_keep_order_and_places() {
    let text = "\u{feff}---\r\nname: ä\r\npermission:\r\n  bash:\r\n    \"é *\": ask\r\n    ~: deny\r\n    2: allow\r\n    \"a\\tb\": deny\r\n---\r\n";
    let parsed = parse(Markdown, text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let Body::Policy(policy) = &parsed.documents[0].body else {
        panic!()
    };
    let permc::config::SurfaceValue::Map(patterns) = &policy.permission[0].value else {
        panic!()
    };
    let shown: Vec<_> = patterns
        .iter()
        .map(|entry| {
            let span = entry.pattern.span;
            (
                entry.pattern.value.as_str(),
                text.get(span.start..span.end).unwrap(),
                entry.action.value.as_str(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("é *", "\"é *\"", "ask"),
            ("~", "~", "deny"),
            ("2", "2", "allow"),
            ("a\tb", "\"a\\tb\"", "deny")
        ]
    );
    let surface = policy.permission[0].surface.span;
    assert_eq!(text.get(surface.start..surface.end), Some("bash"));
}

#[test]
fn front_matter_is_bounded() {
    let nested =
        |depth: usize| format!("---\na: {}{}\n---\n", "[".repeat(depth), "]".repeat(depth));
    // The map itself is one level.
    silent(Markdown, &nested(127));
    for depth in [128, 10_000, 200_000] {
        let parsed = parse(Markdown, &nested(depth));
        assert_eq!(parsed.diagnostics[0].code, Code::NESTED_TOO_DEEP, "{depth}");
    }
    for hostile in ["- ", "? ", "{a: "] {
        let text = format!("---\n{}\n---\n", hostile.repeat(100_000));
        assert_eq!(parse(Markdown, &text).diagnostics.len(), 1, "{hostile:?}");
    }
    let steps = |depth: usize| -> String {
        let lines = (0..depth).map(|level| format!("{}a:\n", " ".repeat(level)));
        format!("---\n{}---\n", lines.collect::<String>())
    };
    silent(Markdown, &steps(128));
    let parsed = parse(Markdown, &steps(129));
    let found = &parsed.diagnostics[0];
    assert_eq!(found.code, Code::NESTED_TOO_DEEP);
    assert_eq!(found_at(&parsed, found), (130, 129));
}
