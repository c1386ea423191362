#![no_main]
//! Arbitrary text as a document: no panic, spans inside the text, and diagnostics that render.

use libfuzzer_sys::fuzz_target;
use permc::diagnostic::{Color, render_human, render_json};
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, compile};
use permc_grammar::jsonc::parse;
use permc_grammar::limits::Limits;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        match parse(text, &Limits::default()) {
            Ok(document) => assert!(document.root.span.end <= text.len()),
            Err(error) => assert!(error.span().end <= text.len()),
        }
    }
    let sources = SourceSet::from(vec![
        SourceDocument::new(Role::Global, "policy.jsonc", data),
        SourceDocument::new(Role::Agent("a".into()), "a.md", data),
    ]);
    let compilation = compile(&sources, &Options { fail_closed: true, ..Options::default() });
    let _ = render_human(&compilation.diagnostics, &compilation.sources, Color::Never);
    let _ = render_json(&compilation.diagnostics, &compilation.sources);
});
