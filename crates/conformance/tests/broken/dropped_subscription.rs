//! `lifecycle::dropped_subscription` and `in_process::dropped_subscription`: CORE-066, CORE-284,
//! TEST-33.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ruststream_conformance::{in_process, lifecycle};

use super::support::*;

async fn run(kind: Kind, twist: impl Twist) {
    lifecycle::dropped_subscription(
        toys(kind, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        Duration::ZERO,
    )
    .await;
}

const REMAINING: &str = "dropped_subscription: remaining: ";

#[tokio::test(start_paused = true)]
async fn a_subscription_that_leaves_passes_in_a_group_and_beside_another() {
    run(Kind::Shared, Honest).await;
    run(Kind::Each, Honest).await;
}

/// What becomes of a subscription that is dropped.
#[derive(Clone, Copy)]
enum Leaves {
    /// It stays where it is, and takes its share.
    Never,
    /// Its queue is lost.
    WithItsQueue,
    /// Its queue is lost, and it takes its share on.
    EmptyAndNever,
    /// It leaves a second later.
    Late,
}

struct Leaving {
    how: Leaves,
    settles: bool,
}

impl Twist for Leaving {
    fn leave(&self, reader: Reader) {
        match self.how {
            Leaves::Never => std::mem::forget(reader),
            Leaves::WithItsQueue => drop(reader.queue.take_all()),
            Leaves::EmptyAndNever => {
                drop(reader.queue.take_all());
                std::mem::forget(reader);
            }
            Leaves::Late => {
                let link = reader.link.clone();
                link.later(Duration::from_secs(1), move || drop(reader));
            }
        }
    }

    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        delivery.consume();
        if self.settles {
            now(Ok(()))
        } else {
            unsupported()
        }
    }

    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if self.settles {
            return Honest.nack(delivery, requeue);
        }
        delivery.consume();
        unsupported()
    }
}

const fn settling(how: Leaves) -> Leaving {
    Leaving { how, settles: true }
}

const fn settling_nothing(how: Leaves) -> Leaving {
    Leaving {
        how,
        settles: false,
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_stays_in_the_rotation_of_its_group() {
    let told = [
        "\"after the drop, message ",
        " did not come within 10s",
        "what to do: leave the",
    ];
    let suite = run(Kind::Shared, settling(Leaves::Never));
    rejected(suite, REMAINING, &told).await;
    let suite = run(Kind::Shared, settling(Leaves::EmptyAndNever));
    rejected(suite, REMAINING, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_stays_where_nothing_is_settled() {
    let told = ["of 10 messages published long after the drop \"round 5, message "];
    let suite = run(Kind::Shared, settling_nothing(Leaves::Never));
    rejected(suite, REMAINING, &told).await;
}

// CORE-066
#[tokio::test(start_paused = true)]
async fn a_subscription_that_keeps_its_queue_to_itself() {
    let told = ["\"before the drop, message ", " did not come within 10s"];
    let suite = run(Kind::Shared, settling(Leaves::WithItsQueue));
    rejected(suite, REMAINING, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_leaves_a_little_later_passes() {
    run(Kind::Shared, settling(Leaves::Late)).await;
    run(Kind::Shared, settling_nothing(Leaves::Late)).await;
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_is_lost_where_nothing_is_settled_passes() {
    run(Kind::Shared, settling_nothing(Leaves::WithItsQueue)).await;
}

/// Admits one subscription at a time.
#[derive(Default)]
struct OneReader(AtomicBool);

impl Twist for OneReader {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if self.0.swap(true, Ordering::Relaxed) {
            return now(Err(ToyError::Refused("a second reader")));
        }
        Honest.subscribe(link, slot)
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_of_one_reader_passes() {
    run(Kind::Shared, OneReader::default()).await;
}

// In process.

async fn in_process(kind: Kind, twist: impl Twist) {
    in_process::dropped_subscription(toys(kind, twist)).await;
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_leaves_passes_in_process() {
    in_process(Kind::Each, Honest).await;
    in_process(Kind::Shared, Honest).await;
    in_process(Kind::Each, settling(Leaves::Late)).await;
}

// TEST-33
#[tokio::test(start_paused = true)]
async fn a_subscription_whose_queue_stays_counted() {
    let start = "dropped_subscription in process: queued: ";
    let told = [
        " where no subscription is open",
        "what to do: tie the count",
    ];
    let suite = in_process(Kind::Each, settling(Leaves::Never));
    rejected(suite, start, &told).await;
}

/// Counts nothing that was queued before, and takes what comes after.
struct TakesOn;

impl Twist for TakesOn {
    fn leave(&self, reader: Reader) {
        settling(Leaves::EmptyAndNever).leave(reader);
    }

    fn dropped(&self, delivery: Delivery) {
        delivery.consume();
    }
}

// TEST-33
#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_gone_and_takes_messages() {
    let start = "dropped_subscription in process: afterwards: ";
    let told = [" where no subscription is open"];
    rejected(in_process(Kind::Each, TakesOn), start, &told).await;
}
