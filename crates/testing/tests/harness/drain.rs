//! Work that handlers leave for after their settlement (TEST-26).

use std::sync::Arc;

use futures_util::FutureExt;
use ruststream::memory::MemoryBroker;
use ruststream::prelude::*;
use ruststream::testing::TestApp;
use tokio::sync::Semaphore;

use crate::support::{Journal, Of, Parcel, SECOND, info, send};

struct Yard {
    gate: Semaphore,
    journal: Journal,
}

#[subscriber("parcels")]
async fn leaves_work(_parcel: &Parcel, ctx: &mut Context<'_, (), Of<Yard>>) -> HandlerOutcome {
    let yard = Arc::clone(&ctx.state().0);
    let after = Arc::clone(&ctx.state().0);
    ctx.after_settle(async move {
        after.gate.acquire().await.unwrap().forget();
        after.journal.note("after_settle");
    });
    HandlerOutcome::ack().and_after(async move {
        yard.gate.acquire().await.unwrap().forget();
        yard.journal.note("and_after");
    })
}

#[subscriber("late")]
async fn late(_parcel: &Parcel) -> HandlerOutcome {
    HandlerOutcome::retry_after(SECOND)
}

async fn started() -> (TestApp<Of<Yard>>, Arc<Yard>) {
    let yard = Arc::new(Yard {
        gate: Semaphore::new(0),
        journal: Journal::default(),
    });
    let state = Of(Arc::clone(&yard));
    let app = RustStream::new(info())
        .on_startup(async move |()| Ok::<_, std::io::Error>(state))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(leaves_work);
            b.include(late);
        });
    (TestApp::start(app).await.unwrap(), yard)
}

// TEST-26
#[tokio::test]
async fn a_send_leaves_continuations_behind_and_drain_waits_for_all_of_them() {
    let (tb, yard) = started().await;
    for round in 1..=2 {
        send(&tb.broker::<MemoryBroker>(), "parcels", 1).await;
        assert!(yard.journal.take().is_empty());
        let mut draining = std::pin::pin!(tb.drain());
        assert!(draining.as_mut().now_or_never().is_none(), "round {round}");
        yard.gate.add_permits(2);
        draining.await;
        assert_eq!(yard.journal.take().len(), 2);
    }
    tb.drain().await;
}

// TEST-26: shutdown waits for them too.
#[tokio::test]
async fn a_shutdown_waits_for_continuations() {
    let (tb, yard) = started().await;
    send(&tb.broker::<MemoryBroker>(), "parcels", 1).await;
    let mut stopping = std::pin::pin!(tb.shutdown());
    assert!(stopping.as_mut().now_or_never().is_none());
    yard.gate.add_permits(2);
    stopping.await.unwrap();
    assert_eq!(yard.journal.take().len(), 2);
}

// TEST-26, TEST-35: redeliveries are no continuations.
#[tokio::test(start_paused = true)]
async fn drain_does_not_wait_for_redeliveries() {
    let (tb, _yard) = started().await;
    send(&tb.broker::<MemoryBroker>(), "late", 1).await;
    let start = tokio::time::Instant::now();
    tb.drain().await;
    assert_eq!(start.elapsed(), std::time::Duration::ZERO);
}
