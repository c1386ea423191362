//! What a policy was bound to for lines that name a context, kept for the lines that follow.

/// Contexts that are kept.
const MOST: usize = 32;

/// Agent, home and yolo mode.
type Key = (Option<String>, Option<String>, Option<bool>);

/// Values by context; the oldest makes room.
pub(super) struct Contexts<T> {
    entries: Vec<(Key, T)>,
    /// The place that the next new one takes when all are taken.
    next: usize,
}

impl<T> Contexts<T> {
    pub(super) const fn new() -> Self {
        Self {
            entries: Vec::new(),
            next: 0,
        }
    }

    /// The value of a context, made where it is not there yet.
    pub(super) fn get<E>(
        &mut self,
        (agent, home, yolo): (Option<&str>, Option<&str>, Option<bool>),
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Option<&T>, E> {
        let is_it = |(key, _): &(Key, T)| {
            key.0.as_deref() == agent && key.1.as_deref() == home && key.2 == yolo
        };
        let at = match self.entries.iter().position(is_it) {
            Some(at) => at,
            None => {
                let key = (agent.map(str::to_owned), home.map(str::to_owned), yolo);
                let entry = (key, make()?);
                if self.entries.len() < MOST {
                    self.entries.push(entry);
                    self.entries.len().saturating_sub(1)
                } else {
                    let at = self.next;
                    self.next = at.saturating_add(1) % MOST;
                    if let Some(place) = self.entries.get_mut(at) {
                        *place = entry;
                    }
                    at
                }
            }
        };
        Ok(self.entries.get(at).map(|(_, value)| value))
    }
}
