//! Answering: a policy bound to a home, an agent and a mode.

use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString as _};
use core::fmt;

use crate::decision::{Action, Decision, Known, Layer, Origin, Source, Winner};
use crate::error::{BindError, LoadError};
use crate::format;
use crate::lookup::{Prepared, Rank};
use crate::parts::{Parts, View};
use crate::session::Session;
use crate::text::trim;
use crate::tiers::Places;
use crate::wildcard::{MatchContext, name_matches, pattern_matches};

/// What a check depends on beside surface and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context<'a> {
    /// The user's home directory; a trailing `/` is dropped, the rest is literal text.
    pub home: Option<&'a str>,
    /// The working directory, absolute: what relative patterns and resources of trust tiers are below.
    pub cwd: Option<&'a str>,
    /// The agent; an unknown one, or none, has the base view.
    pub agent: Option<&'a str>,
    /// The model, as the session knows it: calls that name none are under its trust tier.
    pub model: Option<&'a str>,
    /// Yolo mode; `None`: as the policy says.
    pub yolo: Option<bool>,
}

/// A policy bound to a [`Context`]: what answers.
///
/// # Example
///
/// ```no_run
/// use permc_runtime::{Context, Policy, Session};
///
/// let policy = Policy::open("policy.permc")?;
/// let bound = policy.bind(Context { home: Some("/home/dev"), ..Context::default() })?;
/// let session = Session::default();
/// let decision = bound.check("bash", &["git status"], &session);
/// println!("{}", decision.state.as_str());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Bound<'p> {
    parts: Parts<'p>,
    view: View<'p>,
    home: Option<String>,
    /// Home and working directory for the patterns of tiers.
    places: Places,
    model: Option<String>,
    yolo: bool,
    /// The classes of the surfaces that pages name, ready to be asked.
    known: [Option<Prepared<'p>>; Known::ALL.len()],
}

/// A surface with its class.
struct Surface<'s, 'p> {
    name: &'s str,
    known: Option<Known>,
    class: &'s Prepared<'p>,
}

impl<'p> Bound<'p> {
    pub(crate) fn new(
        parts: Result<Parts<'p>, LoadError>,
        context: Context<'_>,
    ) -> Result<Self, BindError> {
        // INVARIANT: a loaded policy cuts into parts, and view 0 exists; an `AsRef` that changes its mind ends here.
        let parts = parts.map_err(|_| BindError::changed())?;
        let flags = parts.config.flags;
        let home = context.home.filter(|home| !home.is_empty());
        let home = home.map(|home| home.strip_suffix('/').unwrap_or(home).to_owned());
        if home.is_none() && flags & format::CONFIG_USES_HOME != 0 {
            return Err(BindError::home());
        }
        let fold = flags & format::CONFIG_FOLD_PATHS != 0;
        let places = Places::new(context.home, context.cwd, fold);
        if !parts.tiers.is_empty() {
            // What is not absolute is nowhere: rows below it would match nothing.
            if flags & format::CONFIG_USES_HOME != 0 && !places.has_home() {
                return Err(BindError::home());
            }
            if places.cwd.is_none() {
                return Err(BindError::cwd());
            }
        }
        let view = context
            .agent
            .map_or(0, |agent| parts.views.find(&parts.strings, agent));
        let view = parts.views.get(view).ok_or(BindError::changed())?;
        let clamped = view.flags & format::VIEW_CLAMPED != 0;
        let yolo = context.yolo.unwrap_or(flags & format::CONFIG_YOLO != 0) && !clamped;
        let known = Known::ALL.map(|(_, name)| parts.prepare(parts.class(&view, name)?));
        Ok(Self {
            parts,
            view,
            home,
            places,
            model: context.model.map(str::to_owned),
            yolo,
            known,
        })
    }

    /// The policy digest.
    #[must_use]
    pub const fn digest(&self) -> &'p [u8; 32] {
        self.parts.digest
    }

    /// The home directory that patterns mean, without a trailing `/`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let bound = policy.bind(Context { home: Some("/home/dev/"), ..Context::default() })?;
    /// assert_eq!(bound.home(), Some("/home/dev"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// Whether path surfaces fold case and backslashes.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let bound = policy.bind(Context { home: Some("/home/dev"), ..Context::default() })?;
    /// println!("paths fold: {}", bound.is_folding());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn is_folding(&self) -> bool {
        self.parts.config.flags & format::CONFIG_FOLD_PATHS != 0
    }

    /// Whether a remaining ask is an allow.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let bound = policy.bind(Context { home: Some("/home/dev"), ..Context::default() })?;
    /// println!("nobody is asked: {}", bound.is_yolo());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn is_yolo(&self) -> bool {
        self.yolo
    }

    /// The model of the session.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let bound = policy.bind(Context { model: Some("some-provider/some-model"), ..Context::default() })?;
    /// assert_eq!(bound.model(), Some("some-provider/some-model"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    pub(crate) const fn places(&self) -> &Places {
        &self.places
    }

    pub(crate) const fn tables(&self) -> (&Parts<'p>, &View<'p>) {
        (&self.parts, &self.view)
    }

    /// Checks ready values against a surface (page 1.6).
    ///
    /// On a path surface the last rule that matches any of the values wins; elsewhere the first value that more than
    /// the default matches decides. An empty list stands for the one value `*`. Rules of the session overlay come
    /// last, yolo turns a remaining ask into allow. Never panics.
    ///
    /// # Complexity
    ///
    /// O(length of the values) for each group of tables and each rule of the overlay; no allocation.
    #[must_use]
    pub fn check<'a>(
        &'a self,
        surface: &str,
        values: &[&str],
        session: &'a Session,
    ) -> Decision<'a> {
        if let [value] = values
            && session.is_empty()
            && let Some(known) = Known::of(surface)
            && let Some(Some(class)) = self.known.get(known.index())
        {
            // The everyday question, without what several values, an overlay or an unknown surface need.
            let surface = Surface {
                name: surface,
                known: Some(known),
                class,
            };
            let decision = self
                .lookup(&surface, value, true)
                .and_then(|rank| self.describe(&surface, rank, 0));
            return match decision {
                Some(decision) => self.in_mode(decision),
                None => fault(surface.name, 0),
            };
        }
        self.check_values(surface, values, session)
    }

    /// A remaining ask is an allow in yolo mode.
    #[inline(always)]
    fn in_mode<'a>(&self, mut decision: Decision<'a>) -> Decision<'a> {
        if self.yolo && decision.state == Action::Ask {
            decision.state = Action::Allow;
            decision.origin = Origin::Yolo;
        }
        decision
    }

    fn check_values<'a>(
        &'a self,
        surface: &str,
        values: &[&str],
        session: &'a Session,
    ) -> Decision<'a> {
        let star = ["*"];
        let is_empty = values.is_empty();
        let values = if is_empty { star.as_slice() } else { values };
        let mut other = None;
        let mut decision = match self.surface(surface, &mut other) {
            None => fault(surface, 0),
            Some(surface) if surface.known.is_some_and(Known::is_path) => {
                self.check_any(&surface, values, session)
            }
            Some(surface) => self.check_first(&surface, values, session),
        };
        if is_empty {
            decision.value = None;
        }
        self.in_mode(decision)
    }

    /// The action for the tool's name and the value `*`; session rules and yolo do not count.
    #[must_use]
    pub fn tool_permission(&self, tool: &str) -> Action {
        let mut other = None;
        self.surface(trim(tool), &mut other)
            .and_then(|surface| {
                let rank = self.lookup(&surface, "*", false)?;
                let rule = rank.rule(&surface.class.class)?;
                let (action, _, _) = self.parts.rules.verdict(rule)?;
                Some(action)
            })
            .unwrap_or(Action::Deny)
    }

    /// Whether some value of the tool's surface is not denied, session rules included.
    #[must_use]
    pub fn tool_exposed(&self, tool: &str, session: &Session) -> bool {
        let surface = trim(tool);
        let class = self.parts.class(&self.view, surface);
        let class_exposed = class.is_some_and(|class| class.flags & format::CLASS_EXPOSED != 0);
        class_exposed
            || session
                .rules()
                .any(|(pattern, _)| name_matches(pattern, surface, false))
    }

    /// The configured MCP servers, in configured order.
    pub fn servers(&self) -> impl Iterator<Item = &'p str> {
        let strings = self.parts.strings;
        self.parts
            .config
            .servers
            .iter()
            .filter_map(move |id| strings.get(u32::from_le_bytes(*id)))
    }

    /// The arguments that hold command and working directory, if the policy lists the tool as a shell.
    #[must_use]
    pub fn shell_tool(&self, tool: &str) -> Option<(&'p str, Option<&'p str>)> {
        let strings = self.parts.strings;
        self.parts
            .config
            .shell_tools
            .as_chunks::<3>()
            .0
            .iter()
            .map(|entry| entry.map(u32::from_le_bytes))
            .find(|[name, _, _]| strings.get(*name) == Some(tool))
            .and_then(|[_, command, workdir]| {
                Some((strings.get(command)?, strings.optional(workdir)))
            })
    }

    fn check_any<'a>(
        &'a self,
        surface: &Surface<'_, 'p>,
        values: &[&str],
        session: &'a Session,
    ) -> Decision<'a> {
        let context = self.match_context(surface);
        for pattern in session.patterns_for(surface.name) {
            let hit = values
                .iter()
                .position(|value| pattern_matches(pattern, value, context));
            if let Some(index) = hit {
                return approved(pattern, index);
            }
        }
        let mut best: Option<(Rank, usize)> = None;
        for (index, value) in values.iter().enumerate() {
            let Some(rank) = self.lookup(surface, value, true) else {
                return fault(surface.name, index);
            };
            if best.is_none_or(|(highest, _)| rank > highest) {
                best = Some((rank, index));
            }
        }
        match best {
            Some((rank, index)) => self.decide(surface, rank, index),
            None => fault(surface.name, 0),
        }
    }

    fn check_first<'a>(
        &'a self,
        surface: &Surface<'_, 'p>,
        values: &[&str],
        session: &'a Session,
    ) -> Decision<'a> {
        let context = self.match_context(surface);
        let mut first = None;
        for (index, value) in values.iter().enumerate() {
            if !session.is_empty() {
                let mut patterns = session.patterns_for(surface.name);
                if let Some(pattern) =
                    patterns.find(|pattern| pattern_matches(pattern, value, context))
                {
                    return approved(pattern, index);
                }
            }
            let decision = match self.lookup(surface, value, true) {
                Some(rank) => self.decide(surface, rank, index),
                None => fault(surface.name, index),
            };
            if decision.layer != Layer::Default || decision.fault {
                return decision;
            }
            first = first.or(Some(decision));
        }
        first.unwrap_or_else(|| fault(surface.name, 0))
    }

    fn match_context(&self, surface: &Surface<'_, 'p>) -> MatchContext<'_> {
        MatchContext {
            home: self.home.as_deref(),
            fold: self.parts.config.flags & format::CONFIG_FOLD_PATHS != 0
                && surface.known.is_some_and(Known::is_path),
        }
    }

    /// The surface of a name; `other` holds the class of one that no page names.
    #[inline(always)]
    fn surface<'s>(
        &'s self,
        name: &'s str,
        other: &'s mut Option<Prepared<'p>>,
    ) -> Option<Surface<'s, 'p>> {
        let known = Known::of(name);
        // INVARIANT: `known` has a place for each of `Known::ALL`, in its order.
        let class = match known.and_then(|known| self.known.get(known.index())) {
            Some(prepared) => prepared.as_ref()?,
            None => other.insert(self.parts.prepare(self.parts.class(&self.view, name)?)?),
        };
        Some(Surface { name, known, class })
    }

    #[inline(always)]
    fn lookup(&self, surface: &Surface<'_, 'p>, value: &str, with_session: bool) -> Option<Rank> {
        let home = self.home.as_deref();
        self.parts
            .lookup(surface.class, surface.name, value, home, with_session)
    }

    fn decide<'a>(&'a self, surface: &Surface<'_, 'p>, rank: Rank, value: usize) -> Decision<'a> {
        self.describe(surface, rank, value)
            .unwrap_or_else(|| fault(surface.name, value))
    }

    #[inline(always)]
    fn describe<'a>(
        &'a self,
        surface: &Surface<'_, 'p>,
        rank: Rank,
        value: usize,
    ) -> Option<Decision<'a>> {
        let rule = rank.rule(&surface.class.class)?;
        let (state, layer, origin) = self.parts.rules.verdict(rule)?;
        Some(Decision {
            state,
            source: Source::of_known(surface.known, layer),
            origin,
            layer,
            value: Some(value),
            fault: false,
            winner: Winner::Rule {
                rules: &self.parts.rules,
                strings: &self.parts.strings,
                rule,
            },
        })
    }
}

impl fmt::Debug for Bound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound")
            .field(
                "agent",
                &self
                    .parts
                    .strings
                    .optional(self.view.agent)
                    .map(str::to_string),
            )
            .field("home", &self.home)
            .field("yolo", &self.yolo)
            .finish_non_exhaustive()
    }
}

/// An allow by a rule of the session overlay.
const fn approved(pattern: &str, value: usize) -> Decision<'_> {
    Decision {
        state: Action::Allow,
        source: Source::Session,
        origin: Origin::Session,
        layer: Layer::Session,
        value: Some(value),
        fault: false,
        winner: Winner::Approval(pattern),
    }
}

/// A deny because the artifact contradicted itself although it had been validated.
fn fault<'a>(surface: &str, value: usize) -> Decision<'a> {
    Decision {
        state: Action::Deny,
        source: Source::of(surface, Layer::Default),
        origin: Origin::Builtin,
        layer: Layer::Default,
        value: Some(value),
        fault: true,
        winner: Winner::None,
    }
}
