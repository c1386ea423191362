//! Hot reload: a policy that can be replaced while others read it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::LoadError;
use crate::policy::Policy;

/// A replaceable policy, shared by all threads of a host.
///
/// # Example
///
/// ```no_run
/// use permc_runtime::{Policy, PolicyHandle};
///
/// let handle = PolicyHandle::new(Policy::open("policy.permc")?);
/// let mut reader = handle.reader();
/// let policy = reader.current(); // never waits
/// // On a file change; a broken artifact leaves the loaded policy in place.
/// if let Err(error) = handle.reload(std::fs::read("policy.permc")?) {
///     eprintln!("{error}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PolicyHandle {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    generation: AtomicU64,
    policy: RwLock<Arc<Policy>>,
}

impl PolicyHandle {
    /// A handle on a loaded policy.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self {
            shared: Arc::new(Shared {
                generation: AtomicU64::new(0),
                policy: RwLock::new(Arc::new(policy)),
            }),
        }
    }

    /// Validates new bytes and puts them in place of the loaded policy.
    ///
    /// # Errors
    ///
    /// As [`Policy::from_bytes`]; the policy that was loaded stays.
    pub fn reload(&self, bytes: Vec<u8>) -> Result<(), LoadError> {
        let policy = Arc::new(Policy::from_bytes(bytes)?);
        // A poisoned lock still guards a whole `Arc`: the only write under it is this assignment.
        *self
            .shared
            .policy
            .write()
            .unwrap_or_else(PoisonError::into_inner) = policy;
        self.shared.generation.fetch_add(1, Ordering::Release);
        Ok(())
    }

    /// A reader for one thread.
    #[must_use]
    pub fn reader(&self) -> PolicyReader {
        let generation = self.shared.generation.load(Ordering::Acquire);
        let policy = Arc::clone(
            &self
                .shared
                .policy
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        );
        PolicyReader {
            shared: Arc::clone(&self.shared),
            generation,
            policy,
        }
    }
}

/// One thread's view of a [`PolicyHandle`].
#[derive(Clone, Debug)]
pub struct PolicyReader {
    shared: Arc<Shared>,
    generation: u64,
    policy: Arc<Policy>,
}

impl PolicyReader {
    /// The newest policy, or for the instant of a swap the one before it; never blocks.
    pub fn current(&mut self) -> &Arc<Policy> {
        let generation = self.shared.generation.load(Ordering::Acquire);
        if generation != self.generation
            && let Ok(policy) = self.shared.policy.try_read()
        {
            self.policy = Arc::clone(&policy);
            self.generation = generation;
        }
        &self.policy
    }
}
