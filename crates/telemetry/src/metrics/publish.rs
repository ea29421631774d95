//! The layer around publishes.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};

use prometheus::{IntCounter, IntCounterVec, Opts};
use ruststream_core::Publisher;
use ruststream_runtime::{Outgoing, PublishLayer, PublishNext, PublishPipeline};

use super::TwinCollector;
use crate::names::Names;

/// The collector of what is published.
#[derive(Clone)]
pub(super) struct Published {
    messages: IntCounterVec,
    destinations: Arc<Names<Series>>,
}

impl Published {
    pub(super) fn new() -> Result<Self, prometheus::Error> {
        let messages = Opts::new(
            "ruststream_messages_published_total",
            "Publishes that were tried, by whether they succeeded.",
        );
        Ok(Self {
            messages: IntCounterVec::new(messages, &["name", "status"])?,
            destinations: Arc::new(Names::new()),
        })
    }

    pub(super) fn collectors(&self) -> [Box<dyn TwinCollector>; 1] {
        [Box::new(self.messages.clone())]
    }

    fn destination(&self, name: &str) -> Arc<Series> {
        self.destinations.get(name, |name| Series {
            name: name.into(),
            ok: OnceLock::new(),
            error: OnceLock::new(),
        })
    }
}

/// The series of one destination. A series exists from its first value on.
struct Series {
    name: Box<str>,
    ok: OnceLock<IntCounter>,
    error: OnceLock<IntCounter>,
}

impl Series {
    fn record(&self, messages: &IntCounterVec, sent: bool) {
        let (counter, status) = if sent {
            (&self.ok, "ok")
        } else {
            (&self.error, "error")
        };
        counter
            .get_or_init(|| messages.with_label_values(&[&*self.name, status]))
            .inc();
    }
}

/// Counts what is published, from [`Metrics::publish_layer`](super::Metrics::publish_layer).
#[derive(Clone)]
pub struct MetricsPublish {
    published: Published,
}

impl MetricsPublish {
    pub(super) const fn new(published: Published) -> Self {
        Self { published }
    }
}

impl fmt::Debug for MetricsPublish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MetricsPublish").finish_non_exhaustive()
    }
}

impl PublishLayer for MetricsPublish {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        // The message is lent for the rest of its way, and layers inside may rename it.
        let series = self.published.destination(out.name());
        let sent = next.run(out).await;
        series.record(&self.published.messages, sent.is_ok());
        sent
    }
}
