//! `permc explain`: why a check, or a whole call, is answered as it is.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use permc_runtime::{Layer, Session};
use serde_json::{Value, json};

use crate::cold::{ColdPlace, ColdWriting};
use crate::decode::Artifact;
use crate::explain::{Candidate, Explanation, Lost, Question, Yolo, explain};

use super::ExitStatus;
use super::budget::BudgetArgs;
use super::console::Console;
use super::decide::Judge;
use super::decide::request::{Request, parse};
use super::explain_call::Explained;
use super::failure::Failure;
use super::lines::{BadLine, Lines, line_text, write_bad};
use super::policy::{ContextArgs, bind, resolve, stream_policy};
use super::query::{decision_json, utf8};
use super::text::{counted, hex, place, rule_id, rule_place, shown, shown_line, table, ticked};
use super::tier;

/// Show the winner, every other rule that matched and why it lost; for whole calls also gates, commands and paths.
#[derive(Debug, Args)]
#[command(
    override_usage = "permc explain [OPTIONS] SURFACE [VALUE]...\n       permc explain [OPTIONS] --command TEXT\n       permc explain [OPTIONS] --model ID ACTION [RESOURCE]\n       permc explain [OPTIONS] [POLICY] --stdin < CALLS.jsonl",
    after_help = "Examples:\n  permc explain bash 'git push --force'\n  permc explain --policy policy.permc --agent reviewer edit src/main.rs\n  permc explain --model some-provider/some-model write src/main.rs\n  permc explain --command 'cd build && sudo rm -rf ..'\n  echo '{\"tool\": \"read\", \"input\": {\"path\": \".env\"}}' | permc explain policy.permc --stdin"
)]
pub(crate) struct ExplainArgs {
    /// An artifact, a manifest, or a directory that holds one.
    #[arg(long, value_name = "POLICY")]
    policy: Option<PathBuf>,
    #[command(flatten)]
    context: ContextArgs,
    /// Explain a whole shell command, as `permc decide` judges it.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["stdin", "arguments"])]
    command: Option<String>,
    /// Explain whole calls: one JSON object a line, as `permc decide` takes them.
    #[arg(long)]
    stdin: bool,
    /// Look at no file: links and globs are judged by their text alone.
    #[arg(long)]
    pure: bool,
    #[command(flatten)]
    budget: BudgetArgs,
    /// The surface as it is typed, then the values; none stands for `*`. Put `--` before one that starts with `-`.
    /// With `--model`: an action (`read`, `write`, `bash`, `webfetch`...) and a path. With `--stdin`: the policy.
    #[arg(value_name = "SURFACE")]
    arguments: Vec<OsString>,
}

pub(crate) fn run(
    args: &ExplainArgs,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    if args.stdin || args.command.is_some() {
        return run_calls(args, console);
    }
    let (surface, values) = args.arguments.split_first().ok_or_else(|| {
        Failure::usage("a surface is missing").help(
            "for example `permc explain bash 'git status'`, or a whole command with `--command`",
        )
    })?;
    if args.pure {
        return Err(Failure::usage("`--pure` is for whole calls")
            .help("give the call with `--command` or `--stdin`"));
    }
    let surface = utf8(surface, "the surface")?;
    let values = values.iter().map(|value| utf8(value, "a value"));
    let values: Vec<&str> = values.collect::<Result<_, _>>()?;
    if let Some(model) = &args.context.model {
        let resource = tier::resource(&values)?;
        let artifact =
            resolve(args.policy.as_deref(), &args.budget, false, console)?.decode(console.cwd())?;
        let home = console.environment().home.clone();
        let cwd = args.context.directory(console)?;
        let context = args.context.context(home.as_deref(), cwd.as_deref());
        return tier::explain(&artifact, context, (model, surface, resource), console);
    }
    let session: Session = args.context.session_rules(console)?.into_iter().collect();
    let artifact =
        resolve(args.policy.as_deref(), &args.budget, false, console)?.decode(console.cwd())?;
    let home = console.environment().home.clone();
    let cwd = args.context.directory(console)?;
    let context = args.context.context(home.as_deref(), cwd.as_deref());
    let bound = bind(artifact.policy(), context)?;
    let question = Question {
        artifact: &artifact,
        bound: &bound,
        context,
        session: &session,
        surface,
        values: &values,
    };
    let explanation = explain(&question).map_err(|error| {
        Failure::usage(error.to_string())
            .help("report this with the policy; until then `permc query` shows what is enforced")
    })?;
    if console.is_json() {
        let value = check_json(&question, &explanation);
        console.json(&value)?;
    } else {
        let text = check_text(&question, &explanation, console);
        console.out(text)?;
    }
    Ok(ExitStatus::Success)
}

/// Whole calls: one command of an option, or one call a line.
fn run_calls(args: &ExplainArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let policy = stream_policy(&args.arguments, args.policy.as_deref())?;
    let session: Session = args.context.session_rules(console)?.into_iter().collect();
    let artifact = resolve(policy, &args.budget, false, console)?.decode(console.cwd())?;
    let home = console.environment().home.clone();
    let cwd = args.context.directory(console)?;
    let mut judge = Judge::new(
        artifact.policy(),
        args.context.context(home.as_deref(), cwd.as_deref()),
        session,
        args.pure,
    )?;
    let Some(command) = &args.command else {
        return explain_stream(&artifact, &mut judge, console);
    };
    let request = Request::of_command(command);
    let shown = explained(&artifact, &mut judge, &request, console)
        .map_err(|bad| Failure::usage(bad.message))?;
    console.out(shown)?;
    Ok(ExitStatus::Success)
}

fn explain_stream(
    artifact: &Artifact,
    judge: &mut Judge<'_>,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let is_json = console.is_json();
    let mut lines = Lines::new();
    let (mut out, mut all_good, mut is_first) = (Vec::new(), true, true);
    while let Some(line) = lines.next(console)? {
        out.clear();
        let request = line.and_then(line_text).and_then(parse);
        let shown = request.and_then(|request| explained(artifact, judge, &request, console));
        match shown {
            Ok(text) => {
                if !is_json && !is_first {
                    out.push(b'\n');
                }
                out.extend(text.into_bytes());
            }
            Err(bad) => {
                all_good = false;
                write_bad(&bad, is_json, &mut out);
            }
        }
        is_first = false;
        console.out(&out)?;
    }
    Ok(if all_good {
        ExitStatus::Success
    } else {
        ExitStatus::Findings
    })
}

fn explained(
    artifact: &Artifact,
    judge: &mut Judge<'_>,
    request: &Request,
    console: &Console<'_, '_>,
) -> Result<String, BadLine> {
    judge.with(request, |asked| {
        let explanation = asked.gates.explain(asked.call, asked.session, asked.files);
        let explained = Explained {
            tool: &request.tool,
            artifact,
            gates: asked.gates,
            context: asked.context,
            session: asked.session,
            model: asked.call.model.or(asked.context.model),
            cwd: asked.call.cwd,
            explanation: &explanation,
        };
        if console.is_json() {
            format!("{}\n", explained.to_json(asked.digest))
        } else {
            explained.to_text(console)
        }
    })
}

/// A check as one object.
pub(super) fn check_json(question: &Question<'_>, explanation: &Explanation<'_>) -> Value {
    let digest = hex(question.bound.digest());
    let mut winner = candidate_json(&explanation.winner);
    if let Value::Object(fields) = &mut winner {
        let history: Vec<Value> = explanation
            .winner
            .history
            .iter()
            .map(writing_json)
            .collect();
        fields.insert("history".to_owned(), Value::Array(history));
    }
    let others = explanation.others.iter().map(|(candidate, lost)| {
        let mut value = candidate_json(candidate);
        if let Value::Object(fields) = &mut value {
            fields.insert("lost".to_owned(), json!(lost.as_str()));
            let value = question.values.get(candidate.value);
            fields.insert("value".to_owned(), json!(value.copied().unwrap_or("*")));
        }
        value
    });
    json!({
        "schema": "permc/explain/1",
        "surface": question.surface,
        "values": question.values,
        "value": explanation.value,
        "agent": question.context.agent,
        "view": explanation.view,
        "decision": decision_json(&explanation.decision, &digest),
        "winner": winner,
        "others": others.collect::<Vec<_>>(),
        "yolo": explanation.yolo.as_str(),
        "session": {"rules": question.session.rules().count(), "matches": explanation.session_matches},
    })
}

fn candidate_json(candidate: &Candidate<'_>) -> Value {
    let rule = candidate.rule;
    json!({
        "surface": candidate.surface,
        "pattern": candidate.pattern,
        "action": candidate.action.as_str(),
        "reason": candidate.reason,
        "layer": candidate.layer.as_str(),
        "origin": candidate.origin.as_str(),
        "agent": candidate.agent,
        "id": rule.map(|rule| rule_id(rule.id)),
        "file": rule.map(|rule| rule.file),
        "line": rule.map(|rule| rule.line),
        "column": rule.map(|rule| rule.column),
        "text": candidate.history.last().map(|writing| &writing.place.text),
    })
}

fn writing_json(writing: &ColdWriting) -> Value {
    json!({
        "origin": writing.origin,
        "agent": writing.agent,
        "action": writing.action,
        "how": writing.how,
        "file": writing.place.file,
        "line": writing.place.line,
        "column": writing.place.column,
        "text": writing.place.text,
    })
}

/// A check in several lines.
pub(super) fn check_text(
    question: &Question<'_>,
    explanation: &Explanation<'_>,
    console: &Console<'_, '_>,
) -> String {
    let winner = &explanation.winner;
    let mut text = format!(
        "{}  {} {}\n",
        console.action(explanation.decision.state),
        shown(question.surface),
        ticked(explanation.value)
    );
    if let Some(agent) = question
        .context
        .agent
        .filter(|agent| explanation.view != Some(agent))
    {
        text.push_str(&format!(
            "  agent    {} is not known to the policy: the base view answers\n",
            ticked(agent)
        ));
    } else if let Some(agent) = explanation.view {
        text.push_str(&format!("  agent    {}\n", ticked(agent)));
    }
    text.push_str(&format!("  because  {}\n", because(winner)));
    if let Some(reason) = winner.reason {
        text.push_str(&format!("  reason   {}\n", shown(reason)));
    }
    if let Some(writing) = winner.history.last() {
        text.push_str(&source_lines(&writing.place));
    }
    if winner.history.len() > 1 {
        text.push_str(&format!(
            "\n{}\n",
            console.strong("History of this rule, lowest scope first:")
        ));
        let rows = winner.history.iter().map(writing_row).collect::<Vec<_>>();
        text.push_str(&table(&rows, "  "));
    }
    if !explanation.others.is_empty() {
        text.push_str(&format!(
            "\n{}\n",
            console.strong("Other rules that match, nearest first:")
        ));
        let rows = explanation.others.iter();
        let rows: Vec<_> = rows
            .map(|(candidate, lost)| other_row(candidate, *lost, winner, question))
            .collect();
        text.push_str(&table(&rows, "  "));
    }
    let effects = effects(question, explanation);
    if !effects.is_empty() {
        text.push('\n');
        text.extend(effects.iter().map(|effect| format!("{effect}\n")));
    }
    text
}

/// The winner in a sentence.
fn because(winner: &Candidate<'_>) -> String {
    let place = winner.rule.as_ref().map(rule_place);
    match (winner.layer, place) {
        (Layer::Default, Some(place)) => {
            format!(
                "no rule matches; the default of {place} says {}",
                winner.action.as_str()
            )
        }
        (Layer::Default, None) => {
            "no rule matches and no document has a default (the universal key `*`): ask".to_owned()
        }
        (Layer::Baseline, _) => {
            "permc adds this rule itself wherever some MCP target is allowed".to_owned()
        }
        (Layer::Session, None) => {
            format!("{} was approved in the session", ticked(winner.pattern))
        }
        (layer, place) => {
            let rule = winner.rule.map(|rule| rule_id(rule.id)).unwrap_or_default();
            format!(
                "the last rule that matches is {} ({}, {}) at {}, id {rule}",
                ticked(winner.pattern),
                layer.as_str(),
                winner.origin.as_str(),
                place.unwrap_or_default()
            )
        }
    }
}

/// The source line with the key underlined.
pub(super) fn source_lines(source: &ColdPlace) -> String {
    let line = shown_line(&source.text);
    let column = usize::try_from(source.column)
        .unwrap_or(1)
        .saturating_sub(1);
    let at = |index: usize| line.chars().nth(index);
    // A long line is stored from the column on.
    let is_cut = at(column).is_none() || (at(0) == Some('"') && at(column) != Some('"'));
    let start = if is_cut { 0 } else { column };
    let marked = key_length(&line.chars().skip(start).collect::<Vec<_>>());
    let number = source.line.to_string();
    let margin = " ".repeat(number.len());
    format!(
        "\n{margin}--> {}\n{margin} |\n{number} | {}\n{margin} | {}{}\n",
        place(&source.file, source.line, source.column),
        line.trim_end(),
        " ".repeat(start),
        "^".repeat(marked.max(1))
    )
}

/// Characters of the key that the text begins with.
fn key_length(text: &[char]) -> usize {
    let quote = text
        .first()
        .copied()
        .filter(|first| matches!(first, '"' | '\''));
    let Some(quote) = quote else {
        return text
            .iter()
            .position(|character| *character == ':')
            .unwrap_or(text.len());
    };
    let mut escaped = false;
    for (index, character) in text.iter().enumerate().skip(1) {
        if !escaped && *character == quote {
            return index.saturating_add(1);
        }
        escaped = !escaped && quote == '"' && *character == '\\';
    }
    text.len()
}

fn writing_row(writing: &ColdWriting) -> Vec<String> {
    let who = match &writing.agent {
        Some(agent) => format!("{} {}", writing.origin, ticked(agent)),
        None => writing.origin.clone(),
    };
    let how = match writing.how.as_str() {
        "restated" => "restates the pattern, which keeps its position",
        "replaced" => "replaces all that stood at the surface",
        _ => "is the first to write it",
    };
    vec![
        shown(&who),
        shown(&writing.action),
        place(
            &writing.place.file,
            writing.place.line,
            writing.place.column,
        ),
        how.to_owned(),
    ]
}

fn other_row(
    candidate: &Candidate<'_>,
    lost: Lost,
    winner: &Candidate<'_>,
    question: &Question<'_>,
) -> Vec<String> {
    let why = match lost {
        Lost::LaterRule => "a later rule overrides it".to_owned(),
        Lost::HigherLayer => format!(
            "the {} layer is above its layer, {}",
            winner.layer.as_str(),
            candidate.layer.as_str()
        ),
        Lost::OtherValue => {
            let value = question.values.get(candidate.value).copied().unwrap_or("*");
            format!("it matches {}, which does not decide", ticked(value))
        }
    };
    vec![
        candidate.action.as_str().to_owned(),
        shown(candidate.surface),
        ticked(candidate.pattern),
        candidate.origin.as_str().to_owned(),
        candidate
            .rule
            .as_ref()
            .map_or_else(|| "-".to_owned(), rule_place),
        why,
    ]
}

/// What yolo mode and the session did, where there is something to say.
fn effects(question: &Question<'_>, explanation: &Explanation<'_>) -> Vec<String> {
    let mut effects = Vec::new();
    match explanation.yolo {
        Yolo::Off => {}
        Yolo::Clamped => {
            effects.push("Yolo mode has no effect: a broken document clamps this view.".to_owned())
        }
        Yolo::NoEffect => effects.push(
            "Yolo mode is on and changes nothing here: it only turns ask into allow.".to_owned(),
        ),
        Yolo::AskToAllow => effects.push("Yolo mode turned ask into allow.".to_owned()),
    }
    let n_rules = question.session.rules().count();
    if n_rules > 0 {
        effects.push(format!(
            "The session has {}, of which {} here.",
            counted(n_rules, "rule"),
            match explanation.session_matches {
                1 => "1 matches".to_owned(),
                count => format!("{count} match"),
            }
        ));
    }
    effects
}
