//! Poll diagnostics as a service turns them on and reads them.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::stats::PollStats;

/// Finds bodies that compute for long between two awaits on the application's runtime.
///
/// One poll in so many of each body is timed. Clones share their statistics, so a service keeps one
/// to read and hands the other to [`poll_diagnostics`](crate::RustStream::poll_diagnostics).
///
/// ```
/// use std::time::Duration;
/// use ruststream_runtime::PollDiagnostics;
///
/// let polls = PollDiagnostics::new().threshold(Duration::from_millis(1));
/// assert!(polls.report("parcels").is_none());
/// ```
#[derive(Clone)]
pub struct PollDiagnostics {
    threshold: Duration,
    sample_every: NonZeroU32,
    /// In the order the subscriptions opened.
    stats: Arc<Mutex<Vec<Arc<PollStats>>>>,
}

impl PollDiagnostics {
    /// Warns over 100 microseconds and times one poll in 64.
    #[must_use]
    pub fn new() -> Self {
        Self {
            threshold: Duration::from_micros(100),
            sample_every: const { NonZeroU32::new(64).unwrap() },
            stats: Arc::default(),
        }
    }

    /// Warns once the average poll is longer than `threshold`.
    #[must_use]
    pub const fn threshold(mut self, threshold: Duration) -> Self {
        self.threshold = threshold;
        self
    }

    /// Times one poll in `every`; 1 times each.
    #[must_use]
    pub const fn sample_every(mut self, every: NonZeroU32) -> Self {
        self.sample_every = every;
        self
    }

    /// What is known of the subscriptions of this name; `None` before one opened.
    #[must_use]
    pub fn report(&self, subscription: &str) -> Option<PollReport> {
        self.with(|all| {
            Some(
                all.iter()
                    .find(|stats| stats.name() == subscription)?
                    .report(),
            )
        })
    }

    /// What is known of every subscription, in the order they opened.
    #[must_use]
    pub fn reports(&self) -> Vec<PollReport> {
        self.with(|all| all.iter().map(|stats| stats.report()).collect())
    }

    /// The statistics an exporter reads.
    #[doc(hidden)]
    #[must_use]
    pub fn stats(&self) -> Vec<Arc<PollStats>> {
        self.with(|all| all.clone())
    }

    pub(super) fn limits(&self) -> (Duration, NonZeroU32) {
        (self.threshold, self.sample_every)
    }

    /// The statistics of `subscription`; subscriptions of one name share them.
    pub(super) fn open(&self, subscription: &str) -> Arc<PollStats> {
        self.with(|all| {
            if let Some(stats) = all.iter().find(|stats| stats.name() == subscription) {
                return Arc::clone(stats);
            }
            let stats = Arc::new(PollStats::new(subscription));
            all.push(Arc::clone(&stats));
            stats
        })
    }

    fn with<R>(&self, look: impl FnOnce(&mut Vec<Arc<PollStats>>) -> R) -> R {
        look(&mut self.stats.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for PollDiagnostics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for PollDiagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PollDiagnostics")
            .field("threshold", &self.threshold)
            .field("sample_every", &self.sample_every)
            .field("subscriptions", &self.with(|all| all.len()))
            .finish_non_exhaustive()
    }
}

/// What is known of the polls of one subscription's bodies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PollReport {
    subscription: String,
    samples: u64,
    average: Duration,
    p99: Duration,
}

impl PollReport {
    pub(super) fn new(subscription: &str, samples: u64, average: Duration, p99: Duration) -> Self {
        Self {
            subscription: subscription.to_owned(),
            samples,
            average,
            p99,
        }
    }

    /// The subscription's name.
    #[must_use]
    pub fn subscription(&self) -> &str {
        &self.subscription
    }

    /// How many polls were timed.
    #[must_use]
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    /// The average poll, in which the last 16 or so count most.
    #[must_use]
    pub const fn average(&self) -> Duration {
        self.average
    }

    /// The poll that one in a hundred is longer than, estimated from a histogram.
    #[must_use]
    pub const fn p99(&self) -> Duration {
        self.p99
    }
}
