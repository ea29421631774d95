//! When a reaction has come to rest (TEST-32 to TEST-36, TEST-22).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ruststream::memory::{MemoryBroker, MemoryPublish, Retaining, Retention};
use ruststream::prelude::*;
use ruststream::runtime::Bindable;
use ruststream::testing::{TestApp, TestError};
use tokio::sync::Semaphore;

use crate::support::station::{Ground, Station};
use crate::support::{Of, Parcel, in_both_modes, info, parcel, send, try_send};

#[subscriber("forever")]
async fn forever(_parcel: &Parcel) -> HandlerOutcome {
    HandlerOutcome::retry()
}

#[subscriber("countdown", reply("countdown"))]
async fn countdown(parcel: &Parcel) -> Result<Parcel, HandlerOutcome> {
    match parcel.id {
        0 => Err(HandlerOutcome::ack()),
        id => Ok(Parcel { id: id - 1 }),
    }
}

#[subscriber("sink")]
async fn sink(_parcel: &Parcel) {
    // Gives way, so that a send that returned too early would be seen.
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}

fn depot() -> impl App<State = ()> {
    RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(forever);
        b.include(countdown);
        b.include(sink);
    })
}

// TEST-36
#[tokio::test]
async fn a_handler_that_retries_for_ever_spends_the_budget_and_can_be_shut_down() {
    let tb = TestApp::start(depot()).await.unwrap();
    let spent = try_send(&tb.broker::<MemoryBroker>(), "forever", 1).await;
    let Err(TestError::NotQuiescent { processed }) = spent else {
        panic!("{spent:?}");
    };
    assert!(processed >= 10_000, "{processed}");
    tb.shutdown().await.unwrap();
}

// TEST-36: each wait has a budget of its own.
#[tokio::test]
async fn a_long_healthy_test_never_spends_it() {
    let tb = TestApp::start(depot()).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    for _ in 0..3 {
        send(&broker, "countdown", 4_999).await;
    }
    broker.subscriber("countdown").assert_called(15_000);
}

// TEST-34
#[tokio::test]
async fn a_cascade_across_brokers_is_at_rest_when_the_send_returns() {
    #[subscriber("one")]
    async fn one(parcel: &Parcel, Out(out): Out<impl Publisher>) -> HandlerOutcome {
        match out.message(parcel).to("two").publish().await {
            Ok(()) => HandlerOutcome::ack(),
            Err(_) => HandlerOutcome::drop(),
        }
    }
    #[subscriber("two", reply("three"))]
    async fn two(parcel: &Parcel) -> Parcel {
        tokio::task::yield_now().await;
        parcel.clone()
    }
    #[subscriber("three", workers(2))]
    async fn three(_parcel: &Parcel) {
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
    }
    let app = || {
        let second = Bindable::new(MemoryBroker::retaining(Retention::Messages(nonzero!(8))));
        let to_second = second.bind(MemoryPublish);
        RustStream::new(info())
            .with_broker(MemoryBroker::new(), |b| {
                b.include(one).out(DefaultSlot, to_second).build();
            })
            .with_broker(second, |b| {
                b.include(two);
                b.include(three);
            })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        send(&tb.broker::<MemoryBroker>(), "one", 7).await;
        let second = tb.broker::<MemoryBroker<Retaining>>();
        second
            .subscriber("two")
            .assert_called_once()
            .with(&parcel(7));
        second
            .subscriber("three")
            .assert_called_once()
            .settled(HandlerOutcome::ack());
    })
    .await;
}

// TEST-22
#[tokio::test]
async fn two_sends_at_once_return_when_the_whole_is_at_rest() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        let seen_by = async |id| {
            send(&broker, "sink", id).await;
            broker.subscriber("sink").outcomes().len()
        };
        let (first, second) = tokio::join!(seen_by(1), seen_by(2));
        assert_eq!((first, second), (2, 2));
    })
    .await;
}

// TEST-05: a test shares its harness.
#[test]
fn a_harness_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<TestApp<Arc<AtomicUsize>>>();
}

// TEST-23, TEST-34: what nobody reads is not waited for.
#[tokio::test]
async fn settle_waits_for_input_that_bypassed_the_harness() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(info()).with_broker(bus, |b| {
        b.include(sink);
    });
    let tb = TestApp::start(app).await.unwrap();
    tb.settle().await.unwrap();
    publisher
        .message(&parcel(1))
        .to("sink")
        .publish()
        .await
        .unwrap();
    publisher
        .message(&parcel(1))
        .to("nobody")
        .publish()
        .await
        .unwrap();
    tb.settle().await.unwrap();
    tb.broker::<MemoryBroker>()
        .subscriber("sink")
        .assert_called_once();
}

// TEST-22, TEST-33: also where handlers run on other threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rest_is_seen_across_threads() {
    let tb = TestApp::start(depot()).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    for sent in 1..200 {
        send(&broker, "countdown", 1).await;
        broker.subscriber("countdown").assert_called(sent * 2);
    }
}

// TEST-08, RUN-241
#[tokio::test]
async fn dedicated_threads_are_workers_of_the_test_s_runtime() {
    struct Seen {
        running: AtomicUsize,
        most: AtomicUsize,
        gate: Semaphore,
    }
    #[subscriber("threads", threads(3))]
    async fn threaded(_parcel: &Parcel, State(seen): State<Arc<Seen>>) {
        assert_ne!(std::thread::current().name(), Some("threads/0"));
        let running = seen.running.fetch_add(1, Ordering::SeqCst) + 1;
        seen.most.fetch_max(running, Ordering::SeqCst);
        seen.gate.acquire().await.unwrap().forget();
        seen.running.fetch_sub(1, Ordering::SeqCst);
    }
    let seen = Arc::new(Seen {
        running: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
        gate: Semaphore::new(0),
    });
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(info())
        .on_startup(async |()| Err::<Of<Seen>, _>(TestError::ShutDown))
        .with_broker(bus, |b| {
            b.include(threaded);
        });
    let tb = TestApp::with_state(app, |_| Of(Arc::clone(&seen)))
        .await
        .unwrap();
    for id in 0..6 {
        publisher
            .message(&parcel(id))
            .to("threads")
            .publish()
            .await
            .unwrap();
    }
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert_eq!(seen.running.load(Ordering::SeqCst), 3);
    seen.gate.add_permits(6);
    tb.settle().await.unwrap();
    assert_eq!(seen.most.load(Ordering::SeqCst), 3);
}

// TEST-33: a panic that leaves its delivery unsettled comes to rest all the same.
#[tokio::test]
async fn a_fail_fast_panic_comes_to_rest_with_deliveries_still_queued() {
    #[subscriber("break")]
    async fn breaks(_parcel: &Parcel) {
        panic!("torn");
    }
    let ground = Ground::default();
    let app = RustStream::new(info()).with_broker(Station::new("a", &ground), |b| {
        b.include(breaks);
    });
    let tb = TestApp::start(app).await.unwrap();
    send(&tb.broker::<Station>(), "break", 1).await;
    tb.assert_shut_down();
}
