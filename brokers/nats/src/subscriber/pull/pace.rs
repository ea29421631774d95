//! How fast failures of one subscription may follow each other.

use std::time::Duration;

use tokio::time::Instant;

const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// Doubles the wait from failure to failure; a delivery brings it back.
#[derive(Debug)]
pub(super) struct Pace {
    wait: Duration,
    reported: Option<Instant>,
}

impl Pace {
    pub(super) const fn new() -> Self {
        Self {
            wait: SHORTEST,
            reported: None,
        }
    }

    /// Counts a failure, and answers how long to wait before the next try.
    pub(super) fn failed(&mut self) -> Duration {
        let wait = self.wait;
        self.wait = (wait * 2).min(LONGEST);
        wait
    }

    /// Whether a failure may be reported now; at most one in the shortest wait.
    pub(super) fn reports(&mut self) -> bool {
        let now = Instant::now();
        let due = self
            .reported
            .is_none_or(|reported| now - reported >= SHORTEST);
        if due {
            self.reported = Some(now);
        }
        due
    }

    #[inline]
    pub(super) const fn succeeded(&mut self) {
        self.wait = SHORTEST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // NATS-32
    #[test]
    fn failures_in_a_row_wait_from_a_tenth_of_a_second_to_five() {
        let mut pace = Pace::new();

        let waits: Vec<_> = (0..8).map(|_| pace.failed().as_millis()).collect();

        assert_eq!(waits, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        pace.succeeded();
        assert_eq!(pace.failed().as_millis(), 100);
    }

    // NATS-32
    #[test]
    fn two_failures_at_once_are_one_report() {
        let mut pace = Pace::new();

        assert!(pace.reports());
        assert!(!pace.reports());
    }
}
