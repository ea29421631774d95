//! What is recorded of a batch (TEST-42, TEST-43, TEST-45, TEST-46, TEST-52).

use ruststream::memory::{MemoryBroker, MemoryPublisher};
use ruststream::prelude::*;
use ruststream::testing::{Outcome, TestApp};

use crate::support::station::{Freight, Ground, Station};
use crate::support::{Parcel, assert_contains, failure, in_both_modes, info, parcel, send};

#[subscriber("belt")]
async fn sort(parcels: &[Parcel]) -> Vec<HandlerOutcome> {
    let outcome = |parcel: &Parcel| match parcel.id {
        0 => HandlerOutcome::drop(),
        9 => panic!("the belt is torn"),
        _ => HandlerOutcome::ack(),
    };
    parcels.iter().map(outcome).collect()
}

#[subscriber("lent")]
async fn weigh(_freight: &[Freight]) {}

/// A started service, with a publisher that the harness knows nothing of.
async fn started() -> (TestApp<()>, MemoryPublisher) {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(info()).with_broker(bus, |b| {
        b.include(sort.batch(nonzero!(3)));
    });
    (TestApp::start(app).await.unwrap(), publisher)
}

async fn batch(tb: &TestApp<()>, publisher: &MemoryPublisher, ids: &[u32]) {
    for id in ids {
        publisher
            .message(&parcel(*id))
            .to("belt")
            .publish()
            .await
            .unwrap();
    }
    tb.settle().await.unwrap();
}

// TEST-23, TEST-42
#[tokio::test]
async fn sizes_and_values_of_batches() {
    let (tb, publisher) = started().await;
    batch(&tb, &publisher, &[1, 2, 3, 4]).await;
    send(&tb.broker::<MemoryBroker>(), "belt", 5).await;

    let broker = tb.broker::<MemoryBroker>();
    let belt = || broker.subscriber("belt");
    belt().assert_called(3).assert_batch_sizes(&[3, 1, 1]);
    assert_contains(
        &failure(|| belt().assert_batch_sizes(&[4, 1])),
        &["was handed batches of [3, 1, 1]"],
    );
    let batches: Vec<Vec<u32>> = belt()
        .batches::<Parcel>()
        .iter()
        .map(|batch| batch.iter().map(|parcel| parcel.id).collect())
        .collect();
    assert_eq!(batches, [vec![1, 2, 3], vec![4], vec![5]]);
    assert_eq!(belt().received_raw().len(), 5);
    assert_eq!(belt().batches_raw()[0].len(), 3);
}

// TEST-52
#[tokio::test]
async fn an_assertion_on_one_delivery_is_refused_on_a_batch_of_several() {
    let (tb, publisher) = started().await;
    batch(&tb, &publisher, &[1, 1]).await;
    let broker = tb.broker::<MemoryBroker>();
    let belt = || broker.subscriber("belt");
    for failed in [
        failure(|| belt().with(&parcel(1))),
        failure(|| belt().with_raw(br#"{"id":1}"#)),
        failure(|| belt().with_value(&1_u32)),
    ] {
        assert_contains(&failed, &["last received a batch of 2 deliveries"]);
    }
}

// TEST-44
#[tokio::test]
async fn each_delivery_has_a_settlement_and_the_first_decides_the_outcome() {
    let (tb, publisher) = started().await;
    batch(&tb, &publisher, &[0, 1, 2]).await;
    let broker = tb.broker::<MemoryBroker>();
    let belt = || broker.subscriber("belt");
    belt().assert_outcome(Outcome::Drop);
    assert_contains(
        &failure(|| belt().settled(HandlerOutcome::ack())),
        &["settled 1 of its last 3 deliveries differently"],
    );
    batch(&tb, &publisher, &[1, 2]).await;
    belt()
        .settled(HandlerOutcome::ack())
        .assert_outcome(Outcome::Ack);
}

// TEST-45
#[tokio::test]
async fn deliveries_that_did_not_decode_are_not_part_of_the_record() {
    let (tb, publisher) = started().await;
    let broker = tb.broker::<MemoryBroker>();
    broker.publish("belt", &"no parcel").await.unwrap();
    broker.subscriber("belt").assert_not_called();

    publisher
        .message(&parcel(1))
        .to("belt")
        .publish()
        .await
        .unwrap();
    let torn = ruststream::OutgoingMessage::new("belt", b"torn");
    publisher.publish(torn, None).await.unwrap();
    batch(&tb, &publisher, &[2]).await;
    let belt = broker
        .subscriber("belt")
        .assert_called_once()
        .settled(HandlerOutcome::ack());
    assert_eq!(belt.received::<Parcel>(), [parcel(1), parcel(2)]);
    tb.assert_running();
}

// TEST-46, TEST-53
#[tokio::test]
async fn a_panic_is_one_record_of_the_whole_batch_unsettled() {
    let (tb, publisher) = started().await;
    batch(&tb, &publisher, &[1, 9, 2]).await;
    let broker = tb.broker::<MemoryBroker>();
    let belt = || broker.subscriber("belt");
    belt()
        .assert_batch_sizes(&[3])
        .panicked()
        .assert_outcome(Outcome::Panicked);
    for outcome in [HandlerOutcome::ack(), HandlerOutcome::drop()] {
        let failed = failure(|| belt().settled(outcome));
        assert_contains(&failed, &["settled 3 of its last 3 deliveries differently"]);
    }
    tb.assert_shut_down();
}

// TEST-41, TEST-37: live, a delivery that did not decode is handled too.
#[tokio::test]
async fn live_a_batch_of_refused_deliveries_is_not_waited_for_in_vain() {
    let app = || {
        RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
            b.include(sort.batch(nonzero!(3)));
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        broker.publish("belt", &"no parcel").await.unwrap();
        send(&broker, "belt", 1).await;
        broker
            .subscriber("belt")
            .assert_called_once()
            .with(&parcel(1));
    })
    .await;
}

// TEST-42
#[tokio::test]
async fn a_batch_s_lent_values_are_recorded_with_its_payloads() {
    let app = || {
        RustStream::new(info()).with_broker(Station::new("a", &Ground::default()), |b| {
            b.include(weigh.batch(nonzero!(3)));
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let station = tb.broker::<Station>();
        send(&station, "lent", 7).await;
        let lent = station
            .subscriber("lent")
            .with_value(&Freight::of(8))
            .with(&parcel(7));
        assert_eq!(lent.received_values::<Freight>(), [Freight::of(8)]);
        lent.settled(HandlerOutcome::ack());
    })
    .await;
}
