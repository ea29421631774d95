use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Where the emptied buffer of one batch waits to be filled as the next one.
///
/// Clones are the same place. The default is nowhere: what is put there is dropped.
#[doc(hidden)]
pub struct SpareBatch<B>(Option<Arc<Mutex<Option<B>>>>);

impl<B> SpareBatch<B> {
    /// A place for one buffer.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Whether there is a place at all.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.0.is_some()
    }

    /// Leaves a buffer, which holds no delivery any more.
    pub fn put(&self, emptied: B) {
        let replaced = self.with(|place| place.replace(emptied));
        drop(replaced);
    }

    /// Takes the buffer that was left.
    #[must_use]
    pub fn take(&self) -> Option<B> {
        self.with(Option::take).flatten()
    }

    fn with<T>(&self, act: impl FnOnce(&mut Option<B>) -> T) -> Option<T> {
        let place = self.0.as_ref()?;
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        Some(act(&mut place))
    }
}

impl<B> Clone for SpareBatch<B> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<B> Default for SpareBatch<B> {
    fn default() -> Self {
        Self(None)
    }
}

impl<B> fmt::Debug for SpareBatch<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpareBatch").finish_non_exhaustive()
    }
}
