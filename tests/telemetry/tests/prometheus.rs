//! Prometheus metrics of a running service.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use prometheus::Registry;
use ruststream::OutgoingMessage;
use ruststream::memory::MemoryPattern;
use ruststream::memory::prelude::*;
use ruststream::metrics::Metrics;
use ruststream::runtime::PollDiagnostics;
use ruststream::testing::TestApp;
use ruststream_telemetry_tests::{Audit, Audits, Refuse, Rename, Routed, Say, Scan, assert_sent};
use tokio::sync::mpsc;

#[subscriber("scans")]
async fn judge(scan: &Scan) -> HandlerOutcome {
    scan.say.done().await
}

#[subscriber("scans", reply)]
async fn route(scan: &Scan, Out(audits): Out<impl Publisher, Audits>) -> Routed {
    let _ = audits
        .message(&Audit {
            parcel: scan.parcel,
        })
        .publish()
        .await;
    Routed {
        parcel: scan.parcel,
    }
}

fn metrics() -> Metrics {
    Metrics::with_registry(Registry::new()).unwrap()
}

fn judging(metrics: &Metrics) -> impl App<State = ()> + use<> {
    RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(metrics.consume_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(judge.on_failure(FailurePolicies::default().with_panic(FailurePolicy::Drop)))
                .max_attempts(nonzero!(1u32));
        })
}

/// The exported lines about this series, without their times.
fn lines(metrics: &Metrics, series: &str) -> Vec<String> {
    let page = metrics.export().unwrap();
    page.lines()
        .filter(|line| line.starts_with(series))
        .map(str::to_owned)
        .collect()
}

// OBS-12, OBS-14
#[tokio::test]
async fn every_outcome_but_ack_is_a_nack_and_a_panic_is_neither() {
    let metrics = metrics();
    let app = TestApp::start(judging(&metrics)).await.unwrap();

    for say in [
        Say::Ack,
        Say::Ack,
        Say::Retry,
        Say::RetryAfter,
        Say::Drop,
        Say::Panic,
    ] {
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
        .map(|line| {
            line.split("le=\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .to_owned()
        })
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

    app.broker::<MemoryBroker>()
        .subscriber("scans")
        .assert_called_once();
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
    assert_eq!(
        lines(&metrics, "ruststream_consume_duration_seconds_count").len(),
        1
    );
}

// OBS-12, OBS-33, OBS-34, trap 10
#[tokio::test]
async fn poll_times_are_cumulative_histograms_of_each_subscription() {
    let metrics = metrics();
    let polls = PollDiagnostics::new().sample_every(NonZeroU32::MIN);
    metrics.observe_poll_diagnostics(&polls).unwrap();
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .poll_diagnostics(polls)
        .with_broker(MemoryBroker::new(), |b| {
            b.include(slow);
        });
    let app = TestApp::start(app).await.unwrap();
    for _ in 0..2 {
        assert_sent(&app, Say::Ack).await;
    }

    let page = metrics.export().unwrap();
    let series = "ruststream_handler_poll_duration_seconds";
    let buckets: Vec<(f64, u64)> = page
        .lines()
        .filter_map(|line| {
            let rest = line.strip_prefix(&format!(r#"{series}_bucket{{name="scans",le=""#))?;
            let (bound, count) = rest.split_once("\"} ")?;
            Some((bound.parse().unwrap(), count.parse().unwrap()))
        })
        .collect();
    let bounds: Vec<_> = buckets
        .iter()
        .map(|(bound, _)| format!("{bound}"))
        .collect();
    assert_eq!(bounds.len(), 23);
    assert_eq!(bounds[..3], ["0.000001", "0.000002", "0.000005"]);
    assert_eq!(bounds[20..], ["5", "10", "inf"]);
    // Every poll took two milliseconds at least, and none took ten seconds.
    assert!(
        buckets
            .iter()
            .all(|(bound, count)| *bound >= 0.002 || *count == 0),
        "{buckets:?}"
    );
    assert!(buckets.is_sorted_by_key(|(_, count)| *count), "{buckets:?}");
    assert_eq!((buckets[21].1, buckets[22].1), (2, 2));
    assert!(page.contains(&format!("# TYPE {series} histogram\n")));
    assert!(
        page.contains(&format!("{series}_count{{name=\"scans\"}} 2\n")),
        "{page}"
    );

    let average = "ruststream_handler_poll_average_seconds";
    assert!(page.contains(&format!("# TYPE {average} gauge\n")));
    let line = page
        .lines()
        .find(|line| line.starts_with(&format!("{average}{{")))
        .unwrap();
    let (series, seconds) = line.split_once(' ').unwrap();
    assert_eq!(series, format!(r#"{average}{{name="scans"}}"#));
    assert!(seconds.parse::<f64>().unwrap() >= 0.002, "{line}");
    app.shutdown().await.unwrap();
}

/// Computes for two milliseconds.
#[subscriber("scans")]
async fn slow(scan: &Scan) {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(2) {
        std::hint::black_box(scan);
    }
}
