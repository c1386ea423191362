//! Trust tiers on the command line.

use permc::cli::ExitStatus;
use serde_json::{Value, json};

use super::support::Folder;

const TIERS: &str = r#"{
  "providerPermissions": {
    "defaultTier": "unassigned",
    "tiers": [
      { "id": "limited", "label": "Limited", "directories": {
        "**": { "read": "allow", "write": "deny", "execute": "ask" },
        "~/secrets/**": { "read": "deny" },
        "src/**": { "write": "allow" }
      } },
      { "id": "unassigned", "directories": { "**": { "write": "deny" } } }
    ],
    "assignments": { "a/big": "limited", "old/model": "gone" }
  }
}"#;

const POLICY: &str =
    r#"{ "permission": { "*": "allow", "bash": { "*": "allow", "rm *": "deny" } } }"#;

const PROJECT: &str = r#"{ "providerPermissions": { "tiers": [{ "id": "limited", "directories": { "src/gen/**": { "write": "ask" } } }] } }"#;

/// A policy with tiers in a file of their own and a project that tightens them.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write(
        "permc.jsonc",
        r#"{ "global": "policy.jsonc", "tiers": "tiers.jsonc", "project": "project.jsonc", "output": "policy.permc" }"#,
    );
    folder.write("policy.jsonc", POLICY);
    folder.write("tiers.jsonc", TIERS);
    folder.write("project.jsonc", PROJECT);
    let ran = folder.run(&["compile", "--format", "json"]);
    assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
    folder
}

fn answer(effect: Value, tier: &str, via_default: bool, pattern: Value, group: Value) -> Value {
    json!({ "effect": effect, "tier": tier, "viaDefault": via_default, "pattern": pattern, "group": group })
}

#[test]
fn the_contract_of_a_tier_query() {
    let folder = folder();
    let lines = [
        r#"{"model": "a/big", "action": "write", "resource": "src/x"}"#,
        r#"{"model": "a/big", "action": "edit", "resource": "src/gen/x"}"#,
        r#"{"model": "a/big", "action": "grep", "resource": "~/secrets"}"#,
        r#"{"model": "a/big", "action": "read", "resource": "/h/secrets/k", "home": "/h"}"#,
        r#"{"model": "a/big", "action": "write", "resource": "x", "cwd": "/w"}"#,
        r#"{"model": "a/big", "action": "write", "resource": "/w/src/x", "cwd": "/w"}"#,
        r#"{"model": "a/big", "action": "websearch", "resource": ""}"#,
        r#"{"model": "a/big", "action": "Bash", "resource": ""}"#,
        r#"{"model": "x", "action": "write", "resource": "x"}"#,
        r#"{"model": "old/model", "action": "read", "resource": "x"}"#,
    ];
    let ran = folder.run_with(
        &["query", "policy.permc", "--stdin"],
        lines.join("\n").as_bytes(),
    );
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (ExitStatus::Success, ""),
        "{ran:?}"
    );
    assert_eq!(
        ran.lines(),
        [
            answer(
                "allow".into(),
                "limited",
                false,
                "src/**".into(),
                "write".into()
            ),
            answer(
                "ask".into(),
                "limited",
                false,
                "src/gen/**".into(),
                "write".into()
            ),
            answer(
                "deny".into(),
                "limited",
                false,
                "~/secrets/**".into(),
                "read".into()
            ),
            answer(
                "deny".into(),
                "limited",
                false,
                "~/secrets/**".into(),
                "read".into()
            ),
            answer("deny".into(), "limited", false, "**".into(), "write".into()),
            answer(
                "allow".into(),
                "limited",
                false,
                "src/**".into(),
                "write".into()
            ),
            answer(Value::Null, "limited", false, Value::Null, "network".into()),
            answer(Value::Null, "limited", false, Value::Null, Value::Null),
            answer(
                "deny".into(),
                "unassigned",
                true,
                "**".into(),
                "write".into()
            ),
            answer(Value::Null, "unassigned", true, Value::Null, "read".into()),
        ]
    );
    // The same with arguments.
    for (args, status, effect) in [
        (
            &["--model", "a/big", "write", "src/x"][..],
            ExitStatus::Success,
            "allow",
        ),
        (&["--model", "a/big", "bash"], ExitStatus::Ask, "ask"),
        (
            &["--model", "a/big", "write", "/etc/x"],
            ExitStatus::Deny,
            "deny",
        ),
        (
            &["--model", "a/big", "webfetch"],
            ExitStatus::Success,
            "none",
        ),
        (
            &["--model", "a/big", "--cwd", "/w", "write", "/w/src"],
            ExitStatus::Success,
            "allow",
        ),
    ] {
        let args = [
            &["query", "--policy", "policy.permc", "--exit-code"][..],
            args,
        ]
        .concat();
        let ran = folder.run(&args);
        assert_eq!(ran.status, status, "{ran:?}");
        assert_eq!(ran.out.lines().next(), Some(effect), "{ran:?}");
    }
    let ran = folder.run(&[
        "query", "--model", "a/big", "write", "src/x", "--format", "json",
    ]);
    assert_eq!(
        ran.json(),
        answer(
            "allow".into(),
            "limited",
            false,
            "src/**".into(),
            "write".into()
        )
    );
}

#[test]
fn a_bad_tier_query_says_what_is_wrong() {
    let folder = folder();
    let ran = folder.run(&["query", "--model", "a/big", "write", "a", "b"]);
    ran.refused(
        ExitStatus::Usage,
        &["an action and one path", "permc query --model"],
    );
    let ran = folder.run_with(
        &["query", "policy.permc", "--stdin"],
        b"{\"model\": \"m\", \"action\": \"read\"}\n{\"model\": \"m\", \"action\": \"read\", \"resource\": \"x\", \"cwd\": \"w\"}\n",
    );
    assert_eq!(ran.status, ExitStatus::Findings);
    let messages: Vec<String> = ran
        .lines()
        .iter()
        .map(|line| line["error"]["message"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        messages[0].contains("`resource`") && messages[1].contains("absolute"),
        "{messages:?}"
    );
    let mut homeless = folder;
    homeless.home = None;
    let ran = homeless.run(&["query", "--model", "a/big", "write", "x"]);
    ran.refused(ExitStatus::Usage, &["home directory", "--home DIR"]);
}

#[test]
fn an_explanation_names_rows_and_why_others_lost() {
    let folder = folder();
    let explain = |args: &[&str]| {
        let args = [
            &["explain", "--policy", "policy.permc", "--model", "a/big"][..],
            args,
        ]
        .concat();
        let ran = folder.run(&args);
        assert_eq!(
            (ran.status, ran.err.as_str()),
            (ExitStatus::Success, ""),
            "{ran:?}"
        );
        ran
    };
    let json = explain(&["write", "src/gen/x", "--format", "json"]).json();
    assert_eq!(json["schema"], "permc/explain-tier/1");
    assert_eq!(json["answer"]["effect"], "ask");
    assert_eq!(
        (
            &json["winner"]["pattern"],
            &json["winner"]["scope"],
            &json["winner"]["length"]
        ),
        (&"src/gen/**".into(), &"project".into(), &10.into())
    );
    let others: Vec<(&str, &str)> = json["others"]
        .as_array()
        .unwrap()
        .iter()
        .map(|other| {
            (
                other["pattern"].as_str().unwrap(),
                other["lost"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(others, [("src/**", "other-document"), ("**", "shorter")]);
    let text = explain(&["write", "src/gen/x"]).out;
    for part in [
        "ask  write `src/gen/x`",
        "`limited` (Limited)",
        "`src/gen/**` (project, 10 characters) at project.jsonc:1:74",
        "--> project.jsonc:1:74",
        "^^^^^^^^^^^^",
        "the other document's row counts",
        "shorter: 2 characters",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    assert!(
        explain(&["webfetch"])
            .out
            .contains("no row of the tier matches")
    );
    assert!(
        explain(&["mcp", "x"])
            .out
            .contains("tiers say nothing about this action")
    );
    let ran = folder.run(&["explain", "--model", "old/model", "read", "x"]);
    assert!(
        ran.out.contains("assigned to a tier that does not exist"),
        "{ran:?}"
    );
}

#[test]
fn the_matrix_of_tiers() {
    let folder = folder();
    let ran = folder.run(&["list", "--tiers"]);
    let expected = "\
tier `limited` (Limited), for `a/big`
  directory       read   write  execute  network  scope    place
  `**`            allow  deny   ask      -        global   tiers.jsonc:6:9
  `~/secrets/**`  deny   -      -        -        global   tiers.jsonc:7:9
  `src/**`        -      allow  -        -        global   tiers.jsonc:8:9
  `src/gen/**`    -      ask    -        -        project  project.jsonc:1:74

tier `unassigned`, the default
  directory  read  write  execute  network  scope   place
  `**`       -     deny   -        -        global  tiers.jsonc:10:46

assigned to tiers that do not exist: `old/model`
";
    assert_eq!(ran.out, expected);
    let json = folder.run(&["list", "--tiers", "--format", "json"]).json();
    assert_eq!(json["schema"], "permc/list-tiers/1");
    assert_eq!(json["defaultTier"], "unassigned");
    assert_eq!(json["tiers"][0]["rows"][3]["scope"], "project");
    assert_eq!(
        json["tiers"][0]["rows"][0]["effects"],
        json!({"read": "allow", "write": "deny", "execute": "ask", "network": null})
    );
    assert_eq!(
        json["assignments"][1],
        json!({"model": "old/model", "tier": null})
    );
    let plain = Folder::compiled();
    assert_eq!(
        plain.run(&["list", "--tiers"]).out,
        "the policy has no trust tiers\n"
    );
    plain
        .run(&["list", "--tiers", "--agent", "a"])
        .refused(ExitStatus::Usage, &["--agent"]);
}

#[test]
fn a_tier_is_a_ceiling_over_whole_calls() {
    let folder = folder();
    let decide = |call: Value, args: &[&str]| {
        let args = [
            &["decide", "policy.permc", "--pure", "--cwd", "/w"][..],
            args,
        ]
        .concat();
        let ran = folder.run_with(&args, call.to_string().as_bytes());
        assert_eq!(
            (ran.status, ran.err.as_str()),
            (ExitStatus::Success, ""),
            "{ran:?}"
        );
        ran.json()
    };
    let bash = |command: &str, model: &str| json!({ "tool": "bash", "input": { "command": command }, "model": model });
    let asked = decide(bash("ls", "a/big"), &["--format", "json"]);
    assert_eq!(asked["state"], "ask");
    let gate = asked["gates"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (
            &gate["gate"],
            &gate["state"],
            &gate["matchedPattern"],
            &gate["value"]
        ),
        (&"tier".into(), &"ask".into(), &"**".into(), &"/w".into())
    );
    assert_eq!(gate["rule"]["file"], "tiers.jsonc");
    assert_eq!(
        decide(bash("ls > out", "a/big"), &["--format", "json"])["state"],
        "deny"
    );
    // The flag stands for calls that name no model.
    let call = json!({ "tool": "bash", "input": { "command": "ls" } });
    assert_eq!(
        decide(call.clone(), &["--format", "json"])["state"],
        "allow"
    );
    assert_eq!(
        decide(call, &["--format", "json", "--model", "a/big"])["state"],
        "ask"
    );
    let ran = folder.run_with(
        &[
            "explain",
            "policy.permc",
            "--stdin",
            "--pure",
            "--cwd",
            "/w",
            "--model",
            "a/big",
        ],
        b"{\"tool\": \"write\", \"input\": {\"path\": \"doc\"}}\n",
    );
    for part in [
        "deny   tier   `/w/doc`",
        "The model's trust tier:",
        "deny  write `/w/doc`",
        "tiers.jsonc:6:9",
    ] {
        assert!(ran.out.contains(part), "{part:?} is not in\n{}", ran.out);
    }
}

#[test]
fn tiers_in_two_places_or_of_no_one() {
    let folder = folder();
    folder.write("policy.jsonc", TIERS);
    folder
        .run(&["compile"])
        .refused(ExitStatus::Findings, &["PC0208", "keep one of the two"]);
    folder.write("policy.jsonc", POLICY);
    folder.write(
        "project.jsonc",
        r#"{ "providerPermissions": { "defaultTier": "limited", "assignments": {}, "tiers": [{ "id": "nw" }] } }"#,
    );
    folder.run(&["compile"]).refused(
        ExitStatus::Findings,
        &["PC0204", "PC0205", "only in the global document"],
    );
    let json = folder
        .run(&["inspect", "policy.permc", "--format", "json"])
        .json();
    assert_eq!(json["tiers"]["tiers"], json!(["limited", "unassigned"]));
    assert_eq!(
        (&json["tiers"]["rows"], &json["tiers"]["models"]),
        (&5.into(), &2.into())
    );
    let human = folder.run(&["inspect", "policy.permc"]).out;
    assert!(
        human.contains("2, 5 rows, 2 models, default `unassigned`"),
        "{human}"
    );
}
