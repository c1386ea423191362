//! The session overlay: rules that a human approved while the policy was loaded.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// Rules approved in a session: always allow, above every rule of the policy (page 1.5).
///
/// Surfaces and patterns are wildcards like those of documents; a pattern that means home matches nothing while no home
/// is bound. The overlay lives beside the policy: it survives a reload, and approving changes no table.
///
/// # Example
///
/// ```
/// use permc_runtime::Session;
///
/// let mut session = Session::default();
/// session.approve("bash", "npm test *");
/// assert_eq!(session.rules().collect::<Vec<_>>(), [("bash", "npm test *")]);
/// session.clear();
/// assert!(session.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    rules: Vec<(String, String)>,
}

impl Session {
    /// Adds an allow above all earlier ones; a rule that is already there moves to the top.
    ///
    /// # Complexity
    ///
    /// O(approved rules).
    pub fn approve(&mut self, surface: &str, pattern: &str) {
        self.rules.retain(|(known_surface, known)| {
            (known_surface.as_str(), known.as_str()) != (surface, pattern)
        });
        self.rules.push((surface.to_owned(), pattern.to_owned()));
    }

    /// The approved rules as surface and pattern, oldest first.
    pub fn rules(&self) -> impl DoubleEndedIterator<Item = (&str, &str)> {
        self.rules
            .iter()
            .map(|(surface, pattern)| (surface.as_str(), pattern.as_str()))
    }

    /// Forgets all approvals.
    pub fn clear(&mut self) {
        self.rules.clear();
    }

    /// Whether nothing was approved.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The patterns for a surface, newest first.
    pub(crate) fn patterns_for<'s>(&'s self, surface: &str) -> impl Iterator<Item = &'s str> {
        self.rules()
            .rev()
            .filter(move |(pattern, _)| crate::wildcard::name_matches(pattern, surface, false))
            .map(|(_, pattern)| pattern)
    }
}

impl<S: AsRef<str>, P: AsRef<str>> FromIterator<(S, P)> for Session {
    fn from_iter<I: IntoIterator<Item = (S, P)>>(rules: I) -> Self {
        let mut session = Self::default();
        for (surface, pattern) in rules {
            session.approve(surface.as_ref(), pattern.as_ref());
        }
        session
    }
}
