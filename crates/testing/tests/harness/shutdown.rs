//! The stop of a service under test (TEST-27, TEST-28, TEST-31).

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::runtime::RustStreamError;
use ruststream::testing::TestApp;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::support::station::{Ground, Station};
use crate::support::{Journal, Of, Parcel, SECOND, info, parcel, send};

const TIMEOUT: Duration = Duration::from_secs(5);

struct Depot {
    journal: Journal,
    arrived: Semaphore,
}

impl Depot {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            journal: Journal::default(),
            arrived: Semaphore::new(0),
        })
    }
}

/// Notes that what held it is gone.
struct Held(Arc<Depot>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.journal.note("aborted");
    }
}

#[subscriber("stuck")]
async fn stuck(_parcel: &Parcel, State(depot): State<Arc<Depot>>) {
    let held = Held(depot);
    held.0.arrived.add_permits(1);
    pending::<()>().await;
}

#[subscriber("left")]
async fn leaves_work(_parcel: &Parcel, State(depot): State<Arc<Depot>>) -> HandlerOutcome {
    let held = Held(depot);
    HandlerOutcome::ack().and_after(async move {
        held.0.arrived.add_permits(1);
        pending::<()>().await;
    })
}

fn service(depot: &Arc<Depot>, bus: MemoryBroker) -> impl App<State = Of<Depot>> + use<> {
    let state = Of(Arc::clone(depot));
    RustStream::new(info())
        .on_startup(async move |()| Ok::<_, std::io::Error>(state))
        .shutdown_timeout(TIMEOUT)
        .with_broker(bus, |b| {
            for _ in 0..3 {
                b.include(stuck);
            }
            b.include(leaves_work);
        })
}

// TEST-27: one timeout for all loops, and nothing of the service is left.
#[tokio::test(start_paused = true)]
async fn many_stuck_handlers_cost_one_timeout() {
    let (depot, bus) = (Depot::new(), MemoryBroker::new());
    let publisher = bus.publisher();
    let tb = TestApp::start(service(&depot, bus)).await.unwrap();
    publisher
        .message(&parcel(1))
        .to("stuck")
        .publish()
        .await
        .unwrap();
    depot.arrived.acquire_many(3).await.unwrap().forget();

    let start = Instant::now();
    tb.shutdown().await.unwrap();
    assert_eq!(start.elapsed(), TIMEOUT);
    assert_eq!(depot.journal.take(), ["aborted"; 3]);
    assert_eq!(Arc::strong_count(&depot), 1);
}

// TEST-27: continuations have a timeout of their own, and are gone after it.
#[tokio::test(start_paused = true)]
async fn stuck_continuations_cost_a_fresh_timeout_and_are_aborted() {
    let (depot, bus) = (Depot::new(), MemoryBroker::new());
    let publisher = bus.publisher();
    let tb = TestApp::start(service(&depot, bus)).await.unwrap();
    send(&tb.broker::<MemoryBroker>(), "left", 1).await;
    depot.arrived.acquire().await.unwrap().forget();
    publisher
        .message(&parcel(1))
        .to("stuck")
        .publish()
        .await
        .unwrap();
    depot.arrived.acquire().await.unwrap().forget();

    let start = Instant::now();
    tb.shutdown().await.unwrap();
    assert_eq!(start.elapsed(), TIMEOUT * 2);
    assert_eq!(Arc::strong_count(&depot), 1);
}

// TEST-27
#[tokio::test(start_paused = true)]
async fn a_timeout_that_is_not_needed_is_not_waited_out() {
    let depot = Depot::new();
    let tb = TestApp::start(service(&depot, MemoryBroker::new()))
        .await
        .unwrap();
    let start = Instant::now();
    tb.shutdown().await.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
}

// TEST-27, RUN-077: copies that wait out a delay are published before the brokers close.
#[tokio::test(start_paused = true)]
async fn a_shutdown_publishes_the_copies_that_wait() {
    #[subscriber("late")]
    async fn late(_parcel: &Parcel) -> HandlerOutcome {
        HandlerOutcome::retry_after(SECOND)
    }
    let ground = Ground::default();
    let app = RustStream::new(info()).with_broker(Station::new("a", &ground), |b| {
        b.include(late);
    });
    let tb = TestApp::start(app).await.unwrap();
    send(&tb.broker::<Station>(), "late", 1).await;
    ground.journal.take();
    tb.shutdown().await.unwrap();
    assert_eq!(
        ground.journal.take(),
        ["publish late urgency 0", "shutdown a"]
    );
}

// TEST-27: hooks see connected brokers, and one that fails is skipped.
#[tokio::test]
async fn a_failed_hook_does_not_keep_the_others_from_running() {
    let journal = Journal::default();
    let (first, second) = (journal.clone(), journal.clone());
    let app = RustStream::new(info())
        .on_shutdown(async move |_: Arc<()>| {
            first.note("first");
            Err(std::io::Error::other("wedged"))
        })
        .on_shutdown(async move |_: Arc<()>| {
            second.note("second");
            Ok::<_, std::io::Error>(())
        })
        .register_broker(MemoryBroker::new());
    TestApp::start(app).await.unwrap().shutdown().await.unwrap();
    assert_eq!(journal.take(), ["first", "second"]);
}

// TEST-28
#[tokio::test]
async fn a_broker_that_does_not_close_wins_over_the_recorded_failure() {
    #[subscriber("break")]
    async fn breaks(_parcel: &Parcel) {
        panic!("torn");
    }
    let app = |ground: &Ground| {
        RustStream::new(info()).with_broker(Station::new("a", ground), |b| {
            b.include(breaks);
        })
    };
    let ground = Ground::default();
    let tb = TestApp::start(app(&ground)).await.unwrap();
    send(&tb.broker::<Station>(), "break", 1).await;
    let stopped = tb.shutdown().await;
    assert!(
        matches!(stopped, Err(RustStreamError::Dispatch(_))),
        "{stopped:?}"
    );

    let tb = TestApp::start(app(&ground)).await.unwrap();
    send(&tb.broker::<Station>(), "break", 1).await;
    ground.refuse("shutdown a");
    let stopped = tb.shutdown().await;
    assert!(
        matches!(stopped, Err(RustStreamError::Shutdown(_))),
        "{stopped:?}"
    );
}

// TEST-28: the panic of a loop comes first, also where a shutdown timeout is set.
#[tokio::test]
async fn a_loop_that_panicked_wins_over_a_broker_that_does_not_close() {
    #[subscriber("break")]
    async fn breaks(_parcel: &Parcel) {
        panic!("torn");
    }
    #[subscriber("other")]
    async fn other(_parcel: &Parcel) {}

    let ground = Ground::default();
    let app = RustStream::new(info())
        .shutdown_timeout(TIMEOUT)
        .with_broker(Station::new("a", &ground), |b| {
            b.include(breaks);
            b.include(other);
        });
    let tb = TestApp::start(app).await.unwrap();
    ground.refuse("hand over");
    send(&tb.broker::<Station>(), "other", 1).await;
    ground.allow();
    send(&tb.broker::<Station>(), "break", 1).await;
    assert!(matches!(tb.run_result(), Err(RustStreamError::Dispatch(_))));
    ground.refuse("shutdown a");

    let stopped = tb.shutdown().await;
    let Err(RustStreamError::Join(error)) = stopped else {
        panic!("{stopped:?}");
    };
    assert_eq!(error.into_panic().downcast_ref(), Some(&"derailed"));
}

// TEST-31
#[tokio::test]
async fn a_dropped_harness_runs_no_hook_and_closes_no_broker() {
    let ground = Ground::default();
    let journal = ground.journal.clone();
    let app = RustStream::new(info())
        .on_shutdown(async move |_: Arc<()>| {
            journal.note("on_shutdown");
            Ok::<_, std::io::Error>(())
        })
        .register_broker(Station::new("a", &ground));
    drop(TestApp::start(app).await.unwrap());
    tokio::task::yield_now().await;
    assert_eq!(ground.journal.take(), ["connect a", "install a"]);
}
