//! The sizes of batches, which are told to the process's meter provider.
//!
//! The provider is the process's own, so there is one test in this binary.

use std::collections::BTreeMap;

use opentelemetry::global;
use ruststream::memory::prelude::*;
use ruststream::testing::TestApp;
use ruststream_telemetry_tests::{Meters, Say, Scan, Value, assert_sent};

#[subscriber("scans")]
async fn judge_all(scans: &[Scan]) {
    let _ = scans;
}

// OBS-28, OBS-32, RUN-372
#[tokio::test]
async fn the_number_of_decoded_elements_is_recorded_and_never_nought() {
    let meters = Meters::new();
    global::set_meter_provider(meters.provider.clone());
    let app =
        RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
            b.include(judge_all.batch(nonzero!(4)));
        });
    let app = TestApp::start(app).await.unwrap();

    app.publish("scans", &"no scan").await.unwrap();
    assert_eq!(meters.of("ruststream.batch.size"), BTreeMap::new());

    for _ in 0..2 {
        assert_sent(&app, Say::Ack).await;
    }
    let sizes = meters.of("ruststream.batch.size");
    let name = "messaging.destination.name=scans";
    assert_eq!(sizes.keys().collect::<Vec<_>>(), [name]);
    assert!(
        matches!(
            sizes[name],
            Value::Histogram {
                count: 2,
                sum: 2.0,
                ..
            }
        ),
        "{sizes:?}"
    );
    app.shutdown().await.unwrap();
}
