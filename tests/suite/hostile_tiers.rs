//! Sections of trust tiers that were made to do harm, each behind a right checksum.

use permc_runtime::format::{section, surface_hash};
use permc_runtime::{Action, Policy};
use permc_tests::forge::Artifact;
use permc_tests::tiers::{CONTEXT, global, output, page};

use crate::hostile::{CLAIMS, loads, refused};

const TIERS: Option<&str> = Some("tiers");

/// Words before the models: eight counts.
const HEAD: usize = 8;

fn artifact() -> Artifact {
    Artifact::read(&output(vec![global(&page())]).bytes)
}

/// Where each part starts: models, their tiers, slots, tiers, sets, tables, ranks, rows.
fn starts(words: &[u32]) -> [usize; 8] {
    let count = |at: usize| usize::try_from(words[at]).unwrap();
    let lengths = [
        count(0),
        count(0),
        count(1),
        count(2) * 10,
        count(3) * 4,
        count(4) * 2,
        count(5) * 2,
    ];
    let mut starts = [HEAD; 8];
    for (part, length) in lengths.into_iter().enumerate() {
        starts[part + 1] = starts[part] + length;
    }
    starts
}

/// The artifact with one word of a part changed.
fn with(part: usize, word: usize, value: u32) -> Artifact {
    let mut artifact = artifact();
    let mut words = artifact.words(section::TIERS);
    let at = starts(&words)[part] + word;
    words[at] = value;
    artifact.set_words(section::TIERS, &words);
    artifact
}

fn word(part: usize, word: usize) -> u32 {
    let words = artifact().words(section::TIERS);
    words[starts(&words)[part] + word]
}

#[test]
fn the_parts_are_what_they_seem() {
    let words = artifact().words(section::TIERS);
    // Three models, three tiers, the third of them the default.
    assert_eq!((words[0], words[2], words[7]), (3, 3, 3));
    assert_eq!(
        starts(&words)[7] + usize::try_from(words[6]).unwrap() * 6,
        words.len()
    );
    loads(&artifact());
    loads(&with(1, 0, 0));
    loads(&with(1, 0, 3));
    loads(&with(7, 4, 12));
}

#[test]
fn counts_are_held_to_the_section() {
    for at in 0..7 {
        for claim in CLAIMS {
            let mut artifact = artifact();
            let mut words = artifact.words(section::TIERS);
            words[at] = claim;
            artifact.set_words(section::TIERS, &words);
            refused(&artifact, TIERS, "contradict its length");
        }
    }
    let mut cut = artifact();
    let words = cut.words(section::TIERS);
    for length in 0..words.len() {
        cut.set_words(section::TIERS, &words[..length]);
        refused(&cut, TIERS, "contradict its length");
    }
    cut.set_words(section::TIERS, &[words.as_slice(), &[0]].concat());
    refused(&cut, TIERS, "contradict its length");
}

#[test]
fn every_number_names_something() {
    let n_strings = artifact().words(section::STRINGS)[0];
    for (part, at, beyond, what) in [
        (1, 1, 4, "a tier is out of range"),
        (3, 0, n_strings, "name of a tier"),
        (3, 1, n_strings + 1, "name of a tier"),
        (3, 2, 1_000, "a set of rows is out of range"),
        (3, 9, 1_000, "a set of rows is out of range"),
        (4, 0, 1_000, "tables or ranks"),
        (4, 1, 1_000, "tables or ranks"),
        (4, 2, 1_000, "tables or ranks"),
        (4, 3, 1_000, "tables or ranks"),
        (4, 3, 0, "a rank is out of range"),
        (5, 0, 3, "kind that tiers do not have"),
        (5, 1, 1_000, "a table is out of range"),
        (6, 0, 1_000, "a row is out of range"),
        (6, 1, 3, "an action has no meaning"),
        (7, 2, n_strings, "pattern or file of a row"),
        (7, 3, n_strings + 1, "pattern or file of a row"),
    ] {
        refused(&with(part, at, beyond), TIERS, what);
        refused(&with(part, at, u32::MAX), TIERS, "");
    }
    let mut default = artifact();
    let mut words = default.words(section::TIERS);
    for beyond in [4, u32::MAX] {
        words[7] = beyond;
        default.set_words(section::TIERS, &words);
        refused(&default, TIERS, "a tier is out of range");
    }
}

#[test]
fn models_are_where_their_hash_says() {
    let words = artifact().words(section::TIERS);
    let n_slots = usize::try_from(words[1]).unwrap();
    for slot in 0..n_slots {
        let known = word(2, slot);
        for other in [0, 1, 2, 3, 4, u32::MAX]
            .into_iter()
            .filter(|other| *other != known)
        {
            refused(&with(2, slot, other), TIERS, "");
        }
    }
    // Two models under one name, or in another order.
    refused(&with(0, 1, word(0, 0)), TIERS, "not in order");
    let _ = surface_hash(b"some/model");
}

#[test]
fn tables_of_other_kinds_are_no_tables_of_tiers() {
    // The tables of rules stand first; a list in one would be looked at by rules about text, not paths.
    let mut artifact = artifact();
    let mut tables = artifact.tables();
    let n_tables = tables.len();
    let table = usize::try_from(word(5, 1)).unwrap();
    assert!(table > 0 && table < n_tables);
    tables[table].bound = 1_000;
    artifact.set_tables(&tables);
    refused(&artifact, TIERS, "a rank is out of range");
}

#[test]
fn what_loads_answers() {
    let bytes = artifact().write();
    let policy = Policy::from_bytes(bytes).unwrap();
    let bound = policy.bind(CONTEXT).unwrap();
    let effect = bound.resolve_provider_permission("some-provider/some-model", "write", "x");
    assert_eq!(effect, Some(Action::Deny));
}
