//! OpenTelemetry: trace context in the headers of messages, traces and metrics over OTLP.
//!
//! Two halves that work with and without each other:
//!
//! - [`propagation`] carries the W3C trace context from a delivery to what is published because of
//!   it. It needs no collector, no SDK and no subscriber.
//! - [`export`] sends spans and metrics to a collector, or records into providers of the service's
//!   own.
//!
//! ```no_run
//! use ruststream_runtime::{AppInfo, RustStream};
//! use ruststream_telemetry::otel::{OpenTelemetry, Otel};
//!
//! let otel = Otel::builder().service_name("depot").messaging_system("memory").init()?;
//! let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
//!     .layer(OpenTelemetry::new().consume_layer())
//!     .layer(otel.consume_layer())
//!     .publish_layer(otel.publish_layer());
//! // .. mount brokers and run; then
//! otel.shutdown()?;
//! # let _ = app;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod export;
pub mod propagation;

pub use export::{
    Otel, OtelBuilder, OtelConsumeHandler, OtelConsumeLayer, OtelInitError, OtelPublishLayer,
    PUBLISH_TIME_HEADER,
};
pub use propagation::{OpenTelemetry, OpenTelemetryHandler, OpenTelemetryLayer, TracePropagation};

/// The name of the tracer and of the meter.
const SCOPE: &str = "ruststream";
