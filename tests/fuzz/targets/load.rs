#![no_main]
//! Arbitrary changes to a whole artifact, behind a right header and checksum, followed by every kind of question.

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Options, compile};
use permc_runtime::{Context, Policy, Session, TierGroup, format};

/// Small artifacts with every kind of content, one for each layout: whole, joint, parts, guarded.
static ARTIFACTS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| [[2_048, 9_999, 99], [20, 9_999, 99], [1, 1, 99], [1, 1, 1]].map(artifact).into());

fn artifact([merged_states, joint_bytes, surface_states]: [usize; 3]) -> Vec<u8> {
    let global = r#"{ "permission": { "*": "ask", "bash": { "git *": "allow", "*b*c*d*": "deny",
            "*.env": "deny", "*cd*e*f": "ask", "git p*x": "deny", "git a b": "deny", "git a c": "ask", "x?y": "allow" },
        "path": { "~/.ssh/*": "deny" }, "web_*": "allow", "*_search": "deny" },
        "shellTools": { "exec": { "commandArgument": "cmd" } },
        "providerPermissions": { "defaultTier": "t", "assignments": { "m": "u" }, "tiers": [
            { "id": "t", "directories": { "**": { "read": "allow" }, "~/.ssh/**": { "read": "deny" }, "a/*b?": { "read": "ask" } } },
            { "id": "u", "label": "U", "directories": { "**/x/**": { "write": "deny", "execute": "ask" } } } ] } }"#;
    let agent = r#"{ "permission": { "bash": { "git *": "deny" } } }"#;
    let sources = SourceSet::from(vec![
        SourceDocument::new(Role::Global, "policy.jsonc", global),
        SourceDocument::new(Role::Agent("a".into()), "a.jsonc", agent),
    ]);
    let mut options = Options::default();
    options.budget.merged_states = merged_states;
    options.budget.joint_bytes = joint_bytes;
    options.budget.surface_states = surface_states;
    // The layout of parts has its exact patterns by hash.
    options.budget.exact_rules = if joint_bytes == 1 { 1 } else { 99 };
    compile(&sources, &options).output.expect("the seed compiles").bytes
}

// A layout, then pairs of a place (3 bytes) and a value (2 bytes) change the artifact; what is left over is asked.
fuzz_target!(|data: &[u8]| {
    let Some((layout, data)) = data.split_first() else { return };
    let Some(bytes) = ARTIFACTS.get(usize::from(*layout % 4)) else { return };
    let mut bytes = bytes.clone();
    let content = bytes.len() - format::TRAILER_LEN;
    let (edits, rest) = data.as_chunks::<5>();
    for [a, b, c, low, high] in edits {
        let place = u32::from_le_bytes([*a, *b, *c, 0]) as usize % (content - 1 - format::MAGIC.len());
        let place = place + format::MAGIC.len();
        bytes[place] = *low;
        bytes[place + 1] = *high;
    }
    let stated = bytes.len() as u64;
    bytes[8..12].copy_from_slice(&format::VERSION.to_le_bytes());
    bytes[12..16].fill(0);
    bytes[16..24].copy_from_slice(&stated.to_le_bytes());
    let checksum = format::crc32c(&bytes[..content]);
    bytes[content..].copy_from_slice(&checksum.to_le_bytes());
    let Ok(policy) = Policy::from_bytes(bytes) else { return };
    let value = String::from_utf8_lossy(rest);
    let session = Session::default();
    for agent in [None, Some("a")] {
        let Ok(bound) = policy.bind(Context { home: Some("/h"), cwd: Some("/w"), agent, ..Context::default() }) else { continue };
        for surface in ["bash", "path", "web_x", "odd"] {
            let _ = bound.check(surface, &[&value, "git push", "/h/.ssh/x", "abcd"], &session);
            let _ = bound.tool_permission(surface);
            let _ = bound.tool_exposed(surface, &session);
        }
        for model in ["m", "n"] {
            for action in ["read", "write", "bash", "webfetch"] {
                let _ = bound.explain_provider_permission(model, action, &value);
            }
        }
        let _ = bound.check_tool("exec", &[("cmd", "rm")].as_slice(), &session);
    }
    if let Ok(contents) = policy.contents() {
        let _ = (contents.rules().count(), contents.tables().count(), contents.tier_assignments().count());
        for tier in contents.tiers() {
            for group in TierGroup::ALL {
                let _ = (tier.rows(group, false), tier.tables(group, true), tier.label());
            }
        }
        let automata = (0..).map_while(|table| contents.automaton(table));
        for automaton in automata {
            let mut state = automaton.start();
            for byte in value.bytes() {
                state = automaton.next(state, byte);
                if let Some(list) = automaton.list(state) {
                    let _ = contents.looked_at(&automaton, list).count();
                }
            }
            let _ = (automaton.pass(state), automaton.end(state), automaton.cap(state), automaton.row(state));
        }
        let _ = permc::cold::Cold::decode(contents.cold());
    }
});
