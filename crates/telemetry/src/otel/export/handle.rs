//! OpenTelemetry, set up.

use std::fmt;
use std::sync::Arc;

use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry_sdk::error::OTelSdkError;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use ruststream_runtime::HealthProbe;
#[cfg(feature = "poll-diagnostics")]
use ruststream_runtime::PollDiagnostics;

use super::attributes::System;
use super::builder::OtelBuilder;
use super::client::Client;
use super::consume::{ConsumeInstruments, OtelConsumeLayer};
use super::health;
use super::publish::{OtelPublishLayer, PublishInstruments};
use crate::otel::SCOPE;

/// OpenTelemetry as a service uses it: the layers that record, what else is observed, and the
/// flush at the end. Clones share it.
///
/// Dropping it flushes nothing; call [`shutdown`](Self::shutdown) after the service stopped.
///
/// ```
/// use opentelemetry_sdk::metrics::SdkMeterProvider;
/// use opentelemetry_sdk::trace::SdkTracerProvider;
/// use ruststream_runtime::{AppInfo, RustStream};
/// use ruststream_telemetry::otel::Otel;
///
/// let otel = Otel::builder()
///     .messaging_system("memory")
///     .attach(SdkTracerProvider::default(), SdkMeterProvider::default());
/// let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
///     .layer(otel.consume_layer())
///     .publish_layer(otel.publish_layer());
/// # let _ = app;
/// ```
#[derive(Clone)]
pub struct Otel {
    tracer_provider: SdkTracerProvider,
    meter_provider: SdkMeterProvider,
    meter: Meter,
    consume: Arc<ConsumeInstruments>,
    publish: Arc<PublishInstruments>,
    /// `None` where the caller's providers are used.
    client: Option<Arc<Client>>,
}

/// What layers record besides the values themselves.
pub(super) struct Recording {
    pub(super) system: System,
    pub(super) stamp_publish_time: bool,
}

impl Otel {
    /// Begins the set-up, with the `tracing` bridge and the publish stamp on.
    pub fn builder() -> OtelBuilder {
        OtelBuilder::new()
    }

    pub(super) fn new(
        tracer_provider: SdkTracerProvider,
        meter_provider: SdkMeterProvider,
        recording: Recording,
    ) -> Self {
        let meter = meter_provider.meter(SCOPE);
        Self {
            tracer_provider,
            meter_provider,
            consume: Arc::new(ConsumeInstruments::new(&meter, recording.system.clone())),
            publish: Arc::new(PublishInstruments::new(&meter, recording)),
            meter,
            client: None,
        }
    }

    pub(super) fn exporting_through(self, client: Arc<Client>) -> Self {
        Self {
            client: Some(client),
            ..self
        }
    }

    /// What records the handlers of an application or a router. Batch handlers are not seen.
    #[must_use]
    pub fn consume_layer(&self) -> OtelConsumeLayer {
        OtelConsumeLayer::new(Arc::clone(&self.consume))
    }

    /// What records the publishes of an application.
    #[must_use]
    pub fn publish_layer(&self) -> OtelPublishLayer {
        OtelPublishLayer::new(Arc::clone(&self.publish))
    }

    /// Exports the state of the service behind `probe`, as the gauge `ruststream.app.state`.
    ///
    /// The probe comes from [`RunningApp::health`](ruststream_runtime::RunningApp::health).
    pub fn observe_health(&self, probe: HealthProbe) {
        health::observe(&self.meter, probe);
    }

    /// Exports the poll times that `diagnostics` gathers.
    #[cfg(feature = "poll-diagnostics")]
    pub fn observe_poll_diagnostics(&self, diagnostics: &PollDiagnostics) {
        super::polls::observe(&self.meter, diagnostics);
    }

    /// Sends what is left, and ends exporting. It blocks until that is done or timed out.
    ///
    /// # Errors
    ///
    /// The first of the traces' and the metrics' failures; the metrics are sent either way.
    pub fn shutdown(self) -> Result<(), OTelSdkError> {
        // What a shutdown could not send it keeps to itself, so flushing is a step of its own.
        let steps = [
            self.tracer_provider.force_flush(),
            self.tracer_provider.shutdown(),
            self.meter_provider.force_flush(),
            self.meter_provider.shutdown(),
        ];
        if let Some(client) = &self.client {
            client.end();
        }
        steps.into_iter().collect()
    }
}

impl fmt::Debug for Otel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Otel").finish_non_exhaustive()
    }
}
