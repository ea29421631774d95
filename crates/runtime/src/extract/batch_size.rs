//! How many elements batches hand over, told to the global OpenTelemetry meter (OBS-32).
//!
//! Without the feature `otel` nothing is told, and nothing is left of this.

#[cfg(feature = "otel")]
use std::sync::OnceLock;

#[cfg(feature = "otel")]
use opentelemetry::{KeyValue, global, metrics::Histogram};

/// The histogram of one subscription, bound at its first batch.
#[derive(Debug, Default)]
pub(crate) struct BatchSize {
    #[cfg(feature = "otel")]
    histogram: OnceLock<Histogram<u64>>,
}

impl BatchSize {
    #[cfg(feature = "otel")]
    pub(crate) fn record(&self, subscription: &std::sync::Arc<str>, elements: usize) {
        let histogram = self.histogram.get_or_init(|| {
            global::meter("ruststream")
                .u64_histogram("ruststream.batch.size")
                .with_unit("{message}")
                .with_description("How many elements batches hand to their handler.")
                .build()
        });
        let subscription = KeyValue::new("messaging.destination.name", subscription.clone());
        histogram.record(elements as u64, &[subscription]);
    }

    #[cfg(not(feature = "otel"))]
    #[inline]
    #[expect(clippy::unused_self, reason = "the same call as with the feature")]
    pub(crate) fn record(&self, _subscription: &std::sync::Arc<str>, _elements: usize) {}
}
