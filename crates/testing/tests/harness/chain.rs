//! One long reaction, again and again, while other threads keep the processors busy (TEST-22,
//! TEST-26, TEST-32 to TEST-36).

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::FutureExt;
use ruststream::memory::{MemoryBroker, MemoryPublisher};
use ruststream::prelude::*;
use ruststream::testing::{Outcome, TestApp, TestError};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::support::{MS, Of, Parcel, assert_contains, failure, info, parcel, send, try_send};

const RUNS: usize = 500;
const HOUR: Duration = Duration::from_hours(1);

struct Depot {
    /// How long the first handler takes, and after what delay the second one is to run again.
    weighing: Duration,
    retry: Duration,
    retried: AtomicBool,
    publisher: MemoryPublisher,
    shelved: Semaphore,
}

#[subscriber("scans", reply("weights"))]
async fn weigh(scan: &Parcel, State(depot): State<Arc<Depot>>) -> Parcel {
    tokio::time::sleep(depot.weighing).await;
    scan.clone()
}

#[subscriber("weights")]
async fn shelve(weight: &Parcel, State(depot): State<Arc<Depot>>) -> HandlerOutcome {
    if !depot.retried.swap(true, Ordering::SeqCst) {
        return HandlerOutcome::retry_after(depot.retry);
    }
    depot.shelved.add_permits(1);
    let weight = weight.clone();
    HandlerOutcome::ack().and_after(async move {
        let noted = depot.publisher.message(&weight).to("notes");
        noted.publish().await.expect("publishes");
    })
}

#[subscriber("notes", workers(2))]
async fn note(_note: &Parcel) {
    tokio::task::yield_now().await;
}

async fn started(weighing: Duration, retry: Duration) -> (TestApp<Of<Depot>>, Arc<Depot>) {
    let bus = MemoryBroker::new();
    let depot = Arc::new(Depot {
        weighing,
        retry,
        retried: AtomicBool::new(false),
        publisher: bus.publisher(),
        shelved: Semaphore::new(0),
    });
    let state = Of(Arc::clone(&depot));
    let app = RustStream::new(info())
        .on_startup(async move |()| Ok::<_, std::io::Error>(state))
        .with_broker(bus, |b| {
            b.include(weigh);
            b.include(shelve);
            b.include(note);
        });
    (TestApp::start(app).await.unwrap(), depot)
}

/// What one send brought about when it returned.
fn assert_retried(tb: &TestApp<Of<Depot>>, delay: Duration) {
    let broker = tb.broker::<MemoryBroker>();
    broker
        .subscriber("scans")
        .assert_called_once()
        .with(&parcel(7));
    let weights = broker.published::<Parcel>("weights");
    weights.assert_called_once().with(&parcel(7));
    let first = broker.subscriber("weights").assert_called_once();
    first.settled(HandlerOutcome::retry_after(delay));
    broker.subscriber("notes").assert_not_called();
}

/// What there is once the copy came back, and what the handler left for later is done.
fn assert_done(tb: &TestApp<Of<Depot>>) {
    let broker = tb.broker::<MemoryBroker>();
    broker.subscriber("scans").assert_called_once();
    let shelved = broker.subscriber("weights").outcomes();
    assert_eq!(shelved, [Outcome::Nack, Outcome::Ack]);
    let noted = broker.subscriber("notes").assert_called_once();
    noted.with(&parcel(7)).settled(HandlerOutcome::ack());
}

/// Threads that compute and give way, twice as many as there are processors, until it is dropped.
struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Load {
    fn begin() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let busy = |_| {
            let over = Arc::clone(&over);
            thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    for turn in 0..5_000 {
                        std::hint::black_box(turn);
                    }
                    thread::yield_now();
                }
            })
        };
        let processors = thread::available_parallelism().map_or(2, usize::from);
        let threads = (0..processors * 2).map(busy).collect();
        Self { over, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

fn workers(count: usize) -> Runtime {
    let runtime = Builder::new_multi_thread()
        .worker_threads(count)
        .enable_all()
        .build();
    runtime.expect("a runtime")
}

// TEST-22, TEST-25, TEST-26: half a minute and an hour pass, and nobody waits for either.
#[test]
fn on_a_paused_clock_a_send_an_advance_and_a_drain_show_every_step() {
    let _load = Load::begin();
    let runtime = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(async {
        for _ in 0..RUNS {
            let (tb, _depot) = started(Duration::from_secs(30), HOUR).await;
            let begun = Instant::now();
            send(&tb.broker::<MemoryBroker>(), "scans", 7).await;
            assert_eq!(begun.elapsed(), Duration::from_secs(30));
            assert_retried(&tb, HOUR);

            tb.advance(HOUR).await.unwrap();
            tb.drain().await;
            tb.settle().await.unwrap();
            assert_done(&tb);
            tb.shutdown().await.unwrap();
        }
    });
}

/// The same on a clock that nobody can move, so with delays that are short: the send shows all up to
/// the first redelivery, whose handler tells of it.
fn on_a_running_clock(runtime: &Runtime) {
    let _load = Load::begin();
    runtime.block_on(async {
        for _ in 0..RUNS {
            let (tb, depot) = started(MS, MS).await;
            let broker = tb.broker::<MemoryBroker>();
            send(&broker, "scans", 7).await;
            broker.subscriber("scans").assert_called_once();
            let shelved = broker.subscriber("weights").outcomes();
            assert_eq!(shelved.first(), Some(&Outcome::Nack));

            depot.shelved.acquire().await.unwrap().forget();
            tb.settle().await.unwrap();
            tb.drain().await;
            tb.settle().await.unwrap();
            assert_done(&tb);
            tb.shutdown().await.unwrap();
        }
    });
}

// TEST-22, TEST-26
#[test]
fn one_worker_thread_under_load_shows_every_step() {
    on_a_running_clock(&workers(1));
}

// TEST-22, TEST-26
#[test]
fn sixteen_worker_threads_under_load_show_every_step() {
    on_a_running_clock(&workers(16));
}

#[subscriber("scans")]
async fn hangs(_scan: &Parcel) {
    pending::<()>().await;
}

#[subscriber("trains", workers(2))]
async fn waits_for_ever(_trains: &Parcel) {
    pending::<()>().await;
}

fn stuck_app() -> impl App<State = ()> {
    RustStream::new(info())
        .shutdown_timeout(Duration::ZERO)
        .with_broker(MemoryBroker::new(), |b| {
            b.include(weigh_nothing);
            b.include(hangs);
            b.include(waits_for_ever);
        })
}

#[subscriber("weighings", reply("scans"))]
async fn weigh_nothing(scan: &Parcel) -> Parcel {
    scan.clone()
}

async fn a_hang_is_named() {
    let tb = TestApp::start(stuck_app()).await.unwrap().patience(MS * 20);
    let broker = tb.broker::<MemoryBroker>();
    let stuck = try_send(&broker, "weighings", 7).await.unwrap_err();
    assert!(
        matches!(&stuck, TestError::Stuck { running, .. } if running == &["scans"]),
        "{stuck:?}"
    );
    assert_contains(
        &stuck.to_string(),
        &[
            "for 20ms nothing",
            "the handler of subscription \"scans\" was running",
        ],
    );

    // It is told again, with what came to it since; and the service can still be stopped.
    let two = tokio::join!(
        try_send(&broker, "trains", 7),
        try_send(&broker, "trains", 8)
    );
    drop(two);
    let stuck = tb.settle().await.unwrap_err();
    assert_contains(
        &stuck.to_string(),
        &["the handlers of subscriptions [\"scans\", \"trains\", \"trains\"] were running"],
    );
    tb.shutdown().await.unwrap();
}

// TEST-36: on a paused clock nothing of the runtime can tell.
#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_on_a_paused_clock_is_named() {
    a_hang_is_named().await;
}

// TEST-36
#[tokio::test(flavor = "multi_thread", worker_threads = 16)]
async fn a_handler_that_hangs_among_sixteen_workers_is_named() {
    a_hang_is_named().await;
}

// TEST-36: what a transport counts and nobody takes is told apart from a handler.
#[tokio::test]
async fn a_delivery_that_no_handler_takes_is_told() {
    let bus = MemoryBroker::new();
    let outside = bus.subscribe("scans");
    let app = RustStream::new(info()).register_broker(bus);
    let tb = TestApp::start(app).await.unwrap().patience(MS * 20);
    let unread = try_send(&tb.broker::<MemoryBroker>(), "scans", 7).await;
    assert_contains(
        &unread.unwrap_err().to_string(),
        &["no handler was running; 1 deliveries are counted as under way"],
    );
    drop(outside);
    tb.settle().await.unwrap();
}

// TEST-09: there is no runtime to start on.
#[test]
fn a_start_outside_of_a_runtime_says_what_to_do() {
    let start = std::pin::pin!(TestApp::start(stuck_app()));
    let told = failure(|| start.now_or_never());
    assert_contains(
        &told,
        &["inside a Tokio runtime", "#[tokio::test] async fn"],
    );
}
