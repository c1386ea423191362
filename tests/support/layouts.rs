//! Layouts of tables, each forced by a budget, so that whatever is asked can be asked of all of them.

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc::{Budget, Options};
use serde_json::{Map, Value, json};

/// A budget that forces one layout.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Its name in messages.
    pub name: &'static str,
    /// The budget.
    pub budget: Budget,
    /// Whether documents get a rule that is too long for cells of two bytes.
    pub ballast: bool,
}

/// Letters of the rule that makes a table wide; more than narrow cells can number, however they are packed.
const BALLAST: usize = 68_000;

impl Layout {
    /// Compiler options with the layout's budget.
    #[must_use]
    pub fn options(&self, fold_paths: bool) -> Options {
        Options {
            fold_paths,
            budget: self.budget,
            ..Options::default()
        }
    }

    /// One document with these rules on a surface, the ballast below them.
    #[must_use]
    pub fn sources(&self, surface: &str, rules: &[String]) -> SourceSet {
        let ballast = self.ballast.then(ballast);
        let rules: Map<String, Value> = ballast
            .iter()
            .map(|pattern| (pattern.clone(), json!("deny")))
            .chain(
                rules
                    .iter()
                    .zip(actions())
                    .map(|(pattern, action)| (pattern.clone(), json!(action))),
            )
            .collect();
        let document = json!({ "permission": { "*": "ask", surface: rules } });
        SourceSet::from(vec![SourceDocument::new(
            Role::Global,
            "policy.jsonc",
            document.to_string(),
        )])
    }
}

/// The actions of rules, in turn.
pub fn actions() -> impl Iterator<Item = &'static str> {
    ["allow", "deny", "ask"].into_iter().cycle()
}

/// The layouts of the tables of one surface.
#[must_use]
pub fn layouts() -> Vec<Layout> {
    // Tests ask for no tool's exposure, which takes a search, and need no table of a long pattern at its smallest.
    let default = Budget {
        search_nodes: 1,
        steps: 2_000_000,
        ..Budget::default()
    };
    // All rules in one table, unless that takes so many steps that tests would be slow.
    let whole = Budget {
        merged_states: 1 << 13,
        steps: 200_000,
        ..default
    };
    let joint = Budget {
        merged_states: 1,
        joint_bytes: 1 << 24,
        ..default
    };
    let parts = Budget {
        joint_bytes: 0,
        ..joint
    };
    let by_hash = Budget {
        exact_rules: 1,
        ..parts
    };
    let looked_at = Budget {
        group_states: 1,
        ..parts
    };
    let named = [
        ("whole", whole),
        ("joint", joint),
        ("parts", parts),
        ("by hash", by_hash),
        ("looked at", looked_at),
    ];
    named
        .map(|(name, budget)| Layout {
            name,
            budget,
            ballast: false,
        })
        .into()
}

/// Layouts that are one of the others on the surfaces of one view, which most tests ask: surfaces behind guards, and
/// agents that take the tables of the base view.
#[must_use]
pub fn rare_layouts() -> Vec<Layout> {
    let of = |name: &'static str, like: &str, surface_states: Option<usize>| {
        let like = layouts().into_iter().find(|layout| layout.name == like);
        let mut layout = Layout {
            name,
            ..like.unwrap()
        };
        match surface_states {
            Some(states) => layout.budget.surface_states = states,
            None => layout.budget.shared_rules = 0,
        }
        layout
    };
    vec![
        of("guarded", "whole", Some(1)),
        of("guarded parts", "parts", Some(1)),
        of("shared", "whole", None),
        of("shared joint", "joint", None),
    ]
}

/// The layouts whose tables are made wide by a long rule.
#[must_use]
pub fn wide_layouts() -> Vec<Layout> {
    let wide = layouts().into_iter().filter_map(|layout| {
        let name = match layout.name {
            "whole" => "wide whole",
            "joint" => "wide joint",
            _ => return None,
        };
        let mut budget = Budget {
            steps: 4_000_000,
            ..layout.budget
        };
        if name == "wide whole" {
            budget.merged_states = 1 << 17;
        }
        Some(Layout {
            name,
            budget,
            ballast: true,
        })
    });
    wide.collect()
}

/// A pattern of two letters that no test asks for, in an order that does not repeat.
fn ballast() -> String {
    let mut state = 1_u32;
    let letters = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { '^' } else { '_' }
    });
    letters.take(BALLAST).collect()
}
