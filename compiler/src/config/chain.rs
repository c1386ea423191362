//! `authorizerChain` and `modelDelegation`: who may rule on an ask, and within which bounds.

use super::ModelDelegation;
use super::document::Scope;
use super::fields::{Report, check_literal, first_members, names, object, unknown_key};
use crate::diagnostic::{Code, Diagnostic, quote};
use permc_grammar::jsonc::{Member, Value};
use permc_grammar::span::{Span, Spanned};
use std::collections::HashMap;

const KEYS: [&str; 3] = ["allowedSurfaces", "excludedSurfaces", "secretPatterns"];

/// Reads `authorizerChain`.
pub(super) fn parse_chain(report: &mut Report, value: &Value) -> Vec<Spanned<String>> {
    names(report, value, "authorizerChain", "the link")
}

/// Reads `modelDelegation`; a project may only exclude surfaces.
pub(super) fn parse_delegation(
    report: &mut Report,
    value: &Value,
    scope: Scope,
) -> Option<ModelDelegation> {
    let help = "write `\"modelDelegation\": { \"allowedSurfaces\": [\"...\"] }`";
    let members = object(report, value, "`modelDelegation`", help)?;
    let mut delegation = ModelDelegation::default();
    for member in first_members(members) {
        let Member { key, value } = member;
        match key.value.as_str() {
            "excludedSurfaces" => delegation.excluded_surfaces = surfaces(report, key, value),
            "allowedSurfaces" => {
                let allowed = surfaces(report, key, value);
                if operator_only(report, key, scope) {
                    delegation.allowed_surfaces = allowed;
                }
            }
            "secretPatterns" => {
                let patterns = names(report, value, "secretPatterns", "the pattern");
                if operator_only(report, key, scope) {
                    delegation.secret_patterns = patterns;
                }
            }
            _ => unknown_key(report, key, "`modelDelegation`", &KEYS),
        }
    }
    check_tier(report, &mut delegation.allowed_surfaces);
    check_both(report, &delegation);
    Some(delegation)
}

fn surfaces(report: &mut Report, key: &Spanned<String>, value: &Value) -> Vec<Spanned<String>> {
    let mut surfaces = names(report, value, &key.value, "the surface");
    surfaces.retain(|surface| check_literal(report, surface, "the surface"));
    surfaces
}

fn operator_only(report: &mut Report, key: &Spanned<String>, scope: Scope) -> bool {
    if scope == Scope::Global {
        return true;
    }
    report.add(
        Code::PROJECT_DELEGATION,
        key.span,
        "only in the global document",
        format!("a project may not set `{}` of `modelDelegation`", key.value),
        "a project may only add to `excludedSurfaces`; move this key to the global document",
    );
    false
}

fn check_tier(report: &mut Report, allowed: &mut Vec<Spanned<String>>) {
    allowed.retain(|surface| {
        if surface.value != "tier" {
            return true;
        }
        report.add(
            Code::TIER_NEVER_DELEGATED,
            surface.span,
            "has no effect",
            "an ask of the surface `tier` can never be allowed by a link".to_owned(),
            "remove `tier` from `allowedSurfaces`",
        );
        false
    });
}

fn check_both(report: &mut Report, delegation: &ModelDelegation) {
    let allowed: HashMap<&str, Span> = delegation
        .allowed_surfaces
        .iter()
        .map(|surface| (surface.value.as_str(), surface.span))
        .collect();
    for surface in &delegation.excluded_surfaces {
        let Some(first) = allowed.get(surface.value.as_str()) else {
            continue;
        };
        let (at, first) = (report.at(surface.span), report.at(*first));
        let message = format!(
            "the surface {} is both allowed and excluded",
            quote(&surface.value)
        );
        report.found.push(
            Diagnostic::new(Code::ALLOWED_AND_EXCLUDED, message)
                .at(at, "excluded here")
                .related(first, "allowed here")
                .note("an exclusion always wins")
                .help("remove the surface from one of the two lists"),
        );
    }
}
