//! What the reader understands, bash accepts; most of what bash accepts, the reader understands.

use permc_grammar::shell::{Limits, parse};

use crate::bash;
use crate::generate::{Random, damaged, text};

/// How many texts; more by the environment, for a long run by hand.
fn how_many() -> usize {
    let given = std::env::var("SHELL_ORACLE_TEXTS").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(6_000)
}

fn first_seed() -> u64 {
    let given = std::env::var("SHELL_ORACLE_SEED").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(1)
}

#[test]
fn bash_accepts_what_is_understood() {
    let mut random = Random::new(first_seed());
    let mut texts = Vec::new();
    while texts.len() < how_many() {
        let whole = text(&mut random);
        for _ in 0..2 {
            texts.push(damaged(&mut random, &whole));
        }
        texts.push(whole);
    }
    // An older bash reads `${ ...; }` as a parameter.
    texts.retain(|text: &String| {
        !["${ ", "${\t", "${\n", "${|"]
            .iter()
            .any(|piece| text.contains(piece))
    });
    // A carriage return before a line end counts for nothing here, and to bash it is a character.
    let plain: Vec<String> = texts
        .iter()
        .map(|text| text.replace("\r\n", "\n"))
        .collect();
    let Some(accepted) = bash::accepts(&plain) else {
        return;
    };
    let (mut wrong, mut strict, mut valid) = (Vec::new(), Vec::new(), 0_usize);
    for (text, accepts) in texts.iter().zip(accepted) {
        let script = parse(text, &Limits::default());
        let is_understood = script.faults.is_empty() && !script.oversized;
        valid += usize::from(accepts);
        if is_understood && !accepts {
            wrong.push(text);
        } else if accepts && !is_understood {
            strict.push((text, script.faults));
        }
    }
    eprintln!(
        "{} texts, bash accepts {valid}, of which {} have faults; wrong: {}",
        texts.len(),
        strict.len(),
        wrong.len()
    );
    if std::env::var_os("SHELL_ORACLE_SHOW").is_some() {
        strict.sort_by_key(|(text, _)| text.len());
        for (text, faults) in strict.iter().take(60) {
            let fault = &faults[0];
            eprintln!(
                "STRICT {text:?}\n   {:?} {}",
                text.get(fault.span.start..fault.span.end),
                fault.message
            );
        }
    }
    wrong.sort_by_key(|text| text.len());
    wrong.truncate(12);
    let small: std::collections::BTreeSet<String> =
        wrong.into_iter().map(|text| shrunk(text)).collect();
    assert!(small.is_empty(), "understood, and bash refuses: {small:#?}");
}

fn is_understood(text: &str) -> bool {
    let script = parse(text, &Limits::default());
    script.faults.is_empty() && !script.oversized
}

/// The smallest part of a text that is still understood and refused, as far as taking pieces out finds it.
fn shrunk(text: &str) -> String {
    let mut text = text.replace("\r\n", "\n");
    let mut size = text.chars().count() / 2;
    while size > 0 {
        let characters: Vec<char> = text.chars().collect();
        let shorter: Vec<String> = (0..characters.len())
            .step_by(size.div_ceil(2))
            .map(|from| {
                let to = (from + size).min(characters.len());
                let shorter: String = characters[..from].iter().chain(&characters[to..]).collect();
                shorter.replace("\r\n", "\n")
            })
            .filter(|shorter: &String| is_understood(shorter))
            .collect();
        let accepted = bash::accepts(&shorter).unwrap_or_default();
        let next = shorter
            .into_iter()
            .zip(accepted)
            .find(|(_, accepts)| !accepts);
        match next {
            Some((shorter, _)) => text = shorter,
            None => size /= 2,
        }
        size = size.min(text.chars().count());
    }
    text
}
