//! tree-sitter-bash beside our reader, one way: where it reports no error, it names no command that our units lack.
//!
//! The other way says nothing: it takes invalid text for valid and calls valid text an error.

use permc_grammar::shell::{Limits, parse};
use permc_tests::calls::Judge;
use permc_tests::data::json_lines;
use serde_json::json;
use tree_sitter::{Node, Parser};

use crate::shell::Draw;

/// The command words that tree-sitter sees; `None` where it reports an error.
fn names<'t>(parser: &mut Parser, text: &'t str) -> Option<Vec<&'t str>> {
    let tree = parser.parse(text, None).unwrap();
    if tree.root_node().has_error() {
        return None;
    }
    let mut found = Vec::new();
    let mut waiting: Vec<Node<'_>> = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        if node.kind() == "command"
            && let Some(name) = node.child_by_field_name("name")
        {
            found.push(&text[name.byte_range()]);
        }
        let mut cursor = node.walk();
        waiting.extend(node.children(&mut cursor));
    }
    Some(found)
}

#[test]
fn tree_sitter_names_no_command_that_our_units_lack() {
    let judge = Judge::of(&json!({ "*": "allow" }));
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .unwrap();
    let mut texts: Vec<String> = [
        "conformance/bash-units.jsonl",
        "conformance/decide.jsonl",
        "cases/reported.jsonl",
        "cases/attacks.jsonl",
        "cases/everyday.jsonl",
    ]
    .iter()
    .flat_map(|file| json_lines(file))
    .filter_map(|line| {
        let mut places = ["/command", "/input/command", "/call/input/command"].iter();
        let command = places.find_map(|place| line.pointer(place)?.as_str())?;
        Some(command.to_owned())
    })
    .collect();
    let n_recorded = texts.len();
    let mut draw = Draw(7);
    texts.extend((0..20_000).map(|_| draw.command(3)));
    let (mut n_compared, mut n_words) = (0, 0);
    for text in &texts {
        if !parse(text, &Limits::default()).faults.is_empty() {
            continue;
        }
        let Some(names) = names(&mut parser, text) else {
            continue;
        };
        n_compared += 1;
        let input = json!({ "command": text });
        judge.decide(
            "bash",
            &input,
            &permc_runtime::Session::default(),
            None,
            |decision| {
                for name in &names {
                    n_words += 1;
                    let is_known = decision
                        .units
                        .iter()
                        .any(|unit| unit.text.starts_with(name));
                    assert!(
                        is_known,
                        "{name:?} of {text:?}: {}",
                        permc_tests::calls::shown(decision)
                    );
                }
            },
        );
    }
    println!(
        "oracle: {n_compared} texts compared, {n_recorded} of {} recorded; {n_words} command words",
        texts.len()
    );
    assert!(n_compared > 5_000 && n_words > 10_000);
}
