//! Cedar: one policy with `like` a rule.
//!
//! Cedar has no order: a forbid beats every permit. So an allow is a permit, everything else a forbid, and what is
//! checked is that the policies that decide are those whose patterns match. The work is what it would be for any
//! question: Cedar evaluates every policy.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "benchmark support: a failure here is a failed benchmark"
)]

use std::collections::BTreeSet;
use std::str::FromStr as _;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityUid, Policy, PolicyId, PolicySet, Request,
    Response, RestrictedExpression,
};
use permc_runtime::{Action, MatchContext, pattern_matches};

use super::without_tail;
use crate::corpus::Corpus;

/// A policy set and requests that are ready before the clock runs.
#[derive(Debug)]
pub struct Cedar {
    authorizer: Authorizer,
    policies: PolicySet,
    entities: Entities,
    requests: Vec<Request>,
}

impl Cedar {
    /// Builds the policies and one request a value, and checks the answers.
    ///
    /// # Panics
    ///
    /// If Cedar refuses a policy or decides otherwise than the patterns say.
    #[must_use]
    pub fn new(corpus: &Corpus) -> Self {
        let allows = actions(corpus);
        let mut policies = PolicySet::new();
        for (number, (pattern, allows)) in corpus.patterns.iter().zip(&allows).enumerate() {
            let policy = Policy::parse(
                Some(PolicyId::new(number.to_string())),
                text(pattern, *allows),
            );
            match policy {
                Ok(policy) => policies.add(policy).unwrap(),
                Err(error) => panic!("{pattern:?} is no policy: {error}"),
            }
        }
        let cedar = Self {
            authorizer: Authorizer::new(),
            policies,
            entities: Entities::empty(),
            requests: corpus.values.iter().map(|value| request(value)).collect(),
        };
        cedar.check(corpus, &allows);
        cedar
    }

    /// The requests one after another, without end.
    pub fn turn(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().cycle()
    }

    /// Asks one request.
    #[must_use]
    pub fn ask(&self, request: &Request) -> Response {
        self.authorizer
            .is_authorized(request, &self.policies, &self.entities)
    }

    fn check(&self, corpus: &Corpus, allows: &[bool]) {
        for (value, request) in corpus.values.iter().zip(&self.requests) {
            let matching = |wanted: bool| -> BTreeSet<String> {
                corpus
                    .patterns
                    .iter()
                    .zip(allows)
                    .enumerate()
                    .filter(|(_, (pattern, allows))| {
                        **allows == wanted
                            && pattern_matches(pattern, value, MatchContext::default())
                    })
                    .map(|(number, _)| number.to_string())
                    .collect()
            };
            let (permits, forbids) = (matching(true), matching(false));
            let response = self.ask(request);
            let deciding: BTreeSet<String> = response
                .diagnostics()
                .reason()
                .map(ToString::to_string)
                .collect();
            let (expected, decision) = if forbids.is_empty() && !permits.is_empty() {
                (permits, Decision::Allow)
            } else {
                (forbids, Decision::Deny)
            };
            assert_eq!(
                (deciding, response.decision()),
                (expected, decision),
                "{value:?}"
            );
        }
    }
}

/// Whether each pattern's rule allows.
fn actions(corpus: &Corpus) -> Vec<bool> {
    let policy = &corpus.output.policy;
    let rules = policy.view(None).map(|view| view.rules.as_slice());
    rules
        .unwrap_or_default()
        .iter()
        .filter_map(|rule| policy.rule(*rule))
        .filter(|rule| rule.surface == "bash")
        .map(|rule| rule.action == Action::Allow)
        .collect()
}

fn text(pattern: &str, allows: bool) -> String {
    let effect = if allows { "permit" } else { "forbid" };
    let mut condition = format!("context.command like {pattern:?}");
    if let Some(body) = without_tail(pattern) {
        condition.push_str(&format!(" || context.command == {body:?}"));
    }
    format!("{effect}(principal, action, resource) when {{ {condition} }};")
}

fn request(value: &str) -> Request {
    let entity = |text: &str| EntityUid::from_str(text).unwrap();
    let command = RestrictedExpression::new_string(value.to_owned());
    Request::new(
        entity(r#"Agent::"main""#),
        entity(r#"Action::"bash""#),
        entity(r#"Host::"local""#),
        Context::from_pairs([("command".to_owned(), command)]).unwrap(),
        None,
    )
    .unwrap()
}
