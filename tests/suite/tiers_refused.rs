//! Rows of trust tiers that are refused, or that decide nothing.

use permc::diagnostic::Code;
use permc::source::SourceSet;
use permc::{Compilation, Options, compile};
use permc_tests::tiers::{ask, codes, global};
use serde_json::{Map, Value, json};

#[test]
fn adversarial_globs_compile_or_are_refused_by_name() {
    let row = |pattern: &str| json!({ "defaultTier": "t", "tiers": [{ "id": "t", "directories": { pattern: { "read": "deny" } } }] });
    let long = format!("{}b", "a".repeat(5_000));
    let almost = format!("{}c", "a".repeat(5_000));
    ask(
        vec![global(&row("**a**a**a**b"))],
        &[
            ("m", "read", &long, Some("deny")),
            ("m", "read", &almost, None),
        ],
    );
    let deep = format!("{}/b", "a/".repeat(2_500));
    ask(
        vec![global(&row("**/a/**/a/**/a/**/b"))],
        &[
            ("m", "read", &deep, Some("deny")),
            ("m", "read", deep.strip_suffix("/b").unwrap(), None),
        ],
    );
    let branches: Vec<String> = (0..1_000).map(|n| format!("dir{n}")).collect();
    let branches = format!("x/{{{}}}/**", branches.join(","));
    ask(
        vec![global(&row(&branches))],
        &[
            ("m", "read", "x/dir999/y", Some("deny")),
            ("m", "read", "x/dir1000", None),
            ("m", "read", "x/dir0", Some("deny")),
        ],
    );
    for pattern in [
        "{a,b}".repeat(40),
        format!("*a{}", "?".repeat(40)),
        format!("**/*a{}", "[ab]".repeat(30)),
    ] {
        let sources = SourceSet::from(vec![global(&row(&pattern))]);
        let Compilation {
            diagnostics,
            output,
            ..
        } = compile(&sources, &Options::default());
        assert!(output.is_none(), "{pattern}");
        assert_eq!(diagnostics[0].code, Code::TIER_TOO_COMPLEX, "{pattern}");
        assert!(
            diagnostics[0].message.contains(pattern.get(..10).unwrap()),
            "{}",
            diagnostics[0].message
        );
    }
    // What would multiply in one table goes into several.
    let rows: Map<String, Value> = (0..40)
        .map(|n| (format!("**/a{n}/**/b{n}*c"), json!({ "read": "deny" })))
        .collect();
    let rows = json!({ "defaultTier": "t", "tiers": [{ "id": "t", "directories": rows }] });
    ask(
        vec![global(&rows)],
        &[
            ("m", "read", "a7/x/b7zc", Some("deny")),
            ("m", "read", "a7/x/b8zc", None),
            ("m", "read", "a39/a7/b39c", Some("deny")),
        ],
    );
    // Refusals are counted: no document makes the compiler work for ever.
    let rows: Map<String, Value> = (0..500)
        .map(|n| {
            (
                format!("*a{}{n}", "?".repeat(30)),
                json!({ "read": "deny" }),
            )
        })
        .collect();
    let rows = json!({ "tiers": [{ "id": "t", "directories": rows }] });
    let Compilation { output, .. } =
        compile(&SourceSet::from(vec![global(&rows)]), &Options::default());
    assert!(output.is_none());
}

#[test]
fn rows_that_do_not_decide_are_said() {
    let one = |rows: Value| codes(&json!({ "tiers": [{ "id": "t", "directories": rows }] }));
    let (disagree, broader, never) = (
        Code::TIER_ROWS_DISAGREE,
        Code::TIER_BROADER_WINS,
        Code::TIER_ROW_NEVER_DECIDES,
    );
    let none: [Code; 0] = [];
    // The trap of the page, and its way out.
    assert_eq!(
        one(json!({ "src/**": { "read": "allow" }, "src/*": { "read": "deny" } })),
        [broader]
    );
    assert_eq!(
        one(json!({ "src/**": { "read": "allow" }, "src/gen/**": { "read": "deny" } })),
        none
    );
    assert_eq!(
        one(json!({ "**/*.rs": { "read": "allow" }, "a/*.rs": { "read": "deny" } })),
        [broader]
    );
    // Equally long, and both can match.
    assert_eq!(
        one(json!({ "src/**": { "read": "allow" }, "**/*.c": { "read": "deny" } })),
        [disagree]
    );
    assert_eq!(
        one(json!({ "src/**": { "read": "deny" }, "**/*.c": { "read": "deny" } })),
        none
    );
    assert_eq!(
        one(json!({ "src/**": { "read": "allow" }, "**/*.c": { "write": "deny" } })),
        none
    );
    assert_eq!(
        one(json!({ "src/**": { "read": "allow" }, "lib/**": { "read": "deny" } })),
        none
    );
    assert_eq!(
        one(json!({ "a?": { "read": "allow" }, "?a": { "read": "deny" } })),
        [disagree]
    );
    assert_eq!(
        one(json!({ "a?": { "read": "allow" }, "?/": { "read": "deny" } })),
        none
    );
    // One is the other.
    assert_eq!(
        one(json!({ "src/**": { "read": "allow" }, "./src//**": { "read": "allow" } })),
        [never]
    );
    assert_eq!(
        one(json!({ "src/**": { "read": "allow" }, "./src//**": { "read": "deny" } })),
        [disagree]
    );
    // Covered by one, by several together, by nothing.
    assert_eq!(
        one(json!({ "a/*/**": { "read": "allow" }, "a/b": { "read": "allow" } })),
        [never]
    );
    assert_eq!(
        one(
            json!({ "[ab]": { "read": "ask" }, "a/**": { "read": "deny" }, "b/**": { "read": "deny" } })
        ),
        [never]
    );
    assert_eq!(
        one(
            json!({ "[abc]": { "read": "ask" }, "a/**": { "read": "deny" }, "b/**": { "read": "deny" } })
        ),
        none
    );
    assert_eq!(one(json!({ "x/**": {} })), [never]);
    assert_eq!(one(json!({ "x/[/]": { "read": "deny" } })), [never]);
    // Only paths that exist count: no name is empty, `.` or `..`.
    assert_eq!(
        one(json!({ "**": { "read": "ask" }, "/": { "read": "deny" } })),
        [broader]
    );
    assert_eq!(
        one(json!({ "~/?": { "read": "deny" }, "~/[!.]": { "read": "deny" } })),
        [never]
    );
    // A covered row may still decide about another group.
    assert_eq!(
        one(json!({ "src/**": { "read": "allow" }, "src/*": { "read": "deny", "write": "deny" } })),
        [broader]
    );
    // Home and working directory may be anywhere: no claim about them.
    assert_eq!(
        one(json!({ "~/src/**": { "read": "allow" }, "src/**": { "read": "deny" } })),
        none
    );
    assert_eq!(
        one(json!({ "/home/**": { "read": "allow" }, "~/a/*": { "read": "deny" } })),
        none
    );
    assert_eq!(
        one(json!({ "**/secret/**": { "read": "deny" }, "~/secret": { "read": "allow" } })),
        [broader]
    );
    assert_eq!(
        one(json!({ "**/secret/**": { "read": "deny" }, "secret": { "read": "allow" } })),
        [broader]
    );
    // Text that is no pattern.
    assert_eq!(one(json!({ "a/{b": { "read": "deny" } })), [Code::BAD_GLOB]);
    assert_eq!(
        one(json!({ "a/../b": { "read": "deny" } })),
        [Code::PARENT_COMPONENT]
    );
    assert_eq!(
        one(json!({ "a/[.].": { "read": "deny" } })),
        [Code::PARENT_COMPONENT]
    );
}

#[test]
fn what_a_search_does_not_settle_is_said() {
    let rows = json!({ "src/**": { "read": "allow" }, "src/*": { "read": "deny" }, "lib/**": { "read": "deny" } });
    let document = global(&json!({ "tiers": [{ "id": "t", "directories": rows }] }));
    let mut options = Options::default();
    let messages = |options: &Options| {
        let compilation = compile(&SourceSet::from(vec![document.clone()]), options);
        assert!(compilation.output.is_some());
        let found = compilation.diagnostics.iter();
        found
            .map(|found| (found.code, found.message.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(messages(&options)[0].0, Code::TIER_BROADER_WINS);
    options.budget.search_nodes = 3;
    let undecided =
        "tier `t`: it was not found out within the search budget whether a row ever decides";
    assert_eq!(
        messages(&options),
        [(Code::TIER_ROW_NEVER_DECIDES, undecided.to_owned())]
    );
}
