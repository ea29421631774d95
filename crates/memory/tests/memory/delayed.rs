use std::time::Duration;

use ruststream_core::{AckError, Broker, IncomingMessage, nonzero};
use ruststream_memory::{MemoryBroker, Retention};
use tokio::runtime;
use tokio::task::yield_now;
use tokio::time::advance;

use crate::support::*;

const TICK: Duration = Duration::from_millis(1);
const ALMOST: Duration = Duration::from_millis(1999);
const DELAY: Duration = Duration::from_secs(2);

fn paused() -> runtime::Runtime {
    runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime")
}

// MEM-36, MEM-37, CORE-067
#[tokio::test(start_paused = true)]
async fn a_delayed_copy_comes_back_exactly_on_the_tick() {
    let broker = MemoryBroker::new().connect().await.expect("connects");
    let mut parcels = subscribe(&broker, "parcels");
    publish(&broker.publisher(), "parcels", "1");
    let parcel = take(&mut parcels);
    assert!(parcel.supports_nack_after());
    at_once(parcel.nack_after(DELAY)).expect("settles");

    advance(ALMOST).await;
    yield_now().await;
    assert!(next(&mut parcels).is_none(), "not before the delay");
    advance(TICK).await;
    yield_now().await;
    let back = take(&mut parcels);
    assert_eq!((body(&back).as_str(), count(&back)), ("1", 2));
}

// MEM-36
#[test]
fn a_zero_delay_is_a_requeue_in_place_without_a_runtime() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "1");
    at_once(take(&mut parcels).nack_after(Duration::ZERO)).expect("settles");
    assert_eq!(count(&take(&mut parcels)), 2);
}

// MEM-36
#[tokio::test(start_paused = true)]
async fn a_delayed_copy_is_not_published_again() {
    let broker = MemoryBroker::new().connect().await.expect("connects");
    let (mut one, mut two) = (subscribe(&broker, "parcels"), subscribe(&broker, "parcels"));
    publish(&broker.publisher(), "parcels", "1");
    ack(take(&mut two));
    at_once(take(&mut one).nack_after(DELAY)).expect("settles");
    advance(DELAY).await;
    yield_now().await;
    assert_eq!(bodies(&mut one), ["1"]);
    assert!(next(&mut two).is_none());
}

// MEM-37, CORE-014
#[test]
fn the_timer_outlives_the_runtime_that_settled() {
    let broker = MemoryBroker::new();
    let home = paused();
    // The future is built outside the runtime and polled inside it (MEM-09).
    let connecting = broker.clone().connect();
    let connected = home.block_on(connecting).expect("connects");
    let mut parcels = subscribe(&connected, "parcels");
    publish(&broker.publisher(), "parcels", "1");
    let parcel = take(&mut parcels);
    on_foreign_runtime(parcel.nack_after(DELAY)).expect("settles");
    assert!(next(&mut parcels).is_none());
    home.block_on(async {
        advance(DELAY).await;
        yield_now().await;
    });
    assert_eq!(count(&take(&mut parcels)), 2);
}

// MEM-37
#[test]
fn without_connecting_the_timer_runs_where_the_delivery_is_settled() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "1");
    let parcel = take(&mut parcels);
    paused().block_on(async {
        at_once(parcel.nack_after(DELAY)).expect("settles");
        advance(ALMOST).await;
        yield_now().await;
        assert!(next(&mut parcels).is_none());
        advance(TICK).await;
        yield_now().await;
        assert_eq!(count(&take(&mut parcels)), 2);
    });
}

#[test]
fn a_delay_that_nothing_can_time_is_an_error_and_the_copy_is_back() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "1");
    let refused = at_once(take(&mut parcels).nack_after(DELAY));
    let Err(AckError::Broker(reason)) = refused else {
        panic!("{refused:?}")
    };
    assert!(
        reason
            .to_string()
            .contains("connect the broker on a Tokio runtime"),
        "{reason}"
    );
    assert_eq!(count(&take(&mut parcels)), 2);
}

#[test]
fn a_runtime_that_ends_before_the_delay_gives_the_copy_back() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "1");
    let parcel = take(&mut parcels);
    on_foreign_runtime(parcel.nack_after(DELAY)).expect("settles");
    assert_eq!(count(&take(&mut parcels)), 2);
}

// MEM-37
#[tokio::test(start_paused = true)]
async fn a_timer_that_fires_into_a_dropped_subscriber_is_silent() {
    let broker = MemoryBroker::new().connect().await.expect("connects");
    let mut parcels = subscribe(&broker, "parcels");
    publish(&broker.publisher(), "parcels", "1");
    at_once(take(&mut parcels).nack_after(DELAY)).expect("settles");
    drop(parcels);
    let mut successor = subscribe(&broker, "parcels");
    advance(DELAY).await;
    yield_now().await;
    assert!(next(&mut successor).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_delay_longer_than_time_itself_is_no_panic() {
    let retention = Retention::Messages(nonzero!(1));
    let broker = MemoryBroker::retaining(retention)
        .connect()
        .await
        .expect("connects");
    let mut parcels = subscribe(&broker, "parcels");
    publish(&broker.publisher(), "parcels", "1");
    at_once(take(&mut parcels).nack_after(Duration::MAX)).expect("settles");
    yield_now().await;
    assert!(next(&mut parcels).is_none());
}
