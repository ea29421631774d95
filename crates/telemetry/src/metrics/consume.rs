//! The layer around handlers.

use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use prometheus::{Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts};
use ruststream_runtime::{BlanketLayer, Context, Handler, HandlerOutcome, Layer};

use super::TwinCollector;

/// In seconds.
const DURATION_BUCKETS: [f64; 12] = [
    0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
];

/// The collectors of what is consumed.
#[derive(Clone)]
pub(super) struct Consumed {
    messages: IntCounterVec,
    duration: HistogramVec,
}

impl Consumed {
    pub(super) fn new() -> Result<Self, prometheus::Error> {
        let messages = Opts::new(
            "ruststream_messages_consumed_total",
            "Deliveries that a handler finished with, by what became of them.",
        );
        let duration = HistogramOpts::new(
            "ruststream_consume_duration_seconds",
            "How long handlers took for a delivery.",
        );
        Ok(Self {
            messages: IntCounterVec::new(messages, &["name", "status"])?,
            duration: HistogramVec::new(duration.buckets(DURATION_BUCKETS.to_vec()), &["name"])?,
        })
    }

    pub(super) fn collectors(&self) -> [Box<dyn TwinCollector>; 2] {
        [
            Box::new(self.messages.clone()),
            Box::new(self.duration.clone()),
        ]
    }

    fn messages(&self, name: &str, status: &str) -> IntCounter {
        self.messages.with_label_values(&[name, status])
    }
}

/// The series of one subscription. A series exists from its first value on.
#[derive(Clone)]
struct Series {
    name: Box<str>,
    ack: OnceLock<IntCounter>,
    nack: OnceLock<IntCounter>,
    duration: Histogram,
}

impl Series {
    fn new(consumed: &Consumed, name: &str) -> Self {
        Self {
            name: name.into(),
            ack: OnceLock::new(),
            nack: OnceLock::new(),
            duration: consumed.duration.with_label_values(&[name]),
        }
    }

    fn record(&self, consumed: &Consumed, acked: bool, took: Duration) {
        let (counter, status) = if acked {
            (&self.ack, "ack")
        } else {
            (&self.nack, "nack")
        };
        counter
            .get_or_init(|| consumed.messages(&self.name, status))
            .inc();
        self.duration.observe(took.as_secs_f64());
    }
}

/// Counts and times what handlers do, from [`Metrics::consume_layer`](super::Metrics::consume_layer).
#[derive(Clone)]
pub struct MetricsLayer {
    consumed: Consumed,
}

impl MetricsLayer {
    pub(super) const fn new(consumed: Consumed) -> Self {
        Self { consumed }
    }
}

impl fmt::Debug for MetricsLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MetricsLayer").finish_non_exhaustive()
    }
}

impl<H> Layer<H> for MetricsLayer {
    type Handler = MetricsHandler<H>;

    fn layer(&self, inner: H) -> MetricsHandler<H> {
        MetricsHandler {
            inner,
            consumed: self.consumed.clone(),
            series: OnceLock::new(),
        }
    }
}

impl BlanketLayer for MetricsLayer {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        self.layer(handler)
    }
}

/// A handler inside a [`MetricsLayer`].
#[derive(Clone)]
pub struct MetricsHandler<H> {
    inner: H,
    consumed: Consumed,
    /// Of the first subscription that this handler saw, in practice its only one.
    series: OnceLock<Series>,
}

impl<H> MetricsHandler<H> {
    fn record(&self, name: &str, acked: bool, took: Duration) {
        let series = self
            .series
            .get_or_init(|| Series::new(&self.consumed, name));
        if *series.name == *name {
            series.record(&self.consumed, acked, took);
        } else {
            Series::new(&self.consumed, name).record(&self.consumed, acked, took);
        }
    }
}

impl<H> fmt::Debug for MetricsHandler<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MetricsHandler").finish_non_exhaustive()
    }
}

impl<M, C, S, H> Handler<M, C, S> for MetricsHandler<H>
where
    M: Sync,
    C: Send,
    S: Send + Sync,
    H: Handler<M, C, S>,
{
    async fn handle(&self, msg: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let begun = Instant::now();
        let outcome = self.inner.handle(msg, ctx).await;
        self.record(ctx.name(), outcome.is_ack(), begun.elapsed());
        outcome
    }
}
