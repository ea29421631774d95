//! OTLP to a collector that the test starts: what arrives of a service that ran.
//!
//! Set-up changes the process, so there is one test in this binary.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use opentelemetry::global;
use opentelemetry_proto::tonic::collector::metrics::v1::metrics_service_server::{
    MetricsService, MetricsServiceServer,
};
use opentelemetry_proto::tonic::collector::metrics::v1::{
    ExportMetricsServiceRequest, ExportMetricsServiceResponse,
};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_sdk::metrics::Stream;
use ruststream::memory::prelude::*;
use ruststream::otel::{OpenTelemetry, Otel};
use ruststream_telemetry_tests::{Audit, Audits, Routed, Say, Scan};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const OUTSIDE: &str = "b7ad6b7169203331";

/// Keeps what it is sent.
#[derive(Clone, Default)]
struct Collector {
    traces: Arc<Mutex<Vec<ExportTraceServiceRequest>>>,
    metrics: Arc<Mutex<Vec<ExportMetricsServiceRequest>>>,
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.traces.lock().unwrap().push(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl MetricsService for Collector {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        self.metrics.lock().unwrap().push(request.into_inner());
        Ok(Response::new(ExportMetricsServiceResponse::default()))
    }
}

impl Collector {
    /// Listens on a thread of its own until the process ends.
    fn start(&self) -> SocketAddr {
        let collector = self.clone();
        let (tell, listening) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let serving = Server::builder()
                    .add_service(TraceServiceServer::new(collector.clone()))
                    .add_service(MetricsServiceServer::new(collector))
                    .serve_with_incoming(TcpIncoming::from(listener));
                serving.await.unwrap();
            });
        });
        listening.recv().unwrap()
    }

    fn spans(&self) -> Vec<Span> {
        let traces = self.traces.lock().unwrap();
        let resources = traces.iter().flat_map(|request| &request.resource_spans);
        let scopes = resources.flat_map(|resource| &resource.scope_spans);
        scopes.flat_map(|scope| &scope.spans).cloned().collect()
    }

    fn resource(&self) -> BTreeMap<String, String> {
        let traces = self.traces.lock().unwrap();
        attributes(
            &traces[0].resource_spans[0]
                .resource
                .as_ref()
                .unwrap()
                .attributes,
        )
    }

    /// The bounds of a histogram's buckets.
    fn bounds(&self, name: &str) -> Vec<f64> {
        let metrics = self.metrics.lock().unwrap();
        let resources = metrics.iter().flat_map(|request| &request.resource_metrics);
        let scopes = resources.flat_map(|resource| &resource.scope_metrics);
        let mut found = scopes
            .flat_map(|scope| &scope.metrics)
            .filter(|metric| metric.name == name);
        match found.next().and_then(|metric| metric.data.as_ref()) {
            Some(Data::Histogram(histogram)) => histogram.data_points[0].explicit_bounds.clone(),
            other => panic!("{name}: {other:?}"),
        }
    }

    /// The names of all metrics, each with the names of their scopes before.
    fn metrics(&self) -> BTreeSet<String> {
        let metrics = self.metrics.lock().unwrap();
        let resources = metrics.iter().flat_map(|request| &request.resource_metrics);
        let scopes = resources.flat_map(|resource| &resource.scope_metrics);
        scopes
            .flat_map(|scope| {
                let name = scope.scope.as_ref().map_or("", |scope| scope.name.as_str());
                scope
                    .metrics
                    .iter()
                    .map(move |metric| format!("{name}: {}", metric.name))
            })
            .collect()
    }
}

/// The buckets of durations, in seconds.
const ADVISED: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];

fn attributes(pairs: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |pair: &KeyValue| match pair.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => Some((pair.key.clone(), text.clone())),
        _ => None,
    };
    pairs.iter().filter_map(text).collect()
}

fn hex(id: &[u8]) -> String {
    id.iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

struct Depot {
    attempts: AtomicUsize,
    ends: mpsc::UnboundedSender<&'static str>,
}

/// Succeeds at the third attempt.
#[subscriber("scans", reply)]
async fn route(
    scan: &Scan,
    context: &mut Context<'_, (), Depot>,
    Out(audits): Out<impl Publisher, Audits>,
) -> Result<Routed, HandlerOutcome> {
    if context.state().attempts.fetch_add(1, Ordering::SeqCst) < 2 {
        return Err(HandlerOutcome::retry());
    }
    let audit = Audit {
        parcel: scan.parcel,
    };
    audits
        .message(&audit)
        .publish()
        .await
        .map_err(|_| HandlerOutcome::drop())?;
    Ok(Routed {
        parcel: scan.parcel,
    })
}

#[subscriber("routes")]
async fn follow(routed: &Routed, context: &mut Context<'_, (), Depot>) {
    let _ = (routed, context.state().ends.send("routes"));
}

#[subscriber("audits")]
async fn file(audit: &Audit, context: &mut Context<'_, (), Depot>) {
    let _ = (audit, context.state().ends.send("audits"));
}

#[subscriber("audits")]
async fn file_all(audits: &[Audit], context: &mut Context<'_, (), Depot>) {
    let _ = (audits, context.state().ends.send("all audits"));
}

/// Runs the service over one scan that was sent within a trace.
async fn serve(otel: &Otel) {
    let propagation = OpenTelemetry::new().propagation();
    let (ends, mut ended) = mpsc::unbounded_channel();
    let state = Depot {
        attempts: AtomicUsize::new(0),
        ends,
    };
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(OpenTelemetry::new().consume_layer())
        .layer(otel.consume_layer())
        .publish_layer(otel.publish_layer())
        .on_startup(async move |()| Ok::<_, std::io::Error>(state))
        .with_broker(broker, |b| {
            b.include(route)
                .out_reply(Publish)
                .transform(propagation)
                .out(Audits, Publish)
                .transform(propagation)
                .build();
            b.include(follow);
            b.include(file);
            b.include(file_all.batch(nonzero!(4)));
        });
    let running = app.start().await.unwrap();
    otel.observe_health(running.health());

    let traceparent = format!("00-{TRACE}-{OUTSIDE}-01");
    publisher
        .message(&Scan {
            parcel: 41,
            say: Say::Ack,
        })
        .with_headers(HeaderMap::from_iter([("traceparent", traceparent)]))
        .publish()
        .await
        .unwrap();
    for _ in 0..3 {
        ended.recv().await.unwrap();
    }
    running.shutdown().await.unwrap();
}

// OBS-20, OBS-22, OBS-23, OBS-25, OBS-26, OBS-27, OBS-32
#[test]
fn one_trace_runs_through_two_retries_a_reply_and_a_slot() {
    let collector = Collector::default();
    let endpoint = format!("http://{}", collector.start());
    // There is no runtime yet, and the service's one is gone before the last export.
    let otel = Otel::builder()
        .service_name("depot")
        .attribute("city", "Bern")
        .messaging_system("memory")
        .otlp_endpoint(endpoint)
        .view(|instrument| {
            let renamed = || Stream::builder().with_name("gates").build().unwrap();
            (instrument.name() == "doors").then(renamed)
        })
        .init()
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(serve(&otel));
    drop(runtime);
    global::meter("depot")
        .u64_counter("doors")
        .build()
        .add(1, &[]);
    otel.shutdown().unwrap();

    let spans = collector.spans();
    assert!(
        spans.iter().all(|span| hex(&span.trace_id) == TRACE),
        "{spans:#?}"
    );
    let of = |subscription: &str| -> Vec<&Span> {
        let consumed = spans
            .iter()
            .filter(|span| span.name == "ruststream.consume");
        let here = |span: &&Span| attributes(&span.attributes)["subscription"] == subscription;
        consumed.filter(here).collect()
    };
    let attempts = of("scans");
    assert_eq!(attempts.len(), 3);
    assert!(
        attempts
            .iter()
            .all(|span| hex(&span.parent_span_id) == OUTSIDE)
    );
    let last = attempts
        .iter()
        .max_by_key(|span| span.start_time_unix_nano)
        .unwrap();
    for subscription in ["routes", "audits"] {
        let [span] = of(subscription)[..] else {
            panic!("{subscription}: {spans:#?}");
        };
        assert_eq!(
            hex(&span.parent_span_id),
            hex(&last.span_id),
            "{subscription}"
        );
    }

    let resource = collector.resource();
    assert_eq!(resource["service.name"], "depot");
    assert_eq!(resource["city"], "Bern");

    let metrics = collector.metrics();
    for metric in [
        "ruststream: messaging.client.consumed.messages",
        "ruststream: messaging.client.sent.messages",
        "ruststream: messaging.process.duration",
        "ruststream: ruststream.messages.processed",
        "ruststream: ruststream.app.state",
        "ruststream: ruststream.batch.size",
        "depot: gates",
    ] {
        assert!(metrics.contains(metric), "{metric}: {metrics:#?}");
    }
    // No view speaks of it.
    assert_eq!(collector.bounds("messaging.process.duration"), ADVISED);
}
