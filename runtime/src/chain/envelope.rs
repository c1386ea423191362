//! The delegation envelope: within which bounds a link's allow stands (page 4.3).

use alloc::vec::Vec;

use crate::chain::Details;
use crate::chain::secret::{is_secret_shaped, may_be_secret_shaped};
use crate::decision::Known;
use crate::format;
use crate::parts::Parts;
use crate::query::Bound;
use crate::wildcard::name_matches;

/// Surfaces that are excluded unless the envelope names them.
const GUARDED: [&str; 2] = ["path", "external_directory"];

/// Why a link's allow does not stand.
///
/// # Example
///
/// ```
/// use permc_runtime::chain::Refusal;
///
/// assert_eq!(Refusal::SecretPath.as_str(), "secret_path");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The policy has no `modelDelegation`.
    NoDelegation,
    /// What a trust tier asks no link can allow.
    Tier,
    /// `excludedSurfaces` names the surface.
    SurfaceExcluded,
    /// The policy knows no such surface.
    SurfaceUnknown,
    /// `allowedSurfaces` does not name the surface.
    SurfaceNotAllowed,
    /// A path of the call is, or can be, secret-shaped.
    SecretPath,
}

impl Refusal {
    /// The word that logs and commands show.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoDelegation => "no_delegation",
            Self::Tier => "tier",
            Self::SurfaceExcluded => "surface_excluded",
            Self::SurfaceUnknown => "surface_unknown",
            Self::SurfaceNotAllowed => "surface_not_allowed",
            Self::SecretPath => "secret_path",
        }
    }
}

/// The chain and the envelope of a policy.
///
/// # Example
///
/// ```no_run
/// use permc_runtime::{Context, Policy};
///
/// let policy = Policy::open("policy.permc")?;
/// let bound = policy.bind(Context::default())?;
/// let chain = bound.chain();
/// for link in chain.links() {
///     println!("{link}");
/// }
/// if let Some(refusal) = chain.surface_refusal("bash") {
///     println!("no link may allow a command: {}", refusal.as_str());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChainPolicy<'p> {
    parts: Parts<'p>,
    links: Vec<&'p str>,
    allowed: Vec<&'p str>,
    excluded: Vec<&'p str>,
    secrets: Vec<&'p str>,
}

impl<'p> Bound<'p> {
    /// The chain of authorizers that the policy names, and what it lets them allow.
    ///
    /// # Complexity
    ///
    /// O(links + surfaces of the envelope).
    #[must_use]
    pub fn chain(&self) -> ChainPolicy<'p> {
        let (parts, _) = self.tables();
        let list = |ids: &'p [[u8; 4]]| {
            let ids = ids.iter().map(|id| u32::from_le_bytes(*id));
            ids.filter_map(|id| parts.strings.get(id)).collect()
        };
        ChainPolicy {
            parts: *parts,
            links: list(parts.config.chain),
            allowed: list(parts.config.delegation_allowed),
            excluded: list(parts.config.delegation_excluded),
            secrets: list(parts.config.secret_patterns),
        }
    }
}

impl<'p> ChainPolicy<'p> {
    /// The configured links, in the order in which they are consulted.
    #[must_use]
    pub fn links(&self) -> &[&'p str] {
        &self.links
    }

    /// Whether the policy has a `modelDelegation` at all.
    #[must_use]
    pub const fn has_delegation(&self) -> bool {
        self.parts.config.flags & format::CONFIG_DELEGATION != 0
    }

    /// The policy digest.
    #[must_use]
    pub const fn digest(&self) -> &'p [u8; 32] {
        self.parts.digest
    }

    /// The operator's own secret-shaped patterns.
    #[must_use]
    pub fn secret_patterns(&self) -> &[&'p str] {
        &self.secrets
    }

    /// Why no link can allow an ask of a surface, whatever its value; `None` where one may.
    ///
    /// # Complexity
    ///
    /// O(surfaces of the envelope), and O(rules) for a surface that no page and no document names.
    #[must_use]
    pub fn surface_refusal(&self, surface: &str) -> Option<Refusal> {
        if !self.has_delegation() {
            return Some(Refusal::NoDelegation);
        }
        if surface == "tier" {
            return Some(Refusal::Tier);
        }
        if self.excluded.contains(&surface) {
            return Some(Refusal::SurfaceExcluded);
        }
        let is_allowed = self.allowed.contains(&surface);
        if !is_allowed && GUARDED.contains(&surface) {
            return Some(Refusal::SurfaceExcluded);
        }
        if !self.knows(surface) {
            return Some(Refusal::SurfaceUnknown);
        }
        (!is_allowed).then_some(Refusal::SurfaceNotAllowed)
    }

    /// Why a link's allow of this ask does not stand; `None` where it does.
    ///
    /// # Complexity
    ///
    /// As [`Self::surface_refusal`], and O(paths of the ask × secret-shaped patterns).
    #[must_use]
    pub fn refusal(&self, details: &Details) -> Option<Refusal> {
        if let Some(refusal) = self.surface_refusal(&details.surface) {
            return Some(refusal);
        }
        let own = self.secrets.as_slice();
        let value = Known::of(&details.surface)
            .is_some_and(Known::is_path)
            .then_some(details.value.as_str());
        let paths = details.aliases.iter().map(alloc::string::String::as_str);
        let mut paths = paths.chain(value).chain(details.path.as_deref());
        let mut open = details.open_paths.iter();
        let is_secret = paths.any(|path| is_secret_shaped(path, own))
            || open.any(|path| may_be_secret_shaped(path, own));
        is_secret.then_some(Refusal::SecretPath)
    }

    /// Whether some document or page names the surface: a key that is its name, a wildcard other than `*` that matches
    /// it, a shell tool, or one of permc's own.
    fn knows(&self, surface: &str) -> bool {
        let strings = &self.parts.strings;
        let is_named = || self.parts.surfaces.find(strings, surface).is_some();
        let is_shell = || {
            let (tools, _) = self.parts.config.shell_tools.as_chunks::<3>();
            let mut names = tools
                .iter()
                .filter_map(|[name, _, _]| strings.get(u32::from_le_bytes(*name)));
            names.any(|name| name == surface)
        };
        let is_matched = || {
            let keys = self.parts.rules.surfaces.iter();
            let mut keys = keys.filter_map(|id| strings.get(u32::from_le_bytes(*id)));
            keys.any(|key| key != "*" && name_matches(key, surface, false))
        };
        Known::of(surface).is_some() || is_named() || is_shell() || is_matched()
    }
}
