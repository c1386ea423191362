//! The tier gate: what a model's trust tier says about what a call touches, as a ceiling (page 3).

use std::borrow::Cow;

use permc_runtime::{Action, Layer, Origin, Source, TierAnswer};

use crate::decide::Gates;
use crate::decision::Gate;
use crate::paths::{Access, Looked, Resource};

/// One question to the tier.
pub(crate) struct Asked<'c> {
    action: &'static str,
    resource: &'c str,
    /// Whether an answer counts only where another row gives it than the one about the working directory: a bare word of
    /// a command may be anything.
    is_bare: bool,
}

/// What the tier is asked about a call.
pub(crate) fn asked<'c>(
    is_shell: bool,
    tool: &str,
    cwd: &'c str,
    looked: &'c Looked<'_>,
) -> Vec<Asked<'c>> {
    let asked = |action: &'static str, resource: &'c str| Asked {
        action,
        resource,
        is_bare: false,
    };
    let resources = looked.resources.iter();
    if is_shell {
        let resource = |resource: &'c Resource| Asked {
            is_bare: resource.access == Access::Bare,
            ..asked(action_of(resource.access), &resource.path)
        };
        return resources.map(resource).collect();
    }
    let action = match tool {
        "read" | "find" | "grep" | "ls" | "glob" => "read",
        "write" | "edit" => "write",
        "webfetch" | "websearch" => return vec![asked("webfetch", cwd)],
        _ => return Vec::new(),
    };
    if looked.resources.is_empty() {
        // Without a path a search starts in the working directory.
        return vec![asked(action, cwd)];
    }
    resources
        .map(|resource| asked(action, &resource.path))
        .collect()
}

const fn action_of(access: Access) -> &'static str {
    match access {
        Access::Read | Access::Bare => "read",
        Access::Write => "write",
        Access::Execute => "bash",
    }
}

impl<'p> Gates<'p> {
    /// The strictest effect; an allow only where every resource is allowed, nothing where the tier has no opinion.
    pub(crate) fn tier<'a>(
        &'a self,
        model: &str,
        cwd: &str,
        asked: &[Asked<'_>],
    ) -> Option<Gate<'a>> {
        let tiers = self.bound().tiers_at(cwd);
        let mut strictest: Option<(Action, TierAnswer<'p>, &str)> = None;
        let mut is_allowed = true;
        let everywhere = tiers.explain(model, "read", cwd).row;
        for Asked {
            action,
            resource,
            is_bare,
        } in asked
        {
            let answer = tiers.explain(model, action, resource);
            if *is_bare && (answer.row == everywhere || answer.effect == Some(Action::Allow)) {
                continue;
            }
            let Some(effect) = answer.effect else {
                // A bare word that is no path must not take an allow away.
                is_allowed &= *is_bare;
                continue;
            };
            if strictest.is_none_or(|(known, _, _)| effect > known) {
                strictest = Some((effect, answer, resource));
            }
        }
        let (state, answer, resource) =
            strictest.filter(|(effect, _, _)| is_allowed || *effect != Action::Allow)?;
        let is_project = answer.row.is_some_and(|row| row.is_project);
        Some(Gate {
            gate: Cow::Borrowed("tier"),
            state,
            matched_pattern: answer.row.map(|row| row.pattern),
            value: resource.to_owned(),
            source: Source::Special,
            origin: if is_project {
                Origin::Project
            } else {
                Origin::Global
            },
            layer: Layer::Config,
            reason: None,
            rule: answer.row.map(|row| row.rule),
            floor: None,
            surrounding: None,
            is_fault: answer.is_fault,
        })
    }
}
