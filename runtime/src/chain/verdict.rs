//! Who may rule on an ask, and what each may say (page 4.1).

use alloc::string::String;
use core::fmt;

use crate::chain::{Details, Field};
use crate::decision::Action;

/// What a link says about an ask.
///
/// # Example
///
/// ```
/// use permc_runtime::chain::Verdict;
///
/// let verdict = Verdict::Deny { reason: Some("the directory is `docs`, not `doc`".to_owned()) };
/// assert!(!matches!(verdict, Verdict::Defer));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on. Stands only within the delegation envelope.
    Allow,
    /// Refused.
    Deny {
        /// What the agent is told.
        reason: Option<String>,
    },
    /// No opinion: the next link is asked.
    Defer,
}

/// What a terminal says. There is no way to defer: somebody has to rule.
///
/// # Example
///
/// A terminal that would defer does not compile:
///
/// ```compile_fail,E0308
/// use permc_runtime::chain::{Details, LinkError, PermissionQuery, TerminalAuthorizer, TerminalVerdict, Verdict};
///
/// struct Undecided;
///
/// impl TerminalAuthorizer for Undecided {
///     fn authorize(&self, _: &Details, _: &dyn PermissionQuery) -> Result<TerminalVerdict, LinkError> {
///         Ok(Verdict::Defer)
///     }
/// }
/// ```
///
/// One that denies does:
///
/// ```
/// use permc_runtime::chain::{Details, LinkError, PermissionQuery, TerminalAuthorizer, TerminalVerdict};
///
/// struct Decided;
///
/// impl TerminalAuthorizer for Decided {
///     fn authorize(&self, _: &Details, _: &dyn PermissionQuery) -> Result<TerminalVerdict, LinkError> {
///         Ok(TerminalVerdict::Deny { reason: None })
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalVerdict {
    /// Go on, this once.
    Allow,
    /// Go on, and so for the rest of the session: the suggested pattern becomes a session rule.
    AllowForSession,
    /// Refused.
    Deny {
        /// What the agent is told.
        reason: Option<String>,
    },
    /// Refused, because nobody answered: `confirmation_unavailable`.
    Unavailable,
}

/// Why a link or a terminal could not rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    message: String,
}

impl LinkError {
    /// A failure with its cause in words.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for LinkError {}

/// What a link is, for its provenance and for where it may be registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// It asks a model: `origin` is `authorizer:model`, and it is not registered in a subagent.
    Model,
    /// Anything else: `origin` is `authorizer:<name>`.
    Other,
}

/// A link of the chain that may pass an ask on.
///
/// # Example
///
/// ```
/// use permc_runtime::Action;
/// use permc_runtime::chain::{Authorizer, AuthorizerLog, Details, LinkError, PermissionQuery, Verdict};
///
/// /// Refuses what the policy would refuse to another agent.
/// struct AsReviewer;
///
/// impl Authorizer for AsReviewer {
///     fn authorize(
///         &self,
///         details: &Details,
///         query: &dyn PermissionQuery,
///         _log: &dyn AuthorizerLog,
///     ) -> Result<Verdict, LinkError> {
///         let answer = query.check_permission(&details.surface, Some(&details.value), Some("reviewer"));
///         Ok(match answer.state {
///             Action::Deny => Verdict::Deny { reason: answer.reason },
///             _ => Verdict::Defer,
///         })
///     }
/// }
/// ```
pub trait Authorizer {
    /// Rules on one ask.
    ///
    /// # Errors
    ///
    /// Whatever keeps the link from ruling; it counts as [`Verdict::Defer`] and is logged.
    fn authorize(
        &self,
        details: &Details,
        query: &dyn PermissionQuery,
        log: &dyn AuthorizerLog,
    ) -> Result<Verdict, LinkError>;
}

/// The end of the chain, which has to rule.
pub trait TerminalAuthorizer {
    /// Rules on one ask.
    ///
    /// # Errors
    ///
    /// Whatever keeps the terminal from ruling; it is a deny with `gate_error`.
    fn authorize(
        &self,
        details: &Details,
        query: &dyn PermissionQuery,
    ) -> Result<TerminalVerdict, LinkError>;
}

/// What the policy says, as a link is told: read-only, as whole calls are judged, with the session rules and the mode of
/// this moment.
pub trait PermissionQuery {
    /// A value against a surface; without a value what holds for the surface as such. Without an agent the one that asks.
    fn check_permission(
        &self,
        surface: &str,
        value: Option<&str>,
        agent: Option<&str>,
    ) -> QueryAnswer;

    /// What the policy says about a tool as such; session rules and yolo do not count.
    fn tool_permission(&self, tool: &str, agent: Option<&str>) -> Action;
}

/// The answer to [`PermissionQuery::check_permission`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryAnswer {
    /// Allow, ask or deny.
    pub state: Action,
    /// The pattern that decided.
    pub matched_pattern: Option<String>,
    /// The reason that a deny gives.
    pub reason: Option<String>,
}

impl QueryAnswer {
    /// The answer where nothing can be told.
    #[must_use]
    pub const fn denied() -> Self {
        Self {
            state: Action::Deny,
            matched_pattern: None,
            reason: None,
        }
    }
}

/// Where a link leaves traces. It records and grants nothing; request and link are stamped on by the chain.
pub trait AuthorizerLog {
    /// An entry of the review log: durable, on by default.
    fn review(&self, event: &str, fields: &[(&str, Field<'_>)]);

    /// An entry for whoever looks for a mistake; off by default.
    fn debug(&self, event: &str, fields: &[(&str, Field<'_>)]);
}
