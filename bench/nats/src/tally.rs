//! How many messages were handled, and when the first and the last.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use tokio::sync::Notify;

use crate::clock::Moment;

/// The one of this process, which is one run.
pub static TALLY: LazyLock<Tally> = LazyLock::new(Tally::default);

/// Longer than any run takes.
const STALLED: Duration = Duration::from_secs(300);

#[derive(Default)]
pub struct Tally {
    seen: AtomicU64,
    target: OnceLock<u64>,
    first: OnceLock<Moment>,
    last: OnceLock<Moment>,
    done: Notify,
}

impl Tally {
    pub fn expect(&self, target: u64) {
        self.target.set(target).expect("one run a process");
    }

    /// One more was handled.
    #[inline]
    pub fn hit(&self) {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        if seen == 1 {
            let _set = self.first.set(Moment::now());
        }
        if Some(&seen) == self.target.get() {
            let _set = self.last.set(Moment::now());
            self.done.notify_one();
        }
    }

    /// When the first and the last were handled.
    pub async fn ends(&self) -> (Moment, Moment) {
        let done = tokio::time::timeout(STALLED, self.done.notified()).await;
        let seen = self.seen.load(Ordering::Relaxed);
        assert!(done.is_ok(), "stalled at {seen} of {:?}", self.target);
        let first = self.first.get().expect("counted");
        (*first, *self.last.get().expect("counted"))
    }

    pub fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }
}
