//! Corner cases of patterns, through every layout, against the reference and against one pattern after another.

#![expect(
    clippy::string_slice,
    reason = "what is cut is made of one-byte letters"
)]

use permc_runtime::{Context, MatchContext, Policy, Session, is_path_surface, pattern_matches};
use permc_tests::engine::{Answer, ask_artifact, ask_reference, compiled};
use permc_tests::layouts::{Layout, layouts};

/// Rules on one surface and what to ask them.
pub(crate) struct Corner {
    pub(crate) surface: &'static str,
    pub(crate) fold: bool,
    pub(crate) homes: Vec<&'static str>,
    pub(crate) rules: Vec<String>,
    pub(crate) values: Vec<String>,
    /// Whether the reference is asked too; it is a textbook table, too slow for pattern and value both long.
    pub(crate) with_reference: bool,
}

impl Corner {
    pub(crate) fn new(rules: &[&str], values: &[&str]) -> Self {
        Self {
            surface: "bash",
            fold: false,
            homes: vec!["/home/dev"],
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            with_reference: true,
        }
    }

    fn context(home: &'static str) -> Context<'static> {
        Context {
            home: Some(home),
            ..Context::default()
        }
    }

    /// The last rule that matches, found by matching one pattern after another.
    fn naive(&self, home: &str, value: &str) -> Option<&str> {
        let home = home.strip_suffix('/').unwrap_or(home);
        let context = MatchContext {
            home: Some(home),
            fold: self.fold && is_path_surface(self.surface),
        };
        let last = self
            .rules
            .iter()
            .rev()
            .find(|rule| pattern_matches(rule, value, context));
        last.map(String::as_str)
    }

    /// What the reference answers for each home and value; nothing where it is not asked.
    fn expected(&self, layout: &Layout) -> Vec<Answer> {
        let output = compiled(
            &layout.sources(self.surface, &self.rules),
            &layout.options(self.fold),
        );
        let session = Session::default();
        let mut answers = Vec::new();
        for home in &self.homes {
            for value in &self.values {
                let context = Self::context(home);
                answers.push(ask_reference(
                    &output.policy,
                    context,
                    &session,
                    self.surface,
                    &[value],
                ));
            }
        }
        answers
    }

    pub(crate) fn check(&self, layouts: &[Layout]) {
        self.check_and(layouts, |_, _| ());
    }

    /// Compiles once a layout, has a look at the artifact, and asks everything.
    pub(crate) fn check_and(&self, layouts: &[Layout], look: impl Fn(&Layout, &Policy<&[u8]>)) {
        let plain = Layout {
            ballast: false,
            ..layouts[0]
        };
        let expected = self.with_reference.then(|| self.expected(&plain));
        let questions = || {
            self.homes
                .iter()
                .flat_map(|home| self.values.iter().map(move |value| (home, value)))
        };
        let naive: Vec<Option<&str>> = questions()
            .map(|(home, value)| self.naive(home, value))
            .collect();
        let session = Session::default();
        for layout in layouts {
            let output = compiled(
                &layout.sources(self.surface, &self.rules),
                &layout.options(self.fold),
            );
            let policy = Policy::from_bytes(output.bytes.as_slice()).unwrap();
            look(layout, &policy);
            let bounds: Vec<_> = self
                .homes
                .iter()
                .map(|home| policy.bind(Self::context(home)).unwrap())
                .collect();
            let bounds = bounds
                .iter()
                .flat_map(|bound| self.values.iter().map(move |_| bound));
            let mut expected = expected.iter().flatten();
            for (((home, value), bound), naive) in questions().zip(bounds).zip(&naive) {
                let answer = ask_artifact(bound, &session, self.surface, &[value]);
                let of = || {
                    format!(
                        "{} with {:?}, {home:?}, {:?}",
                        layout.name,
                        short(&self.rules),
                        cut(value)
                    )
                };
                assert_eq!(answer.matched_pattern.as_deref(), *naive, "{}", of());
                if let Some(expected) = expected.next() {
                    assert_eq!(&answer, expected, "{}", of());
                }
            }
        }
    }
}

/// What a failure shows of a long text.
fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

fn short(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| cut(text)).collect()
}

pub(crate) fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_question_mark_is_one_character_of_any_length() {
    let rules = [
        "?", "??", "a?", "?a", "a?b", "a??b", "a?*", "*?b", "*a?b*", "*?", "x*?", "x?*?y", "*?*q*",
        "a? *", "???????",
    ];
    let letters = [
        "z",
        "\u{E9}",
        "\u{65E5}",
        "\u{1F642}",
        "b",
        "\n",
        "\u{0}",
        "\u{301}",
        "?",
        "*",
        "\u{7F}",
        "\u{10FFFF}",
    ];
    let mut values = vec![String::new()];
    for first in letters {
        for second in letters {
            for frame in [
                "{}", "{}{}", "a{}", "{}a", "a{}b", "a{}{}b", "za{}bz", "x{}{}y", "x{}", "{}q{}",
                "a{} {}",
            ] {
                values.push(frame.replacen("{}", first, 1).replacen("{}", second, 1));
            }
        }
        values.push(first.repeat(7));
        values.push(first.repeat(8));
    }
    values.sort();
    values.dedup();
    let mut corner = Corner::new(&rules, &[]);
    corner.values = values;
    corner.check(&layouts());
}

#[test]
fn home_is_what_the_context_says() {
    let rules = [
        "~",
        "~/*",
        "$HOME/a*",
        "${HOME}/?",
        "~/*x*y",
        "/h/*",
        "*/b",
        "~/\u{E9}*",
        "~user/*",
        "~/a *",
        "x~/*",
        "~/*\u{65E5}?",
    ];
    let homes = [
        "/h",
        "/h/",
        "/h/a",
        "/",
        "/home/*",
        "/ho?e",
        "/\u{65E5}\u{672C}/\u{1F642}",
        "~",
        "/h~",
        "h",
        "/h/a/b/c/d/e/f/g/h",
    ];
    let mut values = owned(&[
        "~",
        "~/x",
        "",
        "/",
        "~user/x",
        "x~/y",
        "/home/zzz/a",
        "/hore/a",
        "$HOME/a",
    ]);
    for home in homes {
        let home = home.strip_suffix('/').unwrap_or(home);
        for rest in [
            "",
            "/",
            "/a",
            "/ab",
            "/a b",
            "/\u{1F642}",
            "/zx y",
            "/xy",
            "/b",
            "x",
            "/\u{E9}\n",
            "/z\u{65E5}z",
            "/h/a",
            "/a/b",
        ] {
            values.push(format!("{home}{rest}"));
        }
    }
    for surface in ["bash", "path"] {
        let mut corner = Corner::new(&rules, &[]);
        corner.surface = surface;
        corner.homes = homes.to_vec();
        corner.values = values.clone();
        corner.check(&layouts());
    }
}

#[test]
fn folding_holds_in_every_layout() {
    let rules = [
        "C:\\Users\\*",
        "*.TXT",
        "\u{C9}t\u{C9}*",
        "*\\docs\\*",
        "~/\u{DC}n\u{CF}/*",
        "STRASSE",
        "stra\u{DF}e*",
        "*\u{130}*z",
        "\u{212A}?x",
        "*\u{3A3}*\u{3A3}",
        "A*\\B*/c",
        "\u{10400}*",
    ];
    let values = [
        "c:/users/x",
        "C:\\USERS\\",
        "a.txt",
        "A.Txt",
        "\u{E9}T\u{E9}",
        "\u{C9}t\u{E9}x",
        "/DOCS/",
        "x\\dOcS\\y",
        "/H\\u/\u{FC}N\u{EF}/a",
        "\\h/U\\\u{DC}n\u{CF}\\b",
        "strasse",
        "stra\u{DF}e",
        "STRA\u{1E9E}E",
        "i z",
        "\u{130}z",
        "i\u{307}z",
        "Iz",
        "\u{131}z",
        "k\u{E9}X",
        "\u{212A}\u{65E5}x",
        "\u{3C2}\u{3C3}",
        "\u{3A3}a\u{3C2}",
        "a/b\\c",
        "AxxB/C",
        "a\\b/c\n",
        "\u{10428}z",
        "\u{10400}",
        "",
        "\u{0}\\\u{0}.TXT",
        "/h\\u",
        "/h/u/\u{DC}N\u{CF}/",
    ];
    // Folding is of path surfaces only.
    for (surface, fold) in [
        ("read", true),
        ("path", true),
        ("bash", true),
        ("read", false),
    ] {
        let mut corner = Corner::new(&rules, &values);
        corner.surface = surface;
        corner.fold = fold;
        corner.homes = vec!["/h/u", "/H\\U/", "C:\\Users"];
        corner.check(&layouts());
    }
}

#[test]
fn newline_nul_and_nothing() {
    let rules = [
        "*",
        "a*b",
        "*\n*",
        "a\n*",
        "*x*\u{0}*",
        "\u{0}",
        "a\u{0}?",
        " *",
        "*\r\n",
    ];
    let values = [
        "",
        "\n",
        "a\nb",
        "a\n",
        "\u{0}",
        "a\u{0}b",
        "a\u{0}\n",
        "x\u{0}",
        "\u{0}x",
        "x\n\u{0}\n",
        " ",
        " x",
        "a\r\n",
        "\r\n",
        "\r",
        "a\u{0}\u{0}\u{0}b",
        "*",
        "?",
    ];
    Corner::new(&rules, &values).check(&layouts());
    // Without a rule that matches everything.
    Corner::new(&rules[1..], &values).check(&layouts());
}

#[test]
fn an_optional_tail_may_be_absent() {
    let rules = [
        "git *",
        "git push *",
        "a* *",
        "*b *",
        "x * *",
        "c*d *",
        "*e*f *",
        "g? *",
        "h  *",
        "~/i *",
    ];
    let mut values = owned(&[
        "",
        " ",
        "x",
        "x ",
        "x  ",
        "x y",
        "x y z",
        "/home/dev/i",
        "/home/dev/i ",
        "/home/dev/ii",
    ]);
    for stem in [
        "git", "git push", "a", "az", "b", "zb", "cd", "czd", "ef", "ezf", "g", "g\u{E9}", "h ",
        "h",
    ] {
        for tail in ["", " ", "  ", " x", "x", "\t", "\n", " \n"] {
            values.push(format!("{stem}{tail}"));
        }
    }
    let mut corner = Corner::new(&rules, &[]);
    corner.values = values;
    corner.check(&layouts());
    let without: Vec<String> = corner
        .rules
        .iter()
        .map(|rule| rule.replace(" *", "*"))
        .collect();
    corner.rules = without.into_iter().filter(|rule| rule != "x**").collect();
    corner.check(&layouts());
}

/// Letters in an order that does not repeat soon, so that a trie stores them as runs.
fn run(length: usize) -> String {
    let letters = "abcdefghijklmnopqrstuvwxyz".as_bytes();
    (0..length)
        .map(|at| char::from(letters[(at * at / 3 + at) % 26]))
        .collect()
}

#[test]
fn values_end_inside_runs() {
    let long = run(650);
    let rules = [
        long.clone(),
        format!("{}*", &long[..300]),
        format!("{}!*", &long[..255]),
        format!("{}? {}", &long[..120], &long[120..256]),
        format!("*{}#*", &long[..30]),
        format!("~/{}", &long[..510]),
    ];
    let places = (0..40)
        .chain(250..260)
        .chain(296..304)
        .chain(506..514)
        .chain(600..=650)
        .chain((40..600).step_by(29));
    let mut values = Vec::new();
    for at in places {
        values.push(long[..at].to_owned());
        values.push(format!("{}!", &long[..at]));
        values.push(format!("{}\u{E9}{}", &long[..at], &long[at.min(649) + 1..]));
        values.push(format!("/home/dev/{}", &long[..at]));
    }
    values.push(format!("{long}x"));
    values.push(format!("{}\u{65E5} {}", &long[..120], &long[120..256]));
    values.push(format!("{}#{}", &long[..255], &long[..29]));
    values.push(format!("{}#", &long[..30]));
    let mut corner = Corner::new(&[], &[]);
    corner.rules = rules.to_vec();
    corner.values = values;
    corner.check(&layouts());
}

#[test]
fn values_of_a_mebibyte() {
    const MEBIBYTE: usize = 1 << 20;
    let rules = [
        "*end",
        "start*",
        "a*z",
        "*needle*hay *",
        "*ab*?cd*",
        "~/*x",
        "\u{E9}*\u{E9}",
        "*\u{1F642}?q*",
    ];
    let values = vec![
        format!("{}end", "x".repeat(MEBIBYTE)),
        format!("start{}", "y".repeat(MEBIBYTE)),
        "a".repeat(MEBIBYTE),
        format!("{}z", "a".repeat(MEBIBYTE)),
        "needle".repeat(MEBIBYTE / 6),
        format!("{}hay", "needle".repeat(MEBIBYTE / 6)),
        format!("{}abzcd", "ab".repeat(MEBIBYTE / 2)),
        format!("{}\n", "en".repeat(MEBIBYTE / 2)),
        format!("/home/dev/{}x", "\u{65E5}".repeat(MEBIBYTE / 3)),
        "\u{E9}".repeat(MEBIBYTE / 2),
        format!("{}zq", "\u{1F642}".repeat(MEBIBYTE / 4)),
    ];
    for (surface, fold) in [("bash", false), ("path", true)] {
        let mut corner = Corner::new(&rules, &[]);
        (corner.surface, corner.fold) = (surface, fold);
        corner.values = values.clone();
        corner.with_reference = false;
        corner.check(&layouts());
    }
    // The same at a length that suits the reference.
    let mut corner = Corner::new(&rules, &[]);
    corner.values = values
        .iter()
        .map(|value| {
            let characters: Vec<char> = value.chars().collect();
            let tail = characters.len() - 9_000;
            characters[..9_000]
                .iter()
                .chain(&characters[tail..])
                .collect()
        })
        .collect();
    corner.check(&layouts());
}

#[test]
fn patterns_of_64_kibibytes() {
    let once = "ab".repeat(32_768);
    let turned = "ba".repeat(32_768);
    let runs = run(65_536);
    let rules = vec![
        once.clone(),
        format!("*{turned}*"),
        "a*".repeat(20_000),
        format!("{runs} *"),
        format!("~/{runs}"),
        format!("{}*z", "?".repeat(600)),
    ];
    let mut values = vec![
        String::new(),
        "a".repeat(40_000),
        "a".repeat(19_999),
        format!("{}z", "\u{E9}".repeat(600)),
    ];
    for whole in [&once, &turned, &runs] {
        values.push(whole.clone());
        values.push(format!("{whole} x"));
        values.push(format!("{whole}x"));
        values.push(whole[1..].to_owned());
        values.push(whole[..whole.len() - 1].to_owned());
        values.push(format!("/home/dev/{whole}"));
        values.push(format!("{}!{}", &whole[..32_768], &whole[32_769..]));
    }
    let mut corner = Corner::new(&[], &[]);
    corner.rules = rules;
    corner.values = values;
    corner.with_reference = false;
    let mut layouts = layouts();
    // One table of all such rules would be large, and would be refused.
    layouts.retain(|layout| ["parts", "looked at"].contains(&layout.name));
    corner.check(&layouts);
}
