//! Why a trust tier answers as it does: the row that decides, every other row that matches and why it lost.
//!
//! As with checks, the answer is the artifact's own, the rows are matched one by one, and an explanation exists only where
//! both agree.

use permc_runtime::{Action, Bound, TierAnswer, TierRow, format};

use crate::decode::Artifact;
use crate::explain::Disagreement;
use crate::reference::tiers::{TierPlace, length};

/// What is to be explained.
#[derive(Clone, Copy, Debug)]
pub struct TierQuestion<'a> {
    /// The policy.
    pub artifact: &'a Artifact,
    /// The same policy, bound.
    pub bound: &'a Bound<'a>,
    /// The home directory.
    pub home: Option<&'a str>,
    /// The working directory.
    pub cwd: &'a str,
    /// The model.
    pub model: &'a str,
    /// The action.
    pub action: &'a str,
    /// The path.
    pub resource: &'a str,
}

/// A row that matches and says something about the action's group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierCandidate<'a> {
    /// The row.
    pub row: TierRow<'a>,
    /// What it says.
    pub effect: Action,
    /// Characters of its canonical pattern.
    pub length: usize,
    /// Why it did not decide; none for the one that did.
    pub lost: Option<TierLost>,
}

/// Why a row that matches did not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TierLost {
    /// The winner's pattern is longer.
    Shorter,
    /// The winner's is as long, and stricter or equally strict.
    NotStricter,
    /// It is the best of its document, but the other document's is stricter, or as strict and the operator's.
    OtherDocument,
}

impl TierLost {
    /// The word of the JSON form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shorter => "shorter",
            Self::NotStricter => "not-stricter",
            Self::OtherDocument => "other-document",
        }
    }
}

/// A whole explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierExplanation<'a> {
    /// The answer, from the artifact.
    pub answer: TierAnswer<'a>,
    /// The rows that match, the one that decides first, then the longest ones first.
    pub candidates: Vec<TierCandidate<'a>>,
    /// The tier that the model is assigned to although it does not exist.
    pub is_tier_missing: bool,
}

/// Explains what a model's tier says.
///
/// # Errors
///
/// The artifact contradicts itself.
///
/// # Complexity
///
/// O(rows of the tier x (pattern + resource) + assignments).
pub fn explain_tier<'a>(question: &TierQuestion<'a>) -> Result<TierExplanation<'a>, Disagreement> {
    let contents = question
        .artifact
        .contents()
        .map_err(|error| Disagreement::new(&error.to_string()))?;
    let (model, action, resource) = (question.model, question.action, question.resource);
    let answer = question
        .bound
        .tiers_at(question.cwd)
        .explain(model, action, resource);
    let mut assignments = contents.tier_assignments();
    let is_tier_missing = assignments.any(|(known, tier)| known == model && tier.is_none());
    let place = TierPlace {
        home: question.home,
        cwd: question.cwd,
        fold: contents.flags() & format::CONFIG_FOLD_PATHS != 0,
    };
    let tier = answer
        .tier
        .and_then(|id| contents.tiers().find(|tier| tier.id() == id));
    let mut candidates = Vec::new();
    if let (Some(tier), Some(group)) = (tier, answer.group) {
        for of_project in [false, true] {
            let mut own: Vec<TierCandidate<'a>> = tier
                .rows(group, of_project)
                .into_iter()
                .filter_map(|(row, effect)| {
                    Some(TierCandidate {
                        row,
                        effect,
                        length: length(row.pattern, &place, resource)?,
                        lost: Some(TierLost::OtherDocument),
                    })
                })
                .collect();
            // Highest first: rows stand in ascending order.
            own.reverse();
            let best = own.first().map(|best| best.length);
            for candidate in own.iter_mut().skip(1) {
                candidate.lost = Some(if Some(candidate.length) == best {
                    TierLost::NotStricter
                } else {
                    TierLost::Shorter
                });
            }
            candidates.extend(own);
        }
    }
    let best = candidates
        .iter()
        .filter(|candidate| candidate.lost == Some(TierLost::OtherDocument))
        .fold(
            None,
            |best: Option<TierCandidate<'_>>, candidate| match best {
                Some(best) if best.effect >= candidate.effect => Some(best),
                _ => Some(*candidate),
            },
        );
    if best.map(|best| best.effect) != answer.effect || best.map(|best| best.row) != answer.row {
        return Err(Disagreement::new("another row of the tier"));
    }
    if let Some(best) = best {
        candidates.retain(|candidate| candidate.row != best.row);
        candidates.sort_by_key(|candidate| std::cmp::Reverse((candidate.length, candidate.effect)));
        candidates.insert(0, TierCandidate { lost: None, ..best });
    }
    Ok(TierExplanation {
        answer,
        candidates,
        is_tier_missing,
    })
}
