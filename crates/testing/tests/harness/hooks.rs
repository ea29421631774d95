//! When the test's own hooks run, and what they see (TEST-59 to TEST-62).

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use ruststream::memory::{MemoryBroker, MemoryPublish, MemoryPublisher};
use ruststream::prelude::*;
use ruststream::testing::{Outcome, PublishedAssertions, SubscriberAssertions, TestApp};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::support::station::{Dispatch, Ground, Station, Urgency};
use crate::support::{
    Journal, Of, Parcel, SECOND, assert_contains, failure, in_both_modes, info, parcel, send,
};

#[derive(OutSlot)]
#[publishes(Parcel)]
struct Onward;

#[subscriber("inward")]
async fn relay(parcel: &Parcel, Out(onward): Out<impl Publisher, Onward>) {
    onward.message(parcel).to("onward").publish().await.unwrap();
}

#[subscriber("parcels")]
async fn receive(_parcel: &Parcel) {}

#[subscriber("pool", workers(2))]
async fn pool(_parcel: &Parcel) {}

#[subscriber("stuck")]
async fn fail(_parcel: &Parcel) -> HandlerOutcome {
    HandlerOutcome::retry()
}

pub(crate) fn on(bus: MemoryBroker) -> impl App<State = ()> {
    RustStream::new(info())
        .shutdown_timeout(SECOND)
        .with_broker(bus, |b| {
            b.include(relay).out(Onward, MemoryPublish).build();
            b.include(receive);
            b.include(pool);
        })
}

pub(crate) fn depot() -> impl App<State = ()> {
    on(MemoryBroker::new())
}

// TEST-59, TEST-60
#[tokio::test]
async fn a_hook_runs_once_for_each_call_from_its_registration_on() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "parcels", 1).await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let hook = Arc::clone(&seen);
        broker
            .subscriber("parcels")
            .on_call(async move |calls: SubscriberAssertions<'_>| {
                let calls = calls.settled(HandlerOutcome::ack());
                hook.lock().unwrap().push(calls.received::<Parcel>().len());
            });
        for id in [2, 3] {
            send(&broker, "parcels", id).await;
        }
        send(&broker, "elsewhere", 4).await;
        assert_eq!(*seen.lock().unwrap(), [2, 3]);
    })
    .await;
}

// TEST-59
#[tokio::test]
async fn hooks_of_one_event_run_in_the_order_of_their_registration() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        let journal = Journal::default();
        for name in ["first", "second"] {
            let journal = journal.clone();
            broker.subscriber("parcels").on_call(async move |_| {
                tokio::task::yield_now().await;
                journal.note(name);
            });
        }
        send(&broker, "parcels", 1).await;
        assert_eq!(journal.take(), ["first", "second"]);
    })
    .await;
}

// TEST-59: sends of the test, publishes of handlers, and of a slot.
#[tokio::test]
async fn publish_hooks_see_sends_paired_publishes_and_slots() {
    in_both_modes(depot, async |tb: &TestApp<()>| {
        let broker = tb.broker::<MemoryBroker>();
        let journal = Journal::default();
        for name in ["inward", "onward"] {
            let journal = journal.clone();
            let published = broker.published::<Parcel>(name);
            published.on_publish(async move |published: PublishedAssertions<Parcel>| {
                let last = published.decoded().pop().unwrap();
                journal.note(format!("{name} {}", last.id));
            });
        }
        let slot = journal.clone();
        tb.out::<Onward>()
            .on_publish(async move |published: PublishedAssertions<()>| {
                let published = published.assert_called(1).decoded_as::<Parcel>();
                slot.note(format!("slot {}", published.decoded().len()));
            });
        send(&broker, "inward", 7).await;
        let mut lines = journal.take();
        lines.sort();
        assert_eq!(lines, ["inward 7", "onward 7", "slot 1"]);
    })
    .await;
}

// TEST-60: the harness's record, as it was handed to the broker.
#[tokio::test]
async fn a_publish_hook_s_view_has_the_options_and_no_more() {
    #[subscriber("inward")]
    async fn urgent(parcel: &Parcel, Out(onward): Out<impl Publisher<Options = Urgency>, Onward>) {
        let mut publish = onward.message(parcel).to("onward");
        *publish.options_mut() = Some(Urgency(3));
        publish.publish().await.unwrap();
    }
    let app = || {
        RustStream::new(info()).with_broker(Station::new("a", &Ground::default()), |b| {
            b.include(urgent).out(Onward, Dispatch).build();
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let station = tb.broker::<Station>();
        let ran = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&ran);
        let onward = station.published::<Parcel>("onward");
        onward.on_publish(async move |published: PublishedAssertions<Parcel>| {
            let published = published.assert_called_once().with_options(&Urgency(3));
            assert!(!published.messages()[0].headers().contains("station-stamp"));
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let counted = Arc::clone(&ran);
        let own = station.published::<Parcel>("inward");
        own.on_publish(async move |published: PublishedAssertions<Parcel>| {
            assert_contains(&failure(|| published.assert_options_default()), &["itself"]);
            counted.fetch_add(1, Ordering::SeqCst);
        });
        send(&station, "inward", 1).await;
        assert_eq!(ran.load(Ordering::SeqCst), 2);
    })
    .await;
}

// TEST-60, Trap 9
#[tokio::test]
async fn a_view_is_frozen_also_while_its_hook_waits() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let tb = TestApp::start(on(bus)).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    let (gate, seen) = (
        Arc::new(Semaphore::new(0)),
        Arc::new(Mutex::new(Vec::new())),
    );
    let (hook_gate, hook_seen) = (Arc::clone(&gate), Arc::clone(&seen));
    broker
        .subscriber("pool")
        .on_call(async move |calls: SubscriberAssertions<'_>| {
            hook_gate.acquire().await.unwrap().forget();
            hook_seen
                .lock()
                .unwrap()
                .push(calls.received::<Parcel>().len());
        });
    for id in [1, 2] {
        publisher
            .message(&parcel(id))
            .to("pool")
            .publish()
            .await
            .unwrap();
    }
    while broker.subscriber("pool").outcomes().len() < 2 {
        tokio::task::yield_now().await;
    }
    gate.add_permits(2);
    tb.settle().await.unwrap();
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    assert_eq!(seen, [1, 2]);
}

// TEST-59: after its own settlement, and what that published.
#[tokio::test]
async fn a_call_s_hook_runs_after_the_call_is_settled_and_its_copies_are_out() {
    let ground = Ground::default();
    let app = || {
        RustStream::new(info()).with_broker(Station::new("a", &ground), |b| {
            b.include(fail)
                .max_attempts(nonzero!(1))
                .dead_letter("dead");
        })
    };
    in_both_modes(app, async |tb: &TestApp<()>| {
        let station = tb.broker::<Station>();
        let journal = ground.journal.clone();
        station
            .subscriber("stuck")
            .on_call(async move |calls: SubscriberAssertions<'_>| {
                let calls = calls.assert_outcome(Outcome::Nack);
                drop(calls);
                journal.note("hook");
            });
        ground.journal.take();
        send(&station, "stuck", 1).await;
        let lines = ground.journal.take();
        let end = ["publish dead urgency 0", "nack false", "hook"].map(String::from);
        assert!(lines.ends_with(&end), "{lines:?}");
    })
    .await;
}

// TEST-61
#[tokio::test]
async fn a_handler_s_publish_returns_after_its_hooks() {
    #[subscriber("inward")]
    async fn notes(
        parcel: &Parcel,
        Out(onward): Out<impl Publisher, Onward>,
        State(journal): State<Arc<Journal>>,
    ) {
        onward.message(parcel).to("onward").publish().await.unwrap();
        journal.note("published");
    }
    let journal = Journal::default();
    let state = Of::new(journal.clone());
    let app = RustStream::new(info())
        .on_startup(async move |()| Ok::<_, std::io::Error>(state))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(notes).out(Onward, MemoryPublish).build();
        });
    let tb = TestApp::start(app).await.unwrap();
    let hook = journal.clone();
    tb.out::<Onward>().on_publish(async move |_| {
        tokio::time::sleep(Duration::from_millis(5)).await;
        hook.note("hook");
    });
    send(&tb.broker::<MemoryBroker>(), "inward", 1).await;
    assert_eq!(journal.take(), ["hook", "published"]);
}

// TEST-62: the clock follows the hook's timers and nothing else.
#[tokio::test(start_paused = true)]
async fn a_hook_s_timers_follow_the_paused_clock() {
    let tb = TestApp::start(depot()).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    broker.subscriber("parcels").on_call(async |_| {
        tokio::time::sleep(SECOND * 3600).await;
        // Work between two awaits must not let the clock run on.
        std::thread::sleep(Duration::from_millis(20));
        tokio::time::sleep(SECOND * 3600).await;
    });
    let start = Instant::now();
    let sent = tokio::time::timeout(SECOND * 7201, send(&broker, "parcels", 1)).await;
    assert!(sent.is_ok());
    assert_eq!(start.elapsed(), SECOND * 7200);
}

// TEST-62: neither its future nor what it holds has to be `Send`.
#[tokio::test]
async fn a_hook_may_hold_what_does_not_leave_its_thread() {
    let tb = TestApp::start(depot()).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    let ran = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&ran);
    broker.subscriber("parcels").on_call(async move |_| {
        let local = Rc::new(Cell::new(0));
        tokio::task::yield_now().await;
        local.set(1);
        counted.fetch_add(local.get(), Ordering::SeqCst);
    });
    send(&broker, "parcels", 1).await;
    assert_eq!(ran.load(Ordering::SeqCst), 1);
}

// TEST-62
#[tokio::test]
async fn a_hook_may_publish_and_block_its_own_thread() {
    let bus = MemoryBroker::new();
    let publisher: MemoryPublisher = bus.publisher();
    let tb = TestApp::start(on(bus)).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    let (handled, wait) = mpsc::channel();
    let wait = Mutex::new(wait);
    broker
        .subscriber("pool")
        .on_call(async move |_| handled.send(()).unwrap());
    broker.subscriber("parcels").on_call(async move |_| {
        publisher
            .message(&parcel(2))
            .to("pool")
            .publish()
            .await
            .unwrap();
        wait.lock().unwrap().recv().unwrap();
    });
    send(&broker, "parcels", 1).await;
    broker
        .subscriber("pool")
        .assert_called_once()
        .with(&parcel(2));
}

// TEST-62, Trap 10: a hook that blocks until the clock moves is not waited for in vain.
#[tokio::test(start_paused = true)]
async fn a_hook_may_block_until_the_paused_clock_has_moved() {
    let tb = TestApp::start(depot()).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    let (moved, wait) = mpsc::channel();
    let wait = Mutex::new(wait);
    tokio::spawn(async move {
        tokio::time::sleep(SECOND).await;
        moved.send(()).unwrap();
    });
    broker
        .subscriber("parcels")
        .on_call(async move |_| wait.lock().unwrap().recv().unwrap());
    send(&broker, "parcels", 1).await;
}

// TEST-62: hooks of two calls may overlap.
#[tokio::test]
async fn the_hooks_of_two_calls_overlap() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let tb = TestApp::start(on(bus)).await.unwrap();
    let both = Arc::new(tokio::sync::Barrier::new(2));
    tb.broker::<MemoryBroker>()
        .subscriber("pool")
        .on_call(async move |_| {
            both.wait().await;
        });
    for id in [1, 2] {
        publisher
            .message(&parcel(id))
            .to("pool")
            .publish()
            .await
            .unwrap();
    }
    tb.settle().await.unwrap();
}
