//! The chain run to its end on this thread, with clocks and panics looked after (pages 4.1, 4.2).

use std::borrow::ToOwned as _;
use std::string::String;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::vec::Vec;

use crate::chain::consult::{Setting, caught, consult};
use crate::chain::driver::{ChainRun, Ending, Step};
use crate::chain::{
    ChainPolicy, Details, PermissionQuery, Registry, ReviewSink, TerminalAuthorizer,
};

/// How long links may take. Without any they are consulted on the calling thread, and one that hangs hangs the call.
///
/// # Example
///
/// ```
/// use std::time::Duration;
/// use permc_runtime::chain::Deadlines;
///
/// let deadlines = Deadlines { link: Some(Duration::from_secs(5)), chain: Some(Duration::from_secs(15)) };
/// assert_ne!(deadlines, Deadlines::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadlines {
    /// For each link.
    pub link: Option<Duration>,
    /// For all links together; the terminal's time is its own.
    pub chain: Option<Duration>,
}

/// How a chain ended, and whom it asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainRuling {
    /// How it ended.
    pub ending: Ending,
    /// The links that were consulted, in order.
    pub consulted: Vec<String>,
}

/// Runs the links that the policy names and the registry has at this moment, then the terminal.
///
/// A link that fails, panics or passes its deadline counts as one that defers, and is reported; a terminal that fails or
/// panics ends as [`Ending::TerminalFailed`], which is a deny. A verdict that comes late is lost. A link that never
/// returns keeps its thread.
///
/// # Complexity
///
/// O(links) beside what they do; a thread for each link where there are deadlines.
///
/// # Example
///
/// ```no_run
/// use std::sync::Arc;
/// use permc_runtime::chain::{
///     Details, LinkError, NoReview, PermissionQuery, Registry, TerminalAuthorizer, TerminalVerdict, run_chain,
/// };
/// use permc_runtime::{Context, Policy};
///
/// struct Headless;
///
/// impl TerminalAuthorizer for Headless {
///     fn authorize(&self, _: &Details, _: &dyn PermissionQuery) -> Result<TerminalVerdict, LinkError> {
///         Ok(TerminalVerdict::Unavailable)
///     }
/// }
///
/// fn rule(policy: &Policy, details: Details, query: &dyn PermissionQuery) -> Option<()> {
///     let chain = policy.bind(Context::default()).ok()?.chain();
///     let (details, registry) = (Arc::new(details), Registry::new());
///     let ruling = run_chain(&chain, &details, &registry, (query, &NoReview), &Headless, Default::default());
///     println!("{:?} after {:?}", ruling.ending, ruling.consulted);
///     Some(())
/// }
/// ```
pub fn run_chain(
    chain: &ChainPolicy<'_>,
    details: &Arc<Details>,
    registry: &Registry,
    (query, sink): (&dyn PermissionQuery, &dyn ReviewSink),
    terminal: &dyn TerminalAuthorizer,
    deadlines: Deadlines,
) -> ChainRuling {
    let setting = Setting {
        details,
        query,
        sink,
    };
    // Fixed before the first is consulted: a link that goes away meanwhile is still this ask's.
    let links: Vec<_> = chain
        .links()
        .iter()
        .filter_map(|name| Some((*name, registry.find(name)?)))
        .collect();
    let mut run = ChainRun::new(chain, details, sink, |name| {
        let mut links = links.iter();
        links.find_map(|(known, (kind, _))| (*known == name).then_some(*kind))
    });
    // The run has the same links, in the same order.
    let mut links = links.iter();
    let end = deadlines
        .chain
        .and_then(|limit| Instant::now().checked_add(limit));
    let mut consulted = Vec::new();
    let ending = loop {
        match run.link().and_then(|_| links.next()) {
            Some((name, (_, link))) => {
                let now = Instant::now();
                if end.is_some_and(|end| now >= end) {
                    run.to_terminal();
                    continue;
                }
                let own = deadlines.link.and_then(|limit| now.checked_add(limit));
                consulted.push((*name).to_owned());
                let deadline = own.into_iter().chain(end).min();
                match consult(name, link, &setting, deadline) {
                    Err(error) if end.is_some_and(|end| Instant::now() >= end) => {
                        run.out_of_time(&error);
                    }
                    answer => run.link_answers(answer),
                }
            }
            None => match run.step() {
                Step::Done(ending) => break ending,
                _ => run.terminal_answers(caught(|| terminal.authorize(details, query))),
            },
        }
    };
    ChainRuling { ending, consulted }
}
