//! The client of the collector, and the thread that it lives on.
//!
//! The client is polled by a runtime of its own. The one that the service is started on may not
//! exist yet when exporting is set up, and stops before the last spans are sent.

use std::io;
use std::sync::Arc;
use std::thread;

use opentelemetry_otlp::{ExporterBuildError, MetricExporter, SpanExporter, WithExportConfig};
use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;

/// The thread that drives the client. It runs until it is told to end, so that a service which
/// dropped its [`Otel`](super::Otel) goes on exporting through the process's providers.
#[derive(Debug)]
pub(super) struct Client {
    runtime: Handle,
    end: Arc<Notify>,
}

impl Client {
    pub(super) fn start() -> Result<Self, ExporterBuildError> {
        Self::spawn().map_err(|failed| {
            ExporterBuildError::InternalFailure(format!(
                "the thread of the OTLP client could not be started: {failed}"
            ))
        })
    }

    fn spawn() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = Self {
            runtime: runtime.handle().clone(),
            end: Arc::new(Notify::new()),
        };
        let end = Arc::clone(&client.end);
        thread::Builder::new()
            .name("ruststream-otlp".to_owned())
            .spawn(move || runtime.block_on(end.notified()))?;
        Ok(client)
    }

    /// The exporters. Nothing is connected before the first export.
    pub(super) fn exporters(
        &self,
        endpoint: Option<&str>,
    ) -> Result<(SpanExporter, MetricExporter), ExporterBuildError> {
        // The channel of the client spawns its task where it is made.
        let _on = self.runtime.enter();
        let mut spans = SpanExporter::builder().with_tonic();
        let mut metrics = MetricExporter::builder().with_tonic();
        if let Some(endpoint) = endpoint {
            spans = spans.with_endpoint(endpoint);
            metrics = metrics.with_endpoint(endpoint);
        }
        Ok((spans.build()?, metrics.build()?))
    }

    pub(super) fn end(&self) {
        self.end.notify_one();
    }
}
