//! The layer around publishes.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};
use ruststream_core::Publisher;
use ruststream_runtime::{Outgoing, PublishLayer, PublishNext, PublishPipeline};

use super::attributes::{DURATION_BUCKETS, System, attributes};
use super::handle::Recording;
use crate::names::Names;

/// The header in which a publish notes its time: Unix milliseconds, in decimal digits.
pub const PUBLISH_TIME_HEADER: &str = "x-ruststream-published-at";

pub(super) struct PublishInstruments {
    sent: Counter<u64>,
    duration: Histogram<f64>,
    payload_size: Histogram<u64>,
    destinations: Names<Destination>,
    system: System,
    stamp: bool,
}

impl PublishInstruments {
    pub(super) fn new(meter: &Meter, recording: Recording) -> Self {
        Self {
            sent: meter
                .u64_counter("messaging.client.sent.messages")
                .with_unit("{message}")
                .with_description("Publishes that were tried.")
                .build(),
            duration: meter
                .f64_histogram("messaging.client.operation.duration")
                .with_unit("s")
                .with_description("How long publishes took.")
                .with_boundaries(DURATION_BUCKETS.to_vec())
                .build(),
            payload_size: meter
                .u64_histogram("ruststream.message.payload.size")
                .with_unit("By")
                .with_description("How large published payloads are.")
                .build(),
            destinations: Names::new(),
            system: recording.system,
            stamp: recording.stamp_publish_time,
        }
    }

    fn destination(&self, name: &str) -> Arc<Destination> {
        self.destinations
            .get(name, |name| Destination::new(name, &self.system))
    }
}

/// The attributes of one destination, made once.
struct Destination {
    all: Box<[KeyValue]>,
    failed: Box<[KeyValue]>,
    size: Box<[KeyValue]>,
}

impl Destination {
    fn new(name: &str, system: &System) -> Self {
        let name = Arc::from(name);
        Self {
            all: attributes(&name, system, None),
            // The text of an error would be a series for each of its forms.
            failed: attributes(&name, system, Some(KeyValue::new("error.type", "_OTHER"))),
            size: attributes(&name, system, Some(KeyValue::new("direction", "publish"))),
        }
    }
}

/// Records what is published and stamps it with the time, from
/// [`Otel::publish_layer`](super::Otel::publish_layer).
#[derive(Clone)]
pub struct OtelPublishLayer {
    instruments: Arc<PublishInstruments>,
}

impl OtelPublishLayer {
    pub(super) const fn new(instruments: Arc<PublishInstruments>) -> Self {
        Self { instruments }
    }
}

impl fmt::Debug for OtelPublishLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtelPublishLayer").finish_non_exhaustive()
    }
}

impl PublishLayer for OtelPublishLayer {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let to = &*self.instruments;
        // The message is lent for the rest of its way, and layers inside may rename it.
        let destination = to.destination(out.name());
        to.payload_size
            .record(out.payload().len() as u64, &destination.size);
        if to.stamp {
            // A clock before 1970 stamps nothing.
            if let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) {
                out.headers_mut()
                    .insert(PUBLISH_TIME_HEADER, now.as_millis().to_string());
            }
        }
        let begun = Instant::now();
        let sent = next.run(out).await;
        to.duration
            .record(begun.elapsed().as_secs_f64(), &destination.all);
        to.sent.add(
            1,
            if sent.is_ok() {
                &destination.all
            } else {
                &destination.failed
            },
        );
        sent
    }
}
