//! Timing one poll in so many.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::stats::PollStats;
use crate::app::Service;
use crate::workers::{Placement, Workers};

/// Watches the bodies of one subscription, or of one of its threads.
#[derive(Debug)]
pub(crate) struct Sampler {
    stats: Arc<PollStats>,
    threshold: Duration,
    every: u32,
    /// Polls since the last one that was timed.
    untimed: Arc<AtomicU32>,
}

impl Sampler {
    pub(crate) fn open(service: &Service, subscription: &str, workers: Workers) -> Self {
        let diagnostics = service.poll_diagnostics();
        let (threshold, every) = diagnostics.limits();
        let stats = diagnostics.open(subscription);
        if workers.placement() == Placement::Runtime {
            stats.runs_on_runtime();
        }
        Self {
            stats,
            threshold,
            every: every.get(),
            untimed: Arc::default(),
        }
    }

    /// The sampler of one worker: those of a pool share a countdown, each thread has its own.
    pub(crate) fn on(&self, placement: Placement) -> Self {
        let untimed = match placement {
            Placement::Runtime => Arc::clone(&self.untimed),
            Placement::Threads => Arc::default(),
        };
        Self {
            stats: Arc::clone(&self.stats),
            threshold: self.threshold,
            every: self.every,
            untimed,
        }
    }

    #[inline]
    pub(crate) async fn watch<F: Future>(&self, body: F) -> F::Output {
        let mut body = pin!(body);
        poll_fn(|cx| {
            // Workers that share a countdown may now and then time a poll too many or too few.
            let untimed = self.untimed.load(Ordering::Relaxed) + 1;
            if untimed < self.every {
                self.untimed.store(untimed, Ordering::Relaxed);
                return body.as_mut().poll(cx);
            }
            self.untimed.store(0, Ordering::Relaxed);
            let begin = Instant::now();
            let polled = body.as_mut().poll(cx);
            self.record(begin.elapsed());
            polled
        })
        .await
    }

    #[cold]
    fn record(&self, poll: Duration) {
        if let Some(crossing) = self.stats.record(poll, self.threshold) {
            tracing::warn!(
                target: "ruststream::dispatch",
                subscription = %self.stats.name(),
                average = ?crossing.average,
                p99 = ?crossing.p99,
                threshold = ?self.threshold,
                "this handler computes for long between awaits and holds up the runtime; give it \
                 threads of its own: `threads(n)`"
            );
        }
    }
}
