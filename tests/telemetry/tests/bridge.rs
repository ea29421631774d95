//! The span that is exported where `tracing` is bridged to OpenTelemetry.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use opentelemetry::trace::{SpanId, SpanKind, TracerProvider};
use opentelemetry_sdk::trace::{
    InMemorySpanExporter, InMemorySpanExporterBuilder, Sampler, SdkTracerProvider, SpanData,
};
use ruststream::memory::prelude::*;
use ruststream::otel::OpenTelemetry;
use ruststream::testing::TestApp;
use ruststream_telemetry_tests::{Say, Scan};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::SubscriberExt;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[subscriber("scans")]
async fn sort(scan: &Scan, context: &mut Context<'_, (), Arc<Mutex<String>>>) {
    let _ = scan;
    let seen = context.headers().get_str("traceparent").unwrap().to_owned();
    *context.state().lock().unwrap() = seen;
    tracing::info_span!("sorting").in_scope(|| tracing::info!("sorted"));
}

/// What the handler saw as `traceparent`.
async fn handled(headers: &[(&'static str, &'static str)]) -> String {
    let seen = Arc::new(Mutex::new(String::new()));
    let state = Arc::clone(&seen);
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(OpenTelemetry::new().consume_layer())
        .on_startup(async move |()| Ok::<_, std::io::Error>(state))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(sort);
        });
    let app = TestApp::start(app).await.unwrap();
    let scan = Scan {
        parcel: 41,
        say: Say::Ack,
    };
    let headers: BTreeMap<_, _> = headers.iter().copied().collect();
    app.broker::<MemoryBroker>()
        .publish_with_headers("scans", &scan, &headers)
        .await
        .unwrap();
    app.shutdown().await.unwrap();
    let seen = seen.lock().unwrap();
    seen.clone()
}

struct Bridge {
    exporter: InMemorySpanExporter,
    _default: DefaultGuard,
}

impl Bridge {
    fn begin(sampler: Sampler) -> Self {
        let exporter = InMemorySpanExporterBuilder::new().build();
        let provider = SdkTracerProvider::builder()
            .with_sampler(sampler)
            .with_simple_exporter(exporter.clone())
            .build();
        let bridge = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        let subscriber = tracing_subscriber::registry().with(bridge);
        Self {
            exporter,
            _default: tracing::subscriber::set_default(subscriber),
        }
    }

    fn span(&self, name: &str) -> Option<SpanData> {
        let spans = self.exporter.get_finished_spans().unwrap();
        spans.into_iter().find(|span| span.name == name)
    }
}

fn attribute(span: &SpanData, key: &str) -> String {
    let found = span.attributes.iter().find(|pair| pair.key.as_str() == key);
    found.map_or_else(String::new, |pair| pair.value.to_string())
}

// OBS-18, OBS-20
#[tokio::test]
async fn the_exported_span_is_the_one_that_the_headers_name() {
    let bridge = Bridge::begin(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)));

    let seen = handled(&[("traceparent", PARENT)]).await;

    let span = bridge.span("ruststream.consume").unwrap();
    let context = &span.span_context;
    assert_eq!(
        seen,
        format!("00-{}-{}-01", context.trace_id(), context.span_id())
    );
    assert_eq!(
        context.trace_id().to_string(),
        "0af7651916cd43dd8448eb211c80319c"
    );
    assert_eq!(span.parent_span_id.to_string(), "b7ad6b7169203331");
    assert!(span.parent_span_is_remote);
    assert_eq!(span.span_kind, SpanKind::Consumer);
    assert_eq!(attribute(&span, "subscription"), "scans");
    assert_eq!(attribute(&span, "trace_id"), context.trace_id().to_string());
    assert_eq!(attribute(&span, "span_id"), context.span_id().to_string());
    // What the handler does is a child of it.
    let inner = bridge.span("sorting").unwrap();
    assert_eq!(inner.parent_span_id, context.span_id());
}

// OBS-18, OBS-20
#[tokio::test]
async fn without_a_parent_the_exported_span_is_a_root() {
    let bridge = Bridge::begin(Sampler::AlwaysOn);

    let seen = handled(&[]).await;

    let span = bridge.span("ruststream.consume").unwrap();
    assert_eq!(span.parent_span_id, SpanId::INVALID);
    assert!(
        seen.contains(&span.span_context.trace_id().to_string()),
        "{seen}"
    );
}

// OBS-18, OBS-20
#[tokio::test]
async fn an_unsampled_parent_is_not_exported_and_still_continued() {
    let bridge = Bridge::begin(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)));

    let seen = handled(&[(
        "traceparent",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
    )])
    .await;

    assert!(bridge.span("ruststream.consume").is_none());
    assert!(
        seen.starts_with("00-0af7651916cd43dd8448eb211c80319c-"),
        "{seen}"
    );
    assert!(
        seen.ends_with("-00") && !seen.contains("b7ad6b7169203331"),
        "{seen}"
    );
}

// OBS-18: any subscriber, or none.
#[tokio::test]
async fn a_subscriber_that_drops_the_span_changes_nothing() {
    let subscriber =
        tracing_subscriber::registry().with(tracing_subscriber::filter::LevelFilter::ERROR);
    let _default = tracing::subscriber::set_default(subscriber);

    let seen = handled(&[("traceparent", PARENT)]).await;

    assert!(
        seen.starts_with("00-0af7651916cd43dd8448eb211c80319c-"),
        "{seen}"
    );
    assert!(!seen.contains("b7ad6b7169203331"), "{seen}");
}
