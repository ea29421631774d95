//! What the harness's types show of themselves (TEST-05, TEST-13, TEST-16).

use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::testing::TestApp;

use crate::support::{Parcel, info, parcel, send};

#[subscriber("parcels")]
async fn receive(_parcel: &Parcel) {}

fn depot() -> impl App<State = ()> {
    RustStream::new(info())
        .register_broker(MemoryBroker::retaining(
            ruststream::memory::Retention::Messages(nonzero!(1)),
        ))
        .with_broker_labeled("hub", MemoryBroker::new(), |b| {
            b.include(receive);
        })
}

// TEST-05, TEST-16
#[tokio::test]
async fn in_process() {
    let tb = TestApp::start(depot()).await.unwrap();
    assert_eq!(
        format!("{tb:?}"),
        "TestApp { mode: InProcess, brokers: 2, subscribers: 1, .. }"
    );
    let hub = tb.broker::<MemoryBroker>();
    assert_eq!(format!("{hub:?}"), "BrokerHandle { broker: \"hub\", .. }");
    assert_eq!(format!("{hub:?}"), format!("{:?}", tb.broker_named("hub")));
    let other = tb.broker::<MemoryBroker<ruststream::memory::Retaining>>();
    assert_eq!(
        format!("{other:?}"),
        "BrokerHandle { broker: \"ruststream_memory::broker::MemoryBroker<\
         ruststream_memory::log_mode::Retaining>\", .. }"
    );
}

// TEST-05
#[tokio::test]
async fn live() {
    let tb = TestApp::start_live(depot()).await.unwrap();
    assert_eq!(
        format!("{tb:?}"),
        "TestApp { mode: Live { .. }, brokers: 2, subscribers: 1, .. }"
    );
}

// TEST-13
#[tokio::test]
async fn brokers() {
    let mut shown = String::new();
    let app = RustStream::new(info()).register_broker(MemoryBroker::new());
    let tb = TestApp::with_state(app, |brokers| shown = format!("{brokers:?}"))
        .await
        .unwrap();
    tb.shutdown().await.unwrap();
    assert_eq!(shown, "TestBrokers { brokers: 1, .. }");
}

// Nothing of a message is shown.
#[tokio::test]
async fn views_show_no_payload() {
    let tb = TestApp::start(depot()).await.unwrap();
    let hub = tb.broker::<MemoryBroker>();
    send(&hub, "parcels", 4_711).await;
    let calls = format!("{:?}", hub.subscriber("parcels"));
    assert_eq!(
        calls,
        "SubscriberAssertions { name: \"parcels\", calls: 1, .. }"
    );
    let published = format!("{:?}", hub.published::<Parcel>("parcels"));
    assert_eq!(
        published,
        "PublishedAssertions { of: \"channel \\\"parcels\\\"\", messages: 1, .. }"
    );
    let value = parcel(4_711);
    let builder = hub.message(&value).to("parcels");
    assert!(!format!("{builder:?}").contains("4711"));
}
