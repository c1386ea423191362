//! Globs: shape, and what is wrong with those that are none.

use permc_grammar::glob::{Class, Item, parse};

fn text(letters: &str) -> Vec<Item> {
    letters.chars().map(Item::Char).collect()
}

fn class(negated: bool, ranges: &[(char, char)]) -> Item {
    Item::Class(Class {
        negated,
        ranges: ranges.to_vec(),
    })
}

#[test]
fn every_part_has_its_shape() {
    for (glob, expected) in [
        ("a,b]", text("a,b]")),
        ("?", vec![Item::AnyChar]),
        ("***", vec![Item::Stars(3)]),
        ("/", vec![Item::Separator]),
        (r"\*", vec![Item::Escaped('*')]),
        (r"\é", vec![Item::Escaped('é')]),
        (r"\/", vec![Item::Separator]),
        (r"\\", vec![Item::Escaped('\\')]),
        ("[a]", vec![Item::Escaped('a')]),
        ("[aa-a]", vec![Item::Escaped('a')]),
        ("[*]", vec![Item::Escaped('*')]),
        (r"[\]", vec![Item::Escaped('\\')]),
        ("[]]", vec![Item::Escaped(']')]),
        ("[ab]", vec![class(false, &[('a', 'a'), ('b', 'b')])]),
        ("[!a]", vec![class(true, &[('a', 'a')])]),
        ("[^]a]", vec![class(true, &[(']', ']'), ('a', 'a')])]),
        ("[a-c-]", vec![class(false, &[('a', 'c'), ('-', '-')])]),
        ("[-a]", vec![class(false, &[('-', '-'), ('a', 'a')])]),
        (
            "[[:digit:]x]",
            vec![class(false, &[('0', '9'), ('x', 'x')])],
        ),
        (
            "[[:nope:]",
            vec![class(
                false,
                &[
                    ('[', '['),
                    (':', ':'),
                    ('n', 'n'),
                    ('o', 'o'),
                    ('p', 'p'),
                    ('e', 'e'),
                    (':', ':'),
                ],
            )],
        ),
        ("[/]", vec![class(false, &[])]),
        (
            "{a,bc}",
            vec![Item::Alternates(vec![text("a"), text("bc")])],
        ),
        ("{a}", vec![Item::Alternates(vec![text("a")])]),
        (
            "x{a,{*,[,]}}",
            vec![
                Item::Char('x'),
                Item::Alternates(vec![
                    text("a"),
                    vec![Item::Alternates(vec![
                        vec![Item::Stars(1)],
                        vec![Item::Escaped(',')],
                    ])],
                ]),
            ],
        ),
        (
            "${HOME}",
            vec![Item::Char('$'), Item::Alternates(vec![text("HOME")])],
        ),
        ("a\nb", text("a\nb")),
    ] {
        assert_eq!(parse(glob).as_ref(), Ok(&expected), "{glob}");
    }
}

#[test]
fn what_is_wrong_is_named_at_its_place() {
    for (glob, start, message) in [
        ("", 0, "the pattern is empty"),
        ("a}", 1, "a brace of the glob is closed but not opened"),
        ("a{b", 1, "the brace of the glob is not closed"),
        ("é{b,{c}", 2, "the brace of the glob is not closed"),
        ("a[b", 1, "the bracket of the glob is not closed"),
        ("[]", 0, "the bracket of the glob is not closed"),
        ("[!]", 0, "the bracket of the glob is not closed"),
        (r"a\", 1, "the glob ends in a backslash"),
        ("{a,}", 0, "a branch of the glob's braces is empty"),
        ("x{}", 1, "a branch of the glob's braces is empty"),
        ("[z-a]", 3, "`z-a` is no range of characters"),
        ("[a-[:digit:]]", 3, "`[:digit:]` is no range of characters"),
    ] {
        let error = parse(glob).unwrap_err();
        assert_eq!(
            (error.message().as_str(), error.span().start),
            (message, start),
            "{glob}"
        );
        assert!(error.help().is_some(), "{glob}");
    }
}

#[test]
fn size_and_depth_are_bounded_before_anything_recurses() {
    assert!(parse(&"a".repeat(64 * 1024)).is_ok());
    assert!(
        parse(&"a".repeat(64 * 1024 + 1))
            .unwrap_err()
            .is_too_large()
    );
    let nested = |depth: usize| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
    assert!(parse(&nested(32)).is_ok());
    assert!(parse(&nested(33)).unwrap_err().is_too_deep());
    assert!(parse(&"{".repeat(60_000)).unwrap_err().is_too_deep());
    for hostile in ["[", "{a,", "{[", "\\", "[[:", "{a,b}"] {
        // It only has to end, soon.
        let _ = parse(&hostile.repeat(60_000 / hostile.len()));
    }
}
