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
    for blank in ["", "  ", "''", "@", "\"\""] {
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
            glob_overlaps(&glob(text), pattern),
            expected,
            "{text} {pattern}"
        );
    }
    let class = [Piece::Literal(".en"), Piece::Class("[v-w]")];
    assert!(glob_overlaps(&class, "*.env"));
    assert!(!glob_overlaps(
        &[Piece::Literal(".en"), Piece::Class("[!v]")],
        "*.env"
    ));
}
