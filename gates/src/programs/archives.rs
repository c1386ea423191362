//! tar: options in the old spelling and the new one.

use super::clients::Held;
use super::options::{Grammar, Item, Name, Value, read, values};

const OPTIONS: Grammar = Grammar {
    long_flags: "to-stdout totals",
    ..Grammar::open(
        "CbfgHIKLNTVXF",
        "",
        "file directory use-compress-program to-command checkpoint-action info-script \
         new-volume-script rsh-command \
         rmt-command files-from exclude-from exclude listed-incremental starting-file transform xform label format",
    )
};

/// Compressors that tar and sort may be told to use without a prompt.
const COMPRESSORS: &str = "gzip bzip2 xz zstd lz4 lzma lzip lzop pigz pbzip2 pixz compress brotli";

/// Whether a command is a well-known compressor with nothing but its level or threads.
pub(super) fn is_compressor(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    super::options::has(COMPRESSORS, program)
        && words.all(|word| {
            let option = word.trim_start_matches('-');
            word.starts_with('-') && !option.contains(['/', '='])
                || word.bytes().all(|byte| byte.is_ascii_digit())
                || option
                    .strip_prefix("threads=")
                    .or_else(|| option.strip_prefix("long="))
                    .is_some()
        })
}

/// The options of tar; `tar cIf CMD FILE` has them in its first word, and their values behind it.
pub(super) fn tar_items<'w>(words: &[&'w str]) -> Vec<Item<'w>> {
    let Some(first) = words.get(1).filter(|word| !word.starts_with('-')) else {
        return read(words, 1, &OPTIONS);
    };
    let mut items = Vec::new();
    let mut next = 2_usize;
    for letter in first.chars() {
        let mut value = None;
        if OPTIONS.short.contains(letter) {
            value = words.get(next).map(|text| Value {
                option: 1,
                index: next,
                from: 0,
                text,
            });
            next = next.saturating_add(1);
        }
        let name = Name::Letter(letter);
        items.push(Item::Option { at: 1, name, value });
    }
    items.extend(read(words, next, &OPTIONS));
    items
}

/// Commands that tar runs.
pub(super) fn tar_commands(words: &[&str]) -> Vec<Held> {
    let items = tar_items(words);
    let names =
        "to-command use-compress-program info-script new-volume-script rsh-command rmt-command";
    let mut found: Vec<Held> = Vec::new();
    for value in values(&items, "IF", names) {
        if !is_compressor(value.text) {
            found.push((value.option, value.text.to_owned()));
        }
    }
    for value in values(&items, "", "checkpoint-action") {
        let command = value.text.strip_prefix("exec=");
        found.extend(command.map(|command| (value.option, command.to_owned())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_every_spelling_and_everyday_archives() {
        let read = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            let found = tar_commands(&words).into_iter();
            found.map(|(_, command)| command).collect::<Vec<_>>()
        };
        for text in [
            "tar xf a --to-command=x",
            "tar xf a --to-command x",
            "tar xf a --to-comm=x",
            "tar -I x -cf a b",
            "tar -Ix -cf a b",
            "tar cIf x a b",
            "tar cfI a x b",
            "tar -cIx -f a b",
            "tar --use-compress=x -cf a b",
            "tar cf a b --checkpoint=1 --checkpoint-action=exec=x",
            "tar cf a b --checkpoint-act exec=x",
            "tar cMf a b -F x",
        ] {
            assert_eq!(read(text), ["x"], "{text}");
        }
        for text in [
            "tar czf out.tgz -C build .",
            "tar -I zstd -cf x .",
            "tar xf a",
            "tar -xzf a -C d",
            "tar tf a",
            "tar cf - .",
            "tar cf a b --checkpoint=1 --checkpoint-action=dot",
            "tar xOf a f",
            "tar --to-stdout -xf a",
            "tar",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
        assert!(is_compressor("zstd -19 -T0") && is_compressor("xz --threads=0"));
        assert!(!is_compressor("sh -c x") && !is_compressor("zstd x"));
    }
}
