//! Prometheus metrics of a running service.

use prometheus::Registry;
use ruststream::OutgoingMessage;
use ruststream::memory::prelude::*;
use ruststream::memory::MemoryPattern;
use ruststream::metrics::Metrics;
use ruststream::testing::TestApp;
use ruststream_telemetry_tests::{Audit, Audits, Refuse, Rename, Routed, Say, Scan, assert_sent};
use tokio::sync::mpsc;

#[subscriber("scans")]
async fn judge(scan: &Scan) -> HandlerOutcome {
    scan.say.done().await
}

#[subscriber("scans", reply)]
async fn route(scan: &Scan, Out(audits): Out<impl Publisher, Audits>) -> Routed {
    let _ = audits.message(&Audit { parcel: scan.parcel }).publish().await;
    Routed { parcel: scan.parcel }
}

fn metrics() -> Metrics {
    Metrics::with_registry(Registry::new()).unwrap()
}

fn judging(metrics: &Metrics) -> impl App<State = ()> + use<> {
    RustStream::new(AppInfo::new("depot", "1.0.0")).layer(metrics.consume_layer()).with_broker(
        MemoryBroker::new(),
        |b| {
            b.include(judge.on_failure(FailurePolicies::default().with_panic(FailurePolicy::Drop)))
                .max_attempts(nonzero!(1u32));
        },
    )
}

/// The exported lines about this series, without their times.
fn lines(metrics: &Metrics, series: &str) -> Vec<String> {
    let page = metrics.export().unwrap();
    page.lines().filter(|line| line.starts_with(series)).map(str::to_owned).collect()
}

// OBS-12, OBS-14
#[tokio::test]
async fn every_outcome_but_ack_is_a_nack_and_a_panic_is_neither() {
    let metrics = metrics();
    let app = TestApp::start(judging(&metrics)).await.unwrap();

    for say in [Say::Ack, Say::Ack, Say::Retry, Say::RetryAfter, Say::Drop, Say::Panic] {
        assert_sent(&app, say).await;
    }

    assert_eq!(
        lines(&metrics, "ruststream_messages_consumed_total"),
        [
            r#"ruststream_messages_consumed_total{name="scans",status="ack"} 2"#,
            r#"ruststream_messages_consumed_total{name="scans",status="nack"} 3"#,
        ]
    );
    assert_eq!(
        lines(&metrics, "ruststream_consume_duration_seconds_count"),
        [r#"ruststream_consume_duration_seconds_count{name="scans"} 5"#]
    );
    app.shutdown().await.unwrap();
}

// OBS-12
#[tokio::test]
async fn durations_fall_into_the_buckets() {
    let metrics = metrics();
    let app = TestApp::start(judging(&metrics)).await.unwrap();
    assert_sent(&app, Say::Ack).await;

    let bounds: Vec<_> = lines(&metrics, "ruststream_consume_duration_seconds_bucket")
        .iter()
        .map(|line| line.split("le=\"").nth(1).unwrap().split('"').next().unwrap().to_owned())
        .collect();

    assert_eq!(
        bounds,
        [
            "0.0005", "0.001", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5",
            "5", "+Inf"
        ]
    );
    app.shutdown().await.unwrap();
}

// OBS-12, OBS-14
#[tokio::test]
async fn a_publish_counts_under_the_destination_that_the_layer_sees() {
    let metrics = metrics();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .publish_layer(Rename("elsewhere"))
        .publish_layer(metrics.publish_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(route).out(Audits, Publish).build();
        });
    let app = TestApp::start(app).await.unwrap();
    assert_sent(&app, Say::Ack).await;

    assert_eq!(
        lines(&metrics, "ruststream_messages_published_total"),
        [
            r#"ruststream_messages_published_total{name="audits",status="ok"} 1"#,
            r#"ruststream_messages_published_total{name="routes",status="ok"} 1"#,
        ]
    );
    app.shutdown().await.unwrap();
}

// OBS-12
#[tokio::test]
async fn a_publish_that_fails_counts_as_an_error() {
    let metrics = metrics();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .publish_layer(Refuse("audits"))
        .publish_layer(metrics.publish_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(route).out(Audits, Publish).build();
        });
    let app = TestApp::start(app).await.unwrap();
    assert_sent(&app, Say::Ack).await;

    assert_eq!(
        lines(&metrics, "ruststream_messages_published_total"),
        [
            r#"ruststream_messages_published_total{name="audits",status="error"} 1"#,
            r#"ruststream_messages_published_total{name="routes",status="ok"} 1"#,
        ]
    );
    app.shutdown().await.unwrap();
}

// OBS-12: copies are publishes of the application as well.
#[tokio::test]
async fn a_dead_letter_counts() {
    let metrics = metrics();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .publish_layer(metrics.publish_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(judge)
                .max_attempts(nonzero!(2u32))
                .dead_letter("scans.dead")
                .out(Retry, Publish);
        });
    let app = TestApp::start(app).await.unwrap();
    assert_sent(&app, Say::Retry).await;

    assert_eq!(
        lines(&metrics, "ruststream_messages_published_total"),
        [r#"ruststream_messages_published_total{name="scans.dead",status="ok"} 1"#]
    );
    app.shutdown().await.unwrap();
}

fn routes() -> impl RouterDef<MemoryBroker> {
    Router::new().include(judge)
}

// OBS-10, trap 6
#[tokio::test]
async fn the_layer_of_the_app_reaches_the_handlers_of_routers() {
    let metrics = metrics();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(metrics.consume_layer())
        .with_broker(MemoryBroker::new(), |b| b.include_router(routes()));
    let app = TestApp::start(app).await.unwrap();
    assert_sent(&app, Say::Ack).await;

    assert_eq!(
        lines(&metrics, "ruststream_messages_consumed_total"),
        [r#"ruststream_messages_consumed_total{name="scans",status="ack"} 1"#]
    );
    app.shutdown().await.unwrap();
}

#[subscriber("scans")]
async fn judge_all(scans: &[Scan]) {
    let _ = scans;
}

// OBS-10
#[tokio::test]
async fn a_batch_handler_is_not_seen() {
    let metrics = metrics();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(metrics.consume_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(judge_all.batch(nonzero!(4)));
        });
    let app = TestApp::start(app).await.unwrap();
    assert_sent(&app, Say::Ack).await;

    app.broker::<MemoryBroker>().subscriber("scans").assert_called_once();
    assert_eq!(metrics.export().unwrap(), "");
    app.shutdown().await.unwrap();
}

#[subscriber(MemoryPattern::new("scans.*"))]
async fn anywhere(scan: &Scan, context: &mut Context<'_, (), mpsc::UnboundedSender<u64>>) {
    context.state().send(scan.parcel).unwrap();
}

// OBS-12: a subscription is one set of series, whatever subjects it matches.
#[tokio::test]
async fn fifty_thousand_subjects_are_one_set_of_series() {
    let metrics = metrics();
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let (handled, mut seen) = mpsc::unbounded_channel();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(metrics.consume_layer())
        .on_startup(async move |()| Ok::<_, std::io::Error>(handled))
        .with_broker(broker, |b| {
            b.include(anywhere);
        });
    let running = app.start().await.unwrap();

    for door in 0..50_000 {
        let subject = format!("scans.{door}");
        let scan = OutgoingMessage::new(&subject, br#"{"parcel":41,"say":"Ack"}"#);
        publisher.publish(scan, None).await.unwrap();
    }
    for _ in 0..50_000 {
        seen.recv().await.unwrap();
    }
    running.shutdown().await.unwrap();

    let counted = lines(&metrics, "ruststream_messages_consumed_total");
    assert_eq!(
        counted,
        [r#"ruststream_messages_consumed_total{name="scans.*",status="ack"} 50000"#]
    );
    assert_eq!(lines(&metrics, "ruststream_consume_duration_seconds_count").len(), 1);
}
