//! Paths with and without files.

use super::*;
use crate::files::NoFiles;

const PLACE: Place<'_> = Place {
    cwd: "/w/project",
    home: Some("/home/dev"),
    files: &NoFiles,
    fold: false,
    windows: false,
};

fn values(text: &str) -> Vec<String> {
    let aliases = aliases(text, &PLACE).unwrap();
    aliases.values().into_iter().map(str::to_owned).collect()
}

#[test]
fn aliases_in_the_order_of_the_page() {
    for (text, expected) in [
        ("src/a.rs", ["/w/project/src/a.rs", "src/a.rs"].as_slice()),
        (
            "./src//a.rs",
            &["/w/project/src/a.rs", "src/a.rs", "./src//a.rs"],
        ),
        ("../x", &["/w/x", "../x"]),
        (".", &["/w/project", "."]),
        ("keys/", &["/w/project/keys", "keys", "keys/"]),
        ("/etc/hosts", &["/etc/hosts"]),
        ("~/.ssh", &["/home/dev/.ssh"]),
        ("$HOME/.ssh", &["/home/dev/.ssh"]),
        ("~user/x", &["/w/project/~user/x", "~user/x"]),
        (" 'a b' ", &["/w/project/a b", "a b"]),
        ("@src/a", &["/w/project/src/a", "src/a"]),
        ("file:///etc/a%20b", &["/etc/a b"]),
        ("file://localhost/etc/x", &["/etc/x"]),
        ("file:/etc/x", &["/etc/x"]),
        ("FILE:///etc/%zz", &["/etc/%zz"]),
        ("/w/project", &["/w/project"]),
    ] {
        assert_eq!(values(text), expected, "{text}");
    }
    for blank in ["", "  ", "''", "@", "\"\"", "' '", "@\t"] {
        assert_eq!(aliases(blank, &PLACE), None, "{blank:?}");
    }
}

#[test]
fn inside_and_outside_by_text() {
    for (text, outside) in [
        ("src", false),
        (".", false),
        ("/w/project", false),
        ("/w/project/x", false),
        ("/w/projectx", true),
        ("..", true),
        ("src/../../x", true),
        ("~", true),
        ("/dev/null", false),
        ("/dev/stderr", false),
        ("/dev/../dev/null", false),
        ("/dev/sda", true),
        ("/dev/tty", true),
    ] {
        let aliases = aliases(text, &PLACE).unwrap();
        assert_eq!(is_outside(&aliases, &PLACE), outside, "{text}");
    }
}

#[test]
fn a_moved_base_resolves_and_the_call_s_directory_decides() {
    let moved = aliases_at("../x", "/w/project/sub", &PLACE).unwrap();
    assert_eq!(moved.values(), ["/w/project/x", "x", "../x"]);
    assert!(!is_outside(&moved, &PLACE));
    let outside = aliases_at("x", "/etc", &PLACE).unwrap();
    assert_eq!(outside.values(), ["/etc/x", "x"]);
    assert!(is_outside(&outside, &PLACE));
}

#[test]
fn windows_spellings_and_folding() {
    let place = Place {
        cwd: "/C:/work",
        windows: true,
        fold: true,
        ..PLACE
    };
    let inside = aliases("c:\\WORK\\a.txt", &place).unwrap();
    assert_eq!(inside.absolute, "/c:/WORK/a.txt");
    assert!(!is_outside(&inside, &place));
    assert!(is_outside(&aliases("D:\\x", &place).unwrap(), &place));
}

/// Links: `/w/project/out` leads to `/secret`, `/alias` to `/w/project`.
#[derive(Debug)]
struct Links;

impl crate::files::Files for Links {
    fn real_path(&self, path: &str) -> Option<String> {
        let real = match path {
            "/w/project/out" => "/secret",
            "/alias" => "/w/project",
            "/alias/src" => "/w/project/src",
            "/" | "/w" | "/w/project" | "/w/project/src" | "/secret" | "/secret/key" => path,
            "/w/project/out/key" => "/secret/key",
            _ => return None,
        };
        Some(real.to_owned())
    }

    fn list(&self, directory: &str) -> Option<Vec<String>> {
        let names: &[&str] = match directory {
            "/w/project" => &["src", "out", ".env", "a.rs", "b.rs"],
            "/w/project/src" => &["c.rs"],
            _ => return None,
        };
        Some(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn is_real(&self) -> bool {
        true
    }
}

#[test]
fn links_are_followed_to_where_they_lead() {
    let place = Place {
        files: &Links,
        ..PLACE
    };
    let key = aliases("out/key", &place).unwrap();
    assert_eq!(
        key.values(),
        ["/w/project/out/key", "out/key", "/secret/key"]
    );
    assert!(is_outside(&key, &place));
    let new = aliases("out/new/file", &place).unwrap();
    assert!(new.values().contains(&"/secret/new/file"));
    assert!(is_outside(&new, &place));
    // Beside what the link points to, not beside the link.
    let beside = aliases("out/../x", &place).unwrap();
    assert!(beside.values().contains(&"/x"), "{beside:?}");
    assert!(is_outside(&beside, &place));
    // Another name of the working directory is inside.
    assert!(!is_outside(&aliases("/alias/src", &place).unwrap(), &place));
    assert!(!is_outside(&aliases("src", &place).unwrap(), &place));
}

#[test]
fn globs_expand_through_files_and_dots_only_when_asked() {
    let place = Place {
        files: &Links,
        ..PLACE
    };
    let expand = |pieces: &[Piece<'_>]| {
        let mut hits = expand_glob(pieces, "/w/project", &place).unwrap();
        hits.sort_unstable();
        hits
    };
    let rs = [Piece::Star, Piece::Literal(".rs")];
    assert_eq!(expand(&rs), ["/w/project/a.rs", "/w/project/b.rs"]);
    assert_eq!(
        expand(&[Piece::Literal(".e"), Piece::Star]),
        ["/w/project/.env"]
    );
    assert_eq!(
        expand(&[
            Piece::Literal("s"),
            Piece::Star,
            Piece::Literal("/c."),
            Piece::Star
        ]),
        ["/w/project/src/c.rs"]
    );
    assert_eq!(expand_glob(&[Piece::Any], "/w/project", &place), None);
}

#[test]
fn a_glob_overlaps_where_some_path_is_common() {
    let glob = |text: &'static str| {
        let mut pieces = Vec::new();
        let mut literal = 0;
        for (at, character) in text.char_indices() {
            if matches!(character, '*' | '?') {
                if literal < at {
                    pieces.push(Piece::Literal(text.get(literal..at).unwrap()));
                }
                pieces.push(if character == '*' {
                    Piece::Star
                } else {
                    Piece::Question
                });
                literal = at + 1;
            }
        }
        if literal < text.len() {
            pieces.push(Piece::Literal(text.get(literal..).unwrap()));
        }
        pieces
    };
    for (text, pattern, expected) in [
        (".e*", "*.env", true),
        (".e?v", "*.env", true),
        ("a*", "*.env", true),
        ("*.rs", "*.env", false),
        ("/home/*/.ssh/id_rsa", "/home/dev/.ssh/*", true),
        ("/home/*", "/home/dev/.ssh/*", false),
        ("src/?.rs", "src/ab.rs", false),
        ("*", "secrets", true),
    ] {
        assert_eq!(
            glob_overlaps(&glob(text), pattern, false),
            expected,
            "{text} {pattern}"
        );
    }
    let class = [Piece::Literal(".en"), Piece::Class("[v-w]")];
    assert!(glob_overlaps(&class, "*.env", false));
    assert!(!glob_overlaps(
        &[Piece::Literal(".en"), Piece::Class("[!v]")],
        "*.env",
        false
    ));
}

#[test]
fn a_home_that_nobody_knows_is_outside() {
    let place = Place {
        home: None,
        ..PLACE
    };
    for text in [
        "~",
        "~/.ssh/id",
        "$HOME/x",
        "${HOME}/x",
        "~/../../w/project/x",
    ] {
        let path = aliases(text, &place).unwrap();
        assert_eq!(path.values(), [text]);
        assert!(is_outside(&path, &place), "{text}");
    }
    assert!(!is_outside(&aliases("a~/x", &place).unwrap(), &place));
}

#[test]
fn folding_takes_backslashes_for_slashes() {
    let place = Place {
        fold: true,
        ..PLACE
    };
    for (text, outside) in [
        ("..\\..\\secret", true),
        ("src\\..\\..\\x", true),
        ("\\etc\\passwd", true),
        ("src\\a", false),
        ("\\W\\Project\\a", false),
    ] {
        let path = aliases(text, &place).unwrap();
        assert_eq!(is_outside(&path, &place), outside, "{text}");
        let literal = aliases(text, &PLACE).unwrap();
        assert!(!is_outside(&literal, &PLACE), "{text}");
    }
    let path = aliases("src\\a", &place).unwrap();
    assert_eq!(path.values(), ["/w/project/src/a", "src/a", "src\\a"]);
}

#[test]
fn windows_directories_are_spelled_as_windows_does() {
    let place = Place {
        cwd: "C:\\work",
        home: Some("C:\\Users\\Dev"),
        windows: true,
        fold: true,
        ..PLACE
    };
    for (text, outside) in [
        ("a.txt", false),
        ("c:/WORK/a", false),
        ("C:\\work\\sub\\..\\a", false),
        ("..\\x", true),
        ("D:\\work\\x", true),
        ("~/x", true),
        ("\\\\server\\share\\x", true),
    ] {
        let path = aliases(text, &place).unwrap();
        assert_eq!(is_outside(&path, &place), outside, "{text}");
    }
}

/// `/w/project/deep` leads to `/a/b/c/d`.
#[derive(Debug)]
struct Deep;

impl crate::files::Files for Deep {
    fn real_path(&self, path: &str) -> Option<String> {
        let real = match path {
            "/w/project/deep" => "/a/b/c/d",
            "/dev/stdin" => "/dev/pts/0",
            "/" | "/w" | "/w/project" | "/a" | "/a/b" | "/a/b/c" | "/a/b/c/d" | "/dev"
            | "/dev/null" => path,
            _ => return None,
        };
        Some(real.to_owned())
    }

    fn list(&self, _directory: &str) -> Option<Vec<String>> {
        None
    }

    fn is_real(&self) -> bool {
        true
    }
}

#[test]
fn a_device_is_no_cover_for_what_a_link_leads_to() {
    let place = Place {
        files: &Deep,
        ..PLACE
    };
    for (text, outside) in [
        ("/dev/null", false),
        ("/dev/stdin", false),
        ("/dev/../dev/stdin", false),
        // By text `/dev/null`; the system opens `/a/dev/null`.
        ("deep/../../../dev/null", true),
    ] {
        let path = aliases(text, &place).unwrap();
        assert_eq!(is_outside(&path, &place), outside, "{text} {path:?}");
    }
}

#[test]
fn both_readings_of_a_dot_dot_behind_a_link_must_be_inside() {
    /// `/o/back` leads to `/w/project/sub`.
    struct Two;
    impl crate::files::Files for Two {
        fn real_path(&self, path: &str) -> Option<String> {
            let real = match path {
                "/o/back" => "/w/project/sub",
                "/" | "/o" | "/w" | "/w/x" | "/w/project" | "/w/project/sub" => path,
                _ => return None,
            };
            Some(real.to_owned())
        }
        fn list(&self, _directory: &str) -> Option<Vec<String>> {
            None
        }
        fn is_real(&self) -> bool {
            true
        }
    }
    let place = Place {
        files: &Two,
        ..PLACE
    };
    for (text, outside) in [
        // By text `/o/x`, for the system `/w/project/x`.
        ("/o/back/../x", true),
        ("/o/back/y", false),
        ("sub/../x", false),
        ("../x", true),
    ] {
        let path = aliases(text, &place).unwrap();
        assert_eq!(is_outside(&path, &place), outside, "{text} {path:?}");
    }
}

#[test]
fn long_texts_end_soon() {
    struct Counting(std::cell::Cell<usize>);
    impl crate::files::Files for Counting {
        fn real_path(&self, path: &str) -> Option<String> {
            assert!(path.len() <= LONGEST);
            self.0.set(self.0.get() + 1);
            (path == "/").then(|| path.to_owned())
        }
        fn list(&self, _directory: &str) -> Option<Vec<String>> {
            Some(vec!["a".repeat(255); 10_000])
        }
        fn is_real(&self) -> bool {
            true
        }
    }
    let files = Counting(std::cell::Cell::new(0));
    let place = Place {
        files: &files,
        ..PLACE
    };
    let _ = aliases(&"a/".repeat(100_000), &place);
    let _ = aliases(&"../a/b/".repeat(100_000), &place);
    assert!(files.0.get() < 20_000, "{}", files.0.get());
    // More steps than anybody should take: it cannot be told.
    let costly: Vec<Piece<'_>> = (0..100)
        .flat_map(|_| [Piece::Star, Piece::Literal("a")])
        .chain([Piece::Literal("b")])
        .collect();
    assert_eq!(expand_glob(&costly, "/w", &place), None);
    // More characters than a name has: nothing to try.
    let long = vec![Piece::Question; 100_000];
    assert_eq!(expand_glob(&long, "/w", &place), Some(Vec::new()));
}

#[test]
fn a_glob_overlaps_whatever_its_case_where_paths_fold() {
    let glob = [
        Piece::Literal("/W/SECR"),
        Piece::Question,
        Piece::Literal("T/key"),
    ];
    assert!(glob_overlaps(&glob, "/w/secret/*", true));
    assert!(!glob_overlaps(&glob, "/w/secret/*", false));
    assert!(!glob_overlaps(&glob, "/w/public/*", true));
    let class = [Piece::Literal(".EN"), Piece::Class("[V]")];
    assert!(glob_overlaps(&class, "*.env", true));
}

/// All texts of some letters up to a length.
fn words(letters: &str, longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last
            .iter()
            .flat_map(|word| letters.chars().map(move |letter| format!("{word}{letter}")))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

/// The definition of a shell glob by recursion; `!` stands for `[!a]`.
fn naive(glob: &[char], text: &[char]) -> bool {
    match (glob.split_first(), text.split_first()) {
        (None, None) => true,
        (Some(('*', rest)), _) if naive(rest, text) => true,
        (Some(('*', _)), Some((letter, shorter))) => *letter != '/' && naive(glob, shorter),
        (Some(('?', rest)), Some((letter, shorter))) => *letter != '/' && naive(rest, shorter),
        (Some(('!', rest)), Some((letter, shorter))) => {
            !matches!(letter, '/' | 'a') && naive(rest, shorter)
        }
        (Some((wanted, rest)), Some((letter, shorter))) => wanted == letter && naive(rest, shorter),
        _ => false,
    }
}

#[test]
fn overlap_is_what_a_search_over_short_texts_finds() {
    let texts = words("ab/ ", 5);
    let patterns = words("a/*? ", 3);
    for glob in words("a/*?!", 3) {
        let characters: Vec<char> = glob.chars().collect();
        let letters = ["a", "/"];
        let pieces: Vec<Piece<'_>> = characters
            .iter()
            .map(|character| match character {
                '*' => Piece::Star,
                '?' => Piece::Question,
                '!' => Piece::Class("[!a]"),
                'a' => Piece::Literal(letters[0]),
                _ => Piece::Literal(letters[1]),
            })
            .collect();
        let matched: Vec<&String> = texts
            .iter()
            .filter(|text| naive(&characters, &text.chars().collect::<Vec<_>>()))
            .collect();
        for pattern in &patterns {
            let expected = matched
                .iter()
                .any(|text| permc_runtime::name_matches(pattern, text, false));
            assert_eq!(
                glob_overlaps(&pieces, pattern, false),
                expected,
                "{glob:?} {pattern:?}"
            );
        }
    }
}
