//! Prometheus metrics of a service.
//!
//! | Name | Type | Labels |
//! |---|---|---|
//! | `ruststream_messages_consumed_total` | counter | `name` (subscription), `status`: `ack`, `nack` |
//! | `ruststream_consume_duration_seconds` | histogram | `name` |
//! | `ruststream_messages_published_total` | counter | `name` (destination), `status`: `ok`, `error` |
//! | `ruststream_handler_poll_duration_seconds` | histogram | `name` |
//! | `ruststream_handler_poll_average_seconds` | gauge | `name` |
//!
//! The last two are there once the poll diagnostics of the service are observed, with the feature
//! `poll-diagnostics`.
//!
//! A subscription has one set of series, whatever subjects it matches. A destination has one of its
//! own: where destinations are computed for each message, such as the inboxes of requesters, so are
//! the series, and they stay.

mod consume;
#[cfg(feature = "poll-diagnostics")]
mod polls;
mod publish;

use std::fmt;

use prometheus::{Registry, TextEncoder, core::Collector};
#[cfg(feature = "poll-diagnostics")]
use ruststream_runtime::PollDiagnostics;

pub use consume::{MetricsHandler, MetricsLayer};
pub use publish::MetricsPublish;

use consume::Consumed;
use publish::Published;

/// The Prometheus collectors of a service; clones share them.
///
/// Its layers go around the handlers and the publishes of the application. There is no endpoint:
/// the service serves [`export`](Self::export) with the server that it has, as
/// `text/plain; version=0.0.4`.
///
/// ```
/// use ruststream_runtime::{AppInfo, RustStream};
/// use ruststream_telemetry::metrics::Metrics;
///
/// let metrics = Metrics::with_registry(prometheus::Registry::new())?;
/// let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
///     .layer(metrics.consume_layer())
///     .publish_layer(metrics.publish_layer());
/// let page = metrics.export()?;
/// # let _ = (app, page);
/// # Ok::<(), prometheus::Error>(())
/// ```
#[derive(Clone)]
pub struct Metrics {
    registry: Registry,
    consumed: Consumed,
    published: Published,
}

impl Metrics {
    /// Collectors in the default registry of the process.
    ///
    /// # Errors
    ///
    /// That registry has them already, of another `Metrics`.
    pub fn new() -> Result<Self, prometheus::Error> {
        Self::with_registry(prometheus::default_registry().clone())
    }

    /// Collectors in `registry`.
    ///
    /// # Errors
    ///
    /// The registry has one of them already. None of them is registered then.
    pub fn with_registry(registry: Registry) -> Result<Self, prometheus::Error> {
        let consumed = Consumed::new()?;
        let published = Published::new()?;
        register_all(
            &registry,
            consumed
                .collectors()
                .into_iter()
                .chain(published.collectors()),
        )?;
        Ok(Self {
            registry,
            consumed,
            published,
        })
    }

    /// The registry that the collectors are in.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// What counts and times the handlers of an application or a router.
    ///
    /// Batch handlers are not seen, and a handler that panics is neither counted nor timed.
    #[must_use]
    pub fn consume_layer(&self) -> MetricsLayer {
        MetricsLayer::new(self.consumed.clone())
    }

    /// What counts the publishes of an application: replies, slots, copies for retries and dead
    /// letters.
    ///
    /// The destination is the one that this layer sees, before layers inside it rename it.
    /// Publishers that were made outside of the application are not seen.
    #[must_use]
    pub fn publish_layer(&self) -> MetricsPublish {
        MetricsPublish::new(self.published.clone())
    }

    /// Exports the poll times that `diagnostics` gathers; they are read when the registry is.
    ///
    /// # Errors
    ///
    /// The registry exports poll times already.
    #[cfg(feature = "poll-diagnostics")]
    pub fn observe_poll_diagnostics(
        &self,
        diagnostics: &PollDiagnostics,
    ) -> Result<(), prometheus::Error> {
        self.registry
            .register(Box::new(polls::Polls::new(diagnostics.clone())?))
    }

    /// Everything in the registry, the service's own collectors included, in the text format.
    ///
    /// # Errors
    ///
    /// A collector of the registry gave a family that can't be written as text.
    pub fn export(&self) -> Result<String, prometheus::Error> {
        TextEncoder::new().encode_to_string(&self.registry.gather())
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// Registers every collector or none.
fn register_all(
    registry: &Registry,
    collectors: impl IntoIterator<Item = Box<dyn TwinCollector>>,
) -> Result<(), prometheus::Error> {
    let mut registered: Vec<Box<dyn TwinCollector>> = Vec::new();
    for collector in collectors {
        if let Err(refused) = registry.register(collector.twin()) {
            for collector in registered {
                // It was registered just above.
                let _ = registry.unregister(collector.twin());
            }
            return Err(refused);
        }
        registered.push(collector);
    }
    Ok(())
}

/// A collector that can be handed over and kept.
trait TwinCollector {
    fn twin(&self) -> Box<dyn Collector>;
}

impl<C: Collector + Clone + 'static> TwinCollector for C {
    fn twin(&self) -> Box<dyn Collector> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
