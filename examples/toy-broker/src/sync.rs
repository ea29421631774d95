use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; nothing here is left half written by a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
