//! Wildcard patterns.

use std::time::{Duration, Instant};

use permc_grammar::pattern::{Anchor, Element, HomeMode, parse};
use permc_grammar::span::Span;

/// Elements in a notation of our own: literals in `<>`, runs as `*`, one character as `?`.
fn shape(text: &str, home: HomeMode) -> String {
    let pattern = parse(text, home).unwrap();
    let anchor = match pattern.anchor {
        Anchor::Start => "",
        Anchor::Home => "HOME",
    };
    let elements = pattern.elements.iter().map(|element| match element {
        Element::Literal(text) => format!("<{text}>"),
        Element::AnyChar => "?".to_owned(),
        Element::AnyRun => "*".to_owned(),
    });
    anchor.to_owned() + &elements.collect::<String>()
}

#[test]
fn elements() {
    for (text, expected) in [
        ("git", "<git>"),
        ("*", "*"),
        ("**", "*"),
        ("a***b", "<a>*<b>"),
        ("??", "??"),
        ("*?*", "*?*"),
        ("a?c*", "<a>?<c>*"),
        ("[ab]{c}.\\d", "<[ab]{c}.\\d>"),
        ("a\\*", "<a\\>*"),
        ("\u{e9}\n?\u{1f600}\0", "<\u{e9}\n>?<\u{1f600}\0>"),
        (" ", "< >"),
    ] {
        assert_eq!(shape(text, HomeMode::Expand), expected, "{text:?}");
        assert_eq!(shape(text, HomeMode::Literal), expected, "{text:?}");
    }
}

#[test]
fn home_stands_alone_or_before_a_slash() {
    for (text, expected) in [
        ("~", "HOME"),
        ("$HOME", "HOME"),
        ("${HOME}", "HOME"),
        ("~/", "HOME</>"),
        ("~/*", "HOME</>*"),
        ("$HOME/a?", "HOME</a>?"),
        ("${HOME}/.ssh/*", "HOME</.ssh/>*"),
        ("~/~/x", "HOME</~/x>"),
    ] {
        assert_eq!(shape(text, HomeMode::Expand), expected, "{text}");
    }
    for (text, expected) in [
        ("~user", "<~user>"),
        ("~user/x", "<~user/x>"),
        ("~*", "<~>*"),
        ("~ *", "<~ >*"),
        ("~?", "<~>?"),
        ("$HOMEX/a", "<$HOMEX/a>"),
        ("$home/a", "<$home/a>"),
        ("${HOME", "<${HOME>"),
        ("${HOME}x", "<${HOME}x>"),
        ("$HOME\\a", "<$HOME\\a>"),
        (" ~/a", "< ~/a>"),
        ("a/~/b", "<a/~/b>"),
        ("*/~", "*</~>"),
        ("~~/", "<~~/>"),
    ] {
        assert_eq!(shape(text, HomeMode::Expand), expected, "{text}");
    }
}

#[test]
fn home_is_text_where_it_is_not_wanted() {
    for (text, expected) in [
        ("~", "<~>"),
        ("~/*", "<~/>*"),
        ("$HOME", "<$HOME>"),
        ("${HOME}/a", "<${HOME}/a>"),
    ] {
        assert_eq!(shape(text, HomeMode::Literal), expected, "{text}");
    }
}

#[test]
fn only_a_space_and_one_star_at_the_end_are_optional() {
    for text in ["git *", " *", "a * *", "~/x *", "* *", "? *", "a  *"] {
        let pattern = parse(text, HomeMode::Expand).unwrap();
        assert!(pattern.optional_tail, "{text:?}");
        let tail = pattern.elements.as_slice();
        assert!(
            matches!(tail, [.., Element::Literal(text), Element::AnyRun] if text.ends_with(' ')),
            "{text:?}"
        );
    }
    for text in [
        "git*",
        "git **",
        "git\t*",
        "git\u{a0}*",
        "git",
        "git ",
        "*",
        "a b?*",
        "foo *bar",
        "a *?",
    ] {
        assert!(
            !parse(text, HomeMode::Expand).unwrap().optional_tail,
            "{text:?}"
        );
    }
}

#[test]
fn an_empty_pattern_is_refused() {
    let error = parse("", HomeMode::Expand).unwrap_err();
    assert_eq!(error.message(), "the pattern is empty");
    assert_eq!(error.span(), Span::new(0, 0));
    assert!(error.help().is_some());
}

#[test]
fn a_pattern_of_one_mebibyte_is_the_longest() {
    let longest = "a".repeat(1 << 20);
    assert!(parse(&longest, HomeMode::Expand).is_ok());
    let error = parse(&(longest + "a"), HomeMode::Expand).unwrap_err();
    assert!(error.is_too_large());
    assert_eq!(
        error.message(),
        "the pattern has 1048577 bytes, more than the limit of 1048576"
    );
}

#[test]
fn long_patterns_are_quick() {
    for part in ["a", "*", "?", "a*", "a?", "*?", "/ *", "~/"] {
        let text = part.repeat(65_536 / part.len());
        let start = Instant::now();
        assert!(parse(&text, HomeMode::Expand).is_ok());
        assert!(
            start.elapsed() < Duration::from_secs(1),
            "{part}: {:?}",
            start.elapsed()
        );
    }
}
