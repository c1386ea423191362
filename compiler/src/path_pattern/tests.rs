//! Canonical forms, lengths, anchors.

use super::*;

fn length(text: &str) -> usize {
    PathPattern::parse(text, false).unwrap().length
}

fn same(left: &str, right: &str) {
    let parse = |text| PathPattern::parse(text, false).unwrap();
    assert_eq!(parse(left), parse(right), "{left} {right}");
}

#[test]
fn lengths_are_those_of_the_canonical_text() {
    for (text, expected) in [
        ("**", 2),
        ("/", 1),
        (".", 1),
        ("~", 1),
        ("/a", 2),
        ("/a/b/**", 7),
        ("**/.env", 7),
        ("~/secrets/**", 12),
        ("$HOME/x", 3),
        ("${HOME}/x", 3),
        ("src/**", 6),
        // In the working directory, and so not everywhere.
        ("./**", 4),
        ("./**/x", 6),
        ("././/**", 4),
        ("*/**", 4),
        ("./**/*", 4),
        ("**/*", 4),
        ("/*/**", 4),
        ("src/*", 5),
        ("é/日本", 4),
        ("a?b", 3),
        ("[a-z]x", 2),
        ("[!a]x", 2),
        ("{ab,c}/x", 4),
        ("x{a,bcd}{ef,g}", 6),
        (r"\*\é", 2),
    ] {
        assert_eq!(length(text), expected, "{text}");
    }
}

#[test]
fn spellings_of_one_pattern_are_one() {
    for (left, right) in [
        ("src/**", "src//**"),
        ("src/**", "./src/./**/"),
        ("src/**", "src/***"),
        ("src/**", "src/**/**/**"),
        ("src/a*", "src/a****"),
        ("src/a*b", "src/a**b"),
        ("**", "/**"),
        ("**/x", "/**/x"),
        ("**/x", "/./**/**//x/"),
        ("a?*", "a*?"),
        ("a??*", "a*?*?*"),
        ("a/*/**", "a/**/*"),
        ("*/**", "./**/*"),
        ("**/*", "/*/**"),
        ("a/**/*", "a/**/*/**"),
        ("a/**/*/*", "a/*/**/*/**"),
        ("abc", r"\a[b]{c}"),
        ("[ab]", "[baab]"),
        ("[a-c]", "[cba]"),
        ("{a,b}", "{b,a,b}"),
        ("a/{b,c}/d", "{a/b,a/c}/d"),
        ("~/x", "${HOME}//x"),
        ("a/.b/..c", "./a/.b/..c"),
    ] {
        same(left, right);
    }
}

#[test]
fn anchors_are_those_of_the_text_as_it_is_typed() {
    for (text, anchors) in [
        ("/a", vec![Anchor::Root]),
        ("**/a", vec![Anchor::Root]),
        ("***", vec![Anchor::Root]),
        ("~", vec![Anchor::Home]),
        ("~/a", vec![Anchor::Home]),
        ("a", vec![Anchor::Cwd]),
        // A dot in front means the working directory, whatever follows.
        ("./**", vec![Anchor::Cwd]),
        ("./~/a", vec![Anchor::Cwd]),
        ("*/a", vec![Anchor::Cwd]),
        ("**a", vec![Anchor::Cwd]),
        ("~user/a", vec![Anchor::Cwd]),
        (r"\~/a", vec![Anchor::Cwd]),
        ("[~]/a", vec![Anchor::Cwd]),
        ("$HOMEX/a", vec![Anchor::Cwd]),
        (
            "{/a,~/b,c}/**",
            vec![Anchor::Root, Anchor::Home, Anchor::Cwd],
        ),
    ] {
        let pattern = PathPattern::parse(text, false).unwrap();
        for anchor in Anchor::ALL {
            assert_eq!(
                pattern.has_anchor(anchor),
                anchors.contains(&anchor),
                "{text}"
            );
        }
    }
}

#[test]
fn folding_makes_one_case_and_one_separator() {
    let fold = |text| PathPattern::parse(text, true).unwrap();
    assert_eq!(fold(r"SRC\[A-C]É"), fold("src/[abc]é"));
    assert_eq!(fold("[!A]"), fold("[!a]"));
    assert_ne!(fold("[!A]"), fold("[!b]"));
    assert_eq!(fold(r"C:\x"), fold("/c:/X"));
    assert_ne!(
        PathPattern::parse("C:/x", false).unwrap().alternatives[0].anchor,
        Anchor::Root
    );
}

#[test]
fn parents_and_products_are_refused() {
    for text in [
        "..",
        "a/../b",
        r"a/\../b",
        "a/{..,b}",
        "a/{.,x}{.,y}",
        "[.][.]",
    ] {
        assert_eq!(
            PathPattern::parse(text, false),
            Err(PathPatternError::Parent),
            "{text}"
        );
    }
    for text in ["..a", "a..", "...", "..[ab]"] {
        assert!(PathPattern::parse(text, false).is_ok(), "{text}");
    }
    assert_eq!(
        PathPattern::parse(r"a\..\b", true),
        Err(PathPatternError::Parent)
    );
    let braces = |n: usize| "{a,b}".repeat(n);
    assert!(PathPattern::parse(&braces(12), false).is_ok());
    assert_eq!(
        PathPattern::parse(&braces(13), false),
        Err(PathPatternError::TooMany)
    );
    assert_eq!(
        PathPattern::parse(&braces(5_000), false),
        Err(PathPatternError::TooMany)
    );
    let many: Vec<String> = (0..1_000).map(|n| format!("dir{n}")).collect();
    let many = format!("{{{}}}/**", many.join(","));
    assert_eq!(
        PathPattern::parse(&many, false).unwrap().alternatives.len(),
        1_000
    );
    let long = format!("{}{}", "a".repeat(1_000), braces(12));
    assert_eq!(
        PathPattern::parse(&long, false),
        Err(PathPatternError::TooMany)
    );
}

#[test]
fn sets_hold_what_classes_say() {
    let set =
        |text: &str| match PathPattern::parse(text, false).unwrap().alternatives[0].components[0] {
            Component::Name(ref atoms) => match &atoms[0] {
                Atom::Class(set) => set.clone(),
                other => panic!("{other:?}"),
            },
            Component::Any => panic!("{text}"),
        };
    for (text, inside, outside) in [
        ("[a-c]", "abc", "d/é"),
        ("[!a-c]", "dé日\u{10FFFF}", "abc/"),
        ("[ -~]", "a.", "/é\n"),
        ("[!/]", "a", "/"),
        ("[a-\u{D7FF}]", "b日\u{D7FF}", "A\u{E000}"),
        ("[!\0-\u{10FFFE}]", "\u{10FFFF}", "a"),
    ] {
        let set = set(text);
        assert!(inside.chars().all(|letter| set.contains(letter)), "{text}");
        assert!(
            !outside.chars().any(|letter| set.contains(letter)),
            "{text}"
        );
    }
}
