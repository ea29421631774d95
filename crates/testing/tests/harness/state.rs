//! A state of the test's making (TEST-10, TEST-13).

use std::any::type_name;
use std::sync::Arc;

use ruststream::memory::{MemoryBroker, MemoryPublisher, Retaining};
use ruststream::prelude::*;
use ruststream::testing::{TestApp, TestBrokers, TestError};

use crate::support::station::{ConnectedStation, Ground, Station};
use crate::support::{Of, Parcel, assert_contains, async_failure, info, parcel, send};

/// Mirrors what arrives.
struct Mirror {
    publisher: MemoryPublisher,
}

#[subscriber("parcels")]
async fn mirror(parcel: &Parcel, State(mirror): State<Arc<Mirror>>) {
    mirror
        .publisher
        .message(parcel)
        .to("mirrored")
        .publish()
        .await
        .unwrap();
}

#[subscriber("mirrored")]
async fn receive(_parcel: &Parcel) {}

fn depot() -> impl App<State = Of<Mirror>> {
    RustStream::new(info())
        .on_startup(async |()| Err::<Of<Mirror>, _>(TestError::ShutDown))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(mirror);
            b.include(receive);
        })
}

// TEST-10, TEST-34
#[tokio::test]
async fn the_test_makes_the_state_from_the_connected_brokers() {
    let build = |brokers: &TestBrokers<'_>| {
        Of::new(Mirror {
            publisher: brokers.broker::<MemoryBroker>().publisher(),
        })
    };
    let tb = TestApp::with_state(depot(), build).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    send(&broker, "parcels", 7).await;
    broker
        .subscriber("mirrored")
        .assert_called_once()
        .with(&parcel(7));
    tb.shutdown().await.unwrap();
}

// TEST-10
#[tokio::test]
async fn the_state_is_made_between_the_connects_and_the_subscriptions() {
    #[subscriber("parcels")]
    async fn stateless(_parcel: &Parcel) {}
    let ground = Ground::default();
    let journal = ground.journal.clone();
    let startup = journal.clone();
    let app = RustStream::new(info())
        .on_startup(async move |()| {
            startup.note("on_startup");
            Ok::<_, TestError>(0_u32)
        })
        .with_broker(Station::new("a", &ground), |b| {
            b.include(stateless);
        });
    let noted = journal.clone();
    let tb = TestApp::with_state(app, |brokers| {
        let station: &ConnectedStation = brokers.broker::<Station>();
        noted.note(format!("state on {}", station.name()));
        1_u32
    })
    .await
    .unwrap();
    assert_eq!(
        journal.take(),
        ["connect a", "install a", "state on a", "subscribe parcels"]
    );
    tb.shutdown().await.unwrap();
}

// TEST-13
#[tokio::test]
async fn a_type_that_is_not_registered_or_is_twice_panics() {
    let one = RustStream::new(info()).register_broker(MemoryBroker::new());
    let none = TestApp::with_state(one, |brokers| {
        let _ = brokers.broker::<MemoryBroker<Retaining>>();
    });
    let retaining = type_name::<MemoryBroker<Retaining>>();
    assert_contains(
        &async_failure(none).await,
        &["no registered broker of type", retaining],
    );

    let two = RustStream::new(info())
        .register_broker(MemoryBroker::new())
        .register_broker(MemoryBroker::new());
    let several = TestApp::with_state(two, |brokers| {
        let _ = brokers.broker::<MemoryBroker>();
    });
    assert_contains(
        &async_failure(several).await,
        &["more than one broker of type", type_name::<MemoryBroker>()],
    );
}
