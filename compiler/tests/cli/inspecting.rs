//! The layouts that `inspect` shows, each forced by budgets, and the graphs of their tables.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::support::Folder;
use permc::cli::ExitStatus;
use serde_json::Value;

/// Prefixes, suffixes, infixes, heads with tails and two stars, all on `bash`.
fn policy() -> String {
    let mut rules = String::from("\"*\": \"ask\"");
    for number in 0..4 {
        let _ = write!(
            rules,
            r#", "git sub{number} *": "allow", "*.end{number}": "deny", "*mid{number}*": "deny",
            "head{number} *tail{number}": "ask", "*one{number}*two{number}*": "deny""#
        );
    }
    format!(
        r#"{{ "permission": {{ "bash": {{ {rules}, "say \"\\\n*": "allow" }}, "web_*": "deny" }} }}"#
    )
}

/// Compiles the policy under budgets and gives what `inspect` says about it as JSON and as text.
fn inspected(folder: &Folder, budgets: &[&str]) -> (Value, String) {
    folder.write("p.jsonc", policy());
    let mut args = vec!["compile", "--global", "p.jsonc", "-o", "p.permc"];
    for budget in budgets {
        args.extend(["--budget", budget]);
    }
    let ran = folder.run(&args);
    assert_eq!(ran.status, ExitStatus::Success, "{ran:?}");
    let json = folder.run(&["inspect", "p.permc", "--format", "json"]);
    (json.json(), folder.run(&["inspect", "p.permc"]).out)
}

/// The layout of the class that answers for `bash`.
fn of_bash(json: &Value) -> Value {
    let layouts = json["layouts"].as_array().unwrap();
    let uses_bash = |layout: &&Value| {
        let uses = layout["usedBy"].as_array().unwrap();
        let surfaces = uses
            .iter()
            .flat_map(|uses| uses["surfaces"].as_array().unwrap());
        surfaces.into_iter().any(|surface| surface == "bash")
    };
    layouts.iter().find(uses_bash).unwrap().clone()
}

fn kinds(layout: &Value) -> Vec<&str> {
    let tables = layout["tables"].as_array().unwrap();
    let mut kinds: Vec<&str> = tables
        .iter()
        .map(|table| table["layout"].as_str().unwrap())
        .collect();
    kinds.sort_unstable();
    kinds
}

const WHOLE: &[&str] = &["merged-states=100000"];
const JOINT: &[&str] = &["merged-states=1"];
const PARTS: &[&str] = &["merged-states=1", "joint-bytes=1"];
const LOOKED_AT: &[&str] = &["merged-states=1", "joint-bytes=1", "group-states=1"];

#[test]
fn each_layout_is_named_and_explained() {
    let folder = Folder::new();
    // 22 rules: the default, four of each of five shapes, one with odd bytes.
    let (json, text) = inspected(&folder, WHOLE);
    let bash = of_bash(&json);
    assert_eq!(kinds(&bash), ["whole"], "{text}");
    assert_eq!(bash["reasons"], Value::Array(Vec::new()));
    assert!(text.contains("one table for all 22 rules"), "{text}");

    let (json, text) = inspected(&folder, JOINT);
    let bash = of_bash(&json);
    assert_eq!(
        (kinds(&bash), &bash["rules"]),
        (vec!["joint"], &22.into()),
        "{text}"
    );
    assert!(
        text.contains(
            "one walk for 6 prefixes, 8 infixes, 4 head-and-tail rules looked at after their head, \
             4 literals after which 4 rules are looked at"
        ),
        "{text}"
    );
    assert!(text.contains("why: not one table: "), "{text}");
    assert!(
        text.contains("the table fits joint-bytes (32,768)"),
        "{text}"
    );

    let (json, text) = inspected(&folder, PARTS);
    let bash = of_bash(&json);
    assert_eq!(kinds(&bash), ["anywhere", "trie"], "{text}");
    assert!(
        text.contains("trie of 6 prefixes, 4 head-and-tail rules looked at after their head"),
        "{text}"
    );
    assert!(
        text.contains("Aho-Corasick of 8 infixes, 4 literals after which 4 rules are looked at"),
        "{text}"
    );
    assert!(
        text.contains("one for both would pass joint-bytes (1)"),
        "{text}"
    );

    let (json, text) = inspected(&folder, LOOKED_AT);
    let bash = of_bash(&json);
    assert_eq!(kinds(&bash), ["anywhere"], "{text}");
    assert_eq!(bash["tables"][0]["lookedAt"], 22, "{text}");
    assert!(text.contains("every pattern is looked at"), "{text}");

    let (json, text) = inspected(&folder, &["surface-states=1"]);
    let guards: Vec<&Value> = json["layouts"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|layout| layout["tables"].as_array().unwrap())
        .filter(|table| !table["guard"].is_null())
        .collect();
    assert_eq!(guards.len(), 1, "{text}");
    assert_eq!(guards[0]["guard"], "web_*");
    assert!(text.contains("(for surfaces that match `web_*`)"), "{text}");
    assert!(text.contains("would pass surface-states (1)"), "{text}");
}

#[test]
fn agents_that_share_the_tables_of_the_base_view_say_so() {
    let folder = Folder::new();
    folder.write(
        "p.jsonc",
        r#"{ "permission": { "bash": { "*": "ask", "git *": "allow", "*.env": "deny" } } }"#,
    );
    folder.write(
        "agents/one.jsonc",
        r#"{ "permission": { "bash": { "git *": "deny", "one *": "allow" } } }"#,
    );
    let compile = |budget: &str| {
        let args = [
            "compile", "--global", "p.jsonc", "--agents", "agents", "-o", "p.permc", "--budget",
            budget,
        ];
        assert_eq!(folder.run(&args).status, ExitStatus::Success);
        folder.run(&["inspect", "p.permc"]).out
    };
    let text = compile("shared-rules=0");
    assert!(
        text.contains("one table for all 3 rules (shared with the base view)"),
        "{text}"
    );
    assert!(text.contains("one table for one rule"), "{text}");
    assert!(text.contains("pass shared-rules (0)"), "{text}");
    let ran = folder.run(&["inspect", "p.permc", "--dot", "bash", "--agent", "one"]);
    assert_eq!(checked(&ran.out)[0], 2, "{}", ran.out);
    let text = compile("shared-rules=3");
    assert!(text.contains("one table for all 4 rules"), "{text}");
    assert!(!text.contains("shared with the base view"), "{text}");
}

#[test]
fn tables_say_how_they_are_stored_and_who_asks_them() {
    let folder = Folder::new();
    let (json, text) = inspected(&folder, PARTS);
    for table in json["tables"].as_array().unwrap() {
        for key in [
            "bytes",
            "states",
            "classes",
            "cellWidth",
            "denseRows",
            "deltaRows",
            "pathRows",
            "pathBytes",
            "lookedAt",
            "lists",
            "sharedBy",
        ] {
            assert!(table[key].is_u64(), "{key}: {table}");
        }
    }
    let asked: BTreeSet<u64> = json["layouts"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|layout| layout["tables"].as_array().unwrap())
        .map(|table| table["table"].as_u64().unwrap())
        .collect();
    let of_names = json["surfaceTables"].as_array().unwrap();
    assert_eq!(of_names.len(), 1, "an automaton over surface names: {text}");
    assert_eq!(of_names[0]["views"], 1);
    let n_tables = json["tables"].as_array().unwrap().len();
    assert_eq!(asked.len() + 1, n_tables, "{text}");
    assert!(text.contains("surface names of 1 view"), "{text}");
}

/// Tokens of a graph: quoted strings, names, and single signs.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '"' {
            let mut string = String::from("\"");
            loop {
                match characters.next().unwrap() {
                    '\\' => {
                        let next = characters.next().unwrap();
                        assert!(matches!(next, '\\' | '"' | 'n'), "\\{next}");
                        string.extend(['\\', next]);
                    }
                    '"' => break,
                    character => {
                        assert!(!character.is_control(), "{character:?}");
                        string.push(character);
                    }
                }
            }
            tokens.push(string);
        } else if character.is_alphanumeric() {
            let mut name = String::from(character);
            while let Some(character) = characters.next_if(|c| c.is_alphanumeric() || *c == '_') {
                name.push(character);
            }
            tokens.push(name);
        } else if character == '-' {
            assert_eq!(characters.next(), Some('>'));
            tokens.push("->".to_owned());
        } else if !character.is_whitespace() {
            assert!("{}[]=,;".contains(character), "{character:?}");
            tokens.push(character.to_string());
        }
    }
    tokens
}

/// Checks that a graph is balanced and that the ends of each edge are declared; its clusters, nodes and edges.
fn checked(text: &str) -> [usize; 3] {
    let tokens = tokens(text);
    assert_eq!(tokens[..3], ["digraph", "permc", "{"]);
    let mut open = Vec::new();
    for token in &tokens {
        match token.as_str() {
            "{" | "[" => open.push(token.as_str()),
            "}" => assert_eq!(open.pop(), Some("{")),
            "]" => assert_eq!(open.pop(), Some("[")),
            _ => {}
        }
    }
    assert!(open.is_empty());
    let mut declared = BTreeSet::new();
    let mut ends = Vec::new();
    for window in tokens.windows(3) {
        let [before, token, after] = window else {
            continue;
        };
        if after == "->" {
            ends.push(token);
        } else if before == "->" {
            ends.push(token);
            assert_eq!(after, "[", "an edge has a label");
        } else if after == "[" && token.starts_with('"') {
            assert!(declared.insert(token), "{token} is declared twice");
        }
    }
    for end in &ends {
        assert!(declared.contains(end), "{end} is not declared");
    }
    let n_clusters = tokens.iter().filter(|token| *token == "subgraph").count();
    [n_clusters, declared.len(), ends.len() / 2]
}

#[test]
fn graphs_of_every_layout_are_well_formed() {
    let folder = Folder::new();
    for (budgets, n_clusters) in [(WHOLE, 1), (JOINT, 1), (PARTS, 2), (LOOKED_AT, 1)] {
        inspected(&folder, budgets);
        let ran = folder.run(&[
            "inspect",
            "p.permc",
            "--dot",
            "bash",
            "--dot-limit",
            "100000",
        ]);
        assert_eq!(
            (ran.status, ran.err.as_str()),
            (ExitStatus::Success, ""),
            "{budgets:?}"
        );
        let [clusters, nodes, edges] = checked(&ran.out);
        assert_eq!(n_clusters, clusters, "{budgets:?}");
        assert!(
            nodes > 20 && edges >= nodes / 2,
            "{nodes} nodes, {edges} edges"
        );
        assert!(ran.out.contains("`*` ask p.jsonc:1:"), "{}", ran.out);
        assert!(ran.out.contains("(rank 21)"), "{}", ran.out);
    }
}

#[test]
fn a_small_graph_says_all_that_the_table_does() {
    let folder = Folder::new();
    folder.write(
        "p.jsonc",
        r#"{ "permission": { "bash": { "*": "ask", "git push": "deny", "git pu[]": "allow" } } }"#,
    );
    folder.run(&["compile", "--global", "p.jsonc", "-o", "p.permc"]);
    let ran = folder.run(&["inspect", "p.permc", "--dot", "bash"]);
    let text = &ran.out;
    let [clusters, ..] = checked(text);
    assert_eq!(clusters, 1, "{text}");
    for part in [
        "surface `bash` for the base view",
        "one table for all 3 rules",
        "pass `*` ask p.jsonc:1:",
        "end `git push` deny p.jsonc:1:",
        "end `git pu[]` allow p.jsonc:1:",
        "run \\\"git pu\\\"",
        "label=\"s\"",
        "label=\"whole run\"",
        "cap rank 2",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn a_graph_stops_at_its_limit_and_says_so() {
    let folder = Folder::new();
    inspected(&folder, PARTS);
    let all = checked(&folder.run(&["inspect", "p.permc", "--dot", "bash"]).out);
    let ran = folder.run(&["inspect", "p.permc", "--dot", "bash", "--dot-limit", "5"]);
    assert_eq!(ran.status, ExitStatus::Success);
    let [clusters, nodes, _] = checked(&ran.out);
    // Five states, and a note in each cluster.
    assert_eq!((clusters, nodes), (2, 7), "{}", ran.out);
    assert!(
        ran.out
            .contains("states are drawn, those nearest to the start"),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("left out; give a higher `--dot-limit`"),
        "{}",
        ran.err
    );
    let limit = all[1].to_string();
    let whole = folder.run(&["inspect", "p.permc", "--dot", "bash", "--dot-limit", &limit]);
    assert_eq!((checked(&whole.out), whole.err.as_str()), (all, ""));
}

#[test]
fn surfaces_and_agents_of_graphs() {
    let folder = Folder::compiled();
    let dot = |args: &[&str]| folder.run(&[&["inspect", "policy.permc", "--dot"], args].concat());
    let base = dot(&["bash"]);
    let reviewer = dot(&["bash", "--agent", "reviewer"]);
    checked(&reviewer.out);
    assert!(
        reviewer.out.contains("for the agent `reviewer`"),
        "{}",
        reviewer.out
    );
    assert_ne!(base.out, reviewer.out);
    let other = dot(&["deploy"]);
    assert_eq!(other.status, ExitStatus::Success);
    checked(&other.out);
    assert!(
        other.err.contains("no rule names `deploy` itself"),
        "{}",
        other.err
    );
    dot(&["bash", "--agent", "reviwer"]).refused(
        ExitStatus::Usage,
        &["there is no agent `reviwer`", "did you mean `reviewer`?"],
    );
    dot(&["bash", "--agent", "somebody"])
        .refused(ExitStatus::Usage, &["the policy knows `reviewer`"]);
    dot(&["bash", "--format", "json"]).refused(ExitStatus::Usage, &["`--dot` prints a graph"]);
    dot(&["bash", "--dot-limit", "0"]).refused(ExitStatus::Usage, &["--dot-limit"]);
    folder
        .run(&["inspect", "policy.permc", "--agent", "reviewer"])
        .refused(ExitStatus::Usage, &["--dot"]);
}
