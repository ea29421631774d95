//! Setting up OpenTelemetry.

use std::fmt;
use std::sync::Arc;

use opentelemetry::trace::TracerProvider;
use opentelemetry::{KeyValue, StringValue, global};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{Instrument, SdkMeterProvider, Stream};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;

use super::client::Client;
use super::error::OtelInitError;
use super::handle::{Otel, Recording};
use crate::otel::SCOPE;

/// What the client itself uses; spans of it would be exported, and make more of them.
const CLIENT_TARGETS: [&str; 6] = [
    "h2::",
    "hyper::",
    "hyper_util::",
    "opentelemetry",
    "tonic::",
    "tower::",
];

type View = Box<dyn Fn(&Instrument) -> Option<Stream> + Send + Sync>;

/// How OpenTelemetry is set up, from [`Otel::builder`].
///
/// It ends in [`init`](Self::init), which exports to a collector, or in
/// [`attach`](Self::attach), which records into providers that the caller made.
///
/// ```no_run
/// use ruststream_telemetry::otel::Otel;
///
/// let otel = Otel::builder()
///     .service_name("depot")
///     .otlp_endpoint("http://collector:4317")
///     .messaging_system("nats")
///     .attribute("deployment.environment.name", "staging")
///     .init()?;
/// # Ok::<(), ruststream_telemetry::otel::OtelInitError>(())
/// ```
#[must_use = "nothing is set up before `init` or `attach`"]
#[derive(Debug, Default)]
pub struct OtelBuilder {
    service_name: Option<String>,
    otlp_endpoint: Option<String>,
    messaging_system: Option<String>,
    attributes: Vec<KeyValue>,
    views: Views,
    tracing_bridge: bool,
    stamp_publish_time: bool,
}

impl OtelBuilder {
    pub(super) fn new() -> Self {
        Self {
            tracing_bridge: true,
            stamp_publish_time: true,
            ..Self::default()
        }
    }

    /// The resource attribute `service.name`.
    pub fn service_name(mut self, name: impl Into<String>) -> Self {
        self.service_name = Some(name.into());
        self
    }

    /// Where the collector listens for OTLP over gRPC, such as `http://collector:4317`.
    ///
    /// Without this step the variables `OTEL_EXPORTER_OTLP_*` decide, and then
    /// `http://localhost:4317`. An endpoint without a scheme means `https://`, unless
    /// `OTEL_EXPORTER_OTLP_INSECURE` is `true`.
    pub fn otlp_endpoint(mut self, endpoint: impl Into<String>) -> Self {
        self.otlp_endpoint = Some(endpoint.into());
        self
    }

    /// The attribute `messaging.system` of every dispatch instrument, such as `nats`.
    pub fn messaging_system(mut self, system: impl Into<String>) -> Self {
        self.messaging_system = Some(system.into());
        self
    }

    /// Adds a resource attribute.
    pub fn attribute(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes
            .push(KeyValue::new(key.into(), value.into()));
        self
    }

    /// Adds a view of the meter provider that [`init`](Self::init) makes; views run in this order.
    ///
    /// An instrument that no view matches keeps the buckets that are advised for it.
    pub fn view<V>(mut self, view: V) -> Self
    where
        V: Fn(&Instrument) -> Option<Stream> + Send + Sync + 'static,
    {
        self.views.0.push(Box::new(view));
        self
    }

    /// Whether [`init`](Self::init) installs a `tracing` subscriber that exports the spans of the
    /// process, from info on; [`Otel::builder`] turns it on.
    ///
    /// It prints nothing. A service that wants log lines as well turns the bridge off, and installs
    /// a subscriber with a layer of `tracing-opentelemetry` beside its others.
    pub const fn tracing_bridge(mut self, enabled: bool) -> Self {
        self.tracing_bridge = enabled;
        self
    }

    /// Whether the publish layer stamps messages with
    /// [`PUBLISH_TIME_HEADER`](super::PUBLISH_TIME_HEADER), from which a consumer tells how long
    /// they were queued; [`Otel::builder`] turns it on.
    pub const fn stamp_publish_time(mut self, enabled: bool) -> Self {
        self.stamp_publish_time = enabled;
        self
    }

    /// Exports to a collector, and makes the providers and the W3C propagator the process's own.
    ///
    /// It needs no async runtime and connects to nothing: a collector that isn't there fails the
    /// exports in the background, never the service.
    ///
    /// # Errors
    ///
    /// The endpoint can't be used, or the bridge is on and the process has a `tracing` subscriber
    /// already. Nothing of the process is changed then.
    pub fn init(self) -> Result<Otel, OtelInitError> {
        let client = Arc::new(Client::start()?);
        self.export_through(&client).inspect_err(|_| client.end())
    }

    fn export_through(mut self, client: &Arc<Client>) -> Result<Otel, OtelInitError> {
        let (spans, metrics) = client.exporters(self.otlp_endpoint.as_deref())?;
        let resource = self.resource();
        let tracer_provider = SdkTracerProvider::builder()
            .with_resource(resource.clone())
            .with_batch_exporter(spans)
            .build();
        let mut meter_provider = SdkMeterProvider::builder()
            .with_resource(resource)
            .with_periodic_exporter(metrics);
        for view in std::mem::take(&mut self.views.0) {
            meter_provider = meter_provider.with_view(view);
        }
        let meter_provider = meter_provider.build();

        if self.tracing_bridge {
            // The one step that may fail comes before all that change the process.
            bridge(&tracer_provider)?;
        }
        global::set_tracer_provider(tracer_provider.clone());
        global::set_meter_provider(meter_provider.clone());
        global::set_text_map_propagator(TraceContextPropagator::new());
        let otel = self.attach(tracer_provider, meter_provider);
        Ok(otel.exporting_through(Arc::clone(client)))
    }

    /// Records into the caller's providers. Nothing of the process is changed: no global provider,
    /// no propagator, no subscriber.
    #[must_use]
    pub fn attach(
        self,
        tracer_provider: SdkTracerProvider,
        meter_provider: SdkMeterProvider,
    ) -> Otel {
        let recording = Recording {
            system: self.messaging_system.map(StringValue::from),
            stamp_publish_time: self.stamp_publish_time,
        };
        Otel::new(tracer_provider, meter_provider, recording)
    }

    fn resource(&mut self) -> Resource {
        let mut resource = Resource::builder();
        if let Some(name) = self.service_name.take() {
            resource = resource.with_service_name(name);
        }
        resource
            .with_attributes(std::mem::take(&mut self.attributes))
            .build()
    }
}

fn bridge(tracer_provider: &SdkTracerProvider) -> Result<(), OtelInitError> {
    let seen = Targets::new()
        .with_default(LevelFilter::INFO)
        .with_targets(CLIENT_TARGETS.map(|target| (target, LevelFilter::OFF)));
    let exported = tracing_opentelemetry::layer().with_tracer(tracer_provider.tracer(SCOPE));
    let subscriber = tracing_subscriber::registry().with(seen).with(exported);
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|taken| OtelInitError::TracingInit(Box::new(taken)))
}

#[derive(Default)]
struct Views(Vec<View>);

impl fmt::Debug for Views {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Views").field("len", &self.0.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // OBS-21
    #[test]
    fn a_builder_from_otel_bridges_and_stamps_and_the_default_does_neither() {
        let builder = Otel::builder();
        assert!(builder.tracing_bridge && builder.stamp_publish_time);

        let builder = OtelBuilder::default();
        assert!(!builder.tracing_bridge && !builder.stamp_publish_time);
    }

    // OBS-21
    #[test]
    fn debug_shows_how_many_views_there_are() {
        let shown = format!("{:?}", Otel::builder().view(|_| None).view(|_| None));

        assert!(shown.contains("views: Views { len: 2 }"), "{shown}");
    }

    // OBS-22
    #[test]
    fn the_resource_names_the_service_and_carries_the_attributes() {
        let resource = Otel::builder()
            .service_name("depot")
            .attribute("city", "Bern")
            .attribute("door", "4")
            .resource();
        let value = |key: &'static str| resource.get(&key.into()).map(|value| value.to_string());

        assert_eq!(value("service.name").as_deref(), Some("depot"));
        assert_eq!(value("city").as_deref(), Some("Bern"));
        assert_eq!(value("door").as_deref(), Some("4"));
    }
}
