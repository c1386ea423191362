//! `compile` and `check`: inputs, artifacts, findings, and what an error leaves behind.

use super::support::Folder;
use permc::cli::ExitStatus;
use permc_runtime::Policy;

/// A document with an error and one with a warning.
const WRONG: &str = r#"{ "permission": { "bash": { "git *": "Allow" } } }"#;
const ODD: &str = r#"{ "permission": { "bash": { "git *": "deny", "404": "deny" } } }"#;

#[test]
fn the_summary_counts_what_the_artifact_holds() {
    let folder = Folder::with_policy();
    let ran = folder.run(&["compile", "--format", "json"]);
    assert_eq!((ran.status, ran.err.as_str()), (ExitStatus::Success, ""));
    let bytes = folder.read("policy.permc");
    let policy = Policy::from_bytes(bytes.clone()).unwrap();
    let contents = policy.contents().unwrap();
    let hex: String = policy
        .digest()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let summary = ran.json();
    assert_eq!(summary["schema"], "permc/compile/1");
    assert_eq!(summary["result"], "written");
    assert_eq!(summary["output"], "policy.permc");
    assert_eq!(summary["digest"], hex.as_str());
    assert_eq!(summary["bytes"], bytes.len());
    assert_eq!(summary["rules"], contents.rules().count());
    assert_eq!(summary["views"], 2);
    assert_eq!(summary["tables"], contents.tables().count());
    assert_eq!(summary["diagnostics"].as_array().unwrap().len(), 0);

    let human = folder.run(&["compile"]);
    assert!(
        human.out.starts_with("`policy.permc`: written: ") && human.out.contains(&hex),
        "{human:?}"
    );
    assert_eq!(folder.run(&["compile", "-q"]).out, "");
}

#[test]
fn flags_name_documents_and_override_the_manifest() {
    let folder = Folder::with_policy();
    folder.write("other.jsonc", r#"{ "permission": { "bash": "allow" } }"#);
    folder.run(&["compile", "--global", "other.jsonc", "-o", "only.permc"]);
    let state = |policy: &str, value: &str| {
        let ran = folder.run(&[
            "query", "--policy", policy, "--format", "json", "bash", value,
        ]);
        ran.json()["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state("only.permc", "make all"), "allow");
    let args = [
        "compile",
        "--manifest",
        "permc.jsonc",
        "--project",
        "other.jsonc",
        "-o",
        "both.permc",
    ];
    assert_eq!(folder.run(&args).status, ExitStatus::Success);
    assert_eq!(
        state("both.permc", "anything"),
        "allow",
        "the other document's map is replaced"
    );
    assert_eq!(state("permc.jsonc", "anything"), "ask");
    let untrusted = folder.run(&[
        "compile",
        "--manifest",
        "permc.jsonc",
        "--untrusted-project",
        "-o",
        "u.permc",
    ]);
    assert!(
        untrusted.err.contains("project.jsonc"),
        "it says what is left out: {}",
        untrusted.err
    );
    assert_eq!(state("u.permc", "make all"), "ask");
    assert_eq!(state("permc.jsonc", "make all"), "allow");
}

#[test]
fn the_manifest_is_found_upwards() {
    let folder = Folder::with_policy();
    let below = folder.path.join("agents");
    let ran = folder.run_in(&below, ["check".into()].into_iter(), b"");
    assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
    let empty = Folder::new();
    let missing = ["there is no `permc.jsonc`", "permc init"];
    for command in [
        ["check"].as_slice(),
        &["compile", "-o", "x"],
        &["query", "bash"],
        &["list"],
    ] {
        empty.run(command).refused(ExitStatus::Usage, &missing);
    }
    // Servers alone are no policy, but they are an input.
    empty.write("mcp.json", r#"{ "mcpServers": {} }"#);
    assert_eq!(
        empty.run(&["check", "--mcp", "mcp.json"]).status,
        ExitStatus::Success
    );
}

#[test]
fn locations_of_the_reference_extension() {
    let mut folder = Folder::new();
    folder.write(
        "home/.pi/agent/extensions/pi-permission-system/config.json",
        r#"{ "permission": { "bash": "deny" } }"#,
    );
    folder.write(
        "work/.pi/extensions/pi-permission-system/config.json",
        r#"{ "permission": { "read": "allow" } }"#,
    );
    folder.home = Some(folder.path.join("home").to_str().unwrap().to_owned());
    let ran = folder.run(&[
        "compile", "--pi", "work", "-o", "p.permc", "--format", "json",
    ]);
    assert_eq!(
        ran.json()["rules"],
        3,
        "the builtin default and one rule each: {ran:?}"
    );
    folder.home = None;
    folder
        .run(&["check", "--pi"])
        .refused(ExitStatus::Usage, &["needs a home directory"]);
}

#[test]
fn an_error_leaves_the_old_artifact() {
    let folder = Folder::compiled();
    let before = folder.read("policy.permc");
    folder.write("policy.jsonc", WRONG);
    let ran = folder.run(&["compile", "--depfile", "d"]);
    ran.refused(
        ExitStatus::Findings,
        &["PC0106", "policy.jsonc:1:38", "unknown action `Allow`"],
    );
    assert_eq!(folder.read("policy.permc"), before);
    assert!(!folder.has("d"));
    let json = folder.run(&["compile", "--format", "json"]);
    assert_eq!((json.status, json.err.as_str()), (ExitStatus::Findings, ""));
    assert_eq!(json.json()["result"], "failed");
    assert_eq!(json.json()["diagnostics"][0]["code"], "PC0106");
}

#[test]
fn a_place_that_cannot_be_written() {
    let folder = Folder::with_policy();
    let names = folder.names();
    for output in ["nowhere/x.permc", "policy.jsonc/x.permc"] {
        let ran = folder.run(&["compile", "-o", output]);
        ran.refused(ExitStatus::Usage, &[output, "cannot be written"]);
    }
    folder
        .run(&["compile", "-o", "agents"])
        .refused(ExitStatus::Usage, &["this is a directory"]);
    assert_eq!(folder.names(), names, "no temporary file is left");
}

#[test]
fn only_artifacts_are_overwritten() {
    let folder = Folder::with_policy();
    let before = folder.read("project.jsonc");
    folder.run(&["compile", "-o", "project.jsonc"]).refused(
        ExitStatus::Usage,
        &["`project.jsonc`", "not a permc artifact"],
    );
    folder
        .run(&["compile", "--depfile", "project.jsonc"])
        .refused(ExitStatus::Usage, &["would overwrite"]);
    assert_eq!(folder.read("project.jsonc"), before);
    folder.write("empty.permc", "");
    assert_eq!(
        folder.run(&["compile", "-o", "empty.permc"]).status,
        ExitStatus::Success
    );
    assert_eq!(
        folder.run(&["compile", "-o", "empty.permc"]).status,
        ExitStatus::Success
    );
}

#[test]
fn an_output_is_needed() {
    let folder = Folder::with_policy();
    folder
        .run(&["compile", "--global", "policy.jsonc"])
        .refused(ExitStatus::Usage, &["where the artifact goes", "-o FILE"]);
}

#[test]
fn stale_missing_and_fresh() {
    let folder = Folder::with_policy();
    folder.run(&["compile", "--check"]).refused(
        ExitStatus::Findings,
        &[
            "`policy.permc`: the artifact is missing",
            "run `permc compile`",
        ],
    );
    assert!(!folder.has("policy.permc"));
    folder.run(&["compile"]);
    let artifact = folder.read("policy.permc");
    let fresh = folder.run(&["compile", "--check"]);
    assert_eq!(fresh.status, ExitStatus::Success);
    assert!(fresh.out.contains("fresh"), "{fresh:?}");
    folder.write(
        "project.jsonc",
        r#"{ "permission": { "bash": { "git *": "deny" } } }"#,
    );
    folder.run(&["compile", "--check"]).refused(
        ExitStatus::Findings,
        &[
            "is not what the documents compile to",
            "run `permc compile`",
        ],
    );
    let json = folder.run(&["compile", "--check", "--format", "json"]);
    assert_eq!(
        (json.status, &json.json()["result"]),
        (ExitStatus::Findings, &"stale".into())
    );
    assert_eq!(folder.read("policy.permc"), artifact, "nothing is written");
}

#[test]
fn dependencies_for_make() {
    let folder = Folder::with_policy();
    folder.write("my project.jsonc", "{}");
    let args = [
        "compile",
        "--manifest",
        "permc.jsonc",
        "--project",
        "my project.jsonc",
        "--depfile",
        "p.d",
    ];
    assert_eq!(folder.run(&args).status, ExitStatus::Success);
    let expected = "policy.permc: \\\n  permc.jsonc \\\n  policy.jsonc \\\n  my\\ project.jsonc \\\n  mcp.json \\\n  \
                    agents/reviewer.jsonc \\\n  agents\n";
    assert_eq!(String::from_utf8(folder.read("p.d")).unwrap(), expected);
}

#[test]
fn check_reports_all_files_and_writes_nothing() {
    let folder = Folder::with_policy();
    let names = folder.names();
    let ran = folder.run(&["check"]);
    assert_eq!((ran.status, ran.out.as_str()), (ExitStatus::Success, ""));
    assert_eq!(ran.err, "checked 4 files: 0 errors, 0 warnings\n");
    folder.write("policy.jsonc", WRONG);
    folder.write("agents/reviewer.jsonc", WRONG);
    folder.write("project.jsonc", ODD);
    let ran = folder.run(&["check"]);
    ran.refused(
        ExitStatus::Findings,
        &[
            "policy.jsonc:1:38",
            "agents/reviewer.jsonc:1:38",
            "PC0501",
            "2 errors, 1 warning\n",
        ],
    );
    let quiet = folder.run(&["check", "-q"]);
    assert!(
        quiet.err.contains("PC0106")
            && !quiet.err.contains("PC0501")
            && !quiet.err.contains("checked")
    );
    let json = folder.run(&["check", "--format", "json"]);
    assert_eq!((json.status, json.err.as_str()), (ExitStatus::Findings, ""));
    assert_eq!(json.json()["schema"], "permc/diagnostics/1");
    assert_eq!(json.json()["diagnostics"].as_array().unwrap().len(), 3);
    assert_eq!(folder.names(), names);
    folder.write("policy.jsonc", "{}");
    folder.write("agents/reviewer.jsonc", "{}");
    assert_eq!(
        folder.run(&["check"]).status,
        ExitStatus::Success,
        "a warning alone is no failure"
    );
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::with_policy();
    let check = |flag: &str, path: &str, parts: &[&str]| {
        folder
            .run(&["check", flag, path])
            .refused(ExitStatus::Usage, parts);
    };
    check(
        "--global",
        "nope.jsonc",
        &["PC0001", "there is no such file", "nope.jsonc"],
    );
    check(
        "--global",
        "agents",
        &["PC0001", "this is a directory, but a file is wanted"],
    );
    check(
        "--agents",
        "policy.jsonc",
        &["PC0001", "this is a file, but a directory is wanted"],
    );
    check(
        "--manifest",
        "nope.jsonc",
        &["`nope.jsonc`: there is no such file"],
    );
    check("--manifest", "agents", &["`agents`: this is a directory"]);
    folder.write(
        "latin.jsonc",
        b"{ \"permission\": { \"caf\xe9\": \"ask\" } }",
    );
    folder
        .run(&["check", "--global", "latin.jsonc"])
        .refused(ExitStatus::Findings, &["PC0002", "not UTF-8"]);
}

#[test]
fn manifests_with_mistakes() {
    let folder = Folder::with_policy();
    let check = |text: &str, status, parts: &[&str]| {
        folder.write("permc.jsonc", text);
        folder.run(&["check"]).refused(status, parts);
    };
    check(
        "{ \"globl\": \"policy.jsonc\" }",
        ExitStatus::Findings,
        &["permc.jsonc:1:3", "did you mean `global`?"],
    );
    check(
        "{ \"output\": \"x\" }",
        ExitStatus::Usage,
        &["`permc.jsonc`: the manifest names no document"],
    );
    check("", ExitStatus::Findings, &["PC0005"]);
    let json = folder.run(&["check", "--format", "json"]);
    assert_eq!(json.json()["diagnostics"][0]["code"], "PC0005");
    folder
        .run(&["query", "--policy", "policy.jsonc", "bash"])
        .refused(
            ExitStatus::Findings,
            &[
                "this looks like a policy document",
                "{ \"global\": \"policy.jsonc\" }",
            ],
        );
}
