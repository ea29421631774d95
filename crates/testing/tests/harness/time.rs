//! Redeliveries and the clock (TEST-24, TEST-25, TEST-35).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::testing::{Outcome, TestApp};
use tokio::time::Instant;

use crate::support::station::{Ground, Station};
use crate::support::{MS, Of, Parcel, SECOND, async_failure, info, send};

const JUST_BEFORE: Duration = Duration::from_millis(1_999);
const DELAY: Duration = Duration::from_secs(2);

#[subscriber("late")]
async fn late(parcel: &Parcel) -> HandlerOutcome {
    HandlerOutcome::retry_after(DELAY * parcel.id)
}

fn on_memory() -> impl App<State = ()> {
    RustStream::new(info()).with_broker(MemoryBroker::new(), |b| {
        b.include(late);
    })
}

/// The transport holds no delay, so the runtime publishes a copy.
fn on_station() -> impl App<State = ()> {
    RustStream::new(info()).with_broker(Station::new("a", &Ground::default()), |b| {
        b.include(late);
    })
}

// TEST-25, TEST-35
#[tokio::test(start_paused = true)]
async fn a_native_redelivery_comes_exactly_at_its_delay() {
    let tb = TestApp::start(on_memory()).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    send(&broker, "late", 1).await;
    broker
        .subscriber("late")
        .assert_called_once()
        .assert_outcome(Outcome::Nack);
    tb.advance(JUST_BEFORE).await.unwrap();
    broker.subscriber("late").assert_called_once();
    tb.advance(MS).await.unwrap();
    broker
        .subscriber("late")
        .assert_called(2)
        .settled(HandlerOutcome::retry_after(DELAY));
}

// TEST-25, TEST-82: the runtime's own delayed copy.
#[tokio::test(start_paused = true)]
async fn a_delayed_copy_comes_exactly_at_its_delay() {
    let tb = TestApp::start(on_station()).await.unwrap();
    let station = tb.broker::<Station>();
    send(&station, "late", 1).await;
    station.published::<Parcel>("late").assert_called_once();
    tb.advance(JUST_BEFORE).await.unwrap();
    station.subscriber("late").assert_called_once();
    tb.advance(MS).await.unwrap();
    station.subscriber("late").assert_called(2);
    station
        .published::<Parcel>("late")
        .assert_called(2)
        .with_header("x-ruststream-retry-count", "1");
}

// TEST-25
#[tokio::test(start_paused = true)]
async fn one_advance_brings_one_round_of_redeliveries() {
    for app in [on_memory as fn() -> _] {
        let tb = TestApp::start(app()).await.unwrap();
        let broker = tb.broker::<MemoryBroker>();
        send(&broker, "late", 1).await;
        tb.advance(DELAY * 2).await.unwrap();
        broker.subscriber("late").assert_called(2);
        tb.advance(DELAY * 5).await.unwrap();
        broker.subscriber("late").assert_called(3);
    }
    let tb = TestApp::start(on_station()).await.unwrap();
    let station = tb.broker::<Station>();
    send(&station, "late", 1).await;
    tb.advance(DELAY * 2).await.unwrap();
    station.subscriber("late").assert_called(2);
}

// TEST-25: it belongs to the reaction.
#[tokio::test(start_paused = true)]
async fn no_delay_needs_no_advance() {
    #[subscriber("soon")]
    async fn soon(_parcel: &Parcel, State(tries): State<Arc<AtomicUsize>>) -> HandlerOutcome {
        match tries.fetch_add(1, Ordering::SeqCst) {
            0 => HandlerOutcome::retry_after(Duration::ZERO),
            _ => HandlerOutcome::ack(),
        }
    }
    let start = Instant::now();
    let app = RustStream::new(info())
        .on_startup(async |()| Ok::<_, std::io::Error>(Of::new(AtomicUsize::new(0))))
        .with_broker_labeled("memory", MemoryBroker::new(), |b| {
            b.include(soon);
        })
        .with_broker_labeled("station", Station::new("a", &Ground::default()), |b| {
            b.include(soon);
        });
    let tb = TestApp::start(app).await.unwrap();
    send(&tb.broker_named("memory"), "soon", 1).await;
    tb.broker_named("memory")
        .subscriber("soon")
        .assert_called(2);
    assert_eq!(start.elapsed(), Duration::ZERO);
}

// TEST-25: the copy of a retry without a delay too.
#[tokio::test(start_paused = true)]
async fn an_immediate_copy_belongs_to_the_reaction() {
    #[subscriber("soon")]
    async fn soon(_parcel: &Parcel, State(tries): State<Arc<AtomicUsize>>) -> HandlerOutcome {
        match tries.fetch_add(1, Ordering::SeqCst) {
            0 => HandlerOutcome::retry(),
            _ => HandlerOutcome::ack(),
        }
    }
    let app = RustStream::new(info())
        .on_startup(async |()| Ok::<_, std::io::Error>(Of::new(AtomicUsize::new(0))))
        .with_broker(Station::new("a", &Ground::default()), |b| {
            b.include(soon).max_attempts(nonzero!(3));
        });
    let tb = TestApp::start(app).await.unwrap();
    let station = tb.broker::<Station>();
    send(&station, "soon", 1).await;
    station.subscriber("soon").assert_called(2);
    station.published::<Parcel>("soon").assert_called(2);
}

// TEST-24
#[tokio::test]
async fn in_process_a_running_clock_cannot_be_advanced() {
    let tb = TestApp::start(on_memory()).await.unwrap();
    async_failure(tb.advance(SECOND)).await;
}

// TEST-24, TEST-38: live, real time passes, for both kinds of redelivery.
#[tokio::test]
async fn live_an_advance_lets_real_time_pass() {
    #[subscriber("late")]
    async fn a_little_late(
        _parcel: &Parcel,
        State(tries): State<Arc<AtomicUsize>>,
    ) -> HandlerOutcome {
        match tries.fetch_add(1, Ordering::SeqCst) {
            0 => HandlerOutcome::retry_after(MS * 20),
            _ => HandlerOutcome::ack(),
        }
    }
    let state = async |()| Ok::<_, std::io::Error>(Of::new(AtomicUsize::new(0)));
    let app = RustStream::new(info())
        .on_startup(state)
        .with_broker(MemoryBroker::new(), |b| {
            b.include(a_little_late);
        });
    let tb = TestApp::start_live(app).await.unwrap();
    send(&tb.broker::<MemoryBroker>(), "late", 1).await;
    tb.broker::<MemoryBroker>()
        .subscriber("late")
        .assert_called_once();
    let start = std::time::Instant::now();
    tb.advance(MS * 20).await.unwrap();
    assert!(start.elapsed() >= MS * 20);
    tb.broker::<MemoryBroker>()
        .subscriber("late")
        .assert_called(2);

    let station = Station::new("a", &Ground::default());
    let app = RustStream::new(info())
        .on_startup(state)
        .with_broker(station, |b| {
            b.include(a_little_late);
        });
    let tb = TestApp::start_live(app).await.unwrap();
    send(&tb.broker::<Station>(), "late", 1).await;
    tb.advance(MS * 20).await.unwrap();
    tb.broker::<Station>().subscriber("late").assert_called(2);
}
