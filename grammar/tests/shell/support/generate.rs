//! Shell texts by chance: a small grammar of fragments, then small damage.

use crate::pieces::{
    ARGUMENTS, ASSIGNED, BACKTICKS, BARE, BEHIND_DOCUMENT, BETWEEN, COMMANDS, DAMAGE,
    DOCUMENT_LINES, DOLLARS, DOUBLE, ELEMENTS, FUNCTION_HEADS, LOOP_HEADS, OPERATIONS, PATTERNS,
    REGEXES, SINGLE,
};

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
            let piece = random.pick(DAMAGE);
            characters.splice(at..at, piece.chars());
        }
    }
    characters.into_iter().collect()
}

fn list(random: &mut Random, out: &mut String, depth: usize) {
    let many = 1 + random.below(3);
    for index in 0..many {
        if index > 0 {
            let with = random.pick(BETWEEN);
            out.push_str(with);
        }
        pipeline(random, out, depth);
    }
}

fn pipeline(random: &mut Random, out: &mut String, depth: usize) {
    match random.below(24) {
        0 => out.push_str("! "),
        1 => out.push_str("time "),
        2 => out.push_str(random.pick(&[
            "time -p ",
            "time ! ",
            "! ! ",
            "! time ",
            "time -- ",
            "time\\\n ",
        ])),
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
    match random.below(29) {
        0 => {
            let open = random.pick(&["{ ", "{\n", "{ # c'\n"]);
            around(random, out, inner, open, &["; }", "\n}", " & }", " ;}"]);
        }
        1 => {
            let open = random.pick(&["(", "( ", "( (", "(\n", "(# c)\n"]);
            around(random, out, inner, open, &[")", " )", ";)", "\n)"]);
            if open == "( (" {
                out.push(')');
            }
        }
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
            let open = random.pick(&["while ", "until ", "while\n"]);
            around(
                random,
                out,
                inner,
                open,
                &["; do ", "\ndo ", " & do\n", "; do # it's\n"],
            );
            around(random, out, inner, "", &["; done", "\ndone"]);
        }
        4 | 5 => {
            out.push_str(random.pick(&[
                "for x in ",
                "for x in",
                "select x in ",
                "for i\nin ",
                "for if in ",
                "for do in ",
                "for x # c\nin ",
            ]));
            for _ in 0..random.below(4) {
                out.push(' ');
                word(random, out, inner);
            }
            out.push_str(random.pick(&["; do ", "\ndo ", ";do\n", "; { ", " # c\ndo\n", ";\n{ "]));
            let is_group = out.ends_with("{ ");
            list(random, out, inner);
            out.push_str(if is_group { "; }" } else { "; done" });
        }
        6 => {
            out.push_str(random.pick(LOOP_HEADS));
            around(random, out, inner, "", &["; done"]);
        }
        7 | 8 => {
            out.push_str("case ");
            word(random, out, inner);
            out.push_str(random.pick(&[" in ", " in\n", "\nin\n", " in # it's\n", " \\\nin "]));
            for _ in 0..random.below(3) {
                out.push_str(random.pick(&["", "(", "", "( ", "# c)\n"]));
                if random.below(7) == 0 {
                    out.push_str(random.pick(PATTERNS));
                } else {
                    word(random, out, 0);
                }
                if random.below(3) == 0 {
                    out.push_str(random.pick(&["|", " | "]));
                    word(random, out, 0);
                }
                out.push_str(random.pick(&[")", " ) ", ")\n", ") # c;;\n"]));
                if random.below(4) > 0 {
                    list(random, out, inner);
                }
                out.push_str(random.pick(&[";; ", ";;\n", "\n;;\n", " ;& ", ";;& "]));
            }
            out.push_str("esac");
        }
        9 => {
            out.push_str(random.pick(FUNCTION_HEADS));
            match random.below(7) {
                _ if out.ends_with('#') => {}
                0..=2 => around(random, out, inner, "{ ", &["; }", "\n}"]),
                3 => around(random, out, inner, "(", &[")"]),
                4 => test(random, out, inner),
                5 => around(random, out, inner, "if ", &["; then x; fi"]),
                _ => around(random, out, inner, "for x in y; do ", &["; done"]),
            }
        }
        10 => {
            out.push_str(random.pick(&[
                "coproc ",
                "coproc n { a; } #",
                "coproc n ",
                "coproc n (a) #",
            ]));
            if !out.ends_with('#') {
                command(random, out, inner);
            }
        }
        11 | 12 => test(random, out, inner),
        13 => {
            out.push_str(random.pick(&["((", "(( ", "((\n"]));
            arithmetic(random, out, inner);
            out.push_str("))");
        }
        14..=16 => here(random, out, inner),
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
        ("<< E", "E"),
        ("<<\"E\"x", "Ex"),
        ("<<E'F'", "EF"),
        ("<<$'E'", "E"),
        ("<<-\"E)\"", "\t\tE)"),
        ("<<E-1.2", "E-1.2"),
        ("<<\\\nE", "E"),
        ("<<\\\\", "\\"),
        ("<<$x", "$x"),
        ("<<E >f <<F", "E\n$(a) '\nF"),
        ("{fd}<<!", "!"),
        ("<<''", ""),
    ][random.below(19)];
    out.push_str(open);
    out.push_str(random.pick(BEHIND_DOCUMENT));
    let follows = match out.chars().next_back() {
        Some('{') => "y; }",
        Some('(') => "y)",
        Some('"') => "b\"",
        _ => "",
    };
    out.push('\n');
    if follows == "b\"" {
        out.push_str(follows);
        out.push('\n');
    }
    for _ in 0..random.below(3) {
        out.push_str(random.pick(DOCUMENT_LINES));
        if random.below(3) == 0 {
            out.push_str("$(");
            simple(random, out, depth.saturating_sub(1));
            out.push(')');
        }
        out.push('\n');
    }
    out.push_str(close);
    out.push_str(random.pick(&["\n", "\n", "\n", "\r\n"]));
    if !follows.is_empty() && follows != "b\"" {
        out.push_str(follows);
        return;
    }
    if random.below(3) > 0 {
        simple(random, out, 0);
    }
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
    out.push_str(random.pick(COMMANDS));
    for _ in 0..random.below(4) {
        out.push_str(random.pick(&[" ", " ", "  ", "\t", " \\\n"]));
        match random.below(8) {
            0 => redirect(random, out, depth),
            1 => out.push_str(random.pick(ARGUMENTS)),
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
    out.push_str(random.pick(ASSIGNED));
    if out.ends_with('[') {
        word(random, out, depth);
        out.push_str("]=");
    }
    if (out.ends_with("A=") || out.ends_with("A+=")) && random.below(3) == 0 {
        out.push('(');
        for _ in 0..random.below(3) {
            word(random, out, depth);
            out.push_str(random.pick(ELEMENTS));
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
        ">&- ", "<<<\"", "&>", "&>>", " &>> ", ">>", ">", "<&0 ", ">&$x ", "<&3-", "<",
    ]));
    if out.ends_with('"') {
        out.push_str("a $x\"");
        return;
    }
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
        0..=4 => out.push_str(random.pick(BARE)),
        5 => out.push_str(random.pick(SINGLE)),
        6 => out.push_str(random.pick(&[
            "\\ ", "\\(", "\\\\", "\\\"", "\\'", "\\$", "\\;", "\\\n", "\\x", "\\`", "\\{", "\\#",
            "\\&", "\\|", "\\<", "\\!", "\\)", "\\~", "\\*",
        ])),
        7 => out.push_str(random.pick(DOLLARS)),
        8 | 9 => parameter(random, out, inner),
        10..=13 => {
            out.push('"');
            for _ in 0..random.below(4) {
                match random.below(6) {
                    0 => parameter(random, out, inner),
                    1 if depth > 0 => substitution(random, out, inner),
                    _ => out.push_str(random.pick(DOUBLE)),
                }
            }
            out.push('"');
        }
        14..=19 => substitution(random, out, inner),
        20 => {
            out.push_str(random.pick(&["$((", "$(( "]));
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
            out.push_str(random.pick(BACKTICKS));
            out.push('`');
        }
    }
}

fn substitution(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str(random.pick(&["$(", "$( ", "$(\n", "$(", "$( # it's\n", "$(<", "$(\\\n"]));
    if random.below(12) > 0 {
        list(random, out, depth);
    }
    out.push_str(random.pick(&[")", " )", "\n)", ")", " # c)\n)", ";)", " &)"]));
}

fn parameter(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str("${");
    out.push_str(random.pick(&["", "", "", "#", "!"]));
    let is_plain = out.ends_with('{');
    out.push_str(random.pick(&[
        "x", "y_1", "1", "@", "*", "a[1]", "b[@]", "c[$x]", "#", "?", "12", "!", "-", "x", "y_1",
        "d[-1]", "e[*]", "f[i+1]", "g[\"k\"]", "h[$(a)]", "i[${j}]", "_", "0", "k['x y']", "$",
    ]));
    if is_plain && random.below(4) > 0 {
        out.push_str(random.pick(OPERATIONS));
        for _ in 0..random.below(3) {
            match random.below(8) {
                0 if depth > 0 => piece(random, out, depth - 1),
                1 => parameter(random, out, 0),
                _ => out.push_str(random.pick(&[
                    "a", "b c", "/", "*", "'}'", "\"}\"", "\\}", "$y", "(", ")", ":", "1", "[",
                    "]", "#", "<", "&", ";", "\"b c\"", "'", "$(a)", "`b`", "\\/", "$'a'", "{",
                    "|", "~", "\n", "\\\n", "<(a)", "\"$y\"", "!", "@", "'a b'", "{a,b}", "$((1))",
                    "\\\"", "\\'", "${y}",
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
                "-", "%", "~", "^", "\n", ";", "x", "1", " + ", "$x", "`a`", "b[$x]", "c[1]++",
                ">", "<", ">=", "**", ">>", "$((2))", "${#x}", "(a)*2", "'3'", "x+=1", "#", "\\\n",
                "a b", "[1]", "\"$x\"", " == ", "&", "|", "$#", "0x1f", "$1", "-1",
            ])),
        }
    }
}

fn test(random: &mut Random, out: &mut String, depth: usize) {
    out.push_str("[[ ");
    let many = 1 + random.below(2);
    for index in 0..many {
        if index > 0 {
            out.push_str(random.pick(&[
                " && ",
                " || ",
                "\n&& ",
                " &&\n",
                "&&",
                " \\\n|| ",
                " && # c\n",
            ]));
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
                out.push_str(random.pick(&[
                    "-f ", "-n ", "-z ", "-v ", "-d ", "-x\n", "-t ", "-o ", "-e \\\n",
                ]));
                word(random, out, depth);
            }
            1 => {
                word(random, out, depth);
                out.push_str(" =~ ");
                out.push_str(random.pick(REGEXES));
            }
            2 => {
                word(random, out, depth);
                out.push_str(random.pick(&[" == ", " = ", " != "]));
                out.push_str(random.pick(&[
                    "a*",
                    "@(a|b)",
                    "!(x)",
                    "+([0-9])",
                    "[ab]",
                    "\"$x\"*",
                    "*(a b)",
                    "?(c)d",
                    "*.@(a|b|)",
                    "!(a|@(b|c))",
                    "[[:alpha:]]*",
                    "*[!0-9]*",
                    "a@(b|\"c d\")",
                    "$x",
                    "''",
                    "\\*",
                    "@(a|b",
                    "+(a|$(b))",
                    "*(\\))",
                    "(a)",
                    "a(b)",
                    "!(x)*",
                    "a b",
                    "*\\ *",
                    "@(a;b)",
                    "@(#)",
                ]));
            }
            3 => word(random, out, depth),
            _ => {
                word(random, out, depth);
                out.push_str(random.pick(&[
                    " -eq ", " < ", " > ", " -nt ", " == ", " != ", " -le ", " \\\n== ", "<", ">",
                    " =~ ", " -ef ",
                ]));
                word(random, out, depth);
            }
        }
        if is_inside {
            out.push_str(random.pick(&[" )", ")", "\n)"]));
        }
    }
    out.push_str(random.pick(&[" ]]", "\n]]", " ]]"]));
}
