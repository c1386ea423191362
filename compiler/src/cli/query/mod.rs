//! `permc query`: one check, or a stream of them as JSON lines.

mod request;
mod stream;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::Args;
use permc_runtime::{Action, Decision, Session};
use serde::Serialize;
use serde_json::Value;

use super::ExitStatus;
use super::budget::BudgetArgs;
use super::console::Console;
use super::failure::Failure;
use super::policy::{ContextArgs, bind, resolve, stream_policy};
use super::text::{hex, rule_id, rule_place, shown, ticked};
use super::tier;

/// Ask the policy: one check, or one a line with `--stdin`.
#[derive(Debug, Args)]
#[command(
    override_usage = "permc query [OPTIONS] SURFACE [VALUE]...\n       permc query [OPTIONS] --model ID ACTION [RESOURCE]\n       permc query [OPTIONS] [POLICY] --stdin",
    after_help = "Examples:\n  permc query bash 'git status'\n  permc query --policy policy.permc --exit-code --agent reviewer edit src/main.rs\n  permc query --model some-provider/some-model write src/main.rs\n  echo '{\"tool\": \"bash\", \"input\": {\"command\": \"git status\"}}' | permc query policy.permc --stdin"
)]
pub(crate) struct QueryArgs {
    /// An artifact, a manifest, or a directory that holds one; without it `permc.jsonc` is looked for upwards.
    #[arg(long, value_name = "POLICY")]
    policy: Option<PathBuf>,
    #[command(flatten)]
    context: ContextArgs,
    /// End with 10 for ask and 11 for deny.
    #[arg(long, conflicts_with = "stdin")]
    exit_code: bool,
    /// Read one JSON object a line and answer with one a line.
    #[arg(long)]
    stdin: bool,
    #[command(flatten)]
    budget: BudgetArgs,
    /// The surface as it is typed, then the values; none stands for `*`. Put `--` before one that starts with `-`.
    /// With `--model`: an action (`read`, `write`, `bash`, `webfetch`...) and a path. With `--stdin`: the policy.
    #[arg(value_name = "SURFACE")]
    arguments: Vec<OsString>,
}

pub(crate) fn run(args: &QueryArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    if args.stdin {
        return run_stream(args, console);
    }
    let (surface, values) = args.arguments.split_first().ok_or_else(|| {
        Failure::usage("a surface is missing").help("for example `permc query bash 'git status'`")
    })?;
    let surface = utf8(surface, "the surface")?;
    let values = values.iter().map(|value| utf8(value, "a value"));
    let values: Vec<&str> = values.collect::<Result<_, _>>()?;
    if let Some(model) = &args.context.model {
        return run_tier(args, model, surface, tier::resource(&values)?, console);
    }
    let session: Session = args.context.session_rules(console)?.into_iter().collect();
    let policy =
        resolve(args.policy.as_deref(), &args.budget, false, console)?.load(console.cwd())?;
    let home = console.environment().home.clone();
    let cwd = args.context.directory(console)?;
    let context = args.context.context(home.as_deref(), cwd.as_deref());
    let bound = bind(&policy, context)?;
    let decision = bound.check(surface, &values, &session);
    if console.is_json() {
        let (command, target) = parts(surface, &values, &decision);
        let mut line = Vec::new();
        write_answer(
            &mut line,
            &Answer::new(&decision, command, target, &hex(bound.digest())),
        );
        console.out(line)?;
    } else {
        let state = console.action(decision.state);
        console.out(human(&state, &decision))?;
    }
    Ok(match decision.state {
        Action::Ask if args.exit_code => ExitStatus::Ask,
        Action::Deny if args.exit_code => ExitStatus::Deny,
        _ => ExitStatus::Success,
    })
}

/// What a model's tier says about an action and a resource.
fn run_tier(
    args: &QueryArgs,
    model: &str,
    action: &str,
    resource: &str,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let policy =
        resolve(args.policy.as_deref(), &args.budget, false, console)?.load(console.cwd())?;
    let home = console.environment().home.clone();
    let cwd = args.context.directory(console)?;
    let context = args.context.context(home.as_deref(), cwd.as_deref());
    let bound = bind(&policy, context)?;
    let answer = bound.explain_provider_permission(model, action, resource);
    if console.is_json() {
        let mut line = Vec::new();
        write_answer(&mut line, &tier::answer_json(&answer));
        console.out(line)?;
    } else {
        let text = tier::answer_text(&answer, console);
        console.out(text)?;
    }
    Ok(match answer.effect {
        Some(Action::Ask) if args.exit_code => ExitStatus::Ask,
        Some(Action::Deny) if args.exit_code => ExitStatus::Deny,
        _ => ExitStatus::Success,
    })
}

fn run_stream(args: &QueryArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let policy = stream_policy(&args.arguments, args.policy.as_deref())?;
    let session = args.context.session_rules(console)?;
    let policy = resolve(policy, &args.budget, false, console)?.load(console.cwd())?;
    let home = console.environment().home.clone();
    let cwd = args.context.directory(console)?;
    stream::run(
        &policy,
        args.context.context(home.as_deref(), cwd.as_deref()),
        session,
        console,
    )
}

/// An argument that has to be text.
pub(crate) fn utf8<'a>(argument: &'a OsStr, what: &str) -> Result<&'a str, Failure> {
    argument.to_str().ok_or_else(|| {
        Failure::usage(format!(
            "{what} {} is not UTF-8",
            ticked(&argument.to_string_lossy())
        ))
    })
}

/// What ready values say about command and target: the value that decided.
fn parts<'v>(
    surface: &str,
    values: &[&'v str],
    decision: &Decision<'_>,
) -> (Option<&'v str>, Option<&'v str>) {
    let deciding = decision.value.and_then(|index| values.get(index)).copied();
    match surface {
        "bash" => (deciding, None),
        "mcp" => (None, deciding),
        _ => (None, None),
    }
}

/// A decision as machines read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    state: &'static str,
    matched_pattern: Option<&'a str>,
    source: &'static str,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    rule: Option<Rule<'a>>,
    digest: &'a str,
}

#[derive(Serialize)]
struct Rule<'a> {
    id: String,
    file: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Answer<'a> {
    fn new(
        decision: &Decision<'a>,
        command: Option<&'a str>,
        target: Option<&'a str>,
        digest: &'a str,
    ) -> Self {
        Self {
            state: decision.state.as_str(),
            matched_pattern: decision.matched_pattern(),
            source: decision.source.as_str(),
            origin: decision.origin.as_str(),
            reason: decision.reason(),
            target,
            command,
            rule: decision.rule().map(|rule| Rule {
                id: rule_id(rule.id),
                file: rule.file,
                line: rule.line,
                column: rule.column,
            }),
            digest,
        }
    }
}

/// The answer on a line of its own.
pub(crate) fn write_answer(line: &mut Vec<u8>, answer: &impl Serialize) {
    // Writing to memory cannot fail, and neither can text, numbers and null.
    let _ = serde_json::to_writer(&mut *line, answer);
    line.push(b'\n');
}

/// The same answer inside a larger document.
pub(crate) fn decision_json(decision: &Decision<'_>, digest: &str) -> Value {
    serde_json::to_value(Answer::new(decision, None, None, digest)).unwrap_or_default()
}

fn human(state: &str, decision: &Decision<'_>) -> String {
    let mut text = format!("{state}\n");
    let mut field = |name: &str, value: &str| {
        text.push_str(&format!("  {name:<8} {value}\n"));
    };
    if let Some(pattern) = decision.matched_pattern() {
        field("pattern", &ticked(pattern));
    }
    field("source", decision.source.as_str());
    field("origin", decision.origin.as_str());
    match &decision.rule() {
        Some(rule) => field(
            "rule",
            &format!("{} at {}", rule_id(rule.id), rule_place(rule)),
        ),
        None => field("rule", "none"),
    }
    if let Some(reason) = decision.reason() {
        field("reason", &shown(reason));
    }
    if decision.fault {
        field(
            "note",
            "the artifact's tables contradict themselves; compile the policy again",
        );
    }
    text
}

/// The decision on one line.
fn human_line(decision: &Decision<'_>) -> String {
    let mut text = decision.state.as_str().to_owned();
    if let Some(pattern) = decision.matched_pattern() {
        text.push_str(&format!("  {}", ticked(pattern)));
    }
    text.push_str(&format!("  {}", decision.origin.as_str()));
    if let Some(rule) = &decision.rule() {
        text.push_str(&format!("  {}", rule_place(rule)));
    }
    if let Some(reason) = decision.reason() {
        text.push_str(&format!("  {}", shown(reason)));
    }
    text.push('\n');
    text
}
