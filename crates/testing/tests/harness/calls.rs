//! What is recorded of a call (TEST-42 to TEST-46), and what a failure does to the service.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::runtime::{Message, RustStreamError};
use ruststream::testing::{Outcome, TestApp, TestError};
use serde::{Deserialize, Serialize};

use crate::support::{Of, Parcel, in_both_modes, info, parcel, send, try_send};

#[subscriber("accept")]
async fn accept(_parcel: &Parcel) {}

#[subscriber("refuse")]
async fn refuse(_parcel: &Parcel) -> HandlerOutcome {
    HandlerOutcome::drop()
}

#[subscriber("break")]
async fn breaks(_parcel: &Parcel) {
    panic!("the belt is torn");
}

#[subscriber("skip", on_failure(panic = skip))]
async fn skips(_parcel: &Parcel) {
    panic!("the belt is torn");
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Tenant {
    tenant: String,
}

#[subscriber("tenants")]
async fn per_tenant(_parcel: &Message<Tenant, Parcel>) {}

struct Tries(AtomicUsize);

#[subscriber("twice")]
async fn twice(_parcel: &Parcel, State(tries): State<Arc<Tries>>) -> HandlerOutcome {
    match tries.0.fetch_add(1, Ordering::SeqCst) {
        0 => HandlerOutcome::retry(),
        _ => HandlerOutcome::ack(),
    }
}

fn depot() -> impl App<State = ()> {
    RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(accept);
        b.include(refuse);
        b.include(breaks);
        b.include(skips);
        b.include(per_tenant);
    })
}

// TEST-42, TEST-43
#[tokio::test]
async fn the_value_and_the_ack_are_recorded() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "accept", 7).await;
        let calls = broker.subscriber("accept").assert_called_once();
        calls
            .with(&parcel(7))
            .with_raw(br#"{"id":7}"#)
            .settled(HandlerOutcome::ack());
    })
    .await;
}

// TEST-44
#[tokio::test]
async fn a_drop_is_recorded() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "refuse", 7).await;
        let calls = broker.subscriber("refuse").settled(HandlerOutcome::drop());
        calls.assert_outcome(Outcome::Drop);
    })
    .await;
}

// TEST-43, TEST-44
#[tokio::test]
async fn a_requeue_and_its_redelivery_are_two_calls() {
    let app = || {
        RustStream::new(info())
            .on_startup(async |()| Ok::<_, TestError>(Of::new(Tries(AtomicUsize::new(0)))))
            .with_broker(MemoryBroker::new(), |b| {
                b.include(twice);
            })
    };
    in_both_modes(app, async |tb: &TestApp<Of<Tries>>| {
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "twice", 7).await;
        let calls = broker.subscriber("twice").assert_called(2);
        assert_eq!(calls.outcomes(), [Outcome::Nack, Outcome::Ack]);
        assert_eq!(calls.received::<Parcel>(), [parcel(7), parcel(7)]);
    })
    .await;
}

// TEST-45, TEST-53
#[tokio::test]
async fn a_decode_failure_is_a_call_and_the_service_lives_on() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        broker.publish("accept", &"not a parcel").await.unwrap();
        let calls = broker.subscriber("accept").assert_called_once();
        let calls = calls
            .settled(HandlerOutcome::drop())
            .assert_outcome(Outcome::DecodeFailed);
        calls
            .with_raw(br#""not a parcel""#)
            .assert_last_failed_to_decode();

        tb.assert_running();
        send(&broker, "accept", 7).await;
        assert_eq!(
            broker.subscriber("accept").outcomes(),
            [Outcome::DecodeFailed, Outcome::Ack]
        );
    })
    .await;
}

// TEST-44: the header contract is part of decoding.
#[tokio::test]
async fn headers_that_break_their_contract_are_a_decode_failure() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        broker.publish("tenants", &parcel(7)).await.unwrap();
        broker.subscriber("tenants").assert_last_failed_to_decode();
    })
    .await;
}

// TEST-46, TEST-20, TEST-29, TEST-30, TEST-28
#[tokio::test]
async fn a_fail_fast_panic_stops_the_service_and_settles_nothing() {
    for live in [false, true] {
        let tb = if live {
            TestApp::start_live(depot()).await.unwrap()
        } else {
            TestApp::start(depot()).await.unwrap()
        };
        assert!(tb.run_result().is_ok());
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "break", 7).await;

        let calls = broker.subscriber("break").assert_called_once().panicked();
        calls.with(&parcel(7)).assert_outcome(Outcome::Panicked);
        tb.assert_shut_down();
        let refused = try_send(&broker, "accept", 8).await;
        assert!(matches!(refused, Err(TestError::ShutDown)), "{refused:?}");
        for _ in 0..2 {
            let Err(RustStreamError::Dispatch(reason)) = tb.run_result() else {
                panic!("a failure is recorded");
            };
            assert!(reason.contains("the belt is torn"), "{reason}");
        }
        let stopped = tb.shutdown().await;
        assert!(
            matches!(stopped, Err(RustStreamError::Dispatch(_))),
            "{stopped:?}"
        );
    }
}

// TEST-46, TEST-53
#[tokio::test]
async fn a_skipped_panic_is_settled_and_the_service_lives_on() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "skip", 7).await;
        let calls = broker
            .subscriber("skip")
            .panicked()
            .settled(HandlerOutcome::ack());
        calls.assert_outcome(Outcome::Panicked);
        tb.assert_running();
    })
    .await;
}
