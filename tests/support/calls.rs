//! Whole tool calls against policies that a case brings along.

use permc::Options;
use permc_gates::{Arguments, Call, Decision, Files, Gates, NoFiles};
use permc_runtime::{Action, Context, Policy, Session};
use serde_json::{Value, json};

use crate::data::recorded_sources_with;
use crate::engine::compiled;

/// The arguments of a call.
#[derive(Debug)]
pub struct Input<'a>(pub &'a Value);

impl Arguments for Input<'_> {
    fn string(&self, path: &[&str]) -> Option<&str> {
        let found = path.iter().try_fold(self.0, |value, key| value.get(*key));
        found?.as_str()
    }

    fn visit(&self, visitor: &mut dyn FnMut(&str, &str)) {
        fn walk(key: &str, value: &Value, visitor: &mut dyn FnMut(&str, &str)) {
            match value {
                Value::String(text) => visitor(key, text),
                Value::Array(values) => values.iter().for_each(|value| walk(key, value, visitor)),
                Value::Object(members) => members
                    .iter()
                    .for_each(|(key, value)| walk(key, value, visitor)),
                _ => {}
            }
        }
        walk("", self.0, visitor);
    }

    fn list(&self, key: &str) -> Vec<&str> {
        match &self.0[key] {
            Value::String(text) => vec![text],
            Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// A policy that answers for calls.
#[derive(Debug)]
pub struct Judge {
    policy: Policy,
    home: String,
    cwd: String,
}

impl Judge {
    /// Compiles the scopes of a record.
    #[must_use]
    pub fn new(
        scopes: &Value,
        servers: &Value,
        shell_tools: &Value,
        home: &str,
        cwd: &str,
    ) -> Self {
        let sources = recorded_sources_with(scopes, servers, shell_tools);
        let output = compiled(&sources, &Options::default());
        Self {
            policy: Policy::from_bytes(output.bytes).unwrap(),
            home: home.to_owned(),
            cwd: cwd.to_owned(),
        }
    }

    /// Compiles one permission map.
    #[must_use]
    pub fn of(permission: &Value) -> Self {
        let scopes = json!({ "global": permission });
        Self::new(&scopes, &Value::Null, &Value::Null, "/home/dev", "/w")
    }

    /// Decides a call and hands the decision over.
    pub fn decide<T>(
        &self,
        tool: &str,
        input: &Value,
        session: &Session,
        agent: Option<&str>,
        read: impl FnOnce(&Decision<'_>) -> T,
    ) -> T {
        self.decide_with(tool, input, session, agent, &NoFiles, read)
    }

    /// The same with a file system.
    pub fn decide_with<T>(
        &self,
        tool: &str,
        input: &Value,
        session: &Session,
        agent: Option<&str>,
        files: &dyn Files,
        read: impl FnOnce(&Decision<'_>) -> T,
    ) -> T {
        let context = Context {
            home: Some(&self.home),
            agent,
            yolo: None,
            ..Context::default()
        };
        let gates = Gates::new(&self.policy, context).unwrap();
        let call = Call {
            tool,
            input: &Input(input),
            cwd: &self.cwd,
            model: None,
        };
        read(&gates.decide(&call, session, files))
    }

    /// Binds the policy once.
    #[must_use]
    pub fn commands(&self) -> Commands<'_> {
        let context = Context {
            home: Some(&self.home),
            ..Context::default()
        };
        Commands {
            gates: Gates::new(&self.policy, context).unwrap(),
            session: Session::default(),
            cwd: &self.cwd,
        }
    }

    /// What a shell command comes to.
    #[must_use]
    pub fn command(&self, command: &str) -> Action {
        let input = json!({ "command": command });
        self.decide("bash", &input, &Session::default(), None, |decision| {
            decision.state
        })
    }
}

/// A policy that is bound once, for many commands.
#[derive(Debug)]
pub struct Commands<'a> {
    gates: Gates<'a>,
    session: Session,
    cwd: &'a str,
}

impl Commands<'_> {
    /// What a shell command comes to.
    #[must_use]
    pub fn command(&self, command: &str) -> Action {
        let input = [("command", command)];
        let call = Call {
            tool: "bash",
            input: &input.as_slice(),
            cwd: self.cwd,
            model: None,
        };
        self.gates.decide(&call, &self.session, &NoFiles).state
    }
}

/// The session of a case.
#[must_use]
pub fn session(case: &Value) -> Session {
    let rules = case["session"].as_array().into_iter().flatten();
    rules
        .map(|rule| (rule[0].as_str().unwrap(), rule[1].as_str().unwrap()))
        .collect()
}

/// What a decision says, for the message of a failed test.
#[must_use]
pub fn shown(decision: &Decision<'_>) -> String {
    let mut text = decision.state.as_str().to_owned();
    for gate in &decision.gates {
        text.push_str(&format!(
            "\n    gate {} {} by {:?}: {:?}",
            gate.gate,
            gate.state.as_str(),
            gate.matched_pattern,
            gate.value
        ));
    }
    for unit in &decision.units {
        text.push_str(&format!(
            "\n    unit {} {:?} {:?} floor {:?} form {:?}",
            unit.state.as_str(),
            unit.text,
            unit.matched_pattern,
            unit.floor,
            unit.form
        ));
    }
    text
}
