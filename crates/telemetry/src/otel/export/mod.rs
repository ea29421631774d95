//! Spans and metrics, sent to a collector over OTLP or recorded into the service's own providers.
//!
//! | Instrument | Kind, unit | Recorded |
//! |---|---|---|
//! | `messaging.client.consumed.messages` | counter | for each delivery, before its handler |
//! | `ruststream.message.queue_time` | histogram, s | before the handler, from the publish stamp |
//! | `ruststream.messages.in_flight` | up-down counter | while the handler runs |
//! | `messaging.process.duration` | histogram, s | after the handler returned |
//! | `ruststream.messages.processed` | counter, by `outcome` | after the handler returned |
//! | `ruststream.messages.decode_failures` | counter | for each delivery that did not decode |
//! | `ruststream.messages.panics` | counter | for each handler that panicked |
//! | `messaging.client.sent.messages` | counter, `error.type` where it failed | for each publish |
//! | `messaging.client.operation.duration` | histogram, s | for each publish |
//! | `ruststream.message.payload.size` | histogram, By | for each publish |
//! | `ruststream.batch.size` | histogram | for each batch, on the global meter provider |
//! | `ruststream.app.state` | gauge, by `state` | from [`Otel::observe_health`] |
//! | `ruststream.handler.poll.*` | gauges and a counter | from the poll diagnostics, where observed |
//!
//! The attributes are `messaging.destination.name`, which is the subscription or the destination,
//! and `messaging.system` where it is configured. Error texts never become attributes.

mod attributes;
mod builder;
mod client;
mod consume;
mod error;
mod handle;
mod health;
#[cfg(feature = "poll-diagnostics")]
mod polls;
mod publish;

pub use builder::OtelBuilder;
pub use consume::{OtelConsumeHandler, OtelConsumeLayer};
pub use error::OtelInitError;
pub use handle::Otel;
pub use publish::{OtelPublishLayer, PUBLISH_TIME_HEADER};
