//! Whole calls under a trust tier: it takes away, never adds, and everyday calls go on.

use permc::source::SourceDocument;
use permc::source_map::Role;
use permc_gates::{Call, Decision, Gates, NoFiles, Resolution};
use permc_runtime::{Action, Context, Policy, Session};
use permc_tests::calls::Input;
use permc_tests::tiers::{CONTEXT, output};
use serde_json::{Value, json};

const MODEL: &str = "some/model";

/// A policy under which everything is allowed, and a tier.
fn policy(rows: Value) -> Policy {
    let text = json!({
        "shellTools": { "exec": { "commandArgument": "cmd", "workdirArgument": "dir" } },
        "permission": { "*": "allow", "bash": { "*": "allow", "rm *": "deny" }, "path": { "*": "allow", "*.secret": "ask" } },
        "providerPermissions": { "defaultTier": "t", "tiers": [{ "id": "t", "directories": rows }] },
    });
    let document = SourceDocument::new(Role::Global, "policy.jsonc", text.to_string());
    Policy::from_bytes(output(vec![document]).bytes).unwrap()
}

fn decided<T>(
    policy: &Policy,
    call: (&str, Value),
    model: Option<&str>,
    read: impl FnOnce(&Decision<'_>) -> T,
) -> T {
    let gates = Gates::new(policy, CONTEXT).unwrap();
    let session = Session::default();
    let input = Input(&call.1);
    let call = Call {
        tool: call.0,
        input: &input,
        cwd: "/srv/app",
        model,
    };
    let decision = gates.decide(&call, &session, &NoFiles);
    let twin = gates.clone().without_short_way();
    let other = twin.decide(&call, &session, &NoFiles);
    assert_eq!(
        format!("{decision:?}"),
        format!("{other:?}"),
        "the short way changes nothing"
    );
    read(&decision)
}

fn state(policy: &Policy, tool: &str, input: Value) -> &'static str {
    decided(policy, (tool, input), Some(MODEL), |decision| {
        decision.state.as_str()
    })
}

fn bash(policy: &Policy, command: &str) -> &'static str {
    state(policy, "bash", json!({ "command": command }))
}

#[test]
fn commands_run_read_and_write() {
    let policy = policy(json!({
        "**": { "read": "allow", "write": "deny", "execute": "allow", "network": "deny" },
        "./**": { "write": "allow" },
        "~/secrets/**": { "read": "deny" },
        "**/*.pem": { "read": "deny" },
        "token": { "read": "deny" },
        "gen/**": { "write": "deny", "execute": "ask" },
        "/opt/prod/**": { "execute": "deny" },
    }));
    for (command, expected) in [
        // Everyday work goes on.
        ("git status", "allow"),
        ("cargo test --workspace", "allow"),
        ("ls src > out.txt", "allow"),
        ("make 2>/dev/null", "allow"),
        ("make > /dev/null 2>&1", "allow"),
        ("cat < src/x", "allow"),
        ("cat /etc/hosts", "allow"),
        ("git log -- token2", "allow"),
        ("cd src && make", "allow"),
        // Redirections write.
        ("ls > /tmp/x", "deny"),
        ("ls >> gen/x", "deny"),
        ("ls &> ~/x", "deny"),
        ("ls > ~eve/x", "deny"),
        ("ls > \"$OLDPWD/x\"", "deny"),
        ("cd /tmp && ls > x", "deny"),
        // Other paths are read.
        ("cat ~/secrets/k", "deny"),
        ("cat $HOME/secrets/k", "deny"),
        ("cat src/../k.pem", "deny"),
        ("grep -r x /home/dev/secrets", "deny"),
        ("tar cf - ~/secrets", "deny"),
        ("cat < ~/secrets/k", "deny"),
        ("curl --cert=k.pem https://x", "deny"),
        ("cat token", "deny"),
        ("cat ./token", "deny"),
        ("cd ~ && cat secrets/k", "deny"),
        // Commands run where a `cd` led.
        ("cd gen && make", "ask"),
        ("(cd gen; make)", "ask"),
        ("cd /opt/prod && make", "deny"),
        ("cd /opt && cd prod/a && make", "deny"),
        ("pushd /opt/prod; make", "deny"),
        // Moving on runs nothing there.
        ("cd gen", "allow"),
        // Rules decide as ever.
        ("rm x", "deny"),
        ("cat a.secret", "ask"),
    ] {
        assert_eq!(bash(&policy, command), expected, "{command}");
    }
    let exec = |command: &str, directory: &str| {
        state(&policy, "exec", json!({ "cmd": command, "dir": directory }))
    };
    assert_eq!(exec("make", "src"), "allow");
    assert_eq!(exec("make", "gen"), "ask");
    assert_eq!(exec("make", "/opt/prod"), "deny");
}

#[test]
fn tools_have_groups() {
    let policy = policy(json!({
        "**": { "read": "ask", "write": "deny", "execute": "deny", "network": "deny" },
        "./**": { "read": "allow", "write": "ask" },
        "src/**": { "write": "allow" },
    }));
    let path = |path: &str| json!({ "path": path });
    for (tool, input, expected) in [
        ("read", path("src/x"), "allow"),
        ("read", path("/etc/hosts"), "ask"),
        ("read", path("src/../../x"), "ask"),
        ("find", path("src"), "allow"),
        ("grep", json!({ "pattern": "x" }), "allow"),
        ("grep", json!({ "pattern": "x", "path": "/etc" }), "ask"),
        ("ls", json!({}), "allow"),
        ("glob", json!({ "pattern": "**/*.rs" }), "allow"),
        ("glob", json!({ "pattern": "*", "path": "/etc" }), "ask"),
        ("write", path("src/x"), "allow"),
        ("write", path("docs/x"), "ask"),
        ("edit", path("/etc/hosts"), "deny"),
        ("edit", json!({ "file_path": "/etc/hosts" }), "deny"),
        (
            "edit",
            json!({ "path": "src/x", "file_path": "/etc/hosts" }),
            "deny",
        ),
        ("bash", json!({ "command": "ls" }), "deny"),
        ("bash", json!({}), "deny"),
        ("webfetch", json!({ "url": "https://x" }), "deny"),
        ("websearch", json!({ "query": "x" }), "deny"),
        // Tiers say nothing about these.
        ("mcp", json!({ "server": "s", "tool": "t" }), "allow"),
        ("skill", json!({ "name": "s" }), "allow"),
        ("task", json!({ "path": "/etc/hosts" }), "allow"),
        ("Read", path("/etc/hosts"), "allow"),
    ] {
        assert_eq!(
            state(&policy, tool, input.clone()),
            expected,
            "{tool} {input}"
        );
    }
}

#[test]
fn a_tier_only_takes_away() {
    let strict = policy(
        json!({ "**": { "execute": "allow", "read": "allow", "write": "allow", "network": "allow" } }),
    );
    assert_eq!(bash(&strict, "rm x"), "deny");
    assert_eq!(bash(&strict, "cat a.secret"), "ask");
    assert_eq!(bash(&strict, "ls"), "allow");
    let silent = policy(json!({ "nowhere/**": { "read": "deny" } }));
    assert_eq!(bash(&silent, "ls"), "allow");
    assert_eq!(bash(&silent, "rm x"), "deny");
    let gate_names = |policy: &Policy, model: Option<&str>, command: &str| {
        decided(
            policy,
            ("bash", json!({ "command": command })),
            model,
            |decision| {
                let gates = decision.gates.iter();
                gates.map(|gate| gate.gate.to_string()).collect::<Vec<_>>()
            },
        )
    };
    // The gate is listed where the tier has an opinion and a model is known.
    assert_eq!(gate_names(&strict, Some(MODEL), "ls"), ["bash", "tier"]);
    assert_eq!(gate_names(&strict, None, "ls"), ["bash"]);
    assert_eq!(gate_names(&silent, Some(MODEL), "ls"), ["bash"]);
}

#[test]
fn an_ask_of_a_tier_is_not_settled_by_rules() {
    let policy = policy(json!({ "**": { "execute": "ask" } }));
    let gates = |yolo| Gates::new(&policy, Context { yolo, ..CONTEXT }).unwrap();
    let input = json!({ "command": "ls" });
    let call = Call {
        tool: "bash",
        input: &Input(&input),
        cwd: "/srv/app",
        model: Some(MODEL),
    };
    // Neither yolo mode nor an approval of the session speaks for the operator's trust in a model.
    let approved: Session = [("bash", "ls"), ("*", "*")].into_iter().collect();
    for (yolo, session) in [
        (None, Session::default()),
        (Some(true), Session::default()),
        (None, approved),
    ] {
        let gates = gates(yolo);
        let decision = gates.decide(&call, &session, &NoFiles);
        assert_eq!(decision.state, Action::Ask, "{yolo:?}");
        assert_eq!(decision.suggestions, [], "no session rule would settle it");
        assert_eq!(decision.resolution, Resolution::Policy);
        let tier = decision.gates.last().unwrap();
        assert_eq!(
            (tier.gate.as_ref(), tier.matched_pattern),
            ("tier", Some("**"))
        );
        assert_eq!(tier.rule.unwrap().file, "policy.jsonc");
    }
}

#[test]
fn the_model_of_the_context_stands_in() {
    let policy = policy(json!({ "**": { "execute": "deny" } }));
    let input = json!({ "command": "ls", "model": "another" });
    let call = Call {
        tool: "bash",
        input: &Input(&input),
        cwd: "/srv/app",
        model: None,
    };
    let state = |model| {
        let gates = Gates::new(&policy, Context { model, ..CONTEXT }).unwrap();
        let session = Session::default();
        gates.decide(&call, &session, &NoFiles).state
    };
    assert_eq!(state(None), Action::Allow, "never out of the call itself");
    assert_eq!(state(Some(MODEL)), Action::Deny);
}

#[test]
fn a_working_directory_that_is_none_is_a_fault() {
    let policy = policy(json!({ "src/**": { "read": "deny" } }));
    let gates = Gates::new(&policy, CONTEXT).unwrap();
    let input = json!({ "command": "ls" });
    let call = Call {
        tool: "bash",
        input: &Input(&input),
        cwd: "not/absolute",
        model: Some(MODEL),
    };
    let session = Session::default();
    let decision = gates.decide(&call, &session, &NoFiles);
    assert_eq!(
        (decision.state, decision.resolution),
        (Action::Deny, Resolution::GateError)
    );
}

#[cfg(unix)]
#[test]
fn links_lead_where_they_lead() {
    use permc_gates::RealFiles;
    use permc_tests::folder::Folder;
    let folder = Folder::new("tiers");
    let root = std::fs::canonicalize(folder.path()).unwrap();
    for name in ["w/src", "secrets"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    std::fs::write(root.join("secrets/k"), "").unwrap();
    std::os::unix::fs::symlink(root.join("secrets"), root.join("w/link")).unwrap();
    let rows = json!({ "**": { "read": "allow", "execute": "allow" }, format!("{}/secrets/**", root.display()): { "read": "deny", "execute": "deny" } });
    let policy = policy(rows);
    let gates = Gates::new(&policy, CONTEXT).unwrap();
    let cwd = root.join("w");
    let session = Session::default();
    let state = |tool, input: Value| {
        let call = Call {
            tool,
            input: &Input(&input),
            cwd: cwd.to_str().unwrap(),
            model: Some(MODEL),
        };
        gates.decide(&call, &session, &RealFiles).state.as_str()
    };
    assert_eq!(state("read", json!({ "path": "src/x" })), "allow");
    assert_eq!(state("read", json!({ "path": "link/k" })), "deny");
    assert_eq!(state("bash", json!({ "command": "cat link/k" })), "deny");
    assert_eq!(state("bash", json!({ "command": "cat l*/k" })), "deny");
    assert_eq!(
        state("bash", json!({ "command": "cd link && make" })),
        "deny"
    );
    assert_eq!(state("bash", json!({ "command": "cat s*/x" })), "allow");
}
