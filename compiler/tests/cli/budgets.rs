//! Budgets and the size limit as options.

use super::support::Folder;
use permc::cli::ExitStatus;

const NAMES: [(&str, &str); 8] = [
    ("merged-states", "mergedStates"),
    ("joint-bytes", "jointBytes"),
    ("group-states", "groupStates"),
    ("steps", "steps"),
    ("exact-rules", "exactRules"),
    ("shared-rules", "sharedRules"),
    ("surface-states", "surfaceStates"),
    ("search-nodes", "searchNodes"),
];

#[test]
fn wrong_budgets_say_what_is_right() {
    let folder = Folder::with_policy();
    let cases: [(&str, &[&str]); 8] = [
        (
            "merged-stats=5",
            &[
                "unknown budget `merged-stats`",
                "did you mean `merged-states`?",
            ],
        ),
        (
            "merged_states=5",
            &[
                "unknown budget `merged_states`",
                "did you mean `merged-states`?",
            ],
        ),
        (
            "memory=5",
            &[
                "unknown budget `memory`",
                "help: the budgets are `merged-states`, `joint-bytes`",
            ],
        ),
        ("=5", &["unknown budget ``"]),
        (
            "steps",
            &["the budget `steps` has no value", "write `NAME=VALUE`"],
        ),
        (
            "steps=",
            &["the value `` of the budget `steps` is not a whole number from 0 to 4294967295"],
        ),
        (
            "steps=-1",
            &[
                "the value `-1` of the budget `steps`",
                "the default is `steps=4000000`",
            ],
        ),
        (
            "steps=4294967296",
            &["the value `4294967296` of the budget `steps`"],
        ),
    ];
    for (given, parts) in cases {
        for command in [
            ["compile"].as_slice(),
            &["check"],
            &["list"],
            &["query", "bash"],
            &["explain", "bash"],
        ] {
            let args = [command, &["--budget", given]].concat();
            folder.run(&args).refused(ExitStatus::Usage, parts);
        }
    }
    folder
        .run(&["compile", "--budget", "steps=5", "--budget", "steps=6"])
        .refused(ExitStatus::Usage, &["the budget `steps` is given twice"]);
    folder.run(&["compile", "--max-artifact", "16M"]).refused(
        ExitStatus::Usage,
        &[
            "the value `16M` of `--max-artifact`",
            "`--max-artifact 16777216`",
        ],
    );
}

#[test]
fn every_budget_compiles_answers_and_is_kept_in_the_artifact() {
    let folder = Folder::with_policy();
    let default = folder.run(&["query", "bash", "git push -f"]);
    for (name, key) in NAMES {
        let budget = format!("{name}=4_294_967_295");
        for (budget, value) in [(format!("{name}=0"), 0_u64), (budget, 4_294_967_295)] {
            let ran = folder.run(&["compile", "--budget", &budget]);
            assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
            let json = folder
                .run(&["inspect", "policy.permc", "--format", "json"])
                .json();
            assert_eq!(json["options"]["budget"][key], value, "{budget}");
            let asked = folder.run(&["query", "--budget", &budget, "bash", "git push -f"]);
            assert_eq!(asked.status, ExitStatus::Success);
            assert_eq!(asked.out, default.out, "{budget}");
            let human = folder.run(&["inspect", "policy.permc"]).out;
            let shown = format!("{name}={value}");
            assert!(human.contains(&shown), "{human}");
            assert_eq!(
                folder.run(&["list", "--budget", &budget]).status,
                ExitStatus::Success
            );
            assert_eq!(
                folder.run(&["check", "--budget", &budget]).status,
                ExitStatus::Success
            );
        }
    }
    folder.run(&["compile"]);
    let human = folder.run(&["inspect", "policy.permc"]).out;
    assert!(human.contains("the defaults"), "{human}");
}

#[test]
fn other_budgets_are_another_artifact() {
    let folder = Folder::compiled();
    assert_eq!(
        folder.run(&["compile", "--check"]).status,
        ExitStatus::Success
    );
    folder
        .run(&["compile", "--check", "--budget", "merged-states=1"])
        .refused(ExitStatus::Findings, &["not what the documents compile to"]);
}

#[test]
fn limits_change_nothing_about_an_artifact() {
    let folder = Folder::compiled();
    for command in [
        ["list"].as_slice(),
        &["query", "bash"],
        &["explain", "bash"],
    ] {
        for (limit, flag) in [
            (["--budget", "steps=5"], "`--budget`"),
            (["--max-artifact", "5"], "`--max-artifact`"),
        ] {
            let args = [command, &["--policy", "policy.permc"], &limit].concat();
            folder.run(&args).refused(
                ExitStatus::Usage,
                &[
                    "`policy.permc`: this is compiled already",
                    flag,
                    "name the manifest",
                ],
            );
        }
    }
    // The search for rules that can never win is made now, whatever the policy was compiled with.
    let list = [
        "list",
        "--policy",
        "policy.permc",
        "--budget",
        "search-nodes=50",
    ];
    folder
        .run(&list)
        .refused(ExitStatus::Usage, &["this is compiled already"]);
    let args = [list.as_slice(), &["--unreachable"]].concat();
    assert_eq!(folder.run(&args).status, ExitStatus::Success);
}

#[test]
fn the_size_limit_is_inclusive_and_says_what_is_large() {
    let folder = Folder::compiled();
    let size = folder.read("policy.permc").len();
    let (exact, less) = (size.to_string(), (size - 1).to_string());
    let ran = folder.run(&["compile", "--max-artifact", &exact]);
    assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
    for command in [["compile"].as_slice(), &["query", "bash"], &["list"]] {
        let args = [command, &["--max-artifact", &less]].concat();
        folder.run(&args).refused(
            ExitStatus::Findings,
            &[
                "error[PC0603]: the artifact has",
                "the largest sections are `",
                "the tables of `",
                "`--max-artifact`",
            ],
        );
    }
    assert_eq!(folder.read("policy.permc").len(), size, "the old one stays");
    let json = folder.run(&["compile", "--max-artifact", &less, "--format", "json"]);
    assert_eq!(json.status, ExitStatus::Findings);
    assert_eq!(json.json()["diagnostics"][0]["code"], "PC0603");
    let json = folder.run(&["check", "--max-artifact", &less, "--format", "json"]);
    assert_eq!(json.json()["diagnostics"][0]["name"], "table-too-large");
}

#[test]
fn a_pattern_that_outweighs_all_others_is_named() {
    let folder = Folder::new();
    let long = "abc".repeat(20_000);
    let policy = format!(
        "{{ \"permission\": {{ \"bash\": {{\n  \"git *\": \"allow\",\n  \"{long}\": \"deny\" }} }} }}"
    );
    folder.write("p.jsonc", policy);
    let compile = [
        "compile",
        "--global",
        "p.jsonc",
        "-o",
        "p.permc",
        "--max-artifact",
    ];
    folder.run(&[&compile[..], &["50000"]].concat()).refused(
        ExitStatus::Findings,
        &[
            "p.jsonc:3:3",
            "the longest pattern",
            "the pattern `abcabcabcabc",
            "has 60,000 bytes, all patterns together have 60,0",
        ],
    );
    let ran = folder.run(&[&compile[..], &["5000000"]].concat());
    assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
}

#[test]
fn a_pattern_over_the_limit_is_shown_with_its_place_and_its_start() {
    let folder = Folder::new();
    let policy = |length: usize| {
        let long = "x".repeat(length - 6);
        format!("{{ \"permission\": {{ \"bash\": {{\n  \"begin {long}\": \"deny\" }} }} }}")
    };
    folder.write("p.jsonc", policy((1 << 20) + 1));
    let check = ["check", "--global", "p.jsonc"];
    let ran = folder.run(&check);
    ran.refused(
        ExitStatus::Findings,
        &["error[PC0125]", "1 MiB", "p.jsonc:2:3", "begin xxx"],
    );
    assert!(ran.err.len() < 4_000, "{} bytes", ran.err.len());
    folder.write("p.jsonc", policy(1 << 20));
    assert_eq!(folder.run(&check).status, ExitStatus::Success);
}

#[test]
fn the_help_lists_what_the_options_take() {
    let folder = Folder::new();
    let help = folder.run(&["compile", "--help"]).out;
    for (name, default) in [
        ("merged-states", 2_048),
        ("joint-bytes", 32_768),
        ("group-states", 1 << 20),
        ("steps", 4_000_000),
        ("exact-rules", 16_384),
        ("shared-rules", 4_096),
        ("surface-states", 2_048),
        ("search-nodes", 50_000),
    ] {
        assert!(
            help.contains(&format!("- {name}={default}: ")),
            "{name}:\n{help}"
        );
    }
}
