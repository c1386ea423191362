//! `explain` and `list`.

use super::query::id;
use super::support::Folder;
use permc::cli::ExitStatus;
use serde_json::{Value, json};

fn explained(folder: &Folder, args: &[&str]) -> Value {
    let args: Vec<&str> = ["explain", "--format", "json"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    let ran = folder.run(&args);
    assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
    ran.json()
}

/// Pattern and why it lost, nearest first.
fn lost(explanation: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let others = explanation["others"].as_array().unwrap();
    others
        .iter()
        .map(|other| (text(&other["pattern"]), text(&other["lost"])))
        .collect()
}

#[test]
fn the_winner_the_losers_and_the_history() {
    let folder = Folder::compiled();
    let json = explained(&folder, &["bash", "git status"]);
    assert_eq!(json["schema"], "permc/explain/1");
    assert_eq!(json["decision"]["state"], "ask");
    let winner = &json["winner"];
    assert_eq!(
        (&winner["pattern"], &winner["origin"]),
        (&json!("git *"), &json!("project"))
    );
    assert_eq!(winner["id"], id(["project", "", "bash", "git *"]).as_str());
    let history: Vec<Value> = winner["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|writing| {
            json!([
                writing["origin"],
                writing["action"],
                writing["how"],
                writing["file"],
                writing["line"]
            ])
        })
        .collect();
    assert_eq!(
        history,
        [
            json!(["global", "allow", "new", "policy.jsonc", 6]),
            json!(["project", "ask", "restated", "project.jsonc", 3]),
        ]
    );
    let pair = |pattern: &str, why: &str| (pattern.to_owned(), why.to_owned());
    assert_eq!(
        lost(&json),
        [pair("*", "later-rule"), pair("*", "higher-layer")]
    );
}

#[test]
fn values_that_do_not_decide() {
    let folder = Folder::compiled();
    let json = explained(&folder, &["mcp", "exa_x", "mcp_status"]);
    assert_eq!(
        (&json["value"], &json["winner"]["pattern"]),
        (&json!("exa_x"), &json!("exa_*"))
    );
    assert!(
        lost(&json).contains(&("mcp_status".into(), "other-value".into())),
        "{json}"
    );
    let json = explained(&folder, &["path", "a.env", "/home/dev/.ssh/id"]);
    assert_eq!(
        (&json["value"], &json["winner"]["pattern"]),
        (&json!("a.env"), &json!("*.env"))
    );
    assert!(
        lost(&json).contains(&("~/.ssh/*".into(), "later-rule".into())),
        "{json}"
    );
}

#[test]
fn session_yolo_and_unknown_agents() {
    let folder = Folder::compiled();
    folder.write("s.json", r#"[["bash", "git push"], ["bash", "x"]]"#);
    let json = explained(&folder, &["--session", "s.json", "bash", "git push"]);
    assert_eq!(json["winner"]["layer"], "session");
    assert_eq!(json["session"], json!({"rules": 2, "matches": 1}));
    assert!(lost(&json).contains(&("git push*".into(), "higher-layer".into())));
    assert_eq!(explained(&folder, &["bash", "ls"])["yolo"], "off");
    let yolo = explained(&folder, &["--yolo", "bash", "ls"]);
    assert_eq!(
        (&yolo["yolo"], &yolo["decision"]["origin"]),
        (&json!("ask-to-allow"), &json!("yolo"))
    );
    assert_eq!(
        explained(&folder, &["--yolo", "bash", "git push"])["yolo"],
        "no-effect"
    );
    let agent = explained(&folder, &["--agent", "nobody", "bash", "ls"]);
    assert_eq!(
        (&agent["agent"], &agent["view"]),
        (&json!("nobody"), &Value::Null)
    );
    assert_eq!(
        explained(&folder, &["--agent", "reviewer", "bash", "ls"])["view"],
        "reviewer"
    );
    let human = folder.run(&["explain", "--agent", "nobody", "bash"]);
    assert!(
        human.out.contains("`nobody` is not known to the policy"),
        "{}",
        human.out
    );
}

#[test]
fn a_clamped_view_says_so() {
    let folder = Folder::with_policy();
    folder.write("agents/reviewer.jsonc", "{ broken");
    folder.run(&["compile", "--manifest", "permc.jsonc", "--fail-closed"]);
    let args = [
        "--policy",
        "policy.permc",
        "--agent",
        "reviewer",
        "--yolo",
        "bash",
        "make x",
    ];
    let json = explained(&folder, &args);
    assert_eq!(
        (&json["yolo"], &json["decision"]["state"]),
        (&json!("clamped"), &json!("ask"))
    );
    let list = folder.run(&["list", "--policy", "policy.permc", "--agent", "reviewer"]);
    assert!(
        list.out.contains("clamped by a broken document"),
        "{}",
        list.out
    );
}

#[test]
fn people_see_the_source_line_underlined() {
    let folder = Folder::compiled();
    let ran = folder.run(&["explain", "bash", "git push"]);
    let place = " --> policy.jsonc:7:7\n  |\n7 |       \"git push*\": { \"action\": \"deny\", \"reason\": \
                 \"by people only\" }\n  |       ^^^^^^^^^^^\n";
    assert!(ran.out.contains(place), "{}", ran.out);
    assert!(
        ran.out.starts_with("deny  bash `git push`\n"),
        "{}",
        ran.out
    );
    let history = folder.run(&["explain", "bash", "git x"]);
    assert!(
        history.out.contains("restates the pattern"),
        "{}",
        history.out
    );
    let default = folder.run(&["explain", "nothing"]);
    assert!(
        default
            .out
            .contains("no rule matches; the default of policy.jsonc:3:5 says ask"),
        "{}",
        default.out
    );
    folder.write("p.jsonc", "{}");
    folder.run(&["compile", "--global", "p.jsonc", "-o", "p.permc"]);
    let builtin = folder.run(&["explain", "--policy", "p.permc", "nothing"]);
    assert!(
        builtin.out.contains("no document has a default"),
        "{}",
        builtin.out
    );
}

#[test]
fn documents_on_one_long_line() {
    let folder = Folder::new();
    let filler: String = (0..60)
        .map(|number| format!("\"command-{number}\": \"allow\", "))
        .collect();
    folder.write(
        "p.jsonc",
        format!("{{ \"permission\": {{ \"bash\": {{ {filler}\"rm *\": \"deny\" }} }} }}"),
    );
    folder.run(&["compile", "--global", "p.jsonc", "-o", "p.permc"]);
    let ran = folder.run(&["explain", "--policy", "p.permc", "bash", "rm x"]);
    assert!(
        ran.out
            .contains("\n1 | \"rm *\": \"deny\" } } }\n  | ^^^^^^\n"),
        "{}",
        ran.out
    );
}

#[test]
fn the_list_is_the_composed_list() {
    let folder = Folder::compiled();
    let json = folder.run(&["list", "--format", "json"]).json();
    assert_eq!(json["schema"], "permc/list/1");
    let rules = |view: usize| -> Vec<String> {
        let rules = json["views"][view]["rules"].as_array().unwrap();
        let rule = |rule: &Value| {
            let text = |key: &str| rule[key].as_str().unwrap().to_owned();
            format!(
                "{} {} {} {} {}",
                text("action"),
                text("surface"),
                text("pattern"),
                text("layer"),
                text("origin")
            )
        };
        rules.iter().map(rule).collect()
    };
    assert_eq!(
        rules(0),
        [
            "ask * * default global",
            "allow mcp mcp_status baseline baseline",
            "allow mcp mcp_list baseline baseline",
            "allow mcp mcp_search baseline baseline",
            "allow mcp mcp_describe baseline baseline",
            "allow mcp mcp_connect baseline baseline",
            "ask bash * config global",
            "ask bash git * config project",
            "deny bash git push* config global",
            "allow bash make * config project",
            "allow mcp exa_* config global",
            "allow path * config global",
            "deny path ~/.ssh/* config global",
            "deny path *.env config global",
            "deny web_fetch * config global",
        ]
    );
    assert_eq!(json["views"][1]["agent"], "reviewer");
    assert!(rules(1).contains(&"deny bash * config agent".to_owned()));
    let one = folder.run(&["list", "--agent", "reviewer", "--surface", "bash"]);
    let expected = "agent `reviewer`\n  ask   *     `*`  global (default)  policy.jsonc:3:5\n  \
                    deny  bash  `*`  agent             reviewer.jsonc:2:19\n";
    assert_eq!(one.out, expected);
    let unknown = folder.run(&["list", "--agent", "nobody"]);
    assert!(
        unknown.err.contains("`nobody` is not known") && unknown.out.starts_with("base view"),
        "{unknown:?}"
    );
}

#[test]
fn compiled_in_session_rules_are_listed() {
    let folder = Folder::with_policy();
    folder.write("s.json", r#"[["bash", "ls *"]]"#);
    folder.run(&["compile", "--session", "s.json", "-o", "s.permc"]);
    let ran = folder.run(&["list", "--policy", "s.permc", "--surface", "bash"]);
    assert!(
        ran.out
            .contains("`ls *`       session           s.json:1:11"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("make *"),
        "the manifest's documents count as well: {}",
        ran.out
    );
}

#[test]
fn rules_that_can_never_win_are_listed_and_others_are_not() {
    let folder = Folder::with_policy();
    folder.write(
        "g.jsonc",
        r#"{ "permission": { "bash": { "*": "ask", "git push": "deny", "git *": "allow", "git *x": "deny" } } }"#,
    );
    folder.run(&["compile", "--global", "g.jsonc", "-o", "g.permc"]);
    let json = folder
        .run(&[
            "list",
            "--unreachable",
            "--policy",
            "g.permc",
            "--format",
            "json",
        ])
        .json();
    let patterns: Vec<&Value> = json["views"][0]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| &rule["pattern"])
        .collect();
    assert_eq!(
        patterns,
        ["git push"],
        "`git *` covers it, nothing covers `*` and `git *`"
    );
}
