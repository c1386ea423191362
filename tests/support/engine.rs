//! One question, two engines: the naive reference and the artifact after a trip through the disk.

use permc::diagnostic::{Color, render_human};
use permc::reference::{self, ReferenceContext};
use permc::rule::ResolvedPolicy;
use permc::source::SourceSet;
use permc::{Options, Output, compile};
use permc_runtime::{Action, Bound, Context, Policy, Session};

use crate::folder::Folder;

/// An answer as both engines give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The action.
    pub state: &'static str,
    /// The reason of a deny.
    pub reason: Option<String>,
    /// The winner's pattern.
    pub matched_pattern: Option<String>,
    /// The source.
    pub source: &'static str,
    /// The origin.
    pub origin: &'static str,
    /// Which value decided.
    pub value: Option<usize>,
    /// The winner's id.
    pub rule: Option<u64>,
}

/// Compiles or fails the test with the rendered diagnostics.
#[must_use]
pub fn compiled(sources: &SourceSet, options: &Options) -> Output {
    let compilation = compile(sources, options);
    match compilation.output {
        Some(output) => output,
        None => panic!(
            "{}",
            render_human(&compilation.diagnostics, &compilation.sources, Color::Never)
        ),
    }
}

/// Writes an artifact to disk and loads it from there.
#[must_use]
pub fn through_the_disk(bytes: &[u8]) -> Policy {
    let folder = Folder::new("artifact");
    let path = folder.write("policy.permc", bytes);
    Policy::open(path).unwrap()
}

/// The artifact engine's answer.
#[must_use]
pub fn ask_artifact(
    bound: &Bound<'_>,
    session: &Session,
    surface: &str,
    values: &[&str],
) -> Answer {
    let decision = bound.check(surface, values, session);
    assert!(!decision.fault, "a validated artifact contradicts itself");
    Answer {
        state: decision.state.as_str(),
        reason: decision.reason().map(str::to_owned),
        matched_pattern: decision.matched_pattern().map(str::to_owned),
        source: decision.source.as_str(),
        origin: decision.origin.as_str(),
        value: decision.value,
        rule: decision.rule().map(|rule| rule.id),
    }
}

/// The reference engine's answer.
#[must_use]
pub fn ask_reference(
    policy: &ResolvedPolicy,
    context: Context<'_>,
    session: &Session,
    surface: &str,
    values: &[&str],
) -> Answer {
    let answer = reference::check(policy, reference_context(context), session, surface, values)
        .expect("every view ends in the default rule");
    Answer {
        state: answer.state.as_str(),
        reason: answer.reason,
        matched_pattern: answer.matched_pattern,
        source: answer.source.as_str(),
        origin: answer.origin.as_str(),
        value: answer.value,
        rule: answer.rule,
    }
}

/// The reference engine's `tool_permission`.
#[must_use]
pub fn reference_tool_permission(
    policy: &ResolvedPolicy,
    context: Context<'_>,
    tool: &str,
) -> Action {
    reference::tool_permission(policy, reference_context(context), tool)
        .expect("every view ends in the default rule")
}

fn reference_context<'a>(context: Context<'a>) -> ReferenceContext<'a> {
    ReferenceContext {
        home: context.home,
        agent: context.agent,
        yolo: context.yolo,
    }
}
