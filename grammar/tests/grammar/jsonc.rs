//! Documents that are accepted, and the trees that they give.

use std::fmt::Write;
use std::time::{Duration, Instant};

use permc_grammar::jsonc::{Document, Value, ValueKind, parse};
use permc_grammar::limits::Limits;
use permc_grammar::span::Span;

fn accept(text: &str) -> Document {
    match parse(text, &Limits::default()) {
        Ok(document) => document,
        Err(error) => panic!("{text:?}: {error} at {:?}", error.span()),
    }
}

/// The tree without spans, written in an unambiguous way of its own.
fn shape(value: &Value) -> String {
    match &value.kind {
        ValueKind::Null => "null".to_owned(),
        ValueKind::Bool(value) => value.to_string(),
        ValueKind::Number(text) => format!("#{text}"),
        ValueKind::String(text) => format!("{text:?}"),
        ValueKind::Array(items) => {
            let items: Vec<String> = items.iter().map(shape).collect();
            format!("[{}]", items.join(" "))
        }
        ValueKind::Object(members) => {
            let mut shown = String::from("{");
            for member in members {
                write!(shown, "{:?}={};", member.key.value, shape(&member.value)).unwrap();
            }
            shown + "}"
        }
    }
}

fn shape_of(text: &str) -> String {
    shape(&accept(text).root)
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start..span.end).unwrap()
}

/// Every value's span in source order, as the text that it covers.
fn covered<'t>(text: &'t str, value: &Value, into: &mut Vec<&'t str>) {
    into.push(slice(text, value.span));
    match &value.kind {
        ValueKind::Array(items) => items.iter().for_each(|item| covered(text, item, into)),
        ValueKind::Object(members) => {
            for member in members {
                into.push(slice(text, member.key.span));
                covered(text, &member.value, into);
            }
        }
        _ => {}
    }
}

#[test]
fn every_type_of_value() {
    assert_eq!(shape_of("null"), "null");
    assert_eq!(shape_of(" true "), "true");
    assert_eq!(shape_of("false"), "false");
    assert_eq!(shape_of("\"x\""), "\"x\"");
    assert_eq!(shape_of("[]"), "[]");
    assert_eq!(shape_of("{}"), "{}");
    assert_eq!(
        shape_of(r#"{"a": [1, {"b": null}], "c": false}"#),
        r#"{"a"=[#1 {"b"=null;}];"c"=false;}"#
    );
}

#[test]
fn type_names() {
    for (text, name) in [
        ("null", "null"),
        ("true", "boolean"),
        ("0", "number"),
        ("\"\"", "string"),
        ("[]", "array"),
        ("{}", "object"),
    ] {
        assert_eq!(accept(text).root.kind.type_name(), name);
    }
}

#[test]
fn numbers_stay_as_written() {
    for number in [
        "0",
        "-0",
        "1e5",
        "-0.5",
        "10",
        "1E+2",
        "1.50e-07",
        "123456789012345678901",
    ] {
        assert_eq!(shape_of(number), format!("#{number}"));
    }
}

#[test]
fn order_and_duplicate_keys_are_kept() {
    assert_eq!(
        shape_of(r#"{"b": 1, "10": 2, "a": 3, "2": 4, "b": 5}"#),
        r#"{"b"=#1;"10"=#2;"a"=#3;"2"=#4;"b"=#5;}"#
    );
}

#[test]
fn one_trailing_comma_is_accepted() {
    assert_eq!(shape_of("[1,]"), "[#1]");
    assert_eq!(
        shape_of("{\"a\": [1, 2 , ] /* c */ , // d\n}"),
        "{\"a\"=[#1 #2];}"
    );
}

#[test]
fn escapes_are_resolved() {
    assert_eq!(
        shape_of(r#""\" \\ \/ \b \f \n \r \t \u0041 \u00e9 \u00C9 \ud83d\uDE00 \u0000""#),
        format!(
            "{:?}",
            "\" \\ / \u{8} \u{c} \n \r \t A \u{e9} \u{c9} \u{1f600} \0"
        )
    );
    assert_eq!(shape_of(r#"{"\u0061\\": 1}"#), r#"{"a\\"=#1;}"#);
    // Neighbors of the surrogates are ordinary characters.
    assert_eq!(
        shape_of(r#""\ud7ff\ue000""#),
        format!("{:?}", "\u{d7ff}\u{e000}")
    );
}

#[test]
fn strings_hold_any_raw_character_from_the_space_on() {
    let text = "\" ~\u{7f}\u{a0}\u{2028}\u{feff}\u{1f600}\u{10ffff} // /* ' [\"";
    assert_eq!(
        accept(text).root.kind,
        ValueKind::String(text.trim_matches('"').to_owned())
    );
}

#[test]
fn comments_are_kept_in_order() {
    let text = "// one\n{ /* two */ \"a\": // three\r\n 1 /**/ , /* 4\n4 */ } // \"five\"";
    let document = accept(text);
    let comments: Vec<&str> = document
        .comments
        .iter()
        .map(|span| slice(text, *span))
        .collect();
    assert_eq!(
        comments,
        [
            "// one",
            "/* two */",
            "// three",
            "/**/",
            "/* 4\n4 */",
            "// \"five\""
        ]
    );
    assert_eq!(shape(&document.root), "{\"a\"=#1;}");
}

#[test]
fn what_looks_like_a_comment_in_a_string_is_text() {
    let document = accept(r#"["// no", "/* no */", "\"// no"]"#);
    assert!(document.comments.is_empty());
}

#[test]
fn stars_and_slashes_in_block_comments() {
    assert_eq!(
        accept("/***/1/*/*/").comments,
        [Span::new(0, 5), Span::new(6, 11)]
    );
    assert_eq!(accept("1//").comments, [Span::new(1, 3)]);
}

#[test]
fn spans_cover_exactly_what_was_written() {
    let text = "\u{feff}// c\r\n{\r\n \"k\\u00e9\u{e9}\" : [ -1.5 , \"x\" ] ,\r\n}\r\n";
    let document = accept(text);
    let mut spans = Vec::new();
    covered(text, &document.root, &mut spans);
    assert_eq!(
        spans,
        [
            "{\r\n \"k\\u00e9\u{e9}\" : [ -1.5 , \"x\" ] ,\r\n}",
            "\"k\\u00e9\u{e9}\"",
            "[ -1.5 , \"x\" ]",
            "-1.5",
            "\"x\"",
        ]
    );
    assert_eq!(document.comments, [Span::new(3, 7)]);
    assert_eq!(document.root.span.start, 9);
}

#[test]
fn a_byte_order_mark_alone_changes_nothing_but_offsets() {
    let document = accept("\u{feff}[]");
    assert_eq!(document.root.span, Span::new(3, 5));
}

#[test]
fn the_depth_limit_lets_128_levels_through() {
    let deep = |n_levels: usize| "[".repeat(n_levels) + &"]".repeat(n_levels);
    assert!(parse(&deep(128), &Limits::default()).is_ok());
    let error = parse(&deep(129), &Limits::default()).unwrap_err();
    assert!(error.is_too_deep());
    assert_eq!(error.span(), Span::new(128, 129));

    let objects = |n_levels: usize| "{\"a\":".repeat(n_levels) + "1" + &"}".repeat(n_levels);
    assert!(parse(&objects(128), &Limits::default()).is_ok());
    let error = parse(&objects(129), &Limits::default()).unwrap_err();
    assert_eq!(error.span(), Span::new(128 * 5, 128 * 5 + 1));
}

#[test]
fn the_greatest_depth_that_can_be_asked_for_fits_a_small_stack() {
    let limits = Limits {
        max_depth: usize::MAX,
        ..Limits::default()
    };
    let text = "{\"a\":[".repeat(128) + &"]}".repeat(128);
    assert!(parse(&text, &limits).is_ok());
    assert!(
        parse(&("[".to_owned() + &text), &limits)
            .unwrap_err()
            .is_too_deep()
    );
}

/// The best of three runs, because the machine has other things to do.
fn time(text: &str) -> Duration {
    let run = || {
        let start = Instant::now();
        accept(text);
        start.elapsed()
    };
    run().min(run()).min(run())
}

/// Quadratic work would make eight times the text take 64 times as long.
#[test]
fn time_grows_with_the_text() {
    let member = "  \"some key\": [1, 2.5, true, {\"x\": null}], // why\n";
    let shapes: [fn(&str, usize) -> String; 5] = [
        |member, n| format!("{{\n{}}}", member.repeat(n)),
        |_, n| format!("[{}1]", "/* c */ // d\n".repeat(4 * n)),
        |_, n| format!("[\"{}\"]", "x\u{e9}\\n\\u0041".repeat(5 * n)),
        |_, n| format!("[{}]", " ".repeat(50 * n)),
        |_, n| format!("[1{}]", ",1".repeat(10 * n)),
    ];
    for (number, make) in shapes.iter().enumerate() {
        let small = time(&make(member, 250)).max(Duration::from_millis(1));
        let large = time(&make(member, 2000));
        assert!(
            large < small * 30,
            "shape {number}: {small:?}, then {large:?}"
        );
    }
}

#[test]
fn a_string_of_a_megabyte() {
    let body = "x".repeat(1 << 20);
    let document = accept(&format!("[\"{body}\"]"));
    assert_eq!(document.root.span, Span::new(0, (1 << 20) + 4));
}
