//! Every assertion on a subscription, where it holds and where it does not (TEST-50 to TEST-53).

use std::time::Duration;

use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::testing::{Outcome, SubscriberAssertions, TestApp};

use crate::support::station::{Freight, Ground, Station};
use crate::support::{Parcel, assert_contains, failure, info, parcel, send};

#[subscriber("scans")]
async fn scan(parcel: &Parcel) -> HandlerOutcome {
    match parcel.id {
        0 => HandlerOutcome::drop(),
        9 => HandlerOutcome::retry_after(Duration::from_secs(9)),
        _ => HandlerOutcome::ack(),
    }
}

#[subscriber("weighings")]
async fn weigh(_freight: &Freight) {}

async fn depot() -> TestApp<()> {
    let app = RustStream::new(info())
        .with_broker(MemoryBroker::new(), |b| {
            b.include(scan);
        })
        .with_broker(Station::new("a", &Ground::default()), |b| {
            b.include(weigh);
        });
    TestApp::start(app).await.unwrap()
}

/// The calls of `scans` after these were sent.
async fn scanned(ids: &[u32], check: impl FnOnce(&dyn Fn() -> SubscriberAssertions<'static>)) {
    let tb: &'static TestApp<()> = Box::leak(Box::new(depot().await));
    for id in ids {
        send(&tb.broker::<MemoryBroker>(), "scans", *id).await;
    }
    let broker: &'static _ = Box::leak(Box::new(tb.broker::<MemoryBroker>()));
    check(&|| broker.subscriber("scans"));
}

// TEST-50, TEST-51
#[tokio::test]
async fn counting_calls() {
    scanned(&[1, 2], |scans| {
        scans().assert_called(2);
        assert_contains(
            &failure(|| scans().assert_called(3)),
            &[
                "subscriber \"scans\"",
                "was called 2 times, expected 3",
                "\n  1. Ack {\"id\":1}\n  2. Ack {\"id\":2}",
            ],
        );
        assert_contains(
            &failure(|| scans().assert_called_once()),
            &[
                "subscriber \"scans\"",
                "was called 2 times",
                "expected exactly once",
            ],
        );
        assert_contains(
            &failure(|| scans().assert_not_called()),
            &["was called 2 times, expected never", "2. Ack {\"id\":2}"],
        );
    })
    .await;
    scanned(&[1], |scans| drop(scans().assert_called_once())).await;
    scanned(&[], |scans| scans().assert_not_called()).await;

    let tb = depot().await;
    tb.broker::<MemoryBroker>()
        .subscriber("a typo")
        .assert_not_called();
}

// TEST-50, TEST-52: whatever fails, before a call and after one.
#[tokio::test]
async fn every_failure_names_its_subscription() {
    type Scans<'a> = &'a dyn Fn() -> SubscriberAssertions<'static>;
    let wrong: [fn(Scans<'_>); 12] = [
        |scans| drop(scans().assert_called_once()),
        |scans| drop(scans().assert_called(1)),
        |scans| drop(scans().with(&parcel(8))),
        |scans| drop(scans().with_codec(&ruststream::codec::JsonCodec, &parcel(8))),
        |scans| drop(scans().with_raw(b"")),
        |scans| drop(scans().with_value(&8_u32)),
        |scans| drop(scans().settled(HandlerOutcome::drop())),
        |scans| drop(scans().assert_outcome(Outcome::Drop)),
        |scans| drop(scans().assert_batch_sizes(&[2])),
        |scans| drop(scans().panicked()),
        |scans| scans().assert_last_failed_to_decode(),
        |scans| scans().assert_not_called(),
    ];
    // Of these only the last one holds where there was no call.
    scanned(&[], |scans| {
        for wrong in &wrong[..11] {
            assert_contains(&failure(|| wrong(scans)), &["subscriber \"scans\" was "]);
        }
    })
    .await;
    scanned(&[1, 2], |scans| {
        for wrong in wrong {
            assert_contains(&failure(|| wrong(scans)), &["subscriber \"scans\" "]);
        }
    })
    .await;
}

// TEST-51: a name that nothing subscribes to is told as such by whatever fails on it.
#[tokio::test]
async fn an_unknown_subscription_is_told_with_the_known_ones() {
    let tb = depot().await;
    let broker = tb.broker::<MemoryBroker>();
    let typo = || broker.subscriber("scan");
    for failed in [
        failure(|| typo().assert_called_once()),
        failure(|| typo().with(&parcel(1))),
        failure(|| typo().assert_batch_sizes(&[1])),
    ] {
        assert_contains(
            &failed,
            &[
                "subscriber \"scan\" was ",
                "the service has no such subscription on this broker, only \"scans\"",
            ],
        );
    }
    let known = failure(|| broker.subscriber("scans").assert_called_once());
    assert!(!known.contains("no such subscription"), "{known}");
}

// TEST-52
#[tokio::test]
async fn the_last_value() {
    scanned(&[1, 2], |scans| {
        scans()
            .with(&parcel(2))
            .with_codec(&ruststream::codec::JsonCodec, &parcel(2));
        let failed = failure(|| scans().with(&parcel(1)));
        assert_contains(
            &failed,
            &[
                "received an unexpected value",
                "Parcel { id: 1 }",
                "Parcel { id: 2 }",
            ],
        );
        assert_contains(
            &failure(|| scans().with(&"text".to_owned())),
            &[
                "did not decode as alloc::string::String: ",
                "payload: {\"id\":2}",
            ],
        );
        assert_eq!(scans().received::<Parcel>(), [parcel(1), parcel(2)]);
        let decoded = scans().received_with::<Parcel, _>(&ruststream::codec::JsonCodec);
        assert_eq!(decoded, [parcel(1), parcel(2)]);
        assert_contains(
            &failure(|| scans().received::<String>()),
            &["received a payload that did not decode as alloc::string::String: "],
        );
        assert_contains(
            &failure(|| scans().batches::<String>()),
            &["received a payload that did not decode as"],
        );
    })
    .await;
    scanned(&[], |scans| {
        let failed = failure(|| scans().with(&parcel(1)));
        assert_contains(&failed, &["was not called, cannot assert a value"]);
    })
    .await;
}

// TEST-52
#[tokio::test]
async fn the_last_raw_bytes() {
    scanned(&[1, 2], |scans| {
        scans().with_raw(br#"{"id":2}"#);
        assert_contains(
            &failure(|| scans().with_raw(b"{}")),
            &[
                "subscriber \"scans\" received unexpected raw bytes",
                "expected: {}",
                "received: {\"id\":2}",
            ],
        );
        assert_contains(
            &failure(|| scans().with_raw(b"\x00\xff")),
            &["expected: 2 bytes: 00 ff\n"],
        );
        assert_eq!(
            scans().received_raw(),
            [&br#"{"id":1}"#[..], br#"{"id":2}"#]
        );
        assert_eq!(scans().batches_raw().len(), 2);
    })
    .await;
    scanned(&[], |scans| {
        let failed = failure(|| scans().with_raw(b""));
        assert_contains(&failed, &["was not called, cannot assert raw bytes"]);
    })
    .await;
}

// TEST-52
#[tokio::test]
async fn the_settlement() {
    scanned(&[1], |scans| {
        scans().settled(HandlerOutcome::ack().and_after(async {}));
        assert_contains(
            &failure(|| scans().settled(HandlerOutcome::drop())),
            &[
                "subscriber \"scans\" settled 1 of its last 1 deliveries differently",
                "expected: Nack { requeue: false }",
                "settled: [Some(Ack)]",
                "last call: Ack {\"id\":1}",
            ],
        );
    })
    .await;
    scanned(&[9], |scans| {
        scans().settled(HandlerOutcome::retry_after(Duration::from_secs(9)));
        for other in [
            HandlerOutcome::retry_after(Duration::from_secs(8)),
            HandlerOutcome::retry(),
        ] {
            assert_contains(&failure(|| scans().settled(other)), &["differently"]);
        }
    })
    .await;
    scanned(&[], |scans| {
        let failed = failure(|| scans().settled(HandlerOutcome::ack()));
        assert_contains(&failed, &["was not called, cannot assert a settlement"]);
    })
    .await;
}

// TEST-44, TEST-52
#[tokio::test]
async fn the_outcome() {
    scanned(&[1, 0], |scans| {
        scans().assert_outcome(Outcome::Drop);
        let failed = failure(|| scans().assert_outcome(Outcome::Ack));
        assert_contains(
            &failed,
            &[
                "had an unexpected outcome\n  expected: Ack\n  received: Drop",
                "last call: Drop {\"id\":0}",
            ],
        );
        assert_eq!(scans().outcomes(), [Outcome::Ack, Outcome::Drop]);
        assert_contains(
            &failure(|| scans().panicked()),
            &[
                "subscriber \"scans\" did not panic",
                "last call: Drop {\"id\":0}",
            ],
        );
        assert_contains(
            &failure(|| scans().assert_last_failed_to_decode()),
            &[
                "subscriber \"scans\" decoded its last delivery successfully",
                "last call: Drop {\"id\":0}",
            ],
        );
    })
    .await;
    scanned(&[9], |scans| drop(scans().assert_outcome(Outcome::Nack))).await;
    scanned(&[], |scans| {
        assert!(scans().outcomes().is_empty());
        for (failed, what) in [
            (
                failure(|| scans().assert_outcome(Outcome::Ack)),
                "an outcome",
            ),
            (failure(|| scans().panicked()), "a panic"),
            (
                failure(|| scans().assert_last_failed_to_decode()),
                "a decode failure",
            ),
        ] {
            assert_contains(&failed, &["was not called, cannot assert", what]);
        }
    })
    .await;
}

// TEST-50
#[tokio::test]
async fn the_sizes_of_batches() {
    scanned(&[1, 2], |scans| {
        scans().assert_batch_sizes(&[1, 1]);
        let failed = failure(|| scans().assert_batch_sizes(&[2]));
        assert_contains(
            &failed,
            &[
                "subscriber \"scans\" was handed batches of [1, 1], expected [2]",
                "2. Ack {\"id\":2}",
            ],
        );
    })
    .await;
    scanned(&[], |scans| drop(scans().assert_batch_sizes(&[]))).await;
}

// TEST-42
#[tokio::test]
async fn the_values_that_deliveries_lent() {
    let tb = depot().await;
    let station = tb.broker::<Station>();
    send(&station, "weighings", 7).await;
    let weighings = || station.subscriber("weighings");

    weighings()
        .with_value(&Freight::of(8))
        .with_raw(br#"{"id":7}"#);
    assert_eq!(weighings().received_values::<Freight>(), [Freight::of(8)]);
    assert_contains(
        &failure(|| weighings().with_value(&Freight::of(9))),
        &["was lent an unexpected value", "Freight(9)", "Freight(8)"],
    );
    assert_contains(
        &failure(|| weighings().with_value(&9_u32)),
        &["was lent a value that is not a u32", "Freight"],
    );
    assert_contains(
        &failure(|| weighings().received_values::<u32>()),
        &["was lent a value that is not a u32"],
    );

    let broker = tb.broker::<MemoryBroker>();
    send(&broker, "scans", 7).await;
    let scans = || broker.subscriber("scans");
    assert_contains(
        &failure(|| scans().with_value(&9_u32)),
        &["was lent no value"],
    );
    assert_contains(
        &failure(|| scans().received_values::<u32>()),
        &["was lent no value"],
    );
}
