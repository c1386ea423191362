//! The policies under `examples`: each compiles without a finding, and answers its queries as its author says.
//!
//! `queries.jsonl` holds lines of `permc query --stdin`; the line of `expected.jsonl` with the same number holds the answer
//! that follows from reading the policy.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use permc::diagnostic::{Color, render_human};
use permc::parse::parse_manifest_source;
use permc::source::{self, Inputs};
use permc::source_map::Role;
use permc::{Options, Output, compile, manifest};
use permc_runtime::{Action, Bound, Context, Policy, Session};
use permc_tests::data::{JsonInput, root, say};
use permc_tests::engine::{ask_artifact, ask_reference, through_the_disk};
use permc_tests::tiers::both;
use serde_json::{Value, json};

fn folder(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

/// Compiles an example as its manifest says; any finding, warnings included, fails the test.
fn compiled(folder: &Path) -> Output {
    let options = Options::default();
    let content = source::read_file(&folder.join(manifest::FILE_NAME), &options.limits);
    let (sources, manifest, found) =
        parse_manifest_source(manifest::FILE_NAME, &content, &options.limits);
    assert!(
        found.is_empty(),
        "{}",
        render_human(&found, &sources, Color::Never)
    );
    let manifest = manifest.unwrap();
    assert!(
        manifest.output.is_some(),
        "an example says where its artifact goes"
    );
    let set = source::read(
        &Inputs::from_manifest(&manifest, folder),
        folder,
        &options.limits,
    );
    let compilation = compile(&set, &options);
    let found = &compilation.diagnostics;
    assert!(
        found.is_empty(),
        "{}",
        render_human(found, &compilation.sources, Color::Never)
    );
    compilation.output.unwrap()
}

fn json_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The answer to one line of a query stream, on both engines.
fn answer(output: &Output, policy: &Policy, query: &Value) -> Value {
    let context = Context {
        home: query["home"].as_str(),
        cwd: query["cwd"].as_str(),
        agent: query["agent"].as_str(),
        yolo: query["yolo"].as_bool(),
        ..Context::default()
    };
    let bound = policy.bind(context).unwrap();
    if let Some(model) = query["model"].as_str() {
        return tier_answer(output, &bound, context, model, query);
    }
    let session = Session::default();
    let input = JsonInput(&query["input"]);
    let call = query["tool"]
        .as_str()
        .map(|tool| bound.normalize(tool, &input));
    let (surface, values) = match &call {
        Some(call) => (
            call.surface,
            call.values.iter().map(AsRef::as_ref).collect(),
        ),
        None => {
            let values = query["values"].as_array().unwrap();
            let values: Vec<&str> = values.iter().map(|value| value.as_str().unwrap()).collect();
            (query["surface"].as_str().unwrap(), values)
        }
    };
    let answer = ask_artifact(&bound, &session, surface, &values);
    assert_eq!(
        answer,
        ask_reference(&output.policy, context, &session, surface, &values),
        "{query}"
    );
    let file = bound
        .check(surface, &values, &session)
        .rule()
        .map(|rule| rule.file);
    let mut shown = json!({
        "state": answer.state,
        "matchedPattern": answer.matched_pattern,
        "source": answer.source,
        "origin": answer.origin,
        "file": file,
    });
    if call.as_ref().is_some_and(|call| call.is_mcp) {
        shown["target"] = answer.value.map(|index| values[index]).into();
    }
    shown
}

/// The answer of a trust tier, on both engines.
fn tier_answer(
    output: &Output,
    bound: &Bound<'_>,
    context: Context<'_>,
    model: &str,
    query: &Value,
) -> Value {
    let [action, resource] = ["action", "resource"].map(|field| query[field].as_str().unwrap());
    let effect = both(output, bound, context, model, action, resource);
    let answer = bound.explain_provider_permission(model, action, resource);
    json!({
        "state": effect.map(Action::as_str),
        "tier": answer.tier,
        "viaDefault": answer.via_default,
        "pattern": answer.row.map(|row| row.pattern),
        "file": answer.row.map(|row| row.rule.file),
    })
}

fn check(name: &str) -> Vec<String> {
    let folder = folder(name);
    let output = compiled(&folder);
    let policy = through_the_disk(&output.bytes);
    let queries = json_lines(&folder.join("queries.jsonl"));
    let expected = json_lines(&folder.join("expected.jsonl"));
    assert_eq!(
        queries.len(),
        expected.len(),
        "{name}: one expectation a query"
    );
    let mut states = Vec::new();
    for (number, (query, expected)) in queries.iter().zip(&expected).enumerate() {
        assert_eq!(
            answer(&output, &policy, query),
            *expected,
            "{name}, line {}: {query}",
            number + 1
        );
        states.extend(expected["state"].as_str().map(str::to_owned));
    }
    let n_rules = output.policy.rules.len();
    say(&format!(
        "example {name}: {n_rules} rules, {} bytes, {} queries",
        output.bytes.len(),
        queries.len()
    ));
    let distinct: BTreeSet<&str> = states.iter().map(String::as_str).collect();
    assert_eq!(
        distinct,
        BTreeSet::from(["allow", "ask", "deny"]),
        "{name} shows every answer"
    );
    states
}

#[test]
fn laptop() {
    check("laptop");
}

#[test]
fn team() {
    assert_eq!(
        check("team"),
        ["allow", "ask", "deny"],
        "the three answers that the README shows"
    );
}

#[test]
fn infra() {
    check("infra");
}

#[test]
fn tiers() {
    check("tiers");
}

/// What the comments of the team example say about its agents.
#[test]
fn team_agents() {
    let output = compiled(&folder("team"));
    let policy = through_the_disk(&output.bytes);
    let home = "/home/dev";
    let bash = |agent: Option<&str>, command: &str| json!({"tool": "bash", "input": {"command": command}, "agent": agent, "home": home});
    let edit = |agent: Option<&str>, path: &str| {
        let absolute = format!("/home/dev/src/mono/{path}");
        json!({"surface": "edit", "values": [absolute, path], "agent": agent, "home": home})
    };
    let (release, reviewer) = (Some("release"), Some("reviewer"));
    for (query, state, origin) in [
        (bash(None, "git push origin main"), "ask", "global"),
        (bash(release, "git push origin main"), "allow", "agent"),
        (bash(reviewer, "git push origin main"), "deny", "agent"),
        (bash(release, "git push --force"), "deny", "global"),
        (bash(None, "npm run test:affected"), "ask", "global"),
        (
            bash(reviewer, "npm run test:affected"),
            "allow",
            "project-agent",
        ),
        (bash(reviewer, "npm test"), "allow", "project"),
        (bash(Some("nobody"), "npm test"), "allow", "project"),
        (bash(None, "docker compose down"), "allow", "project"),
        (bash(None, "docker compose down -v"), "deny", "project"),
        (edit(None, "packages/ui/button.tsx"), "allow", "project"),
        (
            edit(None, "packages/api-client/generated/client.ts"),
            "deny",
            "project",
        ),
        (edit(None, "CHANGELOG.md"), "ask", "project"),
        (edit(release, "CHANGELOG.md"), "allow", "agent"),
        (edit(release, "packages/ui/button.tsx"), "allow", "project"),
        (edit(reviewer, "packages/ui/button.tsx"), "deny", "agent"),
    ] {
        let answer = answer(&output, &policy, &query);
        assert_eq!(
            (&answer["state"], &answer["origin"]),
            (&state.into(), &origin.into()),
            "{query}: {answer}"
        );
    }
}

/// Without the project's documents only the operator speaks, and the compiler says what it left out.
#[test]
fn team_without_its_project() {
    let folder = folder("team");
    let options = Options {
        untrusted_project: true,
        ..Options::default()
    };
    let content = source::read_file(&folder.join(manifest::FILE_NAME), &options.limits);
    let (_, manifest, _) = parse_manifest_source(manifest::FILE_NAME, &content, &options.limits);
    let set = source::read(
        &Inputs::from_manifest(&manifest.unwrap(), &folder),
        &folder,
        &options.limits,
    );
    let n_project = set
        .documents
        .iter()
        .filter(|document| document.role == Role::Project)
        .count();
    assert_eq!(n_project, 1, "there is a project to leave out");
    let compilation = compile(&set, &options);
    let codes: Vec<&str> = compilation
        .diagnostics
        .iter()
        .map(|found| found.code.as_str())
        .collect();
    assert_eq!(codes, ["PC0503"]);
    let output = compilation.output.unwrap();
    let policy = through_the_disk(&output.bytes);
    let query = json!({"tool": "bash", "input": {"command": "npm test"}, "home": "/home/dev"});
    let answer = answer(&output, &policy, &query);
    assert_eq!(
        (&answer["state"], &answer["origin"]),
        (&"ask".into(), &"global".into())
    );
}
