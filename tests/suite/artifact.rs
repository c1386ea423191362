//! Bytes that are not the artifact that was written: a typed error or, where a checksum was forged, at least no panic.

use permc::Options;
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc_runtime::{Context, Policy, PolicyHandle, Session, format};
use permc_tests::engine::compiled;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Small, but with every kind of section content: agents, wildcard surfaces, home, servers, shell tools, chain.
fn artifact() -> Vec<u8> {
    let global = r#"{
        "permission": {
            "*": "ask",
            "bash": { "git *": "allow", "*b*c*d*": "deny", "rm *": { "action": "deny", "reason": "no" } },
            "path": { "~/.ssh/*": "deny" },
            "web_*": "allow", "*_search": "deny",
            "mcp": { "exa:*": "allow" }
        },
        "shellTools": { "exec": { "commandArgument": "cmd", "workdirArgument": "dir" } },
        "authorizerChain": ["judge"],
        "modelDelegation": { "allowedSurfaces": ["bash"], "secretPatterns": ["*.key"] },
        "piInfrastructureReadPaths": ["/opt/pi"]
    }"#;
    let agent = r#"{ "permission": { "bash": { "git *": "deny" } } }"#;
    let sources = SourceSet::from(vec![
        SourceDocument::new(Role::Global, "policy.jsonc", global),
        SourceDocument::new(Role::Agent("a".into()), "a.jsonc", agent),
        SourceDocument::new(Role::Mcp, "mcp.json", r#"{ "mcpServers": { "exa": {} } }"#),
    ]);
    let mut options = Options::default();
    options.budget.merged_states = 20;
    compiled(&sources, &options).bytes
}

/// Asks everything that reads a table; the answers may be wrong, the process must live.
fn ask_everything(bytes: &[u8]) {
    let Ok(policy) = Policy::from_bytes(bytes) else {
        return;
    };
    for agent in [None, Some("a"), Some("zz")] {
        let context = Context {
            home: Some("/home/dev"),
            agent,
            yolo: None,
            ..Context::default()
        };
        let Ok(bound) = policy.bind(context) else {
            continue;
        };
        let session: Session = [("bash", "x *")].into_iter().collect();
        for surface in ["bash", "path", "mcp", "web_x", "x_search", "odd", ""] {
            for values in [
                vec![],
                vec!["git push", "abcd"],
                vec!["/home/dev/.ssh/id", "\u{1F642}\n"],
            ] {
                let _ = bound.check(surface, &values, &session);
            }
            let _ = bound.tool_permission(surface);
            let _ = bound.tool_exposed(surface, &session);
        }
        let _ = bound.check_tool("mcp", &[("tool", "exa:x")].as_slice(), &session);
        let _ = bound.check_tool("exec", &[("cmd", "rm x")].as_slice(), &session);
    }
    if let Ok(contents) = policy.contents() {
        let _ = (
            contents.rules().count(),
            contents.tables().count(),
            contents.views().count(),
        );
        let _ = permc::cold::Cold::decode(contents.cold());
    }
}

fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let content = bytes.len().saturating_sub(format::TRAILER_LEN);
    let checksum = format::crc32c(&bytes[..content]);
    bytes[content..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn the_whole_artifact_loads() {
    let bytes = artifact();
    let policy = Policy::from_bytes(bytes.as_slice()).unwrap();
    assert_eq!(permc::digest_of(&bytes), Some(policy.digest()));
    ask_everything(&bytes);
}

#[test]
fn every_cut_is_refused() {
    let bytes = artifact();
    for length in 0..bytes.len() {
        let error = Policy::from_bytes(&bytes[..length]).unwrap_err();
        assert!(
            error.is_corrupt() || (length == 0 && error.is_not_an_artifact()),
            "{length}: {error}"
        );
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(Policy::from_bytes(longer).unwrap_err().is_corrupt());
}

#[test]
fn every_flipped_bit_is_refused() {
    let bytes = artifact();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            let error = Policy::from_bytes(flipped).unwrap_err();
            // In the first 16 bytes a flip reads as another kind of file or another version.
            assert!(
                at < 16 || error.is_corrupt(),
                "byte {at} bit {bit}: {error}"
            );
        }
    }
}

#[test]
fn a_forged_checksum_never_panics() {
    let bytes = artifact();
    for at in 8..bytes.len() - format::TRAILER_LEN {
        for value in [0, 1, 0x7F, 0x80, 0xFF] {
            let mut forged = bytes.clone();
            forged[at] = value;
            ask_everything(&with_checksum(forged));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, rng_seed: RngSeed::Fixed(20_261_201), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn forged_words_never_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![
        any::<u32>(), 0_u32..300, Just(u32::MAX), Just(u32::MAX - 1), Just(1 << 31)
    ]), 1..4)) {
        let mut bytes = artifact();
        let n_words = bytes.len() / 4 - 1;
        for (at, value) in edits {
            let start = at.index(n_words) * 4;
            bytes[start..start + 4].copy_from_slice(&value.to_le_bytes());
        }
        ask_everything(&with_checksum(bytes));
    }

    #[test]
    fn arbitrary_bytes_behind_a_header_never_panic(body in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let mut bytes = artifact();
        let keep = format::HEADER_LEN + 8 * format::SECTION_ENTRY_LEN;
        for (place, byte) in bytes[keep..].iter_mut().zip(body) {
            *place = byte;
        }
        ask_everything(&with_checksum(bytes));
    }
}

#[test]
fn other_files_are_named_as_such() {
    for bytes in [
        b"{}".as_slice(),
        b"PK\x03\x04",
        b"\x7fELF\x02\x01\x01",
        b"\x00\x00\x00\x00\x00\x00\x00\x00\x00",
    ] {
        let error = Policy::from_bytes(bytes).unwrap_err();
        assert!(error.is_not_an_artifact(), "{error}");
        assert!(error.to_string().contains("permc compile"), "{error}");
    }
    let mut text_mode = artifact();
    text_mode.remove(6);
    let error = Policy::from_bytes(text_mode).unwrap_err();
    assert!(error.to_string().contains("binary"), "{error}");
}

#[test]
fn a_newer_version_says_what_to_do() {
    let mut bytes = artifact();
    bytes[8..12].copy_from_slice(&(format::VERSION + 1).to_le_bytes());
    let error = Policy::from_bytes(with_checksum(bytes)).unwrap_err();
    assert!(error.is_version_mismatch());
    assert!(
        error.to_string().contains("compile the policy again"),
        "{error}"
    );
    let mut bytes = artifact();
    bytes[12..16].copy_from_slice(&4_u32.to_le_bytes());
    assert!(
        Policy::from_bytes(with_checksum(bytes))
            .unwrap_err()
            .is_version_mismatch()
    );
}

#[test]
fn a_failed_reload_keeps_the_policy() {
    let bytes = artifact();
    let handle = PolicyHandle::new(Policy::from_bytes(bytes.clone()).unwrap());
    let mut reader = handle.reader();
    let digest = reader.current().digest();
    assert!(handle.reload(bytes[..bytes.len() - 1].to_vec()).is_err());
    assert_eq!(reader.current().digest(), digest);
    let other = SourceSet::from(vec![SourceDocument::new(
        Role::Global,
        "p.jsonc",
        r#"{ "permission": { "*": "deny" } }"#,
    )]);
    let other = compiled(&other, &Options::default());
    handle.reload(other.bytes).unwrap();
    assert_eq!(reader.current().digest(), other.digest);
    assert_eq!(handle.reader().current().digest(), other.digest);
}
