//! tmux and screen: commands that they start or type.

use super::options::{Grammar, Item, Name, operands, read};
use super::wrappers::Inside;

/// What a subcommand of tmux does with its operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// One operand is a line for a shell, several are a command.
    Command,
    /// Each operand is a line for a shell, or a command of tmux.
    Lines,
    /// The operands are typed.
    Keys,
}

/// Subcommands of tmux that run something: names, letters with a value, what the operands are.
const TMUX: [(&str, &str, Use); 9] = [
    ("new-session new", "cefFnstxy", Use::Command),
    ("new-window neww", "ceFnt", Use::Command),
    ("split-window splitw", "ceFltp", Use::Command),
    (
        "respawn-pane respawnp respawn-window respawnw",
        "cet",
        Use::Command,
    ),
    ("display-popup popup", "bcdehsStTwxy", Use::Command),
    ("run-shell run", "cdt", Use::Lines),
    ("if-shell if", "t", Use::Lines),
    ("pipe-pane pipep", "t", Use::Lines),
    ("send-keys send", "Nct", Use::Keys),
];

/// The operands of each subcommand that runs something.
fn tmux(words: &[&str]) -> Vec<(Use, Vec<usize>)> {
    let mut found = Vec::new();
    let start = operands(&read(words, 1, &Grammar::leading("cfLST", "")))
        .first()
        .copied();
    let mut at = start.unwrap_or(words.len());
    while at < words.len() {
        let rest = words.get(at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|word| *word == ";")
            .unwrap_or(rest.len());
        let end = at.saturating_add(length);
        let part = words.get(..end).unwrap_or_default();
        let name = words.get(at).copied().unwrap_or_default();
        let row = TMUX
            .iter()
            .find(|(names, _, _)| super::options::has(names, name));
        if let Some((_, short, how)) = row {
            let items = read(part, at.saturating_add(1), &Grammar::leading(short, ""));
            if let Some(first) = operands(&items).first() {
                found.push((*how, (*first..end).collect()));
            }
        }
        at = end.saturating_add(1);
    }
    found
}

/// Commands that tmux starts from words.
pub(super) fn tmux_words(words: &[&str]) -> Vec<Inside> {
    let commands = tmux(words).into_iter();
    commands
        .filter(|(how, operands)| *how == Use::Command && operands.len() > 1)
        .map(|(_, operands)| Inside::from(operands.into_iter()))
        .collect()
}

/// Lines that tmux gives to a shell, or types.
pub(super) fn tmux_lines(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (how, operands) in tmux(words) {
        let texts: Vec<&str> = operands
            .iter()
            .filter_map(|index| words.get(*index).copied())
            .collect();
        match how {
            Use::Command if texts.len() > 1 => {}
            Use::Command | Use::Lines => found.extend(texts.into_iter().map(str::to_owned)),
            Use::Keys => {
                let typed = texts.into_iter().filter(|text| !is_key(text));
                found.push(typed.collect::<Vec<_>>().join(" "));
            }
        }
    }
    found
}

fn is_key(word: &str) -> bool {
    matches!(
        word,
        "Enter" | "C-m" | "KPEnter" | "Space" | "Tab" | "Escape" | "BSpace"
    ) || (word.len() == 3 && word.starts_with("C-"))
}

const SCREEN: Grammar = Grammar {
    flags: "aADdilLmnOqrRUvwWxX",
    is_closed: true,
    ..Grammar::leading("cehpsStT", "")
};

/// Whether screen is told to do something in a session that runs.
fn commands_session(items: &[Item<'_>]) -> bool {
    items.iter().any(|item| {
        matches!(
            item,
            Item::Option {
                name: Name::Letter('X'),
                ..
            }
        )
    })
}

/// The command that screen starts.
pub(super) fn screen_words(words: &[&str]) -> Vec<Inside> {
    let items = read(words, 1, &SCREEN);
    let first = operands(&items).first().copied();
    first
        .filter(|_| !commands_session(&items))
        .map(|first| Inside::from(first..words.len()))
        .into_iter()
        .collect()
}

/// What screen types into a session, or is told to run there.
pub(super) fn screen_lines(words: &[&str]) -> Vec<String> {
    let items = read(words, 1, &SCREEN);
    let first = operands(&items)
        .first()
        .copied()
        .filter(|_| commands_session(&items));
    let rest = first.and_then(|first| words.get(first.saturating_add(1)..));
    let line = rest.map(|rest| rest.join(" ").replace("\\n", "\n").replace("^M", "\n"));
    line.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(all: &[&str]) -> Vec<String> {
        let found = if all[0] == "tmux" {
            tmux_words(all)
        } else {
            screen_words(all)
        };
        let joined = found.iter().map(|inside| {
            inside
                .words
                .iter()
                .map(|index| all[*index])
                .collect::<Vec<_>>()
                .join(" ")
        });
        joined.collect()
    }

    #[test]
    fn commands_and_lines() {
        let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        assert_eq!(inner(&words("tmux new -d -s a rm x")), ["rm x"]);
        assert_eq!(
            inner(&words("tmux -L l split-window -h rm x ; new-window rm y")),
            ["rm x", "rm y"]
        );
        assert_eq!(inner(&words("screen -dmS a rm x")), ["rm x"]);
        assert_eq!(tmux_lines(&["tmux", "new-session", "-d", "rm x"]), ["rm x"]);
        assert_eq!(
            tmux_lines(&["tmux", "send-keys", "-t", "a", "rm x", "Enter"]),
            ["rm x"]
        );
        assert_eq!(
            tmux_lines(&["tmux", "if-shell", "true", "run rm"]),
            ["true", "run rm"]
        );
        assert_eq!(
            screen_lines(&["screen", "-S", "a", "-X", "stuff", "rm x\\n"]),
            ["rm x\n"]
        );
        for plain in [
            "tmux ls",
            "tmux attach -t a",
            "tmux new -s a",
            "tmux kill-session -t a",
            "screen -ls",
            "screen -r a",
        ] {
            let all = words(plain);
            assert!(
                tmux_lines(&all).is_empty() && screen_lines(&all).is_empty(),
                "{plain}"
            );
        }
        assert!(inner(&words("tmux kill-session -t a")).is_empty());
    }
}
