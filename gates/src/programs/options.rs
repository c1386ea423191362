//! Reading options as programs do: clusters, glued values, abbreviated long names.

/// How a program spells its options. Lists of long names have a blank between the names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grammar {
    /// Letters with a value: the rest of the word, else the next word.
    pub(super) short: &'static str,
    /// Letters whose value is the rest of the word, possibly nothing.
    pub(super) glued: &'static str,
    /// Letters without a value. Only looked at where `is_closed`.
    pub(super) flags: &'static str,
    /// Long names with a value: behind `=`, else the next word.
    pub(super) long: &'static str,
    /// Long names without a value, or with one behind `=` only. Only looked at where `is_closed`.
    pub(super) long_flags: &'static str,
    /// Whether an option that is not listed ends the reading; else it is one without a value.
    pub(super) is_closed: bool,
    /// Whether the first operand ends the options.
    pub(super) stops: bool,
}

impl Grammar {
    /// Options with values among operands; whatever is not listed has none.
    pub(super) const fn open(short: &'static str, glued: &'static str, long: &'static str) -> Self {
        Self {
            short,
            glued,
            flags: "",
            long,
            long_flags: "",
            is_closed: false,
            stops: false,
        }
    }

    /// The same, up to the first operand.
    pub(super) const fn leading(short: &'static str, long: &'static str) -> Self {
        Self {
            stops: true,
            ..Self::open(short, "", long)
        }
    }
}

/// The full name of a long option, which may be abbreviated.
fn resolve<'w>(grammars: &[&Grammar], name: &'w str) -> (&'w str, Kind) {
    let find = |matches: &dyn Fn(&str) -> bool| {
        let values = grammars.iter().map(|grammar| (grammar.long, Kind::Value));
        let flags = grammars
            .iter()
            .map(|grammar| (grammar.long_flags, Kind::Flag));
        values.chain(flags).find_map(|(list, kind)| {
            let full = list.split(' ').find(|full| matches(full))?;
            Some((full, kind))
        })
    };
    let exact = find(&|full| full == name);
    let found = exact.or_else(|| find(&|full| name.len() > 1 && full.starts_with(name)));
    found.unwrap_or((name, Kind::Unknown))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Value,
    Flag,
    Unknown,
}

/// The name of an option, without dashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name<'w> {
    Letter(char),
    Long(&'w str),
}

/// The value of an option: a word, or the end of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value<'w> {
    /// The word of its option.
    pub(super) option: usize,
    pub(super) index: usize,
    /// Bytes of the word in front of the value; 0 where it is a word of its own.
    pub(super) from: usize,
    pub(super) text: &'w str,
}

/// A part of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item<'w> {
    Option {
        at: usize,
        name: Name<'w>,
        value: Option<Value<'w>>,
    },
    /// `--`.
    End,
    Operand(usize),
    /// An option that a closed grammar does not list; nothing follows.
    Unknown,
}

/// Reads the words from an index on.
pub(super) fn read<'w>(words: &[&'w str], from: usize, grammar: &Grammar) -> Vec<Item<'w>> {
    read_kinds(words, from, &[grammar])
}

/// The same, with options out of several grammars. The first one says where options end.
pub(super) fn read_kinds<'w>(
    words: &[&'w str],
    from: usize,
    grammars: &[&Grammar],
) -> Vec<Item<'w>> {
    let mut items = Vec::new();
    let mut index = from;
    let mut only_operands = false;
    while let Some(word) = words.get(index).copied() {
        let at = index;
        index = index.saturating_add(1);
        if only_operands || word.len() < 2 || !word.starts_with('-') {
            items.push(Item::Operand(at));
            if grammars.first().is_some_and(|grammar| grammar.stops) {
                return items;
            }
            continue;
        }
        if word == "--" {
            only_operands = true;
            items.push(Item::End);
            continue;
        }
        let takes_next = match word.strip_prefix("--") {
            Some(long) => read_long(at, word, long, grammars, &mut items),
            None => read_cluster(at, word, grammars, &mut items),
        };
        match takes_next {
            None => {
                items.push(Item::Unknown);
                return items;
            }
            Some(false) => {}
            Some(true) => {
                if let (Some(Item::Option { value, .. }), Some(text)) =
                    (items.last_mut(), words.get(index).copied())
                {
                    *value = Some(Value {
                        option: at,
                        index,
                        from: 0,
                        text,
                    });
                }
                index = index.saturating_add(1);
            }
        }
    }
    items
}

fn is_closed(grammars: &[&Grammar]) -> bool {
    grammars.iter().any(|grammar| grammar.is_closed)
}

/// Whether the option takes the next word; `None`: not known.
fn read_long<'w>(
    at: usize,
    word: &'w str,
    long: &'w str,
    grammars: &[&Grammar],
    items: &mut Vec<Item<'w>>,
) -> Option<bool> {
    if let Some((name, text)) = long.split_once('=') {
        let value = Some(Value {
            option: at,
            index: at,
            from: word.len().saturating_sub(text.len()),
            text,
        });
        let name = Name::Long(resolve(grammars, name).0);
        items.push(Item::Option { at, name, value });
        return Some(false);
    }
    let (name, kind) = resolve(grammars, long);
    let is_number = long.bytes().all(|byte| byte.is_ascii_digit());
    if kind == Kind::Unknown && is_closed(grammars) && !is_number {
        return None;
    }
    items.push(Item::Option {
        at,
        name: Name::Long(name),
        value: None,
    });
    Some(kind == Kind::Value)
}

fn read_cluster<'w>(
    at: usize,
    word: &'w str,
    grammars: &[&Grammar],
    items: &mut Vec<Item<'w>>,
) -> Option<bool> {
    for (offset, letter) in word.char_indices().skip(1) {
        let from = offset.saturating_add(letter.len_utf8());
        let text = word.get(from..).unwrap_or_default();
        let has_value = grammars
            .iter()
            .any(|grammar| grammar.short.contains(letter));
        let is_glued = grammars
            .iter()
            .any(|grammar| grammar.glued.contains(letter));
        let value = (!text.is_empty() && (has_value || is_glued)).then_some(Value {
            option: at,
            index: at,
            from,
            text,
        });
        if !has_value && !is_glued {
            let is_flag = grammars
                .iter()
                .any(|grammar| grammar.flags.contains(letter));
            if is_closed(grammars) && !is_flag && !letter.is_ascii_digit() {
                return None;
            }
        }
        let name = Name::Letter(letter);
        items.push(Item::Option { at, name, value });
        if has_value || is_glued {
            return Some(has_value && text.is_empty());
        }
    }
    Some(false)
}

/// Where a command begins behind the options of the program in front of it.
pub(super) fn operands_start(words: &[&str], from: usize, grammar: &Grammar) -> Option<usize> {
    read(words, from, grammar)
        .into_iter()
        .find_map(|item| match item {
            Item::Operand(index) => Some(Some(index)),
            Item::Unknown => Some(None),
            Item::End | Item::Option { .. } => None,
        })
        .flatten()
}

/// The values of some options, in order: letters, and long names with a blank between them.
pub(super) fn values<'w>(items: &[Item<'w>], short: &str, long: &str) -> Vec<Value<'w>> {
    let wanted = |name: &Name<'_>| match name {
        Name::Letter(letter) => short.contains(*letter),
        Name::Long(name) => has(long, name),
    };
    let found = items.iter().filter_map(|item| match item {
        Item::Option { name, value, .. } if wanted(name) => *value,
        _ => None,
    });
    found.collect()
}

/// The index of the first word that holds one of some options.
pub(super) fn position(items: &[Item<'_>], short: &str, long: &str) -> Option<usize> {
    items.iter().find_map(|item| match item {
        Item::Option {
            at,
            name: Name::Letter(letter),
            ..
        } if short.contains(*letter) => Some(*at),
        Item::Option {
            at,
            name: Name::Long(name),
            ..
        } if has(long, name) => Some(*at),
        _ => None,
    })
}

/// The operands, by index.
pub(super) fn operands(items: &[Item<'_>]) -> Vec<usize> {
    let found = items.iter().filter_map(|item| match item {
        Item::Operand(index) => Some(*index),
        _ => None,
    });
    found.collect()
}

/// Whether a list with a blank between its members has one.
pub(super) fn has(list: &str, member: &str) -> bool {
    !member.is_empty() && list.split(' ').any(|candidate| candidate == member)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GREP: Grammar = Grammar::open("efA", "i", "regexp file");

    fn texts(text: &str, short: &str, long: &str) -> Vec<String> {
        let words: Vec<&str> = text.split(' ').collect();
        let items = read(&words, 1, &GREP);
        let found = values(&items, short, long).into_iter();
        found.map(|value| value.text.to_owned()).collect()
    }

    #[test]
    fn every_spelling_of_a_value() {
        for text in [
            "g -e x f",
            "g -ex f",
            "g -ne x",
            "g -nex",
            "g --regexp x",
            "g --regexp=x",
            "g --rege x",
            "g f -e x",
            "g -A 3 -e x",
        ] {
            assert_eq!(texts(text, "e", "regexp"), ["x"], "{text}");
        }
        for text in [
            "g -- -e x",
            "g -A -e x",
            "g -ie x",
            "g e x",
            "g -fe x",
            "g -e",
        ] {
            assert!(texts(text, "e", "regexp").is_empty(), "{text}");
        }
    }

    #[test]
    fn a_closed_grammar_stops_at_what_it_does_not_list() {
        let closed = Grammar {
            flags: "v",
            is_closed: true,
            ..Grammar::leading("n", "user")
        };
        let start = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            operands_start(&words, 1, &closed)
        };
        for (text, at) in [
            ("w -v rm", Some(2)),
            ("w -n 5 rm", Some(3)),
            ("w -vn5 rm", Some(2)),
            ("w -5 rm", Some(2)),
            ("w --user x rm -z", Some(3)),
            ("w -- -z", Some(2)),
            ("w -z rm", None),
            ("w --odd rm", None),
            ("w --odd=x rm", Some(2)),
            ("w", None),
        ] {
            assert_eq!(start(text), at, "{text}");
        }
    }
}
