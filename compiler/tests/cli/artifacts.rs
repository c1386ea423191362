//! Files that are not the artifact that they should be, and what is shown of those that are.

use super::support::Folder;
use permc::cli::ExitStatus;
use permc_runtime::format;

/// The commands that read an artifact.
const READERS: [&[&str]; 5] = [
    &["query", "--policy", "bad.permc", "bash"],
    &["query", "bad.permc", "--stdin"],
    &["explain", "--policy", "bad.permc", "bash"],
    &["list", "--policy", "bad.permc"],
    &["inspect", "bad.permc"],
];

#[test]
fn broken_artifacts_are_refused_by_every_command() {
    let folder = Folder::compiled();
    let good = folder.read("policy.permc");
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] ^= byte;
        bytes
    };
    let cases: [(Vec<u8>, &str); 6] = [
        (good[..good.len() / 2].to_vec(), "it was cut or appended to"),
        (good[..10].to_vec(), "it is cut"),
        (changed(good.len() / 2, 1), "checksum is wrong"),
        (changed(8, 3), "format version 2"),
        (Vec::new(), "the artifact is empty"),
        (b"ELF or so".to_vec(), "not a permc artifact"),
    ];
    for (bytes, message) in cases {
        folder.write("bad.permc", bytes);
        for args in READERS {
            folder
                .run(args)
                .refused(ExitStatus::Usage, &["error: `bad.permc`: ", message]);
        }
    }
}

#[test]
fn a_missing_file_a_directory_and_a_directory_with_a_manifest() {
    let folder = Folder::compiled();
    for args in READERS {
        folder
            .run(args)
            .refused(ExitStatus::Usage, &["`bad.permc`: there is no such file"]);
    }
    folder
        .run(&["query", "--policy", "agents", "bash"])
        .refused(ExitStatus::Usage, &["`agents/permc.jsonc`"]);
    folder
        .run(&["inspect", "agents"])
        .refused(ExitStatus::Usage, &["this is a directory"]);
    assert_eq!(
        folder.run(&["query", "--policy", ".", "bash"]).status,
        ExitStatus::Success
    );
}

#[test]
fn the_wrong_kind_of_file() {
    let folder = Folder::compiled();
    folder
        .run(&["check", "--manifest", "policy.permc"])
        .refused(
            ExitStatus::Usage,
            &["`policy.permc`: this is a compiled policy, but a manifest is wanted"],
        );
    folder
        .run(&["compile", "--global", "policy.permc", "-o", "x.permc"])
        .refused(
            ExitStatus::Usage,
            &["`policy.permc`: this is a compiled policy, but a document is wanted"],
        );
    folder.run(&["inspect", "permc.jsonc"]).refused(
        ExitStatus::Usage,
        &["`permc.jsonc`: this is a document, but an artifact is wanted"],
    );
}

#[test]
fn inspect_shows_what_is_there() {
    let folder = Folder::compiled();
    let bytes = folder.read("policy.permc");
    let json = folder
        .run(&["inspect", "policy.permc", "--format", "json"])
        .json();
    assert_eq!(json["schema"], "permc/inspect/1");
    assert_eq!(
        (&json["bytes"], &json["formatVersion"]),
        (&bytes.len().into(), &1.into())
    );
    assert_eq!(json["compiler"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["digest"]["equal"], true);
    assert_eq!(json["options"]["foldPaths"], false);
    assert_eq!(json["config"]["usesHome"], true);
    assert_eq!(json["config"]["servers"][0], "exa");
    let names = |list: &str, key: &str| -> Vec<String> {
        json[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item[key].as_str().unwrap_or("-").to_owned())
            .collect()
    };
    let sections = [
        "strings", "rules", "tables", "classes", "surfaces", "views", "config", "tiers", "cold",
    ];
    assert_eq!(names("sections", "name"), sections);
    assert_eq!(
        names("sources", "name"),
        [
            "policy.jsonc",
            "project.jsonc",
            "reviewer.jsonc",
            "mcp.json"
        ]
    );
    assert_eq!(names("views", "agent"), ["-", "reviewer"]);
    let human = folder.run(&["inspect", "policy.permc"]);
    assert!(
        human.out.contains("(recomputed: equal)") && human.out.contains("agent `reviewer`"),
        "{}",
        human.out
    );
}

#[test]
fn inspect_finds_a_digest_that_is_not_the_contents() {
    let folder = Folder::compiled();
    let mut bytes = folder.read("policy.permc");
    bytes[format::DIGEST_OFFSET] ^= 1;
    let content = bytes.len() - format::TRAILER_LEN;
    let checksum = format::crc32c(&bytes[..content]).to_le_bytes();
    bytes[content..].copy_from_slice(&checksum);
    folder.write("bad.permc", bytes);
    let ran = folder.run(&["inspect", "bad.permc", "--format", "json"]);
    assert_eq!(
        (ran.status, &ran.json()["digest"]["equal"]),
        (ExitStatus::Findings, &false.into())
    );
    assert!(
        ran.err
            .contains("the stored digest is not that of the content"),
        "{}",
        ran.err
    );
    assert_eq!(
        folder.run(&["inspect", "policy.permc"]).status,
        ExitStatus::Success
    );
}

#[test]
fn warnings_are_kept_in_the_artifact() {
    let folder = Folder::new();
    folder.write(
        "p.jsonc",
        r#"{ "permission": { "bash": { "git *": "deny", "404": "deny" } } }"#,
    );
    folder.run(&[
        "compile",
        "--global",
        "p.jsonc",
        "-o",
        "p.permc",
        "--fold-paths",
    ]);
    let json = folder
        .run(&["inspect", "p.permc", "--format", "json"])
        .json();
    assert_eq!(json["warnings"][0]["code"], "PC0501");
    assert_eq!(json["options"]["foldPaths"], true);
}
