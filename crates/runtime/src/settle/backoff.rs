//! How long to wait before a copy that could not be published is tried again (RUN-344).

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The waits before the three further tries of a delayed copy; after the last one it is lost.
pub(crate) const FURTHER_TRIES: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_millis(1600),
];

const LONGEST: Duration = Duration::from_secs(30);
/// 2^5 s is the first wait beyond the longest.
const CAPPED_FROM: u32 = 5;

/// The pace at which one registration hands deliveries back whose copy could not be published.
///
/// The workers of a registration share one, so that a destination that is down slows all of them.
#[derive(Debug, Default)]
pub(crate) struct Pacing {
    failures_in_a_row: AtomicU32,
}

impl Pacing {
    pub(crate) const fn new() -> Self {
        Self {
            failures_in_a_row: AtomicU32::new(0),
        }
    }

    /// Counts a failed publish and answers how long to hold its delivery back: 1 s, doubling up
    /// to 30 s.
    pub(crate) fn failed(&self) -> Duration {
        let counted =
            self.failures_in_a_row
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |failures| {
                    (failures < CAPPED_FROM).then_some(failures + 1)
                });
        match counted {
            Ok(before) => Duration::from_secs(1 << before),
            Err(_capped) => LONGEST,
        }
    }

    /// A publish went through: the next failure starts from 1 s again.
    pub(crate) fn succeeded(&self) {
        // A plain load keeps the cache line shared among workers while all is well.
        if self.failures_in_a_row.load(Ordering::Relaxed) != 0 {
            self.failures_in_a_row.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RUN-344
    #[test]
    fn failures_in_a_row_double_the_wait_from_one_to_thirty_seconds() {
        let pacing = Pacing::new();

        let waits: Vec<_> = (0..8).map(|_| pacing.failed().as_secs()).collect();

        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
    }

    // RUN-344
    #[test]
    fn the_first_success_resets_the_wait() {
        let pacing = Pacing::new();
        pacing.failed();
        pacing.failed();

        pacing.succeeded();

        assert_eq!(pacing.failed(), Duration::from_secs(1));
    }

    // RUN-344
    #[test]
    fn a_delayed_copy_has_three_further_tries() {
        assert_eq!(FURTHER_TRIES.map(|wait| wait.as_millis()), [100, 400, 1600]);
    }
}
