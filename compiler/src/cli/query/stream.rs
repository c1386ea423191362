//! `query --stdin`: one answer a line, in order. The policy is loaded once, contexts and the last session are kept.

use std::borrow::Cow;

use permc_runtime::{Bound, Context, Policy, Session, mcp_targets};
use serde_json::{Value, json};

use super::super::ExitStatus;
use super::super::console::Console;
use super::super::contexts::Contexts;
use super::super::failure::Failure;
use super::super::lines::{BadLine, Lines, servers, write_bad};
use super::super::policy::bind_words;
use super::super::text::{hex, shown};
use super::super::tier;
use super::request::{Ask, Request, parse};
use super::{Answer, human_line, parts, write_answer};

/// Answers all lines of standard input.
pub(super) fn run(
    policy: &Policy,
    defaults: Context<'_>,
    session: Vec<(String, String)>,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let mut answers = Answers {
        policy,
        defaults,
        default_session: session.into_iter().collect(),
        digest: hex(&policy.digest()),
        servers: servers(policy),
        contexts: Contexts::new(),
        last_session: None,
        is_json: console.is_json_stream(),
    };
    let mut lines = Lines::new();
    let (mut answer, mut all_good) = (Vec::new(), true);
    while let Some(line) = lines.next(console)? {
        answer.clear();
        let result = line
            .and_then(parse)
            .and_then(|request| answers.answer(&request, &mut answer));
        if let Err(bad) = result {
            all_good = false;
            answer.clear();
            write_bad(&bad, answers.is_json, &mut answer);
        }
        console.out(&answer)?;
    }
    Ok(if all_good {
        ExitStatus::Success
    } else {
        ExitStatus::Findings
    })
}

/// A session as a line gave it.
type Rules = Vec<(String, String)>;

struct Answers<'p> {
    policy: &'p Policy,
    defaults: Context<'p>,
    default_session: Session,
    digest: String,
    servers: Vec<String>,
    contexts: Contexts<Bound<'p>>,
    last_session: Option<(Rules, Session)>,
    is_json: bool,
}

impl<'p> Answers<'p> {
    fn answer(&mut self, request: &Request<'_>, line: &mut Vec<u8>) -> Result<(), BadLine> {
        self.remember_session(request);
        if let Ask::Targets(input) = &request.ask {
            let targets = mcp_targets(input, &self.servers);
            let human = targets
                .iter()
                .map(|target| shown(target))
                .collect::<Vec<_>>()
                .join("  ");
            return self.write(line, &json!({ "targets": targets }), &human);
        }
        let agent = request.agent.as_deref().or(self.defaults.agent);
        let home = request.home.as_deref().or(self.defaults.home);
        let yolo = request.yolo.or(self.defaults.yolo);
        let bind = || {
            self.policy.bind(Context {
                home,
                // Without one a policy that has tiers does not bind: a line that names its own may need no other.
                cwd: self.defaults.cwd.or(request.cwd.as_deref()),
                agent,
                model: None,
                yolo,
            })
        };
        let found = self
            .contexts
            .get((agent, home, yolo), bind)
            .map_err(|error| BadLine::new(bind_words(error)))?;
        let Some(bound) = found else {
            return Err(BadLine::new("internal error: the context is lost"));
        };
        let session = match (&request.session, &self.last_session) {
            (Some(_), Some((_, session))) => session,
            _ => &self.default_session,
        };
        match &request.ask {
            Ask::Check { surface, values } => {
                let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
                let decision = bound.check(surface, &values, session);
                if self.is_json {
                    let (command, target) = parts(surface, &values, &decision);
                    write_answer(line, &Answer::new(&decision, command, target, &self.digest));
                } else {
                    line.extend(human_line(&decision).into_bytes());
                }
                Ok(())
            }
            Ask::Tool { tool, input } => {
                let answer = bound.check_tool(tool, input, session);
                if self.is_json {
                    let (command, target) = (answer.command, answer.target.as_deref());
                    write_answer(
                        line,
                        &Answer::new(&answer.decision, command, target, &self.digest),
                    );
                } else {
                    line.extend(human_line(&answer.decision).into_bytes());
                }
                Ok(())
            }
            Ask::Permission(tool) => {
                let state = bound.tool_permission(tool).as_str();
                self.write(line, &json!({ "state": state }), state)
            }
            Ask::Exposed(tool) => {
                let exposed = bound.tool_exposed(tool, session);
                let human = if exposed { "exposed" } else { "hidden" };
                self.write(line, &json!({ "exposed": exposed }), human)
            }
            Ask::Tier {
                model,
                action,
                resource,
            } => {
                let answer = match request.cwd.as_deref() {
                    Some(cwd) => bound.tiers_at(cwd).explain(model, action, resource),
                    None if self.defaults.cwd.is_none() => {
                        return Err(BadLine::new(
                            "the field `cwd` is missing, and the working directory is not known",
                        ));
                    }
                    None => bound.explain_provider_permission(model, action, resource),
                };
                let (json, human) = (tier::answer_json(&answer), tier::answer_line(&answer));
                self.write(line, &json, &human)
            }
            Ask::Targets(_) => Ok(()),
        }
    }

    fn write(&self, line: &mut Vec<u8>, json: &Value, human: &str) -> Result<(), BadLine> {
        if self.is_json {
            write_answer(line, json);
        } else {
            line.extend_from_slice(human.as_bytes());
            line.push(b'\n');
        }
        Ok(())
    }

    /// Keeps the line's session unless it is the one of the line before.
    fn remember_session(&mut self, request: &Request<'_>) {
        let Some(rules) = &request.session else {
            return;
        };
        let is_same = |(known, _): &(Rules, Session)| {
            known.len() == rules.len()
                && known.iter().zip(rules).all(|(known, rule)| {
                    (known.0.as_str(), known.1.as_str()) == (rule.0.as_ref(), rule.1.as_ref())
                })
        };
        if self.last_session.as_ref().is_some_and(is_same) {
            return;
        }
        let session = rules
            .iter()
            .map(|(surface, pattern)| (surface.as_ref(), pattern.as_ref()))
            .collect();
        let owned = |text: &Cow<'_, str>| text.clone().into_owned();
        let rules = rules
            .iter()
            .map(|(surface, pattern)| (owned(surface), owned(pattern)));
        self.last_session = Some((rules.collect(), session));
    }
}
