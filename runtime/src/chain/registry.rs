//! The links that a host offers; the policy decides which of them are consulted (page 4.2).

use std::borrow::ToOwned as _;
use std::fmt;
use std::string::String;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::vec::Vec;

use crate::chain::{Authorizer, LinkKind};

/// A link that may be consulted from any thread.
pub type SharedLink = Arc<dyn Authorizer + Send + Sync>;

/// The links of a process, by name. Cheap to clone; clones are the same registry.
///
/// Registration alone grants nothing: only a link that the policy's `authorizerChain` names is consulted, and the order is
/// the policy's.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use permc_runtime::chain::{
///     Authorizer, AuthorizerLog, Details, LinkError, LinkKind, PermissionQuery, Registry, Verdict,
/// };
///
/// struct Never;
///
/// impl Authorizer for Never {
///     fn authorize(
///         &self,
///         _: &Details,
///         _: &dyn PermissionQuery,
///         _: &dyn AuthorizerLog,
///     ) -> Result<Verdict, LinkError> {
///         Ok(Verdict::Deny { reason: None })
///     }
/// }
///
/// let registry = Registry::new();
/// let registration = registry.register("never", LinkKind::Other, Arc::new(Never))?;
/// assert!(registry.register("never", LinkKind::Other, Arc::new(Never)).is_err());
/// drop(registration);
/// assert!(registry.find("never").is_none());
/// # Ok::<(), permc_runtime::chain::RegisterError>(())
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    entries: Arc<Mutex<Entries>>,
    is_subagent: bool,
}

#[derive(Default)]
struct Entries {
    links: Vec<Entry>,
    next_token: u64,
}

struct Entry {
    name: String,
    kind: LinkKind,
    token: u64,
    link: SharedLink,
}

impl Registry {
    /// An empty registry.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty registry of a subagent: links that ask a model are not registered in it.
    #[must_use]
    pub fn in_subagent() -> Self {
        Self {
            is_subagent: true,
            ..Self::default()
        }
    }

    /// Offers a link until the returned guard is dropped. In a subagent a link of kind [`LinkKind::Model`] is not
    /// registered, and the guard says so.
    ///
    /// # Errors
    ///
    /// The name is empty, or a link of this name is registered.
    ///
    /// # Complexity
    ///
    /// O(links).
    pub fn register(
        &self,
        name: &str,
        kind: LinkKind,
        link: SharedLink,
    ) -> Result<Registration, RegisterError> {
        if name.is_empty() {
            return Err(RegisterError::EmptyName);
        }
        if self.is_subagent && kind == LinkKind::Model {
            return Ok(Registration {
                entries: Weak::new(),
                token: None,
            });
        }
        let mut entries = locked(&self.entries);
        if entries.links.iter().any(|entry| entry.name == name) {
            return Err(RegisterError::Taken(name.to_owned()));
        }
        let token = entries.next_token;
        entries.next_token = token.wrapping_add(1);
        entries.links.push(Entry {
            name: name.to_owned(),
            kind,
            token,
            link,
        });
        Ok(Registration {
            entries: Arc::downgrade(&self.entries),
            token: Some(token),
        })
    }

    /// The link of a name, as it is registered at this moment.
    ///
    /// # Complexity
    ///
    /// O(links).
    #[must_use]
    pub fn find(&self, name: &str) -> Option<(LinkKind, SharedLink)> {
        let entries = locked(&self.entries);
        let entry = entries.links.iter().find(|entry| entry.name == name)?;
        Some((entry.kind, Arc::clone(&entry.link)))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = locked(&self.entries);
        let names: Vec<&str> = entries.links.iter().map(|entry| &*entry.name).collect();
        f.debug_struct("Registry")
            .field("links", &names)
            .field("is_subagent", &self.is_subagent)
            .finish()
    }
}

/// A link's place in a registry; dropping it takes out this link and no other.
#[derive(Debug)]
#[must_use = "dropping the guard takes the link out again"]
pub struct Registration {
    entries: Weak<Mutex<Entries>>,
    /// `None`: it never was registered.
    token: Option<u64>,
}

impl Registration {
    /// Whether the link was registered; not so for a model's link in a subagent.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        self.token.is_some()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some((entries, token)) = self.entries.upgrade().zip(self.token) else {
            return;
        };
        let mut entries = locked(&entries);
        let at = entries.links.iter().position(|entry| entry.token == token);
        let gone = at.map(|at| entries.links.remove(at));
        // A link may register another one while it is dropped.
        drop(entries);
        drop(gone);
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries")
            .field("links", &self.links.len())
            .finish_non_exhaustive()
    }
}

/// Why a link cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterError {
    /// A link of this name is registered.
    Taken(String),
    /// The name is empty.
    EmptyName,
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken(name) => write!(
                f,
                "a link named `{name}` is registered already; drop its registration first"
            ),
            Self::EmptyName => f.write_str("a link needs a name"),
        }
    }
}

impl std::error::Error for RegisterError {}

/// No state here can be left half done, so that a panic elsewhere spoils nothing.
fn locked(entries: &Mutex<Entries>) -> MutexGuard<'_, Entries> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{AuthorizerLog, Details, LinkError, PermissionQuery, Verdict};

    struct Never;

    impl Authorizer for Never {
        fn authorize(
            &self,
            _: &Details,
            _: &dyn PermissionQuery,
            _: &dyn AuthorizerLog,
        ) -> Result<Verdict, LinkError> {
            Ok(Verdict::Defer)
        }
    }

    #[test]
    fn a_guard_takes_out_only_its_own_link() {
        let registry = Registry::new();
        let register = |name| registry.register(name, LinkKind::Other, Arc::new(Never));
        let first = register("a").unwrap();
        let other = register("b").unwrap();
        assert_eq!(
            register("a").unwrap_err(),
            RegisterError::Taken("a".to_owned())
        );
        assert_eq!(register("").unwrap_err(), RegisterError::EmptyName);
        drop(first);
        let second = register("a").unwrap();
        assert!(registry.clone().find("a").is_some());
        drop(other);
        assert!(registry.find("a").is_some() && registry.find("b").is_none());
        drop(second);
        assert!(registry.find("a").is_none());
        let last = register("a").unwrap();
        drop(registry);
        drop(last);
    }

    #[test]
    fn a_subagent_has_no_links_that_ask_a_model() {
        let registry = Registry::in_subagent();
        let model = registry
            .register("m", LinkKind::Model, Arc::new(Never))
            .unwrap();
        let other = registry
            .register("o", LinkKind::Other, Arc::new(Never))
            .unwrap();
        assert!(!model.is_live() && other.is_live());
        assert!(registry.find("m").is_none() && registry.find("o").is_some());
    }
}
