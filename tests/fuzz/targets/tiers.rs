#![no_main]
//! A row of a tier a line, then paths: the artifact must answer as the naive evaluator does, or name the pattern that it
//! refuses.

use libfuzzer_sys::fuzz_target;
use permc::diagnostic::Severity;
use permc::reference::tiers::{TierPlace, resolve};
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Compilation, Options, compile};
use permc_runtime::{Context, Policy};

fuzz_target!(|data: &[u8]| {
    let Some(([flags], text)) = data.split_first_chunk::<1>() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Some((rows, paths)) = text.split_once("\u{1}") else { return };
    let mut members: Vec<(&str, String)> = Vec::new();
    for (number, pattern) in rows.split('\n').filter(|pattern| !pattern.is_empty()).enumerate().take(20) {
        if members.iter().any(|(known, _)| *known == pattern) {
            continue;
        }
        let effect = ["allow", "ask", "deny"][number % 3];
        members.push((pattern, format!("{}: {{ \"read\": \"{effect}\" }}", quoted(pattern))));
    }
    let members: Vec<String> = members.into_iter().map(|(_, member)| member).collect();
    let document = format!(
        "{{ \"providerPermissions\": {{ \"defaultTier\": \"t\", \"tiers\": [{{ \"id\": \"t\", \"directories\": {{ {} }} }}] }} }}",
        members.join(", ")
    );
    let mut options = Options { fold_paths: flags & 1 != 0, ..Options::default() };
    // What one input may cost.
    options.budget.group_states = 20_000;
    options.budget.steps = 200_000;
    options.budget.search_nodes = 2_000;
    let sources = SourceSet::from(vec![SourceDocument::new(Role::Global, "policy.jsonc", document)]);
    let Compilation { diagnostics, output, .. } = compile(&sources, &options);
    let Some(output) = output else {
        assert!(diagnostics.iter().any(|found| found.severity == Severity::Error));
        return;
    };
    let policy = Policy::from_bytes(output.bytes.as_slice()).expect("what is written loads");
    let (home, cwd) = ("/h/d", "/w");
    let context = Context { home: Some(home), cwd: Some(cwd), ..Context::default() };
    let bound = policy.bind(context).expect("home and working directory are known");
    let place = TierPlace { home: Some(home), cwd, fold: options.fold_paths };
    for path in paths.split('\u{1}').take(20) {
        let answer = bound.explain_provider_permission("m", "read", path);
        assert!(!answer.is_fault, "{path:?}");
        let expected = resolve(&output.policy.tiers, &place, "m", "read", path);
        assert_eq!(answer.effect, expected, "{path:?}");
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
