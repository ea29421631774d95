//! The polls of one subscription's bodies, summed up.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::diagnostics::PollReport;

/// The upper bounds of the histogram's buckets, in nanoseconds: 1-2-5 steps from a microsecond to
/// ten seconds. What is longer falls into one more bucket.
#[doc(hidden)]
pub const BUCKET_BOUNDS_NS: [u64; 22] = [
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
    2_000_000_000,
    5_000_000_000,
    10_000_000_000,
];

/// The longest memory of the average.
const WINDOW: u64 = 16;

/// The statistics of the subscriptions of one name.
#[doc(hidden)]
#[derive(Debug)]
pub struct PollStats {
    name: String,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    samples: u64,
    sum_ns: u64,
    average_ns: f64,
    buckets: [u64; 23],
    /// A subscription of this name runs on the application's runtime, so a warning helps.
    on_runtime: bool,
    /// The average is over the threshold and that was told.
    told: bool,
}

/// A crossing of the threshold that is worth a warning.
pub(super) struct Crossing {
    pub(super) average: Duration,
    pub(super) p99: Duration,
}

impl PollStats {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            seen: Mutex::default(),
        }
    }

    /// The subscription's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn runs_on_runtime(&self) {
        self.with(|seen| seen.on_runtime = true);
    }

    /// Number of samples, their sum in nanoseconds, and the samples of each bucket.
    #[must_use]
    pub fn histogram(&self) -> (u64, u64, [u64; 23]) {
        self.with(|seen| (seen.samples, seen.sum_ns, seen.buckets))
    }

    /// What a caller reads of it.
    #[must_use]
    pub fn report(&self) -> PollReport {
        self.with(|seen| PollReport::new(&self.name, seen.samples, seen.average(), seen.p99()))
    }

    /// Adds the time of one poll; a crossing is told once, and again only after it fell back.
    pub(super) fn record(&self, poll: Duration, threshold: Duration) -> Option<Crossing> {
        self.with(|seen| {
            seen.add(poll);
            if seen.average() <= threshold {
                seen.told = false;
                return None;
            }
            if seen.told || seen.samples < WINDOW || !seen.on_runtime {
                return None;
            }
            seen.told = true;
            Some(Crossing {
                average: seen.average(),
                p99: seen.p99(),
            })
        })
    }

    fn with<R>(&self, look: impl FnOnce(&mut Seen) -> R) -> R {
        look(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Seen {
    #[allow(clippy::cast_precision_loss)]
    fn add(&mut self, poll: Duration) {
        let ns = u64::try_from(poll.as_nanos()).unwrap_or(u64::MAX);
        self.samples += 1;
        self.sum_ns = self.sum_ns.saturating_add(ns);
        let weight = self.samples.min(WINDOW) as f64;
        self.average_ns += (ns as f64 - self.average_ns) / weight;
        let bucket = BUCKET_BOUNDS_NS.partition_point(|bound| *bound < ns);
        self.buckets[bucket] += 1;
    }

    fn average(&self) -> Duration {
        Duration::from_secs_f64((self.average_ns / 1e9).max(0.0))
    }

    /// Interpolated within its bucket; the last bound at most.
    #[allow(clippy::cast_precision_loss)]
    fn p99(&self) -> Duration {
        let rank = self.samples as f64 * 0.99;
        let mut below = 0;
        for (index, &count) in self.buckets.iter().enumerate() {
            if count > 0 && (below + count) as f64 >= rank {
                let low = index
                    .checked_sub(1)
                    .map_or(0, |before| BUCKET_BOUNDS_NS[before]);
                let high = BUCKET_BOUNDS_NS.get(index).copied().unwrap_or(low);
                let part = ((rank - below as f64) / count as f64).clamp(0.0, 1.0);
                return Duration::from_secs_f64((low as f64 + (high - low) as f64 * part) / 1e9);
            }
            below += count;
        }
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: Duration = Duration::from_micros(1);

    // RUN-471, OBS-34
    #[test]
    fn a_value_equal_to_a_bound_belongs_to_its_bucket() {
        let stats = PollStats::new("parcels");
        stats.record(MICRO, MICRO);
        stats.record(MICRO + Duration::from_nanos(1), MICRO);
        stats.record(Duration::from_secs(11), MICRO);

        let (samples, _, buckets) = stats.histogram();

        assert_eq!((samples, buckets[0], buckets[1], buckets[22]), (3, 1, 1, 1));
    }

    // RUN-471
    #[test]
    fn the_average_starts_as_a_mean_and_then_forgets() {
        let stats = PollStats::new("parcels");
        for micros in [1, 3] {
            stats.record(MICRO * micros, MICRO);
        }
        assert_eq!(stats.report().average(), MICRO * 2);
        for _ in 0..500 {
            stats.record(MICRO * 100, MICRO);
        }
        assert!(stats.report().average() > MICRO * 99);
    }

    // RUN-472
    #[test]
    fn a_crossing_is_told_once_and_again_only_after_it_fell_back() {
        let stats = PollStats::new("parcels");
        stats.runs_on_runtime();
        let told = |poll| stats.record(poll, MICRO * 10).is_some();

        let first: Vec<_> = (0..20).map(|_| told(MICRO * 50)).collect();
        assert_eq!(
            first.iter().position(|told| *told),
            Some(15),
            "not before 16 samples"
        );
        assert_eq!(first.iter().filter(|told| **told).count(), 1);

        assert!((0..200).all(|_| !told(MICRO)), "it falls back in silence");
        assert_eq!((0..50).filter(|_| told(MICRO * 500)).count(), 1);
    }

    // RUN-472
    #[test]
    fn bodies_on_dedicated_threads_are_not_warned_about() {
        let stats = PollStats::new("parcels");
        assert!((0..50).all(|_| stats.record(MICRO * 500, MICRO).is_none()));
        stats.runs_on_runtime();
        assert!(
            stats.record(MICRO * 500, MICRO).is_some(),
            "nobody was told of the crossing yet"
        );
    }

    // OBS-34
    #[test]
    fn the_p99_of_nothing_is_zero_and_never_over_the_last_bound() {
        let stats = PollStats::new("parcels");
        assert_eq!(stats.report().p99(), Duration::ZERO);
        stats.record(Duration::from_secs(59), MICRO);
        assert_eq!(stats.report().p99(), Duration::from_secs(10));
    }
}
