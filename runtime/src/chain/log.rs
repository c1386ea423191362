//! What a chain reports while it runs (pages 4.2 to 4.5).

use alloc::format;
use alloc::vec::Vec;

use crate::chain::{AuthorizerLog, Details};

/// A value of an event's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// Nothing.
    Null,
    /// A truth value.
    Flag(bool),
    /// A count or a time in milliseconds.
    Number(u64),
    /// A text.
    Text(&'a str),
    /// A list of texts.
    Texts(&'a [&'a str]),
}

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<Option<&'a str>> for Field<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl From<bool> for Field<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<u64> for Field<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a [&'a str]> for Field<'a> {
    fn from(texts: &'a [&'a str]) -> Self {
        Self::Texts(texts)
    }
}

/// The names of the events that permc itself reports.
pub mod event {
    /// An ask begins to wait for a ruling.
    pub const WAITING: &str = "permission_request.waiting";
    /// It was allowed.
    pub const APPROVED: &str = "permission_request.approved";
    /// It was denied.
    pub const DENIED: &str = "permission_request.denied";
    /// A call was denied without an ask.
    pub const BLOCKED: &str = "permission_request.blocked";
    /// A rule approved earlier in the session allowed.
    pub const SESSION_APPROVED: &str = "permission_request.session_approved";
    /// The links of an ask, before any of them is consulted.
    pub const CHAIN_RESOLVED: &str = "authorizer_chain_resolved";
    /// The same, on a node that relays: another node runs them.
    pub const CHAIN_DELEGATED: &str = "authorizer_chain_delegated";
    /// The policy names a link that nobody registered.
    pub const UNREGISTERED_LINK: &str = "authorizer_chain_unregistered_link";
    /// A link failed, panicked or passed its deadline.
    pub const LINK_FAILED: &str = "authorizer_link_failed";
    /// A link's allow that does not stand.
    pub const ENVELOPE_DOWNGRADED: &str = "authorizer_envelope_downgraded";
    /// An ask was handed to another node.
    pub const REQUEST_CREATED: &str = "forwarded_permission.request_created";
    /// It answered.
    pub const RESPONSE_RECEIVED: &str = "forwarded_permission.response_received";
    /// It did not answer in time.
    pub const RESPONSE_TIMED_OUT: &str = "forwarded_permission.response_timed_out";
}

/// One thing that happened to an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The ask.
    pub request_id: &'a str,
    /// The event.
    pub event: &'a str,
    /// The rule that asked or denied.
    pub rule: Option<u64>,
    /// What there is to tell.
    pub fields: &'a [(&'a str, Field<'a>)],
    /// Whether only whoever looks for a mistake wants to know.
    pub is_debug: bool,
}

/// Where entries go. Nothing that happens here changes a verdict.
///
/// # Example
///
/// ```
/// use permc_runtime::chain::{Entry, ReviewSink};
///
/// struct Print;
///
/// impl ReviewSink for Print {
///     fn write(&self, entry: &Entry<'_>) {
///         println!("{} {}", entry.request_id, entry.event);
///     }
/// }
/// ```
pub trait ReviewSink {
    /// Takes one entry.
    fn write(&self, entry: &Entry<'_>);
}

/// Forgets every entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoReview;

impl ReviewSink for NoReview {
    fn write(&self, _entry: &Entry<'_>) {}
}

/// A sink with the ask that it is told about.
#[derive(Clone, Copy)]
pub(crate) struct Told<'a> {
    pub(crate) sink: &'a dyn ReviewSink,
    pub(crate) details: &'a Details,
}

impl Told<'_> {
    pub(crate) fn tell(&self, event: &str, fields: &[(&str, Field<'_>)]) {
        self.sink.write(&Entry {
            request_id: &self.details.request_id,
            event,
            rule: self.details.rule,
            fields,
            is_debug: false,
        });
    }
}

/// The log that a link is given: what it writes bears the request and the link's name, whatever it says itself,
/// and an event named like one of permc's own gets `link.` in front.
///
/// # Example
///
/// ```
/// use permc_runtime::chain::{AuthorizerLog, Details, LinkLog, NoReview};
///
/// let details = Details { request_id: "r1".to_owned(), ..Details::default() };
/// LinkLog::new(&NoReview, &details, "judge").review("judge.asked", &[("pieces", "3".into())]);
/// ```
#[derive(Clone, Copy)]
pub struct LinkLog<'a> {
    pub(crate) told: Told<'a>,
    pub(crate) name: &'a str,
}

impl<'a> LinkLog<'a> {
    /// The log of a link for one ask.
    #[must_use]
    pub const fn new(sink: &'a dyn ReviewSink, details: &'a Details, name: &'a str) -> Self {
        Self {
            told: Told { sink, details },
            name,
        }
    }

    fn write(&self, event: &str, fields: &[(&str, Field<'_>)], is_debug: bool) {
        let mut stamped: Vec<(&str, Field<'_>)> =
            Vec::with_capacity(fields.len().saturating_add(1));
        stamped.push(("name", Field::Text(self.name)));
        let own = fields.iter().filter(|(name, _)| !is_stamp(name));
        stamped.extend(own.copied());
        let foreign = is_own_event(event).then(|| format!("{FOREIGN}{event}"));
        self.told.sink.write(&Entry {
            request_id: &self.told.details.request_id,
            event: foreign.as_deref().unwrap_or(event),
            rule: self.told.details.rule,
            fields: &stamped,
            is_debug,
        });
    }
}

/// What stands before an event of a link that is named like one of permc's own.
const FOREIGN: &str = "link.";

/// Whether only permc itself may report an event: a link that says `permission_request.approved` approves nothing.
fn is_own_event(event: &str) -> bool {
    [
        "permission_request.",
        "authorizer_",
        "forwarded_permission.",
    ]
    .iter()
    .any(|prefix| event.starts_with(prefix))
}

/// Fields that only the chain writes.
fn is_stamp(name: &str) -> bool {
    matches!(
        name,
        "requestId" | "name" | "event" | "time" | "digest" | "rule"
    )
}

impl AuthorizerLog for LinkLog<'_> {
    fn review(&self, event: &str, fields: &[(&str, Field<'_>)]) {
        self.write(event, fields, false);
    }

    fn debug(&self, event: &str, fields: &[(&str, Field<'_>)]) {
        self.write(event, fields, true);
    }
}

impl core::fmt::Debug for LinkLog<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("LinkLog")
            .field("request_id", &self.told.details.request_id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
