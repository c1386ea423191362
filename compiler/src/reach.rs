//! Which rules can ever decide: exact where the automata can be searched, undecided beyond the budget.

use crate::lower::lower_with;
use crate::options::Budget;
use crate::rule::ResolvedPolicy;

/// Whether a rule can win in a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It wins on this value, home written as `~`.
    Wins(String),
    /// Later rules cover everything that it matches.
    Never,
    /// The search passed its budget, or the patterns are matched one by one.
    Undecided,
}

/// For each view and each of its rules, in the view's order, whether it can win.
///
/// # Complexity
///
/// O(distinct surface classes x [`Budget::search_nodes`]).
///
/// # Example
///
/// ```
/// use permc::source::{SourceDocument, SourceSet};
/// use permc::source_map::Role;
/// use permc::{Budget, Options, Reach, compile, reachability};
///
/// let text = r#"{ "permission": { "bash": { "git push": "deny", "git *": "allow" } } }"#;
/// let sources = SourceSet::from(vec![SourceDocument::new(Role::Global, "policy.jsonc", text)]);
/// let output = compile(&sources, &Options::default()).output.ok_or("does not compile")?;
/// let base = &reachability(&output.policy, &Budget::default())[0];
/// assert_eq!(base[1], Reach::Never, "`git *` stands below and covers `git push`");
/// assert_eq!(base[2], Reach::Wins("git".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn reachability(policy: &ResolvedPolicy, budget: &Budget) -> Vec<Vec<Reach>> {
    let lowered = lower_with(policy, budget, true);
    let class = |id: &u32| lowered.classes.get(usize::try_from(*id).ok()?);
    let views = policy.views.iter().zip(&lowered.views);
    views
        .map(|(view, lowered_view)| {
            let mut ids: Vec<u32> = lowered_view
                .named
                .iter()
                .chain(&lowered_view.others)
                .copied()
                .collect();
            ids.sort_unstable();
            ids.dedup();
            let classes: Vec<_> = ids.iter().filter_map(class).collect();
            let complete = classes.iter().all(|class| {
                class
                    .winners
                    .as_ref()
                    .is_some_and(|winners| winners.complete)
            });
            view.rules
                .iter()
                .map(|rule| {
                    let witness = classes
                        .iter()
                        .filter_map(|class| class.winners.as_ref()?.witnesses.get(rule))
                        .min_by_key(|witness| witness.chars().count());
                    match witness {
                        Some(witness) => Reach::Wins(witness.clone()),
                        None if complete => Reach::Never,
                        None => Reach::Undecided,
                    }
                })
                .collect()
        })
        .collect()
}
