//! Loads an artifact and asks it: `permc-size-runtime ARTIFACT HOME SURFACE VALUE...`; the answer is the exit code.

use std::process::ExitCode;

use permc_runtime::{Action, Context, Policy, Session};

/// Neither an answer nor a policy.
const BROKEN: u8 = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    answer(&arguments).map_or(ExitCode::from(BROKEN), ExitCode::from)
}

fn answer(arguments: &[String]) -> Option<u8> {
    let [artifact, home, surface, values @ ..] = arguments else {
        return None;
    };
    let policy = Policy::open(artifact).ok()?;
    let context = Context {
        home: Some(home),
        ..Context::default()
    };
    let bound = policy.bind(context).ok()?;
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let session = Session::default();
    Some(match bound.check(surface, &values, &session).state {
        Action::Allow => 0,
        Action::Ask => 1,
        Action::Deny => 2,
    })
}
