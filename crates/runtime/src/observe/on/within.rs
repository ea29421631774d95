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

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;

    use futures_util::FutureExt;

    use super::*;

    thread_local! {
        static PLACE: RefCell<Option<u8>> = const { RefCell::new(None) };
    }

    // TEST-48: only what is polled by the future sees the value.
    #[tokio::test]
    async fn a_value_is_in_force_while_its_future_is_polled_and_no_longer() {
        let inner = within(&PLACE, 2, async { in_force(&PLACE) });
        let outer = within(&PLACE, 1, async {
            let spawned = tokio::spawn(async { in_force(&PLACE) }).await.unwrap();
            (in_force(&PLACE), inner.await, in_force(&PLACE), spawned)
        });
        assert_eq!(outer.await, (Some(1), Some(2), Some(1), None));
        assert_eq!(in_force(&PLACE), None);
    }

    #[tokio::test]
    async fn a_panic_leaves_nothing_in_force() {
        let panics = within(&PLACE, 1, async { panic!("torn") });
        let panicked: Result<(), _> = AssertUnwindSafe(panics).catch_unwind().await;
        assert!(panicked.is_err());
        assert_eq!(in_force(&PLACE), None);
    }
}
