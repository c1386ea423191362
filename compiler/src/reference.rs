//! The naive evaluator: page 1 read literally, one rule after another. The executable specification that every other
//! engine is compared with; it shares no matching code with them.

pub mod tiers;

use permc_grammar::pattern::{Anchor, Element, HomeMode, Pattern, parse};
use permc_runtime::{Action, Layer, Origin, Session, Source, fold_char, is_path_surface};

use crate::rule::{ResolvedPolicy, Rule, View};

/// What an answer depends on beside surface and values.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceContext<'a> {
    /// The home directory.
    pub home: Option<&'a str>,
    /// The agent.
    pub agent: Option<&'a str>,
    /// Yolo mode; `None`: as the policy says.
    pub yolo: Option<bool>,
}

/// An answer, field by field as page 1.6 lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The action.
    pub state: Action,
    /// The reason.
    pub reason: Option<String>,
    /// The winner's pattern, for the layers config and session.
    pub matched_pattern: Option<String>,
    /// The source.
    pub source: Source,
    /// The origin.
    pub origin: Origin,
    /// The value that decided.
    pub value: Option<usize>,
    /// The winner's id where a document holds it.
    pub rule: Option<u64>,
}

/// Answers one check.
///
/// # Complexity
///
/// O(rules x values x pattern length x value length).
#[must_use]
pub fn check(
    policy: &ResolvedPolicy,
    context: ReferenceContext<'_>,
    session: &Session,
    surface: &str,
    values: &[&str],
) -> Option<Answer> {
    let view = policy.view(context.agent)?;
    let rules = composed(policy, view, session);
    let matcher = Matcher::new(policy, context, surface);
    let given: Vec<&str> = if values.is_empty() {
        vec!["*"]
    } else {
        values.to_vec()
    };
    let (winner, value) = if is_path_surface(surface) {
        // The last rule that matches any alias; the first alias that it matches.
        rules.iter().rev().find_map(|rule| {
            let hit = given
                .iter()
                .position(|value| matcher.matches(rule, value))?;
            Some((rule, hit))
        })?
    } else {
        let winners: Option<Vec<&Composed<'_>>> = given
            .iter()
            .map(|value| rules.iter().rev().find(|rule| matcher.matches(rule, value)))
            .collect();
        let winners = winners?;
        let hit = winners
            .iter()
            .position(|rule| rule.layer != Layer::Default)
            .unwrap_or(0);
        (*winners.get(hit)?, hit)
    };
    let mut answer = Answer {
        state: winner.action,
        reason: winner.reason.map(str::to_owned),
        matched_pattern: matches!(winner.layer, Layer::Config | Layer::Session)
            .then(|| winner.pattern.to_owned()),
        source: Source::of(surface, winner.layer),
        origin: winner.origin,
        value: (!values.is_empty()).then_some(value),
        rule: winner.id,
    };
    let yolo = context.yolo.unwrap_or(policy.yolo) && !view.clamped;
    if yolo && answer.state == Action::Ask {
        answer.state = Action::Allow;
        answer.origin = Origin::Yolo;
    }
    Some(answer)
}

/// The action for the tool's name and the value `*`, without session rules and yolo.
#[must_use]
pub fn tool_permission(
    policy: &ResolvedPolicy,
    context: ReferenceContext<'_>,
    tool: &str,
) -> Option<Action> {
    let tool = permc_runtime::trim(tool);
    let view = policy.view(context.agent)?;
    let no_session = Session::default();
    let rules = composed(policy, view, &no_session);
    let matcher = Matcher::new(policy, context, tool);
    let mut rules = rules
        .iter()
        .filter(|rule| rule.layer != Layer::Session)
        .rev();
    rules
        .find(|rule| matcher.matches(rule, "*"))
        .map(|rule| rule.action)
}

/// The rules of a view that match, lowest first: what `explain` lists.
#[must_use]
pub fn matching<'p>(
    policy: &'p ResolvedPolicy,
    context: ReferenceContext<'_>,
    surface: &str,
    value: &str,
) -> Vec<&'p Rule> {
    let Some(view) = policy.view(context.agent) else {
        return Vec::new();
    };
    let matcher = Matcher::new(policy, context, surface);
    view.rules
        .iter()
        .filter_map(|rule| policy.rule(*rule))
        .filter(|rule| matcher.matches(&Composed::from(*rule), value))
        .collect()
}

/// A rule of the composed list, wherever it came from.
struct Composed<'a> {
    surface: &'a str,
    pattern: &'a str,
    action: Action,
    reason: Option<&'a str>,
    layer: Layer,
    origin: Origin,
    id: Option<u64>,
}

impl<'a> From<&'a Rule> for Composed<'a> {
    fn from(rule: &'a Rule) -> Self {
        Self {
            surface: &rule.surface,
            pattern: &rule.pattern,
            action: rule.action,
            reason: rule.reason.as_deref(),
            layer: rule.layer,
            origin: rule.origin,
            id: rule.location.map(|_| rule.id()),
        }
    }
}

fn composed<'a>(
    policy: &'a ResolvedPolicy,
    view: &'a View,
    session: &'a Session,
) -> Vec<Composed<'a>> {
    let approved = session.rules().map(|(surface, pattern)| Composed {
        surface,
        pattern,
        action: Action::Allow,
        reason: None,
        layer: Layer::Session,
        origin: Origin::Session,
        id: None,
    });
    view.rules
        .iter()
        .filter_map(|rule| policy.rule(*rule))
        .map(Composed::from)
        .chain(approved)
        .collect()
}

struct Matcher<'a> {
    surface: &'a str,
    home: Option<&'a str>,
    fold: bool,
}

impl<'a> Matcher<'a> {
    fn new(policy: &ResolvedPolicy, context: ReferenceContext<'a>, surface: &'a str) -> Self {
        let home = context.home.filter(|home| !home.is_empty());
        Self {
            surface,
            home: home.map(|home| home.strip_suffix('/').unwrap_or(home)),
            fold: policy.fold_paths && is_path_surface(surface),
        }
    }

    fn matches(&self, rule: &Composed<'_>, value: &str) -> bool {
        pattern_matches(rule.surface, HomeMode::Literal, self.surface, None, false)
            && pattern_matches(rule.pattern, HomeMode::Expand, value, self.home, self.fold)
    }
}

fn pattern_matches(
    text: &str,
    mode: HomeMode,
    value: &str,
    home: Option<&str>,
    fold: bool,
) -> bool {
    let Ok(pattern) = parse(text, mode) else {
        return false;
    };
    let folded = |text: &str| -> Vec<char> {
        text.chars()
            .map(|character| {
                if fold {
                    fold_char(character)
                } else {
                    character
                }
            })
            .collect()
    };
    let value = folded(value);
    let rest = match (pattern.anchor, home) {
        (Anchor::Start, _) => Some(value.as_slice()),
        (Anchor::Home, None) => None,
        (Anchor::Home, Some(home)) => value.strip_prefix(folded(home).as_slice()),
    };
    rest.is_some_and(|rest| elements_match(&pattern, rest, fold))
}

/// One item of a pattern: a character, `?` or `*`.
#[derive(Clone, Copy, PartialEq)]
enum Item {
    Character(char),
    AnyCharacter,
    AnyRun,
}

fn elements_match(pattern: &Pattern, value: &[char], fold: bool) -> bool {
    let mut items = Vec::new();
    for element in &pattern.elements {
        match element {
            Element::AnyChar => items.push(Item::AnyCharacter),
            Element::AnyRun => items.push(Item::AnyRun),
            Element::Literal(text) => items.extend(
                text.chars()
                    .map(|character| {
                        if fold {
                            fold_char(character)
                        } else {
                            character
                        }
                    })
                    .map(Item::Character),
            ),
        }
    }
    let without_tail = items.len().saturating_sub(2);
    items_match(&items, value)
        || (pattern.optional_tail
            && items
                .get(..without_tail)
                .is_some_and(|items| items_match(items, value)))
}

/// The textbook table: `reached[i]` says whether the first `i` items match the characters read so far.
fn items_match(items: &[Item], value: &[char]) -> bool {
    let mut reached: Vec<bool> = vec![true];
    for item in items {
        let before = reached.last().copied().unwrap_or(false);
        reached.push(before && *item == Item::AnyRun);
    }
    for character in value {
        let mut next = vec![false];
        for ((item, before), stays) in items.iter().zip(&reached).zip(reached.iter().skip(1)) {
            let here = match item {
                Item::Character(expected) => *before && expected == character,
                Item::AnyCharacter => *before,
                // The run takes this character, or ends before what comes next.
                Item::AnyRun => *stays || *before || next.last().copied().unwrap_or(false),
            };
            next.push(here);
        }
        reached = next;
    }
    reached.last().copied().unwrap_or(false)
}
