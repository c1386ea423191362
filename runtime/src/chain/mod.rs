//! The authorizer chain: who rules on an ask (page 4).
//!
//! A policy decides most calls alone. What it answers with `ask` goes to live authority: the links that the policy names,
//! one after another, within the envelope that it draws, and at last a terminal that has to rule.
//!
//! - [`ChainPolicy`] is what the artifact says about chain and envelope; [`ChainRun`] drives a chain step by step.
//! - [`Authorizer`] and [`TerminalAuthorizer`] are what a host implements.
//! - With the feature `std`: [`Registry`] holds a host's links, [`run_chain`] runs a chain to its end, with deadlines.
//! - [`ReviewSink`] is told what happens; nothing that it does changes a verdict.

mod details;
mod driver;
mod envelope;
mod log;
mod secret;
mod verdict;

#[cfg(feature = "std")]
mod blocking;
#[cfg(feature = "std")]
mod consult;
#[cfg(feature = "std")]
mod registry;

pub use self::details::{Details, Forwarding};
pub use self::driver::{ChainRun, Ending, Step};
pub use self::envelope::{ChainPolicy, Refusal};
pub use self::log::{Entry, Field, LinkLog, NoReview, ReviewSink, event};
pub use self::secret::{is_secret_shaped, may_be_secret_shaped};
pub use self::verdict::{
    Authorizer, AuthorizerLog, LinkError, LinkKind, PermissionQuery, QueryAnswer,
    TerminalAuthorizer, TerminalVerdict, Verdict,
};

#[cfg(feature = "std")]
pub use self::blocking::{ChainRuling, Deadlines, run_chain};
#[cfg(feature = "std")]
pub use self::registry::{RegisterError, Registration, Registry, SharedLink};
