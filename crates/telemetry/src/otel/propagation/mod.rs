//! The W3C trace context of a message: from a delivery, through its handler, onto its replies.
//!
//! [`OpenTelemetryLayer`] reads `traceparent` and `tracestate` of each delivery, gives the handler
//! a span of its own in that trace, and leaves the span's context in the headers that the handler
//! sees. [`TracePropagation`] copies it from there onto a reply, or onto what leaves through a slot.
//!
//! Both work without any OpenTelemetry set-up. Where the process exports `tracing` spans to
//! OpenTelemetry, the exported span is the very one that the headers name.

mod consume;
mod propagate;
mod w3c;

pub use consume::{OpenTelemetryHandler, OpenTelemetryLayer};
pub use propagate::TracePropagation;

/// Where the two halves of trace propagation come from.
///
/// ```
/// use ruststream_runtime::{AppInfo, RustStream};
/// use ruststream_telemetry::otel::OpenTelemetry;
///
/// let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
///     .layer(OpenTelemetry::new().consume_layer());
/// // A reply then continues the trace: `b.include(route).transform(OpenTelemetry::new().propagation())`.
/// # let _ = app;
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenTelemetry;

impl OpenTelemetry {
    /// It has no settings.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// The layer that gives each delivery a span in its trace.
    #[must_use]
    pub const fn consume_layer(&self) -> OpenTelemetryLayer {
        OpenTelemetryLayer
    }

    /// The transform that carries the trace on.
    #[must_use]
    pub const fn propagation(&self) -> TracePropagation {
        TracePropagation
    }
}
