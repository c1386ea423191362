#![no_main]
//! A rule a line, then values: the artifact must answer as the reference does, under budgets that the input chooses.

use libfuzzer_sys::fuzz_target;
use permc::reference::{self, ReferenceContext};
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, compile};
use permc_runtime::{Context, Policy, Session};

fuzz_target!(|data: &[u8]| {
    let Some(([budget, flags], text)) = data.split_first_chunk::<2>() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Some((rules, values)) = text.split_once("\u{1}") else { return };
    let surface = if flags & 1 == 0 { "bash" } else { "path" };
    let mut map = Vec::new();
    for (number, pattern) in rules.split('\n').filter(|pattern| !pattern.is_empty()).enumerate().take(40) {
        if pattern == "action" || map.iter().any(|(known, _)| *known == pattern) {
            continue;
        }
        map.push((pattern, ["allow", "ask", "deny"][number % 3]));
    }
    let members: Vec<String> = map.iter().map(|(pattern, action)| format!("{}: \"{action}\"", quoted(pattern))).collect();
    let document = format!("{{ \"permission\": {{ \"{surface}\": {{ {} }} }} }}", members.join(", "));
    let mut options = Options { fold_paths: flags & 2 != 0, ..Options::default() };
    if flags & 4 != 0 {
        options.budget.merged_states = usize::from(*budget);
    }
    if flags & 8 != 0 {
        options.budget.group_states = usize::from(*budget);
    }
    if flags & 16 != 0 {
        options.budget.joint_bytes = usize::from(*budget) * 32;
    }
    if flags & 32 != 0 {
        options.budget.exact_rules = 1;
    }
    let sources = SourceSet::from(vec![SourceDocument::new(Role::Global, "policy.jsonc", document)]);
    let Some(output) = compile(&sources, &options).output else {
        panic!("every pattern compiles: {map:?}");
    };
    let policy = Policy::from_bytes(output.bytes.as_slice()).expect("what is written loads");
    let bound = policy.bind(Context { home: Some("/h"), ..Context::default() }).expect("home is known");
    let context = ReferenceContext { home: Some("/h"), ..ReferenceContext::default() };
    let session = Session::default();
    for value in values.split('\u{1}').take(20) {
        let artifact = bound.check(surface, &[value], &session);
        let expected = reference::check(&output.policy, context, &session, surface, &[value]).expect("a default");
        assert_eq!(artifact.state, expected.state, "{value:?}");
        assert_eq!(artifact.matched_pattern(), expected.matched_pattern.as_deref(), "{value:?}");
    }
});

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\0'..='\u{1F}' => quoted.push_str(&format!("\\u{:04x}", character as u32)),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
