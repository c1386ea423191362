//! Trust tiers on the command line: one answer, why, and the whole table.

use permc_runtime::{Action, Context, TierAnswer, TierGroup, TierRow};
use serde_json::{Value, json};

use crate::cold::ColdPlace;
use crate::decode::Artifact;
use crate::explain_tier::{TierCandidate, TierExplanation, TierLost, TierQuestion, explain_tier};

use super::ExitStatus;
use super::console::Console;
use super::explain::source_lines;
use super::failure::Failure;
use super::policy::{bind, unknown_directory};
use super::text::{hex, place, rule_id, rule_place, shown, table, ticked};

/// The resource of the arguments; none stands for the working directory.
pub(super) fn resource<'v>(values: &[&'v str]) -> Result<&'v str, Failure> {
    match values {
        [] => Ok(""),
        [resource] => Ok(resource),
        _ => Err(
            Failure::usage("with `--model` the arguments are an action and one path").help(
                "for example `permc query --model some-provider/some-model write src/main.rs`",
            ),
        ),
    }
}

/// The answer as machines read it.
pub(super) fn answer_json(answer: &TierAnswer<'_>) -> Value {
    json!({
        "effect": answer.effect.map(Action::as_str),
        "tier": answer.tier,
        "viaDefault": answer.tier.map(|_| answer.via_default),
        "pattern": answer.row.map(|row| row.pattern),
        "group": answer.group.map(TierGroup::as_str),
    })
}

/// The answer on one line.
pub(super) fn answer_line(answer: &TierAnswer<'_>) -> String {
    let mut text = answer.effect.map_or("none", Action::as_str).to_owned();
    if let Some(tier) = answer.tier {
        text.push_str(&format!("  {}", ticked(tier)));
    }
    if let Some(row) = &answer.row {
        text.push_str(&format!(
            "  {}  {}",
            ticked(row.pattern),
            rule_place(&row.rule)
        ));
    }
    text
}

/// The answer in several lines.
pub(super) fn answer_text(answer: &TierAnswer<'_>, console: &Console<'_, '_>) -> String {
    let effect = answer
        .effect
        .map_or_else(|| "none".to_owned(), |effect| console.action(effect));
    let mut text = format!("{effect}\n");
    let mut field = |name: &str, value: &str| {
        text.push_str(&format!("  {name:<8} {value}\n"));
    };
    field("tier", &tier_words(answer));
    if let Some(group) = answer.group {
        field("group", group.as_str());
    }
    if let Some(row) = &answer.row {
        field("pattern", &ticked(row.pattern));
        field(
            "row",
            &format!("{} at {}", rule_id(row.rule.id), rule_place(&row.rule)),
        );
    }
    if let Some(why) = no_opinion(answer) {
        field("note", why);
    }
    text
}

fn tier_words(answer: &TierAnswer<'_>) -> String {
    let Some(tier) = answer.tier else {
        return "none".to_owned();
    };
    let label = answer
        .label
        .filter(|label| !label.is_empty())
        .map(|label| format!(" ({})", shown(label)))
        .unwrap_or_default();
    let default = if answer.via_default {
        ", the default tier"
    } else {
        ""
    };
    format!("{}{label}{default}", ticked(tier))
}

/// Why there is no opinion, or a deny without a row.
fn no_opinion(answer: &TierAnswer<'_>) -> Option<&'static str> {
    if answer.is_fault {
        return Some("the artifact's tables contradict themselves; compile the policy again");
    }
    if answer.effect.is_some() {
        return None;
    }
    Some(if answer.group.is_none() {
        "tiers say nothing about this action: they know read, glob, grep, write, edit, bash, webfetch and websearch"
    } else if answer.tier.is_none() {
        "the model has no tier and there is no default tier: rules decide"
    } else {
        "no row of the tier matches and speaks of this: rules decide"
    })
}

/// `permc explain --model`.
pub(super) fn explain(
    artifact: &Artifact,
    context: Context<'_>,
    (model, action, resource): (&str, &str, &str),
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let bound = bind(artifact.policy(), context)?;
    let question = TierQuestion {
        artifact,
        bound: &bound,
        home: context.home,
        cwd: context.cwd.ok_or_else(unknown_directory)?,
        model,
        action,
        resource,
    };
    let explanation = explain_tier(&question).map_err(|error| {
        Failure::usage(error.to_string())
            .help("report this with the policy; until then `permc query` shows what is enforced")
    })?;
    if console.is_json() {
        let digest = hex(bound.digest());
        console.json(&to_json(&question, &explanation, &digest))?;
    } else {
        let text = to_text(&question, &explanation, console);
        console.out(text)?;
    }
    Ok(ExitStatus::Success)
}

/// An explanation as one object.
pub(super) fn to_json(
    question: &TierQuestion<'_>,
    explanation: &TierExplanation<'_>,
    digest: &str,
) -> Value {
    let (winner, others) = parts(explanation);
    json!({
        "schema": "permc/explain-tier/1",
        "model": question.model,
        "action": question.action,
        "resource": question.resource,
        "answer": answer_json(&explanation.answer),
        "label": explanation.answer.label,
        "assignedTierMissing": explanation.is_tier_missing,
        "winner": winner.map(|winner| candidate_json(winner, question.artifact)),
        "others": others.iter().map(|other| candidate_json(other, question.artifact)).collect::<Vec<_>>(),
        "digest": digest,
    })
}

/// The row that decides and the others.
fn parts<'e, 'a>(
    explanation: &'e TierExplanation<'a>,
) -> (Option<&'e TierCandidate<'a>>, &'e [TierCandidate<'a>]) {
    match explanation.candidates.split_first() {
        Some((winner, others)) if winner.lost.is_none() => (Some(winner), others),
        _ => (None, &explanation.candidates),
    }
}

fn candidate_json(candidate: &TierCandidate<'_>, artifact: &Artifact) -> Value {
    let row = &candidate.row;
    json!({
        "pattern": row.pattern,
        "effect": candidate.effect.as_str(),
        "length": candidate.length,
        "scope": scope(row),
        "lost": candidate.lost.map(TierLost::as_str),
        "id": rule_id(row.rule.id),
        "file": row.rule.file,
        "line": row.rule.line,
        "column": row.rule.column,
        "text": source_of(row, artifact).map(|place| &place.text),
    })
}

const fn scope(row: &TierRow<'_>) -> &'static str {
    if row.is_project { "project" } else { "global" }
}

fn source_of<'a>(row: &TierRow<'_>, artifact: &'a Artifact) -> Option<&'a ColdPlace> {
    artifact
        .cold()
        .tier_rows
        .get(usize::try_from(row.number).ok()?)
}

/// An explanation in several lines.
pub(super) fn to_text(
    question: &TierQuestion<'_>,
    explanation: &TierExplanation<'_>,
    console: &Console<'_, '_>,
) -> String {
    let answer = &explanation.answer;
    let effect = answer
        .effect
        .map_or_else(|| "none".to_owned(), |effect| console.action(effect));
    let resource = if question.resource.is_empty() {
        "."
    } else {
        question.resource
    };
    let mut text = format!(
        "{effect}  {} {}\n",
        shown(question.action),
        ticked(resource)
    );
    text.push_str(&format!("  model    {}\n", ticked(question.model)));
    text.push_str(&format!("  tier     {}\n", tier_words(answer)));
    if explanation.is_tier_missing {
        text.push_str("  note     the model is assigned to a tier that does not exist\n");
    }
    if let Some(why) = no_opinion(answer) {
        text.push_str(&format!("  because  {why}\n"));
    }
    let (winner, others) = parts(explanation);
    if let Some(winner) = winner {
        text.push_str(&format!(
            "  because  the longest pattern that matches and speaks of {} is {} ({}, {} characters) at {}, id {}\n",
            answer.group.map_or("", TierGroup::as_str),
            ticked(winner.row.pattern),
            scope(&winner.row),
            winner.length,
            rule_place(&winner.row.rule),
            rule_id(winner.row.rule.id),
        ));
        if let Some(source) = source_of(&winner.row, question.artifact) {
            text.push_str(&source_lines(source));
        }
    }
    if !others.is_empty() {
        let title = console.strong("Other rows that match, longest first:");
        text.push_str(&format!("\n{title}\n"));
        let rows: Vec<_> = others.iter().map(other_row).collect();
        text.push_str(&table(&rows, "  "));
    }
    text
}

fn other_row(candidate: &TierCandidate<'_>) -> Vec<String> {
    let why = match candidate.lost {
        Some(TierLost::Shorter) => format!("shorter: {} characters", candidate.length),
        Some(TierLost::NotStricter) => "as long, and not stricter".to_owned(),
        _ => "the other document's row counts: it is stricter, or the operator's".to_owned(),
    };
    vec![
        candidate.effect.as_str().to_owned(),
        ticked(candidate.row.pattern),
        scope(&candidate.row).to_owned(),
        rule_place(&candidate.row.rule),
        why,
    ]
}

/// One row of the table: each group, where it says something.
struct Line<'a> {
    row: TierRow<'a>,
    effects: [Option<Action>; 4],
}

fn lines<'a>(tier: &permc_runtime::TierView<'a>, of_project: bool) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for (index, group) in TierGroup::ALL.into_iter().enumerate() {
        for (row, effect) in tier.rows(group, of_project) {
            let at = lines.iter().position(|line| line.row.number == row.number);
            let at = at.unwrap_or_else(|| {
                lines.push(Line {
                    row,
                    effects: [None; 4],
                });
                lines.len().saturating_sub(1)
            });
            let place = lines
                .get_mut(at)
                .and_then(|line| line.effects.get_mut(index));
            if let Some(place) = place {
                *place = Some(effect);
            }
        }
    }
    lines.sort_by_key(|line| line.row.number);
    lines
}

/// `permc list --tiers`.
pub(super) fn list(
    artifact: &Artifact,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let contents = artifact
        .contents()
        .map_err(|error| Failure::usage(error.to_string()))?;
    let digest = hex(&artifact.policy().digest());
    if console.is_json() {
        let tiers = contents.tiers().map(|tier| {
            let rows = [false, true]
                .into_iter()
                .flat_map(|of_project| lines(&tier, of_project));
            json!({
                "id": tier.id(),
                "label": tier.label(),
                "isDefault": contents.default_tier() == Some(tier.id()),
                "rows": rows.map(|line| line_json(&line)).collect::<Vec<_>>(),
            })
        });
        let assignments = contents.tier_assignments();
        let assignments = assignments.map(|(model, tier)| json!({ "model": model, "tier": tier }));
        console.json(&json!({
            "schema": "permc/list-tiers/1",
            "digest": digest,
            "defaultTier": contents.default_tier(),
            "tiers": tiers.collect::<Vec<_>>(),
            "assignments": assignments.collect::<Vec<_>>(),
        }))?;
        return Ok(ExitStatus::Success);
    }
    let mut is_first = true;
    for tier in contents.tiers() {
        let blank = if is_first { "" } else { "\n" };
        is_first = false;
        let models: Vec<String> = contents
            .tier_assignments()
            .filter(|(_, assigned)| *assigned == Some(tier.id()))
            .map(|(model, _)| ticked(model))
            .collect();
        let title = console.strong(&format!(
            "tier {}",
            title(&tier, contents.default_tier(), &models)
        ));
        console.out(format!("{blank}{title}\n"))?;
        let head = [
            "directory",
            "read",
            "write",
            "execute",
            "network",
            "scope",
            "place",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for of_project in [false, true] {
            rows.extend(lines(&tier, of_project).iter().map(line_row));
        }
        if rows.len() == 1 {
            console.out("  no row: rules decide\n")?;
        } else {
            console.out(table(&rows, "  "))?;
        }
    }
    let missing: Vec<String> = contents
        .tier_assignments()
        .filter(|(_, tier)| tier.is_none())
        .map(|(model, _)| ticked(model))
        .collect();
    if !missing.is_empty() {
        let words = format!(
            "\nassigned to tiers that do not exist: {}\n",
            missing.join(", ")
        );
        console.out(words)?;
    }
    if is_first {
        console.out("the policy has no trust tiers\n")?;
    }
    Ok(ExitStatus::Success)
}

fn title(tier: &permc_runtime::TierView<'_>, default: Option<&str>, models: &[String]) -> String {
    let mut title = ticked(tier.id());
    if let Some(label) = tier.label().filter(|label| !label.is_empty()) {
        title.push_str(&format!(" ({})", shown(label)));
    }
    if default == Some(tier.id()) {
        title.push_str(", the default");
    }
    if !models.is_empty() {
        title.push_str(&format!(", for {}", models.join(", ")));
    }
    title
}

fn line_json(line: &Line<'_>) -> Value {
    let effects: serde_json::Map<String, Value> = TierGroup::ALL
        .into_iter()
        .zip(line.effects)
        .map(|(group, effect)| (group.as_str().to_owned(), json!(effect.map(Action::as_str))))
        .collect();
    json!({
        "pattern": line.row.pattern,
        "effects": effects,
        "scope": scope(&line.row),
        "id": rule_id(line.row.rule.id),
        "file": line.row.rule.file,
        "line": line.row.rule.line,
        "column": line.row.rule.column,
    })
}

fn line_row(line: &Line<'_>) -> Vec<String> {
    let mut row = vec![ticked(line.row.pattern)];
    let effects = line.effects.iter();
    row.extend(effects.map(|effect| effect.map_or("-", Action::as_str).to_owned()));
    row.push(scope(&line.row).to_owned());
    let rule = &line.row.rule;
    row.push(place(rule.file, rule.line, rule.column));
    row
}
