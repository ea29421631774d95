//! Locking among foreign code: panics outside, and wakers that run code of their own.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// Locks `mutex`, whether or not a holder panicked.
///
/// Nothing here leaves a lock half-changed across code that can panic, and one panicking user must
/// not take the bus away from the others (MEM-73).
#[inline]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets who is to be woken and returns who was, to be dropped once no lock is held.
pub(crate) fn replace_waker(waiting: &mut Option<Waker>, waker: &Waker) -> Option<Waker> {
    match waiting {
        Some(same) if same.will_wake(waker) => None,
        _ => waiting.replace(waker.clone()),
    }
}
