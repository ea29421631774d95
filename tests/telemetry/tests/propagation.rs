//! The trace context of messages, without any OpenTelemetry set-up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ruststream::HeaderMap;
use ruststream::memory::prelude::*;
use ruststream::otel::OpenTelemetry;
use ruststream::runtime::for_batch;
use ruststream::testing::TestApp;
use ruststream_telemetry_tests::{Audit, Audits, Routed, Say, Scan};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// The headers that the handler saw.
type Seen = Arc<Mutex<Vec<HeaderMap>>>;

#[subscriber("scans", reply)]
async fn route(
    scan: &Scan,
    context: &mut Context<'_, (), Seen>,
    Out(audits): Out<impl Publisher, Audits>,
) -> Routed {
    context
        .state()
        .lock()
        .unwrap()
        .push(context.headers().clone());
    audits
        .message(&Audit {
            parcel: scan.parcel,
        })
        .publish()
        .await
        .unwrap();
    Routed {
        parcel: scan.parcel,
    }
}

/// What one scan with these headers led to: what the handler saw, its reply, its audit.
struct Traced {
    seen: HeaderMap,
    reply: HeaderMap,
    audit: HeaderMap,
}

async fn traced(headers: &[(&str, &str)]) -> Traced {
    let seen = Seen::default();
    let state = Arc::clone(&seen);
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(OpenTelemetry::new().consume_layer())
        .on_startup(async move |()| Ok::<_, std::io::Error>(state))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(route)
                .out_reply(Publish)
                .transform(OpenTelemetry::new().propagation())
                .out(Audits, Publish)
                .transform(OpenTelemetry::new().propagation())
                .build();
        });
    let app = TestApp::start(app).await.unwrap();
    let broker = app.broker::<MemoryBroker>();
    let headers: BTreeMap<_, _> = headers.iter().copied().collect();
    let scan = Scan {
        parcel: 41,
        say: Say::Ack,
    };
    broker
        .publish_with_headers("scans", &scan, &headers)
        .await
        .unwrap();

    let published = |name| broker.published::<()>(name).messages()[0].headers().clone();
    let (reply, audit) = (published("routes"), published("audits"));
    app.shutdown().await.unwrap();
    let seen = seen.lock().unwrap().pop().unwrap();
    Traced { seen, reply, audit }
}

fn parent(headers: &HeaderMap) -> &str {
    headers.get_str("traceparent").unwrap()
}

/// Trace id, span id, flags.
fn parts(headers: &HeaderMap) -> (String, String, String) {
    let parts: Vec<_> = parent(headers).split('-').map(str::to_owned).collect();
    assert_eq!((parts.len(), parts[0].as_str()), (4, "00"));
    (parts[1].clone(), parts[2].clone(), parts[3].clone())
}

// OBS-16, OBS-17, OBS-18, OBS-19
#[tokio::test]
async fn a_valid_parent_is_continued_by_the_handler_its_reply_and_its_slot() {
    for name in ["traceparent", "Traceparent", "TRACEPARENT"] {
        let traced = traced(&[(name, PARENT)]).await;

        let (trace, span, flags) = parts(&traced.seen);
        assert_eq!((trace.as_str(), flags.as_str()), (TRACE, "01"));
        assert_ne!(span, "b7ad6b7169203331");
        assert_eq!(parent(&traced.reply), parent(&traced.seen));
        assert_eq!(parent(&traced.audit), parent(&traced.seen));
    }
}

// OBS-18
#[tokio::test]
async fn an_unsampled_parent_stays_unsampled() {
    let traced = traced(&[("traceparent", &PARENT.replace("-01", "-00"))]).await;

    let (trace, _, flags) = parts(&traced.seen);
    assert_eq!((trace.as_str(), flags.as_str()), (TRACE, "00"));
}

// OBS-18, trap 14
#[tokio::test]
async fn the_state_goes_along_and_is_never_written_empty() {
    let with = traced(&[("traceparent", PARENT), ("TraceState", "foo=1,bar=2")]).await;
    for headers in [&with.seen, &with.reply, &with.audit] {
        assert_eq!(headers.get_str("tracestate"), Some("foo=1,bar=2"));
    }

    let without = traced(&[("traceparent", PARENT)]).await;
    for headers in [&without.seen, &without.reply, &without.audit] {
        assert!(!headers.contains("tracestate"));
    }
}

// OBS-18
#[tokio::test]
async fn an_absent_or_malformed_parent_begins_a_sampled_trace_without_the_state() {
    let zero_trace = "00-00000000000000000000000000000000-b7ad6b7169203331-01";
    let zero_span = "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01";
    let twice = format!("{PARENT},{PARENT}");
    for headers in [
        &[][..],
        &[("tracestate", "foo=1")],
        &[("traceparent", "broken"), ("tracestate", "foo=1")],
        &[("traceparent", zero_trace)],
        &[("traceparent", zero_span)],
        &[("traceparent", twice.as_str())],
    ] {
        let traced = traced(headers).await;

        let (trace, span, flags) = parts(&traced.seen);
        assert_ne!(trace, TRACE, "{headers:?}");
        assert_ne!(trace, "0".repeat(32));
        assert_ne!(span, "0".repeat(16));
        assert_eq!(flags, "01");
        assert!(!traced.seen.contains("tracestate"));
        assert_eq!(parent(&traced.reply), parent(&traced.seen));
        assert_eq!(parent(&traced.audit), parent(&traced.seen));
    }
}

// OBS-19
#[tokio::test]
async fn without_the_consume_layer_a_reply_carries_what_the_delivery_did() {
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async |()| Ok::<_, std::io::Error>(Seen::default()))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(route)
                .out_reply(Publish)
                .transform(OpenTelemetry::new().propagation())
                .out(Audits, Publish)
                .transform(OpenTelemetry::new().propagation())
                .build();
        });
    let app = TestApp::start(app).await.unwrap();
    let broker = app.broker::<MemoryBroker>();
    let scan = Scan {
        parcel: 41,
        say: Say::Ack,
    };
    let headers = BTreeMap::from([("traceparent", PARENT), ("tracestate", "foo=1")]);
    broker
        .publish_with_headers("scans", &scan, &headers)
        .await
        .unwrap();
    broker.publish("scans", &scan).await.unwrap();

    let routes = broker.published::<Routed>("routes");
    let [with, without] = routes.messages() else {
        panic!("{routes:?}");
    };
    assert_eq!(parent(with.headers()), PARENT);
    assert_eq!(with.headers().get_str("tracestate"), Some("foo=1"));
    assert!(!without.headers().contains("traceparent"));
    // No context is current for a slot.
    for audit in broker.published::<Audit>("audits").messages() {
        assert!(!audit.headers().contains("traceparent"));
    }
    app.shutdown().await.unwrap();
}

#[subscriber("scans", reply)]
async fn route_all(scans: &[Scan]) -> Vec<Routed> {
    scans
        .iter()
        .map(|scan| Routed {
            parcel: scan.parcel,
        })
        .collect()
}

// OBS-16, OBS-19: a batch has no headers, so its replies are left alone.
#[tokio::test]
async fn a_batch_reply_takes_the_transform_and_is_left_alone() {
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(OpenTelemetry::new().consume_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(route_all.batch(nonzero!(4)))
                .out_reply(Publish)
                .batch_transform(for_batch(OpenTelemetry::new().propagation()));
        });
    let app = TestApp::start(app).await.unwrap();
    let broker = app.broker::<MemoryBroker>();
    let headers = BTreeMap::from([("traceparent", PARENT)]);
    let scan = Scan {
        parcel: 41,
        say: Say::Ack,
    };
    broker
        .publish_with_headers("scans", &scan, &headers)
        .await
        .unwrap();

    let routes = broker.published::<Routed>("routes");
    assert!(!routes.messages()[0].headers().contains("traceparent"));
    app.shutdown().await.unwrap();
}
