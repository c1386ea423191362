//! The chain, one step at a time: a host with or without an async runtime can drive it (pages 4.1, 4.2).

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::chain::log::{Told, event};
use crate::chain::{
    ChainPolicy, Details, Field, LinkError, LinkKind, ReviewSink, TerminalVerdict, Verdict,
};

/// How an ask ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A link allowed within the envelope.
    LinkAllowed {
        /// Its name.
        name: String,
        /// Its kind.
        kind: LinkKind,
    },
    /// A link denied.
    LinkDenied {
        /// Its name.
        name: String,
        /// Its kind.
        kind: LinkKind,
        /// What the agent is told.
        reason: Option<String>,
    },
    /// The terminal ruled.
    Terminal(TerminalVerdict),
    /// The terminal could not rule, which is a deny.
    TerminalFailed(LinkError),
}

/// What the driver has to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Consult this link and hand its verdict to [`ChainRun::link_answers`].
    Consult {
        /// Its name.
        name: String,
        /// Its kind.
        kind: LinkKind,
    },
    /// Consult the terminal and hand its verdict to [`ChainRun::terminal_answers`].
    Terminal,
    /// Nothing.
    Done(Ending),
}

/// The run of a chain over one ask.
///
/// # Example
///
/// ```no_run
/// use permc_runtime::chain::{ChainRun, Details, LinkKind, NoReview, Step, TerminalVerdict, Verdict};
/// use permc_runtime::{Context, Policy};
///
/// let policy = Policy::open("policy.permc")?;
/// let chain = policy.bind(Context::default())?.chain();
/// let details = Details { surface: "bash".to_owned(), value: "make".to_owned(), ..Details::default() };
/// // Every configured link is registered, as one that is no model.
/// let mut run = ChainRun::new(&chain, &details, &NoReview, |_| Some(LinkKind::Other));
/// let ending = loop {
///     match run.step() {
///         Step::Consult { .. } => run.link_answers(Ok(Verdict::Defer)),
///         Step::Terminal => run.terminal_answers(Ok(TerminalVerdict::Allow)),
///         Step::Done(ending) => break ending,
///     }
/// };
/// println!("{ending:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ChainRun<'a, 'p> {
    chain: &'a ChainPolicy<'p>,
    told: Told<'a>,
    /// The registered links, in configured order.
    links: Vec<(&'p str, LinkKind)>,
    /// The unregistered ones.
    missing: Vec<&'p str>,
    at: usize,
    ending: Option<Ending>,
}

impl<'a, 'p> ChainRun<'a, 'p> {
    /// Starts a run: resolves the configured links and reports them, those that nobody registered first.
    ///
    /// # Complexity
    ///
    /// O(configured links).
    pub fn new(
        chain: &'a ChainPolicy<'p>,
        details: &'a Details,
        sink: &'a dyn ReviewSink,
        registered: impl Fn(&str) -> Option<LinkKind>,
    ) -> Self {
        let mut links = Vec::with_capacity(chain.links().len());
        let mut missing = Vec::new();
        for name in chain.links() {
            match registered(name) {
                Some(kind) => links.push((*name, kind)),
                None => missing.push(*name),
            }
        }
        let run = Self {
            chain,
            told: Told { sink, details },
            links,
            missing,
            at: 0,
            ending: None,
        };
        for name in &run.missing {
            run.told
                .tell(event::UNREGISTERED_LINK, &[("name", Field::Text(name))]);
        }
        let names: Vec<&str> = run.links.iter().map(|(name, _)| *name).collect();
        run.told
            .tell(event::CHAIN_RESOLVED, &[("links", Field::Texts(&names))]);
        run
    }

    /// Starts a run on a node that relays: it resolves no link, and the terminal is all there is.
    pub fn delegated(
        chain: &'a ChainPolicy<'p>,
        details: &'a Details,
        sink: &'a dyn ReviewSink,
    ) -> Self {
        let run = Self {
            chain,
            told: Told { sink, details },
            links: Vec::new(),
            missing: Vec::new(),
            at: 0,
            ending: None,
        };
        run.told.tell(
            event::CHAIN_DELEGATED,
            &[("links", Field::Texts(chain.links()))],
        );
        run
    }

    /// The configured links that nobody registered.
    #[must_use]
    pub fn unregistered(&self) -> &[&'p str] {
        &self.missing
    }

    /// What to do next; the same until an answer is handed in.
    #[must_use]
    pub fn step(&self) -> Step {
        match (&self.ending, self.links.get(self.at)) {
            (Some(ending), _) => Step::Done(ending.clone()),
            (None, Some((name, kind))) => Step::Consult {
                name: (*name).to_owned(),
                kind: *kind,
            },
            (None, None) => Step::Terminal,
        }
    }

    /// The link to consult, without a copy of its name.
    #[must_use]
    pub fn link(&self) -> Option<(&'p str, LinkKind)> {
        match self.ending {
            None => self.links.get(self.at).copied(),
            Some(_) => None,
        }
    }

    /// Takes the answer of the link that [`Self::step`] named. An allow outside the envelope and a failure both pass the
    /// ask on. Without such a link nothing happens.
    pub fn link_answers(&mut self, answer: Result<Verdict, LinkError>) {
        let Some((name, kind)) = self.link() else {
            return;
        };
        self.at = self.at.saturating_add(1);
        match answer {
            Ok(Verdict::Defer) => {}
            Ok(Verdict::Deny { reason }) => {
                self.ending = Some(Ending::LinkDenied {
                    name: name.to_owned(),
                    kind,
                    reason,
                });
            }
            Ok(Verdict::Allow) => match self.chain.refusal(self.told.details) {
                None => {
                    self.ending = Some(Ending::LinkAllowed {
                        name: name.to_owned(),
                        kind,
                    });
                }
                Some(refusal) => self.told.tell(
                    event::ENVELOPE_DOWNGRADED,
                    &[
                        ("name", Field::Text(name)),
                        ("surface", Field::Text(&self.told.details.surface)),
                        ("why", Field::Text(refusal.as_str())),
                    ],
                ),
            },
            Err(error) => self.failed(name, &error),
        }
    }

    fn failed(&self, name: &str, error: &LinkError) {
        let error = format!("{error}");
        self.told.tell(
            event::LINK_FAILED,
            &[("name", Field::Text(name)), ("error", Field::Text(&error))],
        );
    }

    /// The chain's deadline has passed: the link that was consulted has failed, the others are not consulted any more.
    pub fn out_of_time(&mut self, error: &LinkError) {
        if let Some((name, _)) = self.link() {
            self.failed(name, error);
            self.at = self.links.len();
        }
    }

    /// Leaves the remaining links out, without a word about them: the chain's time was up before one was consulted.
    pub fn to_terminal(&mut self) {
        self.at = self.links.len();
    }

    /// Takes the answer of the terminal. Before its turn nothing happens.
    pub fn terminal_answers(&mut self, answer: Result<TerminalVerdict, LinkError>) {
        if self.ending.is_some() || self.at < self.links.len() {
            return;
        }
        self.ending = Some(match answer {
            Ok(verdict) => Ending::Terminal(verdict),
            Err(error) => Ending::TerminalFailed(error),
        });
    }
}

impl fmt::Debug for ChainRun<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChainRun")
            .field("request_id", &self.told.details.request_id)
            .field("links", &self.links)
            .field("at", &self.at)
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}
