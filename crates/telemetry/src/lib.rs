//! What a person who runs a service sees of it: log lines, Prometheus metrics, OpenTelemetry.
//!
//! | Feature | Module | Gives |
//! |---|---|---|
//! | `logging` | `logging` | one line per event on standard error, filtered by `RUST_LOG` |
//! | `metrics` | `metrics` | Prometheus collectors around handlers and publishes |
//! | `otel` | `otel` | W3C trace context, traces and metrics exported over OTLP |
//! | `poll-diagnostics` | | the runtime's poll diagnostics, exported by the two above |
//!
//! Everything here sits around the runtime as layers; a service that mounts none of them runs the
//! same code as without the features. Services reach the modules through the facade crate
//! `ruststream`.

#![forbid(unsafe_code)]

#[cfg(feature = "logging")]
pub mod logging;
#[cfg(feature = "metrics")]
pub mod metrics;
#[cfg(any(feature = "metrics", feature = "otel"))]
mod names;
#[cfg(feature = "otel")]
pub mod otel;
