//! What the harness costs a service that is not under it, and how often it copies (TEST-84).

use std::sync::atomic::Ordering;

use ruststream::prelude::*;
use ruststream::testing::TestApp;

use crate::support::station::{ConnectedStation, Dispatch, Freight, Ground, Station};
use crate::support::{info, parcel, send};

#[subscriber("weighings")]
async fn weigh(_freight: &Freight) {}

#[subscriber("trains")]
async fn weigh_all(_freight: &[Freight]) {}

fn service(station: Station) -> impl App<State = ()> {
    RustStream::new(info()).with_broker(station, |b| {
        b.include(weigh);
        b.include(weigh_all.batch(nonzero!(4)));
    })
}

// TEST-84
#[tokio::test]
async fn without_a_harness_no_lent_value_is_copied() {
    let ground = Ground::default();
    let station = Station::new("a", &ground);
    let outside: ConnectedStation = station.clone().connect().await.unwrap();
    let running = service(station).start().await.unwrap();
    let publisher = Dispatch.pair(&outside).await.unwrap();
    for name in ["weighings", "trains"] {
        publisher
            .message(&parcel(7))
            .to(name)
            .publish()
            .await
            .unwrap();
    }
    while ground
        .journal
        .lines()
        .iter()
        .filter(|line| *line == "ack")
        .count()
        < 2
    {
        tokio::task::yield_now().await;
    }
    assert_eq!(ground.clones.load(Ordering::SeqCst), 0);
    drop(outside);
    running.shutdown().await.unwrap();
}

// TEST-84, TEST-42
#[tokio::test]
async fn under_a_harness_each_lent_value_is_copied_once() {
    let ground = Ground::default();
    let tb = TestApp::start(service(Station::new("a", &ground)))
        .await
        .unwrap();
    let station = tb.broker::<Station>();
    for _ in 0..3 {
        send(&station, "weighings", 7).await;
        send(&station, "trains", 7).await;
    }
    assert_eq!(ground.clones.load(Ordering::SeqCst), 6);
}
