//! The largest values that settings take; the guide's page on limits names these tests.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use ruststream::memory::prelude::*;
use tokio::sync::Barrier;
use tokio::time::Instant;

use crate::support::{Journal, service_with};

#[subscriber("parcels")]
async fn fails_twice(id: &u32, ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
    let journal = ctx.state().clone();
    journal.note(format!("try {id}"));
    if journal.beginning("try").len() < 3 {
        return HandlerOutcome::retry();
    }
    ctx.after_ack(async move { journal.note("done") });
    HandlerOutcome::ack()
}

// RUN-341
#[tokio::test]
async fn a_cap_may_be_as_large_as_its_type() {
    let (journal, bus) = (Journal::default(), MemoryBroker::new());
    let publisher = bus.publisher();
    let app = service_with(journal.clone()).with_broker(bus, |b| {
        b.include(fails_twice).max_attempts(NonZeroU32::MAX);
    });
    let running = app.start().await.expect("starts");

    publisher
        .message(&Parcel(7))
        .publish()
        .await
        .expect("publishes");

    journal.until_line("done").await;
    running.shutdown().await.expect("stops");
    assert_eq!(journal.take(), ["try 7", "try 7", "try 7", "done"]);
}

#[derive(serde::Serialize, Outgoing)]
#[outgoing(name = "parcels")]
struct Parcel(u32);

#[subscriber("parcels")]
async fn never_again(id: &u32, ctx: &mut Context<'_, (), Journal>) -> HandlerOutcome {
    ctx.state().note(format!("handled {id}"));
    if *id == 7 {
        return HandlerOutcome::retry_after(Duration::MAX);
    }
    HandlerOutcome::ack()
}

// RUN-340, MEM-36
#[tokio::test]
async fn a_retry_after_more_than_time_itself_never_comes_and_holds_up_nothing() {
    let (journal, bus) = (Journal::default(), MemoryBroker::new());
    let publisher = bus.publisher();
    let app = service_with(journal.clone()).with_broker(bus, |b| {
        b.include(never_again);
    });
    let running = app.start().await.expect("starts");

    for id in [7, 8] {
        publisher
            .message(&Parcel(id))
            .publish()
            .await
            .expect("publishes");
    }

    journal.until_line("handled 8").await;
    running.shutdown().await.expect("stops");
    assert_eq!(journal.take(), ["handled 7", "handled 8"]);
}

#[subscriber("parcels")]
async fn slow(id: &u32, ctx: &mut Context<'_, (), Journal>) {
    ctx.state().note(format!("begun {id}"));
    tokio::time::sleep(Duration::from_secs(3)).await;
    ctx.state().note(format!("ended {id}"));
}

// RUN-075
#[tokio::test(start_paused = true)]
async fn a_bound_of_a_stop_may_be_nothing_or_more_than_time_itself() {
    for (bound, took, ended) in [
        (Duration::ZERO, Duration::ZERO, &["begun 7"][..]),
        (
            Duration::MAX,
            Duration::from_secs(3),
            &["begun 7", "ended 7"],
        ),
    ] {
        let (journal, bus) = (Journal::default(), MemoryBroker::new());
        let publisher = bus.publisher();
        let app = service_with(journal.clone())
            .shutdown_timeout(bound)
            .with_broker(bus, |b| {
                b.include(slow);
            });
        let running = app.start().await.expect("starts");
        publisher
            .message(&Parcel(7))
            .publish()
            .await
            .expect("publishes");
        journal.until_line("begun 7").await;

        let begun = Instant::now();
        running.shutdown().await.expect("stops");

        assert_eq!(begun.elapsed(), took);
        assert_eq!(journal.take(), ended);
    }
}

const MANY: usize = 2_000;

#[subscriber("parcels")]
async fn meets(_id: &u32, State(all): State<&'static Barrier>) {
    all.wait().await;
}

#[derive(FromRef)]
struct Meeting {
    all: &'static Barrier,
}

// RUN-224
#[tokio::test]
async fn thousands_of_workers_are_at_work_at_once() {
    let all: &'static Barrier = Box::leak(Box::new(Barrier::new(MANY + 1)));
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = service_with(Meeting { all }).with_broker(bus, |b| {
        b.include(meets.workers(nonzero!(MANY)));
    });
    let running = app.start().await.expect("starts");
    for id in 0..2_000 {
        publisher
            .message(&Parcel(id))
            .publish()
            .await
            .expect("publishes");
    }

    // One worker less, and nobody would ever pass.
    all.wait().await;
    running.shutdown().await.expect("stops");
}

#[subscriber("parcels", start_at(MemoryPosition::start()))]
async fn takes_all(ids: &[u32], ctx: &mut Context<'_, (), Journal>) {
    ctx.state().note(format!("{} at once", ids.len()));
}

// RUN-156, MEM-41
#[tokio::test]
async fn a_batch_may_be_as_large_as_its_type() {
    let journal = Journal::default();
    let bus = MemoryBroker::retaining(Retention::Messages(nonzero!(100_000)));
    let publisher = bus.publisher();
    for id in 0..70_000 {
        publisher
            .message(&Parcel(id))
            .publish()
            .await
            .expect("publishes");
    }
    let app = service_with(journal.clone()).with_broker(bus, |b| {
        b.include(takes_all.batch(NonZeroUsize::MAX));
    });
    let running = app.start().await.expect("starts");

    journal.until_line("70000 at once").await;
    running.shutdown().await.expect("stops");
}

// RUN-221: a number of workers that nobody means is told at the start, and no panic of the loop.
#[tokio::test]
async fn more_workers_than_can_be_had_fail_the_start() {
    for workers in [
        NonZeroUsize::MAX,
        NonZeroUsize::new(65_537).expect("not zero"),
    ] {
        let app = service_with(Journal::default()).with_broker(MemoryBroker::new(), |b| {
            b.include(never_again.workers(workers));
        });
        let refused = app.start().await.expect_err("too many");
        let text = causes(&refused);
        assert!(
            text.contains(&format!(
                "subscription `parcels` asks for {workers} workers, and at most 65536 can be had"
            )),
            "{text}"
        );
    }
}

/// An error with all its causes, in one line.
fn causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
