//! The golden artifacts: those that lie on disk load and answer, and the sources still give their bytes.

use std::fs;

use permc_runtime::Policy;
use permc_tests::data::say;
use permc_tests::golden::{
    COMMAND, GOLDEN, answer_of_artifact, answer_of_reference, first_difference, questions,
};

#[test]
fn golden_artifacts_answer_as_recorded() {
    let mut n_asked = 0;
    for golden in GOLDEN {
        let path = golden.path();
        let policy =
            Policy::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for question in questions(golden.sources) {
            let answer = answer_of_artifact(&policy, &question);
            assert_eq!(answer, question["expect"], "{}: {question}", path.display());
            n_asked += 1;
        }
    }
    say(&format!(
        "golden: {n_asked} answers of {} artifacts",
        GOLDEN.len()
    ));
    assert!(n_asked > 300);
}

#[test]
fn recorded_answers_are_those_of_the_reference() {
    for golden in GOLDEN {
        let output = golden.compile();
        for question in questions(golden.sources) {
            assert_eq!(
                answer_of_reference(&output, &question),
                question["expect"],
                "{}: {question}",
                golden.sources
            );
        }
    }
}

#[test]
fn golden_sources_give_the_same_bytes() {
    let mut differing = Vec::new();
    for golden in GOLDEN {
        let path = golden.path();
        let before = fs::read(&path).unwrap();
        if let Some(section) = first_difference(&before, &golden.compile().bytes) {
            differing.push(format!(
                "{}: section `{section}` differs first",
                path.display()
            ));
        }
    }
    assert!(
        differing.is_empty(),
        "{}\nIf the bytes are meant to change and old runtimes still read them (else raise the version), write them \
         again: {COMMAND}",
        differing.join("\n")
    );
}

#[test]
fn a_difference_is_named_by_its_section() {
    let [whole, joint] = [GOLDEN[0], GOLDEN[1]].map(|golden| fs::read(golden.path()).unwrap());
    assert_eq!(first_difference(&whole, &whole), None);
    // The patterns that are looked at are strings that the other layout does without.
    assert_eq!(first_difference(&whole, &joint), Some("strings"));
    assert_eq!(first_difference(&[], &joint), Some("header"));
}

#[test]
fn golden_artifacts_have_the_layouts_that_they_are_named_for() {
    for golden in GOLDEN {
        let policy = Policy::open(golden.path()).unwrap();
        let contents = policy.contents().unwrap();
        let n_lists: usize = contents.tables().map(|table| table.n_lists).sum();
        assert_eq!(
            n_lists > 0,
            !["whole", "guarded"].contains(&golden.layout),
            "{golden:?}"
        );
        let of = |surface| -> Vec<u32> { contents.class(0, surface).unwrap().tables().collect() };
        let is_guarded = of("web_x") == of("odd") && of("odd").len() > 1;
        assert_eq!(
            is_guarded,
            golden.layout.starts_with("guarded"),
            "{golden:?}"
        );
    }
    let mut bytes: Vec<Vec<u8>> = GOLDEN
        .iter()
        .map(|golden| fs::read(golden.path()).unwrap())
        .collect();
    bytes.sort();
    bytes.dedup();
    assert_eq!(bytes.len(), GOLDEN.len(), "no two are the same");
}
