//! Documents that are refused: the words, and the place that they point at.

use permc_grammar::error::SyntaxError;
use permc_grammar::jsonc::parse;
use permc_grammar::limits::Limits;
use permc_grammar::span::{LineIndex, Span};

pub(crate) fn refuse(text: &str) -> SyntaxError {
    match parse(text, &Limits::default()) {
        Ok(document) => panic!("{text:?} was accepted: {document:?}"),
        Err(error) => error,
    }
}

/// `line:column`, the text underlined, and the message.
fn report(text: &str) -> (String, String, String) {
    let error = refuse(text);
    let span = error.span();
    let place = LineIndex::new(text).line_column(text, span.start);
    let marked = text.get(span.start..span.end).unwrap();
    (
        format!("{}:{}", place.line, place.column),
        marked.to_owned(),
        error.message(),
    )
}

fn assert_refused(text: &str, place: &str, marked: &str, message: &str) {
    let (found_place, found_marked, found_message) = report(text);
    assert_eq!(
        (
            found_place.as_str(),
            found_marked.as_str(),
            found_message.as_str()
        ),
        (place, marked, message),
        "{text:?}"
    );
}

fn related(text: &str) -> Option<(String, String)> {
    let (span, label) = refuse(text).related()?;
    let before = text.get(..span.start)?;
    let marked = text.get(span.start..span.end)?;
    Some((format!("{before}>{marked}<"), label))
}

fn assert_related(text: &str, prefix_and_mark: &str, label: &str) {
    assert_eq!(
        related(text),
        Some((prefix_and_mark.to_owned(), label.to_owned())),
        "{text:?}"
    );
}

fn assert_help(text: &str, part: &str) {
    let help = refuse(text).help().unwrap_or_default();
    assert!(help.contains(part), "{text:?}: {help:?}");
}

#[test]
fn missing_comma() {
    let text = "{\n  \"a\": 1,\n  \"b\": 2\n  \"c\": 3\n}";
    assert_refused(
        text,
        "4:3",
        "\"c\"",
        "expected \",\" or \"}\", found `\"c\"`",
    );
    assert_related(
        text,
        "{\n  \"a\": 1,\n  \"b\": 2><",
        "the comma is missing here",
    );
    assert_help(text, "add a comma");
    assert_refused("[1 2]", "1:4", "2", "expected \",\" or \"]\", found `2`");
    assert_refused(
        "[{} [1]]",
        "1:5",
        "[",
        "expected \",\" or \"]\", found \"[\"",
    );
    assert_related(
        "[1 // one\n /* two */\n 2]",
        "[1><",
        "the comma is missing here",
    );
}

#[test]
fn missing_colon() {
    assert_refused("{\"a\" 1}", "1:6", "1", "expected \":\", found `1`");
    assert_refused("{\"a\"}", "1:5", "}", "expected \":\", found \"}\"");
    assert_refused("{\"a\", \"b\"}", "1:5", ",", "expected \":\", found \",\"");
    assert_help("{\"a\" 1}", "colon");
}

#[test]
fn missing_value() {
    assert_refused("{\"a\": }", "1:7", "}", "expected a value, found \"}\"");
    assert_refused(
        "{\"a\": , \"b\": 1}",
        "1:7",
        ",",
        "expected a value, found \",\"",
    );
    assert_refused("{\"a\":: 1}", "1:6", ":", "expected a value, found \":\"");
}

#[test]
fn extra_comma() {
    assert_refused("[,]", "1:2", ",", "expected a value or \"]\", found \",\"");
    assert_refused(
        "[1,,2]",
        "1:4",
        ",",
        "expected a value or \"]\", found \",\"",
    );
    assert_refused(
        "[1,,]",
        "1:4",
        ",",
        "expected a value or \"]\", found \",\"",
    );
    assert_refused(
        "{,}",
        "1:2",
        ",",
        "expected a key in double quotes or \"}\", found \",\"",
    );
    assert_refused(
        "{\"a\": 1,,}",
        "1:9",
        ",",
        "expected a key in double quotes or \"}\", found \",\"",
    );
    assert_help("[,]", "remove the comma");
}

#[test]
fn unclosed_brackets_point_at_the_end_and_at_the_opening() {
    let text = "{\n  \"a\": [1, 2\n\n";
    assert_refused(
        text,
        "2:13",
        "",
        "expected \",\" or \"]\", found the end of the file",
    );
    assert_related(text, "{\n  \"a\": >[<", "opened here and not closed");
    assert_refused(
        "{\"a\": 1",
        "1:8",
        "",
        "expected \",\" or \"}\", found the end of the file",
    );
    assert_related("{\"a\": [1]", ">{<", "opened here and not closed");
    assert_refused(
        "{\"a\"",
        "1:5",
        "",
        "expected \":\", found the end of the file",
    );
}

#[test]
fn mismatched_brackets_point_at_both() {
    let text = "{\"a\": [1, 2}";
    assert_refused(text, "1:12", "}", "expected \",\" or \"]\", found \"}\"");
    assert_related(text, "{\"a\": >[<", "opened here");
    assert_related("{\"[\": 1]", ">{<", "opened here");
    assert_eq!(
        related("[1}, {"),
        Some((">[<".to_owned(), "opened here".to_owned()))
    );
}

#[test]
fn unclosed_string() {
    let message = "the string is not closed on its line";
    assert_refused("[\"a", "1:2", "\"a", message);
    assert_refused("{\"a\": \"b,\r\n\"c\": 1}", "1:7", "\"b,", message);
    assert_refused("{\"a\": \"b\\\"}", "1:7", "\"b\\\"}", message);
    assert_refused("{\"a: 1}\n", "1:2", "\"a: 1}", message);
}

#[test]
fn unclosed_comment_points_at_its_start() {
    let message = "the block comment is not closed";
    assert_refused("{\n  /* a\n  \"b\": 1\n}", "2:3", "/*", message);
    assert_refused("[] /*/", "1:4", "/*", message);
    assert_refused("/*", "1:1", "/*", message);
    assert_refused("{\"a\": 1 /* }", "1:9", "/*", message);
}

#[test]
fn a_lone_carriage_return_ends_no_comment_and_is_refused_in_one() {
    let message = "a carriage return in a line comment does not end the line";
    assert_refused("[// a\r1]", "1:6", "\r", message);
    assert_refused("[1 // a\r\r\n]", "1:8", "\r", message);
    assert!(parse("[// a\r\n1]", &Limits::default()).is_ok());
    assert!(parse("[/* a\r */\r1]", &Limits::default()).is_ok());
}

#[test]
fn bad_escapes() {
    assert_refused(
        "[\"a\\d\"]",
        "1:4",
        "\\d",
        "unknown escape `\\d` in a string",
    );
    assert_refused(
        "[\"\\'\"]",
        "1:3",
        "\\'",
        "unknown escape `\\'` in a string",
    );
    assert_refused(
        "{\"\\\u{e9}\": 1}",
        "1:3",
        "\\\u{e9}",
        "unknown escape `\\\u{e9}` in a string",
    );
    assert_refused(
        "[\"a\\\n\"]",
        "1:4",
        "\\",
        "unknown escape `\\` in a string",
    );
    assert_help("[\"\\d\"]", "`\\\\`");
}

#[test]
fn bad_unicode_escapes() {
    let message = "`\\u` is not followed by four hexadecimal digits";
    assert_refused("[\"a\\u12\"]", "1:4", "\\u12", message);
    assert_refused("[\"\\u{41}\"]", "1:3", "\\u", message);
    assert_refused("[\"\\u00g0\"]", "1:3", "\\u00", message);
    assert_refused(
        "[\"\\U0041\"]",
        "1:3",
        "\\U",
        "unknown escape `\\U` in a string",
    );
}

#[test]
fn lone_surrogates() {
    let message = |escape: &str| format!("`{escape}` is one half of a surrogate pair");
    for (string, place, escape) in [
        ("a\\ud83d", "1:3", "\\ud83d"),
        ("\\uDE00", "1:2", "\\uDE00"),
        ("\\ud83d\\u0041", "1:2", "\\ud83d"),
        ("\\ud83d\\ud83d\\ude00", "1:2", "\\ud83d"),
        ("\\ud83d\\ude00\\ude00", "1:14", "\\ude00"),
        ("\\ud83d \\ude00", "1:2", "\\ud83d"),
        ("\\udbff\\u", "1:2", "\\udbff"),
    ] {
        assert_refused(&format!("\"{string}\""), place, escape, &message(escape));
    }
}

#[test]
fn control_characters_in_strings() {
    assert_refused(
        "[\"a\tb\"]",
        "1:4",
        "\t",
        "raw control character U+0009 in a string",
    );
    assert_help("[\"\t\"]", "`\\t`");
    assert_refused(
        "{\"\0\": 1}",
        "1:3",
        "\0",
        "raw control character U+0000 in a string",
    );
    assert_help("[\"\0\"]", "`\\u0000`");
    assert_refused(
        "\"\u{1f}\"",
        "1:2",
        "\u{1f}",
        "raw control character U+001F in a string",
    );
    assert_refused(
        "\"a\rb\"",
        "1:3",
        "\r",
        "raw control character U+000D in a string",
    );
}

#[test]
fn trailing_content() {
    assert_refused(
        "{} {}",
        "1:4",
        "{",
        "expected the end of the file, found \"{\"",
    );
    assert_refused(
        "{}\n}",
        "2:1",
        "}",
        "expected the end of the file, found \"}\"",
    );
    assert_refused(
        "1 \"a\"",
        "1:3",
        "\"a\"",
        "expected the end of the file, found `\"a\"`",
    );
    assert_refused(
        "[],",
        "1:3",
        ",",
        "expected the end of the file, found \",\"",
    );
    assert_refused(
        "null x",
        "1:6",
        "x",
        "expected the end of the file, found `x`",
    );
}

#[test]
fn empty_documents() {
    for text in ["", " \t\r\n", "\u{feff}", "// a\n/* b */", "\u{feff} // a"] {
        let error = refuse(text);
        assert_eq!(error.message(), "the document is empty", "{text:?}");
        assert_eq!(error.span(), Span::new(0, 0));
        assert_eq!(
            error.help().as_deref(),
            Some("an empty object is written `{}`")
        );
    }
}

#[test]
fn other_quotes() {
    let message = "only double quotes can delimit a string";
    assert_refused("{'a': 1}", "1:2", "'", message);
    assert_refused("[1, 'a']", "1:5", "'", message);
    assert_refused("{\"a\": `b`}", "1:7", "`", message);
    assert_refused("{\u{201c}a\u{201d}: 1}", "1:2", "\u{201c}", message);
    assert_help("{'a': 1}", "`\"`");
    // Quotes and brackets behind the single quote are not looked into.
    assert_refused(&format!("['\"{}']", "[".repeat(200)), "1:2", "'", message);
}

#[test]
fn keys_without_quotes() {
    assert_refused("{a: 1}", "1:2", "a", "the key `a` is not in double quotes");
    assert_refused(
        "{\"a\": 1, b-c: 2}",
        "1:10",
        "b-c",
        "the key `b-c` is not in double quotes",
    );
    assert_refused("{1: 2}", "1:2", "1", "the key `1` is not in double quotes");
    assert_refused(
        "{null: 2}",
        "1:2",
        "null",
        "the key `null` is not in double quotes",
    );
    assert_help("{a: 1}", "`\"a\"`");
}

#[test]
fn values_of_other_languages() {
    for (word, help) in [
        ("True", "write `true`"),
        ("FALSE", "write `false`"),
        ("None", "write `null`"),
        ("undefined", "write `null`"),
        ("NaN", "write `null`"),
        ("-Infinity", "write `null`"),
        ("word", "text needs double quotes: `\"word\"`"),
        ("truely", "text needs double quotes: `\"truely\"`"),
        ("null0", "text needs double quotes: `\"null0\"`"),
    ] {
        let message = format!("`{word}` is not a JSON value");
        assert_refused(&format!("{{\"a\": {word}}}"), "1:7", word, &message);
        assert_refused(&format!("[ {word}, 1]"), "1:3", word, &message);
        assert_eq!(refuse(word).help().as_deref(), Some(help));
    }
}

#[test]
fn numbers_that_json_does_not_have() {
    for number in [
        "01", "-", "+1", ".5", "1.", "-.5", "1e", "1e+", "0x10", "1_000", "--1", "00", "-01",
        "1.2.3",
    ] {
        let message = format!("`{number}` is not a JSON number");
        assert_refused(&format!("[{number}]"), "1:2", number, &message);
    }
}

#[test]
fn white_space_and_comments_of_other_languages() {
    assert_refused(
        "[\u{a0}1]",
        "1:2",
        "\u{a0}",
        "U+00A0 is not JSON white space",
    );
    assert_refused("[1\u{c}]", "1:3", "\u{c}", "U+000C is not JSON white space");
    assert_refused(
        " \u{feff}[]",
        "1:2",
        "\u{feff}",
        "U+FEFF is not JSON white space",
    );
    assert_refused("[1] # one", "1:5", "#", "`#` does not start a comment");
    assert_refused("[1 / 2]", "1:4", "/", "expected \",\" or \"]\", found `/`");
}

#[test]
fn the_first_fault_is_the_one_reported() {
    let text = "{\"a\" 1, \"b\": \"\\d\", 'c': /*";
    assert_refused(text, "1:6", "1", "expected \":\", found `1`");
    let text = "{\"b\": \"\\d\", \"a\" 1}";
    assert_refused(text, "1:8", "\\d", "unknown escape `\\d` in a string");
}

#[test]
fn places_behind_crlf_marks_and_wide_characters() {
    assert_refused(
        "{\r\n  \"a\": 1\r\n  \"b\": 2\r\n}\r\n",
        "3:3",
        "\"b\"",
        "expected \",\" or \"}\", found `\"b\"`",
    );
    assert_refused(
        "\u{feff}[\"\u{e9}\u{1f600}\" x]",
        "1:7",
        "x",
        "expected \",\" or \"]\", found `x`",
    );
    assert_refused(
        "\u{feff}[\"\\ud800\"]",
        "1:3",
        "\\ud800",
        "`\\ud800` is one half of a surrogate pair",
    );
    let text = "\u{feff}[1}";
    assert_related(text, "\u{feff}>[<", "opened here");
}
