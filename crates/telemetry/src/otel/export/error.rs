//! Why OpenTelemetry could not be set up.

use std::error::Error;

use opentelemetry_otlp::ExporterBuildError;

/// Why OpenTelemetry could not be set up. Nothing of the process was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OtelInitError {
    /// The client of the collector could not be made, for instance because of its endpoint.
    #[error("the OTLP exporter could not be made: {0}")]
    Exporter(#[from] ExporterBuildError),
    /// The process has a `tracing` subscriber already.
    #[error(
        "spans cannot be bridged to OpenTelemetry: this process has a tracing subscriber already \
         ({0}); turn the bridge off with `tracing_bridge(false)` and add a layer of \
         `tracing-opentelemetry` to that subscriber"
    )]
    TracingInit(#[source] Box<dyn Error + Send + Sync>),
}
