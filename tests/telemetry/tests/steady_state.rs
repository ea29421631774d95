//! In steady state counting and timing a delivery allocates nothing.
//!
//! Each test runs a service over messages that exist already and compares what a run of n and one
//! of 2n messages allocate: the difference is what one more message costs.

use std::cell::OnceCell;

use opentelemetry_sdk::trace::SdkTracerProvider;
use prometheus::Registry;
use ruststream::metrics::Metrics;
use ruststream::otel::{OpenTelemetry, Otel};
use ruststream::prelude::*;
use ruststream_telemetry_tests::Meters;
use serde::{Deserialize, Serialize};

#[path = "../../../crates/ruststream/tests/support/feed.rs"]
mod feed;

use feed::{Feed, Gauge};

const MESSAGES: usize = 500;

/// Allocations of one more message.
fn allocations_of<A: App>(build: impl FnOnce(Feed) -> A) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let feed = Feed::default();
    let gauge = feed.0.clone();
    let running = runtime.block_on(build(feed).start()).unwrap();
    let measured = |gauge: &Gauge, messages| {
        allocation_counter::measure(|| runtime.block_on(gauge.run(messages))).count_total
    };
    // Buffers grow once.
    measured(&gauge, MESSAGES);
    let once = measured(&gauge, MESSAGES);
    let twice = measured(&gauge, 2 * MESSAGES);
    runtime.block_on(running.shutdown()).unwrap();
    (twice - once) / MESSAGES as u64
}

#[derive(Debug, Deserialize, Serialize, Outgoing)]
struct Parcel {
    id: u64,
    grams: u32,
}

#[derive(Debug, Serialize, Outgoing)]
#[outgoing(name = "weighed")]
struct Weighed {
    id: u64,
}

#[subscriber("parcels", reply)]
async fn weigh(parcel: &Parcel) -> Weighed {
    Weighed { id: parcel.id }
}

// CORE-260
#[test]
fn prometheus_allocates_nothing() {
    let metrics = Metrics::with_registry(Registry::new()).unwrap();
    let gauge = OnceCell::new();
    let allocated = allocations_of(|feed| {
        gauge.set(feed.0.clone()).unwrap();
        RustStream::new(AppInfo::new("steady", "1.0.0"))
            .layer(metrics.consume_layer())
            .publish_layer(metrics.publish_layer())
            .with_broker(feed, |b| {
                b.include(weigh);
            })
    });

    let published = r#"ruststream_messages_published_total{name="weighed",status="ok"} 2000"#;
    let page = metrics.export().unwrap();
    assert!(page.contains(published), "{page}");
    assert_eq!(gauge.get().unwrap().published(), 2 * MESSAGES);
    assert_eq!(allocated, 0);
}

// CORE-260
#[test]
fn opentelemetry_metrics_allocate_nothing() {
    let meters = Meters::new();
    let otel = Otel::builder()
        .messaging_system("feed")
        .stamp_publish_time(false)
        .attach(SdkTracerProvider::default(), meters.provider.clone());
    let allocated = allocations_of(|feed| {
        RustStream::new(AppInfo::new("steady", "1.0.0"))
            .layer(otel.consume_layer())
            .publish_layer(otel.publish_layer())
            .with_broker(feed, |b| {
                b.include(weigh);
            })
    });

    assert_eq!(allocated, 0);
}

/// The copy of the headers, and the two values written into them.
#[test]
fn propagation_allocates_for_the_headers_alone() {
    let allocated = allocations_of(|feed| {
        RustStream::new(AppInfo::new("steady", "1.0.0"))
            .layer(OpenTelemetry::new().consume_layer())
            .with_broker(feed, |b| {
                b.include(weigh);
            })
    });

    assert!(allocated <= 4, "{allocated}");
}
