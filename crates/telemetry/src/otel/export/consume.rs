//! The layer around handlers.

use std::fmt;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter, UpDownCounter};
use ruststream_core::HeaderMap;
use ruststream_runtime::{BlanketLayer, Context, Handler, HandlerOutcome, HandlerResult, Layer};

use super::attributes::{DURATION_BUCKETS, System, attributes};
use super::publish::PUBLISH_TIME_HEADER;

pub(super) struct ConsumeInstruments {
    consumed: Counter<u64>,
    queue_time: Histogram<f64>,
    in_flight: UpDownCounter<i64>,
    duration: Histogram<f64>,
    processed: Counter<u64>,
    decode_failures: Counter<u64>,
    panics: Counter<u64>,
    system: System,
}

impl ConsumeInstruments {
    pub(super) fn new(meter: &Meter, system: System) -> Self {
        let counter = |name: &'static str, description: &'static str| {
            meter
                .u64_counter(name)
                .with_unit("{message}")
                .with_description(description)
                .build()
        };
        let seconds = |name: &'static str, description: &'static str| {
            meter
                .f64_histogram(name)
                .with_unit("s")
                .with_description(description)
                .with_boundaries(DURATION_BUCKETS.to_vec())
                .build()
        };
        Self {
            consumed: counter(
                "messaging.client.consumed.messages",
                "Deliveries that came to a handler.",
            ),
            queue_time: seconds(
                "ruststream.message.queue_time",
                "How long messages waited between their publish and their handler.",
            ),
            in_flight: meter
                .i64_up_down_counter("ruststream.messages.in_flight")
                .with_unit("{message}")
                .with_description("Deliveries that a handler is at work on.")
                .build(),
            duration: seconds(
                "messaging.process.duration",
                "How long handlers took for a delivery.",
            ),
            processed: counter(
                "ruststream.messages.processed",
                "Deliveries that a handler finished with, by what became of them.",
            ),
            decode_failures: counter(
                "ruststream.messages.decode_failures",
                "Deliveries that could not be decoded.",
            ),
            panics: counter(
                "ruststream.messages.panics",
                "Deliveries whose handler panicked.",
            ),
            system,
        }
    }
}

/// The attributes of one subscription, made once.
#[derive(Clone)]
struct Subscription {
    name: Arc<str>,
    all: Box<[KeyValue]>,
    ack: Box<[KeyValue]>,
    nack_requeue: Box<[KeyValue]>,
    nack_drop: Box<[KeyValue]>,
    retry_after: Box<[KeyValue]>,
}

impl Subscription {
    fn new(name: &str, system: &System) -> Self {
        let name = Arc::from(name);
        let outcome = |outcome: &'static str| {
            attributes(&name, system, Some(KeyValue::new("outcome", outcome)))
        };
        Self {
            all: attributes(&name, system, None),
            ack: outcome("ack"),
            nack_requeue: outcome("nack_requeue"),
            nack_drop: outcome("nack_drop"),
            retry_after: outcome("retry_after"),
            name,
        }
    }

    fn outcome(&self, result: HandlerResult) -> &[KeyValue] {
        match result {
            HandlerResult::Ack => &self.ack,
            HandlerResult::Nack { requeue: true } => &self.nack_requeue,
            HandlerResult::Nack { requeue: false } => &self.nack_drop,
            HandlerResult::NackAfter { .. } => &self.retry_after,
        }
    }
}

/// Records what handlers do, from [`Otel::consume_layer`](super::Otel::consume_layer).
#[derive(Clone)]
pub struct OtelConsumeLayer {
    instruments: Arc<ConsumeInstruments>,
}

impl OtelConsumeLayer {
    pub(super) const fn new(instruments: Arc<ConsumeInstruments>) -> Self {
        Self { instruments }
    }
}

impl fmt::Debug for OtelConsumeLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtelConsumeLayer").finish_non_exhaustive()
    }
}

impl<H> Layer<H> for OtelConsumeLayer {
    type Handler = OtelConsumeHandler<H>;

    fn layer(&self, inner: H) -> OtelConsumeHandler<H> {
        OtelConsumeHandler {
            inner,
            instruments: Arc::clone(&self.instruments),
            subscription: OnceLock::new(),
        }
    }
}

impl BlanketLayer for OtelConsumeLayer {
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

/// A handler inside an [`OtelConsumeLayer`].
#[derive(Clone)]
pub struct OtelConsumeHandler<H> {
    inner: H,
    instruments: Arc<ConsumeInstruments>,
    /// The first subscription that this handler saw, in practice its only one.
    subscription: OnceLock<Arc<Subscription>>,
}

impl<H> OtelConsumeHandler<H> {
    fn subscription(&self, name: &str) -> Arc<Subscription> {
        let make = || Arc::new(Subscription::new(name, &self.instruments.system));
        let first = self.subscription.get_or_init(make);
        if *first.name == *name {
            Arc::clone(first)
        } else {
            make()
        }
    }
}

impl<H> fmt::Debug for OtelConsumeHandler<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtelConsumeHandler").finish_non_exhaustive()
    }
}

impl<M, C, S, H> Handler<M, C, S> for OtelConsumeHandler<H>
where
    M: Sync,
    C: Send,
    S: Send + Sync,
    H: Handler<M, C, S>,
{
    async fn handle(&self, msg: &M, ctx: &mut Context<'_, C, S>) -> HandlerOutcome {
        let to = &*self.instruments;
        let subscription = self.subscription(ctx.name());
        to.consumed.add(1, &subscription.all);
        if let Some(queued) = queued(ctx.headers(), SystemTime::now()) {
            to.queue_time
                .record(queued.as_secs_f64(), &subscription.all);
        }
        let in_flight = InFlight::begin(&to.in_flight, &subscription.all);
        let begun = Instant::now();
        // The block is what makes a panic in `handle` itself, before a future exists, one of these.
        let handling = async { self.inner.handle(msg, ctx).await };
        let outcome = match AssertUnwindSafe(handling).catch_unwind().await {
            Ok(outcome) => outcome,
            Err(panic) => {
                to.panics.add(1, &subscription.all);
                drop(in_flight);
                resume_unwind(panic)
            }
        };
        drop(in_flight);
        to.duration
            .record(begun.elapsed().as_secs_f64(), &subscription.all);
        to.processed.add(1, subscription.outcome(outcome.outcome()));
        // Only looked at: a test harness takes it later.
        if ctx.decode_failed() {
            to.decode_failures.add(1, &subscription.all);
        }
        outcome
    }
}

/// A delivery that a handler is at work on, however that ends.
struct InFlight<'a> {
    counter: &'a UpDownCounter<i64>,
    attributes: &'a [KeyValue],
}

impl<'a> InFlight<'a> {
    fn begin(counter: &'a UpDownCounter<i64>, attributes: &'a [KeyValue]) -> Self {
        counter.add(1, attributes);
        Self {
            counter,
            attributes,
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.counter.add(-1, self.attributes);
    }
}

/// How long ago the message was stamped; `None` without a stamp that makes sense.
fn queued(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let stamp = headers.get_str(PUBLISH_TIME_HEADER)?;
    // A number may have a sign elsewhere, not here.
    let digits = stamp.bytes().all(|b| b.is_ascii_digit()).then_some(stamp)?;
    let stamped = UNIX_EPOCH.checked_add(Duration::from_millis(digits.parse().ok()?))?;
    now.duration_since(stamped).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // OBS-31
    #[test]
    fn a_message_was_queued_since_its_stamp() {
        let now = UNIX_EPOCH + Duration::from_secs(5);
        let since = |stamp: &'static str| {
            queued(&HeaderMap::from_iter([(PUBLISH_TIME_HEADER, stamp)]), now)
        };

        assert_eq!(since("3500"), Some(Duration::from_millis(1_500)));
        assert_eq!(since("5000"), Some(Duration::ZERO));
        for unusable in [
            "",
            "5001",
            "soon",
            "-1",
            "+1",
            "1.5",
            "99999999999999999999999",
        ] {
            assert_eq!(since(unusable), None, "{unusable}");
        }
        assert_eq!(queued(&HeaderMap::new(), now), None);
        let odd = HeaderMap::from_iter([(PUBLISH_TIME_HEADER, &[0xff_u8][..])]);
        assert_eq!(queued(&odd, now), None);
    }
}
