//! A value that is in force while a future is polled.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::thread::LocalKey;

/// Where such a value lies; each thread has its own.
pub(super) type InForce<T> = LocalKey<RefCell<Option<T>>>;

/// Puts back what was in force before, also when the poll panics.
struct Restore<T: 'static> {
    place: &'static InForce<T>,
    outer: Option<T>,
}

impl<T> Drop for Restore<T> {
    fn drop(&mut self) {
        let outer = self.outer.take();
        drop(self.place.replace(outer));
    }
}

/// Polls `future` with `value` in force. What it spawns is not polled by it.
pub(super) async fn within<T, F>(place: &'static InForce<T>, value: T, future: F) -> F::Output
where
    T: Clone + 'static,
    F: Future,
{
    let mut future = pin!(future);
    poll_fn(|cx| {
        let _restore = Restore {
            place,
            outer: place.replace(Some(value.clone())),
        };
        future.as_mut().poll(cx)
    })
    .await
}

/// What is in force here.
pub(super) fn in_force<T: Clone>(place: &'static InForce<T>) -> Option<T> {
    place.with_borrow(Clone::clone)
}
