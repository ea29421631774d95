//! OpenTelemetry instruments of a running service, recorded into providers of its own.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use opentelemetry_sdk::metrics::{Aggregation, Stream};
use opentelemetry_sdk::trace::SdkTracerProvider;
use ruststream::memory::prelude::*;
use ruststream::otel::{Otel, OtelBuilder, PUBLISH_TIME_HEADER};
use ruststream::runtime::PollDiagnostics;
use ruststream::testing::TestApp;
use ruststream_telemetry_tests::{
    Audit, Audits, Meters, Refuse, Routed, Say, Scan, Value, assert_sent,
};
use tokio::sync::Notify;

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

fn memory() -> OtelBuilder {
    Otel::builder().messaging_system("memory")
}

fn attached(builder: OtelBuilder, meters: &Meters) -> Otel {
    builder.attach(SdkTracerProvider::default(), meters.provider.clone())
}

fn judging(otel: &Otel) -> impl App<State = ()> + use<> {
    RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(otel.consume_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(judge.on_failure(FailurePolicies::default().with_panic(FailurePolicy::Drop)))
                .max_attempts(nonzero!(1u32));
        })
}

fn routing(otel: &Otel) -> impl App<State = ()> + use<> {
    RustStream::new(AppInfo::new("depot", "1.0.0"))
        .publish_layer(Refuse("audits"))
        .publish_layer(otel.publish_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(route).out(Audits, Publish).build();
        })
}

const SCANS: &str = "messaging.destination.name=scans messaging.system=memory";

fn of_scans(value: f64) -> BTreeMap<String, Value> {
    BTreeMap::from([(SCANS.to_owned(), Value::Sum(value))])
}

// OBS-28
#[tokio::test]
async fn a_delivery_is_counted_and_timed_by_what_became_of_it() {
    let meters = Meters::new();
    let otel = attached(memory(), &meters);
    let app = TestApp::start(judging(&otel)).await.unwrap();

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
        meters.of("messaging.client.consumed.messages"),
        of_scans(6.0)
    );
    let processed = meters.of("ruststream.messages.processed");
    let outcomes = [
        ("ack", 2.0),
        ("nack_drop", 1.0),
        ("nack_requeue", 1.0),
        ("retry_after", 1.0),
    ];
    let outcomes =
        outcomes.map(|(outcome, count)| (format!("{SCANS} outcome={outcome}"), Value::Sum(count)));
    assert_eq!(processed, BTreeMap::from(outcomes));
    assert_eq!(meters.of("messaging.process.duration")[SCANS].count(), 5);
    // OBS-28, trap 8: balanced also where the handler panicked.
    assert_eq!(meters.of("ruststream.messages.panics"), of_scans(1.0));
    assert_eq!(meters.of("ruststream.messages.in_flight"), of_scans(0.0));
    assert_eq!(
        meters.of("ruststream.messages.decode_failures"),
        BTreeMap::new()
    );
    app.shutdown().await.unwrap();
}

// OBS-28
#[tokio::test]
async fn units_and_buckets_are_those_of_the_conventions() {
    let meters = Meters::new();
    let otel = attached(memory(), &meters);
    let consuming = TestApp::start(judging(&otel)).await.unwrap();
    assert_sent(&consuming, Say::Ack).await;
    let publishing = TestApp::start(routing(&otel)).await.unwrap();
    assert_sent(&publishing, Say::Ack).await;

    let points = meters.read();
    let point = |name| {
        points
            .iter()
            .find(|point| point.instrument == name)
            .unwrap()
    };
    for (name, unit) in [
        ("messaging.client.consumed.messages", "{message}"),
        ("ruststream.messages.in_flight", "{message}"),
        ("messaging.process.duration", "s"),
        ("ruststream.messages.processed", "{message}"),
        ("messaging.client.sent.messages", "{message}"),
        ("messaging.client.operation.duration", "s"),
        ("ruststream.message.payload.size", "By"),
    ] {
        assert_eq!(point(name).unit, unit, "{name}");
    }
    // OBS-29
    for name in [
        "messaging.process.duration",
        "messaging.client.operation.duration",
    ] {
        let Value::Histogram { bounds, .. } = &point(name).value else {
            panic!("{name}");
        };
        let advised = [
            0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
        ];
        assert_eq!(bounds[..], advised, "{name}");
    }
    consuming.shutdown().await.unwrap();
    publishing.shutdown().await.unwrap();
}

// OBS-28
#[tokio::test]
async fn without_a_system_there_is_no_attribute_of_it() {
    let meters = Meters::new();
    let app = TestApp::start(judging(&attached(Otel::builder(), &meters)))
        .await
        .unwrap();
    assert_sent(&app, Say::Ack).await;

    let consumed = meters.of("messaging.client.consumed.messages");
    assert_eq!(
        consumed.keys().collect::<Vec<_>>(),
        ["messaging.destination.name=scans"]
    );
    app.shutdown().await.unwrap();
}

// OBS-28, trap 9: the harness sees the failure as well.
#[tokio::test]
async fn a_delivery_that_does_not_decode_is_counted() {
    let meters = Meters::new();
    let app = TestApp::start(judging(&attached(memory(), &meters)))
        .await
        .unwrap();

    app.publish("scans", &"no scan").await.unwrap();

    assert_eq!(
        meters.of("ruststream.messages.decode_failures"),
        of_scans(1.0)
    );
    assert_eq!(
        meters.of("messaging.client.consumed.messages"),
        of_scans(1.0)
    );
    app.broker::<MemoryBroker>()
        .subscriber("scans")
        .assert_last_failed_to_decode();
    app.shutdown().await.unwrap();
}

// OBS-28, trap 8
#[tokio::test]
async fn a_handler_that_is_aborted_is_no_longer_in_flight() {
    let meters = Meters::new();
    let otel = attached(memory(), &meters);
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let begun = Arc::new(Notify::new());
    let tell = Arc::clone(&begun);
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(otel.consume_layer())
        .on_startup(async move |()| Ok::<_, std::io::Error>(tell))
        .shutdown_timeout(std::time::Duration::ZERO)
        .with_broker(broker, |b| {
            b.include(hang);
        });
    let running = app.start().await.unwrap();
    publisher
        .message(&Scan {
            parcel: 41,
            say: Say::Hang,
        })
        .publish()
        .await
        .unwrap();
    begun.notified().await;
    assert_eq!(meters.of("ruststream.messages.in_flight"), of_scans(1.0));

    running.shutdown().await.unwrap();

    assert_eq!(meters.of("ruststream.messages.in_flight"), of_scans(0.0));
    assert_eq!(meters.of("ruststream.messages.panics"), BTreeMap::new());
    assert_eq!(meters.of("ruststream.messages.processed"), BTreeMap::new());
}

#[subscriber("scans")]
async fn hang(scan: &Scan, context: &mut Context<'_, (), Arc<Notify>>) -> HandlerOutcome {
    context.state().notify_one();
    scan.say.done().await
}

// OBS-28, OBS-30
#[tokio::test]
async fn a_publish_is_counted_timed_and_measured_and_its_error_is_no_attribute() {
    let meters = Meters::new();
    let app = TestApp::start(routing(&attached(memory(), &meters)))
        .await
        .unwrap();
    assert_sent(&app, Say::Ack).await;

    let to = |name| format!("messaging.destination.name={name} messaging.system=memory");
    assert_eq!(
        meters.of("messaging.client.sent.messages"),
        BTreeMap::from([
            (
                format!("error.type=_OTHER {}", to("audits")),
                Value::Sum(1.0)
            ),
            (to("routes"), Value::Sum(1.0)),
        ])
    );
    let durations = meters.of("messaging.client.operation.duration");
    assert_eq!(
        durations.keys().collect::<Vec<_>>(),
        [&to("audits"), &to("routes")]
    );
    let sizes = meters.of("ruststream.message.payload.size");
    let Value::Histogram { count, sum, .. } =
        &sizes[&format!("direction=publish {}", to("routes"))]
    else {
        panic!("{sizes:?}");
    };
    // `{"parcel":41}`
    assert_eq!((*count, format!("{sum}").as_str()), (1, "13"));
    app.shutdown().await.unwrap();
}

// OBS-31
#[tokio::test]
async fn a_publish_is_stamped_unless_that_is_off() {
    for (builder, stamped) in [
        (memory(), true),
        (memory().stamp_publish_time(false), false),
    ] {
        let app = TestApp::start(routing(&attached(builder, &Meters::new())))
            .await
            .unwrap();
        assert_sent(&app, Say::Ack).await;

        let routes = app.broker::<MemoryBroker>().published::<Routed>("routes");
        let stamp = routes.messages()[0].headers().get_str(PUBLISH_TIME_HEADER);
        assert_eq!(stamp.is_some(), stamped);
        if let Some(stamp) = stamp {
            assert!(
                stamp.parse::<u64>().is_ok_and(|at| at > 1_700_000_000_000),
                "{stamp}"
            );
        }
        app.shutdown().await.unwrap();
    }
}

// OBS-31
#[tokio::test]
async fn a_queue_time_is_recorded_where_the_stamp_makes_sense() {
    let meters = Meters::new();
    let app = TestApp::start(judging(&attached(memory(), &meters)))
        .await
        .unwrap();
    let broker = app.broker::<MemoryBroker>();
    let scan = Scan {
        parcel: 41,
        say: Say::Ack,
    };
    let stamped = |stamp: &str| BTreeMap::from([(PUBLISH_TIME_HEADER, stamp.to_owned())]);

    for stamp in ["soon", "99999999999999999"] {
        broker
            .publish_with_headers("scans", &scan, &stamped(stamp))
            .await
            .unwrap();
    }
    broker.publish("scans", &scan).await.unwrap();
    assert_eq!(meters.of("ruststream.message.queue_time"), BTreeMap::new());

    broker
        .publish_with_headers("scans", &scan, &stamped("1000"))
        .await
        .unwrap();
    let recorded = meters.of("ruststream.message.queue_time");
    assert_eq!(recorded[SCANS].count(), 1);
    app.shutdown().await.unwrap();
}

// OBS-10
#[tokio::test]
async fn a_batch_handler_is_not_seen_by_the_layer() {
    let meters = Meters::new();
    let otel = attached(memory(), &meters);
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(otel.consume_layer())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(judge_all.batch(nonzero!(4)));
        });
    let app = TestApp::start(app).await.unwrap();
    assert_sent(&app, Say::Ack).await;

    assert!(meters.read().is_empty());
    app.shutdown().await.unwrap();
}

#[subscriber("scans")]
async fn judge_all(scans: &[Scan]) {
    let _ = scans;
}

// OBS-28, trap 13
#[tokio::test]
async fn every_state_of_the_service_is_told_each_time() {
    let meters = Meters::new();
    let otel = attached(memory(), &meters);
    let running = judging(&otel).start().await.unwrap();
    otel.observe_health(running.health());
    let states = |one: &str| {
        ["failed", "running", "shutting_down", "stopped"].map(|state| {
            (
                format!("state={state}"),
                Value::Gauge(f64::from(u8::from(state == one))),
            )
        })
    };

    assert_eq!(
        meters.of("ruststream.app.state"),
        BTreeMap::from(states("running"))
    );
    running.shutdown().await.unwrap();

    assert_eq!(
        meters.of("ruststream.app.state"),
        BTreeMap::from(states("stopped"))
    );
}

// OBS-28
#[tokio::test]
async fn poll_times_are_told_for_each_subscription() {
    let meters = Meters::new();
    let otel = attached(memory(), &meters);
    let polls = PollDiagnostics::new().sample_every(NonZeroU32::MIN);
    otel.observe_poll_diagnostics(&polls);
    let app = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .poll_diagnostics(polls)
        .with_broker(MemoryBroker::new(), |b| {
            b.include(judge);
        });
    let broker = TestApp::start(app).await.unwrap();
    for _ in 0..3 {
        assert_sent(&broker, Say::Ack).await;
    }

    let name = "messaging.destination.name=scans".to_owned();
    let samples = meters.of("ruststream.handler.poll.samples");
    assert_eq!(samples, BTreeMap::from([(name.clone(), Value::Sum(3.0))]));
    for instrument in [
        "ruststream.handler.poll.average",
        "ruststream.handler.poll.p99",
    ] {
        let told = meters.of(instrument);
        assert!(
            matches!(told[&name], Value::Gauge(seconds) if seconds > 0.0),
            "{told:?}"
        );
    }
    broker.shutdown().await.unwrap();
}

// OBS-26
#[tokio::test]
async fn the_callers_provider_decides_about_its_views() {
    let meters = Meters::built(|builder| {
        builder.with_view(|instrument: &opentelemetry_sdk::metrics::Instrument| {
            (instrument.name() == "messaging.process.duration").then(|| {
                let aggregation = Aggregation::ExplicitBucketHistogram {
                    boundaries: vec![1.0, 2.0],
                    record_min_max: false,
                };
                Stream::builder()
                    .with_aggregation(aggregation)
                    .build()
                    .unwrap()
            })
        })
    });
    let app = TestApp::start(judging(&attached(memory(), &meters)))
        .await
        .unwrap();
    assert_sent(&app, Say::Ack).await;

    let durations = meters.of("messaging.process.duration");
    assert!(
        matches!(&durations[SCANS], Value::Histogram { bounds, .. } if bounds[..] == [1.0, 2.0])
    );
    app.shutdown().await.unwrap();
}

// OBS-21, OBS-27
#[test]
fn debug_names_the_types_and_shutdown_ends_both_providers() {
    let meters = Meters::new();
    let otel = attached(memory(), &meters);
    let handler = ruststream::runtime::Layer::layer(&otel.consume_layer(), ());
    assert_eq!(format!("{otel:?}"), "Otel { .. }");
    assert_eq!(
        format!("{:?}", otel.consume_layer()),
        "OtelConsumeLayer { .. }"
    );
    assert_eq!(
        format!("{:?}", otel.publish_layer()),
        "OtelPublishLayer { .. }"
    );
    assert_eq!(format!("{handler:?}"), "OtelConsumeHandler { .. }");

    assert!(otel.clone().shutdown().is_ok());
    // The tracer's failure is the first one, and the meter's does not hide it.
    assert!(otel.shutdown().is_err());
    assert!(meters.provider.shutdown().is_err());
}

// OBS-27: a tracer that is broken does not keep the metrics back.
#[test]
fn a_broken_tracer_does_not_skip_the_metrics() {
    let meters = Meters::new();
    let tracer = SdkTracerProvider::default();
    tracer.shutdown().unwrap();
    let otel = memory().attach(tracer, meters.provider.clone());

    assert!(otel.shutdown().is_err());

    assert!(
        meters.provider.shutdown().is_err(),
        "it was shut down already"
    );
}
