//! `providerPermissions`: trust tiers, their rows and the models assigned to them.

use super::document::Scope;
use super::fields::{Report, check_name, first_members, list, name, object, text, unknown_key};
use super::{ProviderPermissions, Tier, TierGroup, TierRow, permission};
use crate::diagnostic::{Code, quote};
use crate::path_pattern::{PathPattern, refusal};
use crate::suggest::suggest;
use permc_grammar::jsonc::{Member, Value};
use permc_grammar::span::{Span, Spanned};
use permc_runtime::Action;
use std::collections::{HashMap, HashSet};

const ROW_HELP: &str =
    "write effects for groups, such as `{ \"read\": \"allow\", \"write\": \"deny\" }`";

/// Reads `providerPermissions`; a project may only give rows for tiers.
pub(super) fn parse(
    report: &mut Report,
    value: &Value,
    scope: Scope,
) -> Option<ProviderPermissions> {
    let help = "write `\"providerPermissions\": { \"defaultTier\": \"...\", \"tiers\": [...], \"assignments\": { } }`";
    let members = object(report, value, "`providerPermissions`", help)?;
    let mut tiers = ProviderPermissions::default();
    for member in first_members(members) {
        let Member { key, value } = member;
        match key.value.as_str() {
            "tiers" => tiers.tiers = self::tiers(report, value),
            "defaultTier" => {
                let tier = name(report, value, "`defaultTier`");
                if operator_only(report, key, scope) {
                    tiers.default_tier = tier;
                }
            }
            "assignments" => {
                let assigned = assignments(report, value);
                if operator_only(report, key, scope) {
                    tiers.assignments = assigned;
                }
            }
            _ => unknown_key(
                report,
                key,
                "`providerPermissions`",
                &["defaultTier", "tiers", "assignments"],
            ),
        }
    }
    check_references(report, &tiers);
    Some(tiers)
}

fn operator_only(report: &mut Report, key: &Spanned<String>, scope: Scope) -> bool {
    if scope == Scope::Global {
        return true;
    }
    report.add(
        Code::PROJECT_TIER_SETTING,
        key.span,
        "only in the global document",
        format!(
            "a project may not set `{}` of `providerPermissions`",
            key.value
        ),
        "a project may only give rows for tiers that exist; move this key to the global document",
    );
    false
}

fn tiers(report: &mut Report, value: &Value) -> Vec<Tier> {
    let help = "write `\"tiers\": [ { \"id\": \"...\", \"directories\": { } } ]`";
    let Some(items) = list(report, value, "`tiers`", help) else {
        return Vec::new();
    };
    let mut seen: HashMap<String, Span> = HashMap::new();
    let mut tiers = Vec::new();
    for item in items {
        let Some(tier) = tier(report, item) else {
            continue;
        };
        if let Some(first) = seen.get(&tier.id.value) {
            report.add_twice(
                Code::DUPLICATE_TIER,
                [*first, tier.id.span],
                format!("the tier id {} is used twice", quote(&tier.id.value)),
                "give one of the tiers another id, or merge the two",
            );
            continue;
        }
        seen.insert(tier.id.value.clone(), tier.id.span);
        tiers.push(tier);
    }
    tiers
}

fn tier(report: &mut Report, value: &Value) -> Option<Tier> {
    let help = "write `{ \"id\": \"...\", \"directories\": { \"**\": { \"read\": \"allow\" } } }`";
    let members = object(report, value, "a tier", help)?;
    let mut id = None;
    let mut has_id = false;
    let mut label = None;
    let mut rows = Vec::new();
    for member in first_members(members) {
        match member.key.value.as_str() {
            "id" => {
                has_id = true;
                id = name(report, &member.value, "the tier's `id`");
            }
            "label" => label = text(report, &member.value, "the tier's `label`"),
            "directories" => rows = self::rows(report, &member.value),
            _ => unknown_key(
                report,
                &member.key,
                "a tier",
                &["id", "label", "directories"],
            ),
        }
    }
    if !has_id {
        report.add(
            Code::MISSING_KEY,
            value.span,
            "no `id` in here",
            "a tier has no `id`".to_owned(),
            help,
        );
    }
    Some(Tier {
        id: id?,
        label,
        rows,
    })
}

fn rows(report: &mut Report, value: &Value) -> Vec<TierRow> {
    let help = "write `\"directories\": { \"**\": { \"read\": \"allow\" } }`";
    let Some(members) = object(report, value, "`directories`", help) else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for Member { key, value } in first_members(members) {
        let usable = check_pattern(report, key);
        let what = format!("the row {}", quote(&key.value));
        let Some(effects) = object(report, value, &what, ROW_HELP) else {
            continue;
        };
        let effects = effects_of(report, effects, &what);
        if usable {
            rows.push(TierRow {
                pattern: key.clone(),
                effects,
            });
        }
    }
    rows
}

fn check_pattern(report: &mut Report, pattern: &Spanned<String>) -> bool {
    if pattern.value.is_empty() {
        report.add(
            Code::EMPTY_PATTERN,
            pattern.span,
            "",
            "a tier pattern is empty".to_owned(),
            "to match every path write `\"**\"`",
        );
        return false;
    }
    // Whether paths fold is not known here. What only folding refuses is found when the policy is lowered.
    match PathPattern::parse(&pattern.value, false) {
        Ok(_) => true,
        Err(error) => {
            let at = report.at(pattern.span);
            report
                .found
                .push(refusal(&pattern.value, &error).at(at, ""));
            false
        }
    }
}

fn effects_of(
    report: &mut Report,
    members: &[Member],
    row: &str,
) -> Vec<(TierGroup, Spanned<Action>)> {
    let mut effects = Vec::new();
    for Member { key, value } in first_members(members) {
        let group = TierGroup::from_name(&key.value);
        if group.is_none() {
            let help = meant_group(&key.value).map_or_else(
                || "groups are `read`, `write`, `execute` and `network`".to_owned(),
                |meant| format!("did you mean `{meant}`?"),
            );
            report.add(
                Code::UNKNOWN_GROUP,
                key.span,
                "not a group",
                format!("unknown group {} in {row}", quote(&key.value)),
                help,
            );
        }
        let what = format!("{} in {row}", quote(&key.value));
        if let (Some(effect), Some(group)) = (permission::action(report, value, &what), group) {
            effects.push((group, effect));
        }
    }
    effects
}

fn meant_group(typed: &str) -> Option<&'static str> {
    match typed {
        "bash" | "exec" | "run" | "shell" => Some("execute"),
        "edit" => Some("write"),
        "glob" | "grep" | "find" | "ls" => Some("read"),
        "webfetch" | "websearch" | "net" | "web" => Some("network"),
        _ => suggest(typed, &TierGroup::ALL.map(TierGroup::as_str)),
    }
}

fn assignments(report: &mut Report, value: &Value) -> Vec<(Spanned<String>, Spanned<String>)> {
    let help = "write `\"assignments\": { \"provider/model\": \"tier\" }`";
    let Some(members) = object(report, value, "`assignments`", help) else {
        return Vec::new();
    };
    let mut assignments = Vec::new();
    for Member { key, value } in first_members(members) {
        let named = check_name(report, key, "the model");
        let what = format!("the tier of model {}", quote(&key.value));
        if let Some(tier) = name(report, value, &what)
            && named
        {
            assignments.push((key.clone(), tier));
        }
    }
    assignments
}

/// Warns about tiers that do not exist. A project has no references, so that nothing is reported for it.
fn check_references(report: &mut Report, tiers: &ProviderPermissions) {
    let ids = || tiers.tiers.iter().map(|tier| tier.id.value.as_str());
    let known: HashSet<&str> = ids().collect();
    // A suggestion is a courtesy; thousands of tiers must not make it cost more than the compile.
    let ids: Vec<&str> = ids().take(200).collect();
    let help = |typed: &str| {
        suggest(typed, &ids).map_or_else(
            || "define the tier under `tiers`, or name one that is there".to_owned(),
            |meant| format!("did you mean {}?", quote(meant)),
        )
    };
    if let Some(tier) = &tiers.default_tier
        && !known.contains(tier.value.as_str())
    {
        report.add(
            Code::UNKNOWN_DEFAULT_TIER,
            tier.span,
            "no such tier",
            format!("the default tier {} does not exist", quote(&tier.value)),
            help(&tier.value),
        );
    }
    for (model, tier) in &tiers.assignments {
        if !known.contains(tier.value.as_str()) {
            report.add(
                Code::UNKNOWN_ASSIGNED_TIER,
                tier.span,
                "no such tier",
                format!(
                    "the model {} is assigned to the tier {}, which does not exist",
                    quote(&model.value),
                    quote(&tier.value)
                ),
                help(&tier.value),
            );
        }
    }
}
