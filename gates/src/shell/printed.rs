//! What `echo`, `printf` and `cat` with a here-document print, where their arguments are literal.

/// The text that a command prints; `None` where text does not tell. `words[0]` is the program's base name.
pub(crate) fn printed(words: &[&str]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    match *program {
        "echo" => Some(echoed(arguments)),
        "printf" => formatted(arguments),
        _ => None,
    }
}

fn echoed(arguments: &[&str]) -> String {
    let is_option = |word: &&&str| {
        word.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.chars().all(|letter| "neE".contains(letter))
        })
    };
    let options = arguments.iter().take_while(is_option).count();
    let decodes = arguments
        .iter()
        .take(options)
        .any(|word| word.contains('e'));
    let text = arguments.get(options..).unwrap_or_default().join(" ");
    let mut text = if decodes { unescaped(&text) } else { text };
    text.push('\n');
    text
}

fn formatted(arguments: &[&str]) -> Option<String> {
    let arguments = match arguments {
        ["--", rest @ ..] => rest,
        ["-v", ..] => return None,
        all => all,
    };
    let (format, values) = arguments.split_first()?;
    let format = unescaped(format);
    let mut text = String::new();
    let mut values = values.iter().peekable();
    loop {
        let n_before = values.len();
        let mut characters = format.chars().peekable();
        while let Some(character) = characters.next() {
            if character != '%' {
                text.push(character);
                continue;
            }
            while characters
                .next_if(|next| "-+ #0123456789.".contains(*next))
                .is_some()
            {}
            match characters.next() {
                Some('%') => text.push('%'),
                Some('b') => text.push_str(&unescaped(values.next().unwrap_or(&""))),
                Some(_) => text.push_str(values.next().unwrap_or(&"")),
                None => text.push('%'),
            }
        }
        // The format is used again while values are left.
        if values.peek().is_none() || values.len() == n_before || text.len() > 65_536 {
            return Some(text);
        }
    }
}

/// Backslash escapes as `printf` and `echo -e` read them.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        let mut number = |radix: u32, most: usize, first: Option<char>| {
            let mut value = first.and_then(|digit| digit.to_digit(radix));
            for _ in 0..most {
                let Some(digit) = characters.peek().and_then(|next| next.to_digit(radix)) else {
                    break;
                };
                characters.next();
                value = Some(value.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
            }
            value.and_then(char::from_u32)
        };
        let decoded = match number(8, 3, None) {
            Some(octal) => Some(octal),
            None => match characters.next() {
                Some('n') => Some('\n'),
                Some('t') => Some('\t'),
                Some('r') => Some('\r'),
                Some('a') => Some('\u{7}'),
                Some('e' | 'E') => Some('\u{1b}'),
                Some('x') => {
                    let mut value = None;
                    for _ in 0..2 {
                        let Some(digit) = characters.peek().and_then(|next| next.to_digit(16))
                        else {
                            break;
                        };
                        characters.next();
                        value = Some(value.unwrap_or(0_u32).wrapping_mul(16).wrapping_add(digit));
                    }
                    value.and_then(char::from_u32)
                }
                Some(other @ ('\\' | '\'' | '"')) => Some(other),
                Some(other) => {
                    out.push('\\');
                    Some(other)
                }
                None => Some('\\'),
            },
        };
        out.extend(decoded);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::printed;

    #[test]
    fn echo_and_printf_print_what_bash_prints() {
        for (words, expected) in [
            (["echo", "rm", "x"].as_slice(), "rm x\n"),
            (&["echo", "-n", "-e", "a\\nb"], "a\nb\n"),
            (&["printf", "rm x\\n"], "rm x\n"),
            (&["printf", "%s-%s\n", "a", "b", "c"], "a-b\nc-\n"),
            (&["printf", "\\162m x"], "rm x"),
            (&["printf", "100%%"], "100%"),
        ] {
            assert_eq!(printed(words).as_deref(), Some(expected), "{words:?}");
        }
        assert_eq!(printed(&["printf", "-v", "x", "y"]), None);
        assert_eq!(printed(&["ls"]), None);
    }
}
