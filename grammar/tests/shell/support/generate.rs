//! Shell texts by chance: a small grammar of fragments, then small damage.

/// A xorshift generator: the same seed gives the same texts everywhere.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, most: usize) -> usize {
        usize::try_from((self.next() >> 33) % most.max(1) as u64).unwrap()
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// What damage puts in.
const DAMAGE: [&str; 68] = [
    "(", ")", "{", "}", "[", "]", "[[", "]]", "((", "))", "$(", "$((", "${", "`", "\"", "'", "$'",
    "$\"", "\\", "\\\n", ";", ";;", ";&", "&", "&&", "|", "||", "|&", "<", ">", "<<", "<<-", "<<<",
    "<(", ">(", ">&", "<&", "&>", "<>", ">|", "\n", " ", "#", " #", "!", " ! ", "=", "+=", "a=(",
    "$", "$[", "*", "@(", "?(", " in ", " do ", " done ", " then ", " fi ", " esac ", " time ",
    "\t", "\\\\", " if ", " case ", " { ", " } ", "~",
];

/// A text that is mostly valid.
pub(crate) fn text(random: &mut Random) -> String {
    let mut text = String::new();
    list(random, &mut text, 3);
    text
}

/// The text with a few things taken out or put in.
pub(crate) fn damaged(random: &mut Random, text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(2) {
        let at = random.below(characters.len() + 1);
        if random.below(5) < 2 && at < characters.len() {
            let most = 1 + random.below(3);
            characters.drain(at..(at + most).min(characters.len()));
        } else {
            let piece = random.pick(&DAMAGE);
            characters.splice(at..at, piece.chars());
        }
    }
    characters.into_iter().collect()
}

fn list(random: &mut Random, out: &mut String, depth: usize) {
    let many = 1 + random.below(3);
    for index in 0..many {
        if index > 0 {
            let with = random.pick(&[
                "; ", "\n", " && ", " || ", " & ", ";", "&&\n", " | ", "|&", "\r\n", " && \\\n",
            ]);
            out.push_str(with);
        }
        pipeline(random, out, depth);
    }
}

fn pipeline(random: &mut Random, out: &mut String, depth: usize) {
    match random.below(24) {
        0 => out.push_str("! "),
        1 => out.push_str("time "),
        2 => out.push_str("time -p "),
        _ => {}
    }
    command(random, out, depth);
    if random.below(6) == 0 {
        out.push_str(random.pick(&[" | ", "|", " |& ", " |\n"]));
        command(random, out, depth);
    }
}

fn command(random: &mut Random, out: &mut String, depth: usize) {
    if depth == 0 {
        return simple(random, out, depth);
    }
    let inner = depth - 1;
    match random.below(26) {
        0 => around(random, out, inner, "{ ", &["; }", "\n}", " & }"]),
        1 => around(random, out, inner, "(", &[")", " )", ";)"]),
        2 => {
            around(
                random,
                out,
                inner,
                "if ",
                &["; then ", "\nthen\n", ";then "],
            );
            list(random, out, inner);
            if random.below(2) == 0 {
                around(random, out, inner, "\nelif ", &["; then "]);
                list(random, out, inner);
            }
            if random.below(2) == 0 {
                around(random, out, inner, "; else ", &[""]);
            }
            out.push_str(random.pick(&["; fi", "\nfi"]));
        }
        3 => {
            around(random, out, inner, "while ", &["; do ", "\ndo "]);
            around(random, out, inner, "", &["; done", "\ndone"]);
        }
        4 | 5 => {
            out.push_str(random.pick(&[
                "for x in ",
                "for x in",
                "select x in ",
                "for i\nin ",
                "for if in ",
            ]));
            for _ in 0..random.below(4) {
                out.push(' ');
                word(random, out, inner);
            }
            out.push_str(random.pick(&["; do ", "\ndo ", ";do\n", "; { "]));
            let is_group = out.ends_with("{ ");
            list(random, out, inner);
            out.push_str(if is_group { "; }" } else { "; done" });
        }
        6 => {
            out.push_str(random.pick(&[
                "for x; do ",
                "for x do ",
                "for x\ndo ",
                "for ((i=0;i<9;i++)); do ",
                "for ((;;)) do ",
                "for (( a; b; c )) ; do ",
            ]));
            around(random, out, inner, "", &["; done"]);
        }
        7 | 8 => {
            out.push_str("case ");
            word(random, out, inner);
            out.push_str(random.pick(&[" in ", " in\n", "\nin\n"]));
            for _ in 0..random.below(3) {
                out.push_str(random.pick(&["", "("]));
                word(random, out, 0);
                if random.below(3) == 0 {
                    out.push_str(random.pick(&["|", " | "]));
                    word(random, out, 0);
                }
                out.push_str(random.pick(&[")", " ) "]));
                if random.below(4) > 0 {
                    list(random, out, inner);
                }
                out.push_str(random.pick(&[";; ", ";;\n", "\n;;\n", " ;& ", ";;& "]));
            }
            out.push_str("esac");
        }
        9 => {
            out.push_str(random.pick(&[
                "f() ",
                "f-g () ",
                "function f ",
                "function f() ",
                "f ( )\n",
                "function a.b\n",
            ]));
            if random.below(2) == 0 {
                around(random, out, inner, "{ ", &["; }"]);
            } else {
                around(random, out, inner, "(", &[")"]);
            }
        }
        10 => {
            out.push_str(random.pick(&["coproc ", "coproc n { a; } #", "coproc n "]));
            if !out.ends_with('#') {
                command(random, out, inner);
            }
        }
        11 | 12 => test(random, out, inner),
        13 => {
            out.push_str("((");
            arithmetic(random, out, inner);
            out.push_str("))");
        }
        14 => here(random, out, inner),
        _ => return simple(random, out, inner),
    }
    while random.below(5) == 0 {
        out.push(' ');
        redirect(random, out, inner);
    }
}

fn around(random: &mut Random, out: &mut String, depth: usize, open: &str, close: &[&str]) {
    out.push_str(open);
    list(random, out, depth);
    out.push_str(random.pick(close));
}

fn here(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str(random.pick(&["cat ", "", "a | b ", "x "]));
    let (open, close) = [
        ("<<E", "E"),
        ("<<'E'", "E"),
        ("<<-E", "\tE"),
        ("<<\\E", "E"),
        ("<< \"E F\"", "E F"),
        ("<<-'E'", "E"),
        ("3<<E", "E"),
    ][random.below(7)];
    out.push_str(open);
    out.push_str(random.pick(&["", " x", " && y", "; z", " | w", " >f", " # c"]));
    out.push('\n');
    for _ in 0..random.below(3) {
        out.push_str(random.pick(&[
            "text",
            "\tx",
            "it's",
            "a \"b",
            "$x `c`",
            "${y:-\"}\"}",
            "$((1+2))",
            "\\",
            "( [",
        ]));
        if random.below(3) == 0 {
            out.push_str("$(");
            simple(random, out, depth.saturating_sub(1));
            out.push(')');
        }
        out.push('\n');
    }
    out.push_str(close);
    out.push('\n');
    simple(random, out, 0);
}

fn simple(random: &mut Random, out: &mut String, depth: usize) {
    for _ in 0..random.below(8) / 6 {
        assignment(random, out, depth);
        out.push(' ');
    }
    if random.below(9) == 0 {
        redirect(random, out, depth);
        out.push(' ');
    }
    out.push_str(random.pick(&[
        "a",
        "echo",
        "git status",
        "ls -la",
        ":",
        "b",
        "declare x=(1 2)",
        "export A=b",
        "local -a q=( $x )",
        "[ -f x ]",
        "test x = y",
        "eval",
        "cd /",
        "rm -f x",
        "printf '%s\\n'",
        "x=1",
        "p{a,b}",
        "if_",
        "-x",
    ]));
    for _ in 0..random.below(4) {
        out.push_str(random.pick(&[" ", " ", "  ", "\t", " \\\n"]));
        match random.below(8) {
            0 => redirect(random, out, depth),
            1 => out.push_str(random.pick(&[
                "if", "done", "}", "{", "!", "[[", "time", "in", "esac", "]]", "#c", "a#b", "x=(",
                "then",
            ])),
            _ => word(random, out, depth),
        }
    }
    if out.ends_with("x=(") {
        out.truncate(out.len() - 1);
    }
    if out.ends_with("#c") {
        out.push('\n');
        out.push('a');
    }
}

fn assignment(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str(random.pick(&["A=", "b+=", "c[1]=", "d[$i]+=", "e[x y]=", "f["]));
    if out.ends_with('[') {
        word(random, out, depth);
        out.push_str("]=");
    }
    if out.ends_with("A=") && random.below(3) == 0 {
        out.push('(');
        for _ in 0..random.below(3) {
            word(random, out, depth);
            out.push_str(random.pick(&[" ", "\n", " [k]=", " # c\n"]));
        }
        out.push(')');
    } else if random.below(3) > 0 {
        word(random, out, depth);
    }
}

fn redirect(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str(random.pick(&["", "", "", "2", "{fd}", "10"]));
    out.push_str(random.pick(&[
        "<", ">", ">>", ">|", "<>", "<&", ">&", "<<<", "> ", "<<< ", "< ", ">& ", ">&2 ", "2>&1 ",
        ">&- ",
    ]));
    if random.below(8) == 0 && out.ends_with(' ') {
        out.push_str("&>");
    }
    word(random, out, depth.saturating_sub(1));
}

pub(crate) fn word(random: &mut Random, out: &mut String, depth: usize) {
    for _ in 0..=random.below(5) / 3 {
        piece(random, out, depth);
    }
}

fn piece(random: &mut Random, out: &mut String, depth: usize) {
    let inner = depth.saturating_sub(1);
    match random.below(if depth == 0 { 14 } else { 24 }) {
        0..=4 => out.push_str(random.pick(&[
            "x", "a.b", "-f", "/tmp/y", "*.rs", "~", "{1,2}", "[a-z]", "é", "=", "a=b", "x@", "%",
            "+", "a:b", "--o=v", "}", "{", "!", "?", "^", ",",
        ])),
        5 => out.push_str(random.pick(&["'s t'", "''", "'\"'", "'$(x)'", "'`'", "'\\'", "'a\nb'"])),
        6 => out.push_str(random.pick(&[
            "\\ ", "\\(", "\\\\", "\\\"", "\\'", "\\$", "\\;", "\\\n", "\\x",
        ])),
        7 => out.push_str(random.pick(&[
            "$x",
            "$1",
            "$@",
            "$#",
            "$?",
            "$$",
            "$!",
            "$*",
            "$-",
            "$",
            "$x_y",
            "$'a\\'b'",
            "$\"l\"",
            "$'\\n\\x41'",
            "$%",
        ])),
        8 | 9 => parameter(random, out, inner),
        10..=13 => {
            out.push('"');
            for _ in 0..random.below(4) {
                match random.below(6) {
                    0 => parameter(random, out, inner),
                    1 if depth > 0 => substitution(random, out, inner),
                    _ => out.push_str(random.pick(&[
                        "a", " ", "'", "\\\"", "\\\\", "\\$", "$x", ";", "(", ")", "#", "\n", "&",
                        "$", "{", "}", "\\\n", "<", "\\n",
                    ])),
                }
            }
            out.push('"');
        }
        14..=19 => substitution(random, out, inner),
        20 => {
            out.push_str("$((");
            arithmetic(random, out, inner);
            out.push_str("))");
        }
        21 => {
            out.push_str("$[");
            arithmetic(random, out, 0);
            out.push(']');
        }
        22 => {
            out.push_str(random.pick(&["<(", ">("]));
            list(random, out, inner);
            out.push(')');
        }
        _ => {
            out.push('`');
            out.push_str(random.pick(&[
                "a",
                "ls x | wc",
                "echo \\`b\\`",
                "c 'd'",
                "e \"f\"",
                "",
                "g; h",
                "i \\$j",
                "k \\\\",
            ]));
            out.push('`');
        }
    }
}

fn substitution(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str(random.pick(&["$(", "$( ", "$(\n"]));
    if random.below(12) > 0 {
        list(random, out, depth);
    }
    out.push_str(random.pick(&[")", " )", "\n)"]));
}

fn parameter(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str("${");
    out.push_str(random.pick(&["", "", "", "#", "!"]));
    let is_plain = out.ends_with('{');
    out.push_str(random.pick(&[
        "x", "y_1", "1", "@", "*", "a[1]", "b[@]", "c[$x]", "#", "?", "12", "!", "-",
    ]));
    if is_plain && random.below(4) > 0 {
        out.push_str(random.pick(&[
            ":-", "-", ":=", "=", ":?", "?", ":+", "+", "#", "##", "%", "%%", "/", "//", "/#",
            "/%", "^", "^^", ",", ",,", ":", "@Q", "@", ":1:", "~",
        ]));
        for _ in 0..random.below(3) {
            match random.below(8) {
                0 if depth > 0 => piece(random, out, depth - 1),
                1 => parameter(random, out, 0),
                _ => out.push_str(random.pick(&[
                    "a", "b c", "/", "*", "'}'", "\"}\"", "\\}", "$y", "(", ")", ":", "1", "[",
                    "]", "#", "<", "&", ";",
                ])),
            }
        }
    }
    out.push('}');
}

fn arithmetic(random: &mut Random, out: &mut String, depth: usize) {
    for _ in 0..=random.below(4) {
        match random.below(9) {
            0 => out.push_str("(1)"),
            1 => parameter(random, out, depth),
            2 if depth > 0 => substitution(random, out, depth - 1),
            3 => out.push_str("\"2\""),
            _ => out.push_str(random.pick(&[
                "1", " + ", "x", "<<", "&&", "||", "? 1 : 2", "=", "++", "!", "a[1]", ",", "16#ff",
                "-", "%", "~", "^", "\n", ";",
            ])),
        }
    }
}

fn test(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str("[[ ");
    let many = 1 + random.below(2);
    for index in 0..many {
        if index > 0 {
            out.push_str(random.pick(&[" && ", " || ", "\n&& ", " &&\n"]));
        }
        let is_inside = random.below(5) == 0;
        if is_inside {
            out.push_str("( ");
        }
        if random.below(5) == 0 {
            out.push_str("! ");
        }
        match random.below(5) {
            0 => {
                out.push_str(random.pick(&["-f ", "-n ", "-z ", "-v ", "-d "]));
                word(random, out, depth);
            }
            1 => {
                word(random, out, depth);
                out.push_str(" =~ ");
                out.push_str(random.pick(&[
                    "^a+$",
                    "(a|b)c",
                    "^(x y)$",
                    "[[:space:]]",
                    "$re",
                    "\"q\"",
                    "a\\ b",
                    "(",
                    "()",
                    "^[^;]*$",
                    "a|b",
                    "'s'(t)",
                    "{2}",
                    "x$",
                ]));
            }
            2 => {
                word(random, out, depth);
                out.push_str(random.pick(&[" == ", " = ", " != "]));
                out.push_str(random.pick(&[
                    "a*", "@(a|b)", "!(x)", "+([0-9])", "[ab]", "\"$x\"*", "*(a b)", "?(c)d",
                ]));
            }
            3 => word(random, out, depth),
            _ => {
                word(random, out, depth);
                out.push_str(
                    random.pick(&[" -eq ", " < ", " > ", " -nt ", " == ", " != ", " -le "]),
                );
                word(random, out, depth);
            }
        }
        if is_inside {
            out.push_str(" )");
        }
    }
    out.push_str(" ]]");
}
