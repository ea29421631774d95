//! How the test's own hooks end: by a failure, or dropped where they wait (TEST-63, TEST-64).

use std::future::pending;
use std::sync::Arc;

use futures_util::FutureExt;
use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::testing::{SubscriberAssertions, TestApp};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::hooks::{depot, on};
use crate::support::{Journal, Parcel, SECOND, async_failure, failure, info, parcel, send};

/// Notes that what captured it is gone.
struct Captured(Journal);

impl Drop for Captured {
    fn drop(&mut self) {
        self.0.note("gone");
    }
}

/// A service with a hook on `parcels` that fails.
async fn with_failing_hook(journal: &Journal) -> TestApp<()> {
    let tb = TestApp::start(depot()).await.unwrap();
    for text in ["the first hook fails", "the second is skipped"] {
        let journal = journal.clone();
        tb.broker::<MemoryBroker>().subscriber("parcels").on_call(
            async move |_: SubscriberAssertions<'_>| {
                journal.note(text);
                panic!("{text}");
            },
        );
    }
    tb
}

// TEST-63
#[tokio::test]
async fn a_failure_is_raised_by_the_send_and_skips_the_event_s_other_hooks() {
    let journal = Journal::default();
    let tb = with_failing_hook(&journal).await;
    let broker = tb.broker::<MemoryBroker>();
    let panic = async_failure(send(&broker, "parcels", 1)).await;
    assert_eq!(panic, "the first hook fails");
    assert_eq!(journal.take(), ["the first hook fails"]);
    // Once.
    broker.subscriber("parcels").assert_called_once();
    tb.shutdown().await.unwrap();
}

// TEST-63
#[tokio::test(start_paused = true)]
async fn a_failure_is_raised_by_the_settle_or_the_advance_that_drives() {
    #[subscriber("late")]
    async fn late(parcel: &Parcel) -> HandlerOutcome {
        HandlerOutcome::retry_after(SECOND * parcel.id)
    }
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(info()).with_broker(bus, |b| {
        b.include(late);
    });
    let tb = TestApp::start(app).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    broker
        .subscriber("late")
        .on_call(async |calls: SubscriberAssertions<'_>| {
            panic!("failed at call {}", calls.outcomes().len())
        });
    publisher
        .message(&parcel(1))
        .to("late")
        .publish()
        .await
        .unwrap();
    assert_eq!(async_failure(tb.settle()).await, "failed at call 1");
    assert_eq!(async_failure(tb.advance(SECOND)).await, "failed at call 2");
}

// TEST-63
#[tokio::test]
async fn a_failure_that_no_send_was_driving_is_raised_by_the_shutdown() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let tb = TestApp::start(on(bus)).await.unwrap();
    let broker = tb.broker::<MemoryBroker>();
    broker
        .subscriber("parcels")
        .on_call(async |_: SubscriberAssertions<'_>| panic!("too late"));
    publisher
        .message(&parcel(1))
        .to("parcels")
        .publish()
        .await
        .unwrap();
    while broker.subscriber("parcels").outcomes().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(async_failure(tb.shutdown()).await, "too late");
}

// TEST-63
#[tokio::test]
async fn a_failure_that_nobody_asked_about_is_raised_by_the_drop() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let tb = TestApp::start(on(bus)).await.unwrap();
    let failed = Arc::new(Semaphore::new(0));
    let told = Arc::clone(&failed);
    tb.broker::<MemoryBroker>().subscriber("parcels").on_call(
        async move |_: SubscriberAssertions<'_>| {
            told.add_permits(1);
            panic!("unheard")
        },
    );
    publisher
        .message(&parcel(1))
        .to("parcels")
        .publish()
        .await
        .unwrap();
    failed.acquire().await.unwrap().forget();
    assert_eq!(failure(move || drop(tb)), "unheard");
}

/// Registers a hook on the sends to `parcels` that never ends, and answers what it captured.
fn hang_on_publish(tb: &TestApp<()>, name: &str) -> Journal {
    let journal = Journal::default();
    let captured = Captured(journal.clone());
    tb.broker::<MemoryBroker>()
        .published::<Parcel>(name)
        .on_publish(async move |_| {
            let _held = Captured(captured.0.clone());
            captured.0.note("hook");
            pending::<()>().await;
        });
    journal
}

async fn wait_for_line(journal: &Journal, line: &str) {
    while !journal.lines().iter().any(|noted| noted == line) {
        tokio::task::yield_now().await;
    }
}

// TEST-64
#[tokio::test]
async fn a_hook_is_dropped_where_it_waits_with_the_send_that_awaits_it() {
    let tb = TestApp::start(depot()).await.unwrap();
    let journal = hang_on_publish(&tb, "parcels");
    {
        let broker = tb.broker::<MemoryBroker>();
        let mut sending = std::pin::pin!(send(&broker, "parcels", 1));
        while journal.lines().is_empty() {
            assert!(sending.as_mut().now_or_never().is_none());
            tokio::task::yield_now().await;
        }
    }
    wait_for_line(&journal, "gone").await;
    assert_eq!(journal.take(), ["hook", "gone"]);
}

// TEST-64: aborted by the shutdown timeout, with all that was captured.
#[tokio::test(start_paused = true)]
async fn a_hook_is_dropped_with_the_handler_that_the_shutdown_aborts() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let tb = TestApp::start(on(bus)).await.unwrap();
    let journal = hang_on_publish(&tb, "onward");
    publisher
        .message(&parcel(1))
        .to("inward")
        .publish()
        .await
        .unwrap();
    wait_for_line(&journal, "hook").await;
    let start = Instant::now();
    tb.shutdown().await.unwrap();
    assert_eq!(start.elapsed(), SECOND);
    assert_eq!(journal.take(), ["hook", "gone", "gone"]);
}

// TEST-64
#[tokio::test]
async fn a_hook_is_dropped_with_the_harness() {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let tb = TestApp::start(on(bus)).await.unwrap();
    let journal = hang_on_publish(&tb, "onward");
    publisher
        .message(&parcel(1))
        .to("inward")
        .publish()
        .await
        .unwrap();
    wait_for_line(&journal, "hook").await;
    drop(tb);
    assert_eq!(journal.take(), ["hook", "gone", "gone"]);
}
