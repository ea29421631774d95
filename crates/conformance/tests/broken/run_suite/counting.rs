//! What the coordinator is told.

use std::sync::Arc;
use std::time::Duration;

use ruststream_core::testing::Coordinator;

use super::super::support::*;
use super::run;

struct CountsNothing;

impl Twist for CountsNothing {
    fn install(&self, _: &Link, _: Coordinator) {}
}

#[tokio::test(start_paused = true)]
async fn nothing_counted() {
    let told = ["the message was not counted before it was read"];
    rejected(
        run(CountsNothing),
        "run_suite: counting an injected message: ",
        &told,
    )
    .await;
}

struct CountsUnread;

impl Twist for CountsUnread {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let world = sender.link.world();
        if world.readers(&letter.name).is_empty()
            && let Some(coordinator) = world.coordinator.get()
        {
            coordinator.enqueued();
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn an_unread_publish_counted() {
    let told = ["in_flight: 1", "where nothing is under way"];
    rejected(
        run(CountsUnread),
        "run_suite: counting an unread publish: ",
        &told,
    )
    .await;
}

struct OwnPublishesUncounted;

impl Twist for OwnPublishesUncounted {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let published = Honest.publish(sender, letter);
        // Taken back again: as if the transport had counted injected messages alone.
        if let Some(coordinator) = sender.link.world().coordinator.get() {
            coordinator.consumed();
            let coordinator = coordinator.clone();
            tokio::spawn(async move { coordinator.enqueued() });
        }
        published
    }
}

#[tokio::test(start_paused = true)]
async fn an_own_publish_counted_after_it_returned() {
    let told = ["the message was not counted before it was read"];
    rejected(
        run(OwnPublishesUncounted),
        "run_suite: counting an own publish: ",
        &told,
    )
    .await;
}

/// Which settlement fails once a coordinator counts.
#[derive(Clone, Copy, PartialEq)]
enum Settlement {
    Ack,
    Drop,
    Requeue,
    Delay,
}

struct FailsCounted(Settlement);

impl FailsCounted {
    fn fails(&self, settlement: Settlement, delivery: &Delivery) -> bool {
        self.0 == settlement && delivery.letter().name.starts_with("conformance.counted")
    }
}

impl Twist for FailsCounted {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if self.fails(Settlement::Ack, &delivery) {
            return failing();
        }
        Honest.ack(delivery)
    }

    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        let settlement = if requeue {
            Settlement::Requeue
        } else {
            Settlement::Drop
        };
        if self.fails(settlement, &delivery) {
            return failing();
        }
        delivery.nack(requeue);
        now(Ok(()))
    }

    fn nack_after(&self, delivery: Delivery, delay: Duration) -> Settled<'_> {
        if self.fails(Settlement::Delay, &delivery) {
            return failing();
        }
        delivery.put_back_after(delay);
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn an_ack_failing_once_counted() {
    let suite = run(FailsCounted(Settlement::Ack));
    rejected(
        suite,
        "run_suite: counting an injected message: it failed with: ",
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_drop_failing_once_counted() {
    let suite = run(FailsCounted(Settlement::Drop));
    rejected(suite, "run_suite: counting a drop: it failed with: ", &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_failing_once_counted() {
    let suite = run(FailsCounted(Settlement::Requeue));
    rejected(
        suite,
        "run_suite: counting a requeue: it failed with: ",
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_nack_failing_once_counted() {
    let suite = run(FailsCounted(Settlement::Delay));
    rejected(
        suite,
        "run_suite: counting a delayed redelivery: it failed with: ",
        &[],
    )
    .await;
}

struct RequeuesLater;

impl Twist for RequeuesLater {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if !requeue {
            delivery.consume();
            return now(Ok(()));
        }
        let queue = Arc::clone(&delivery.queue);
        let item = delivery.consume();
        tokio::spawn(async move { queue.push(item) });
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeue_counted_after_it_returned() {
    let told = ["the message was not counted before it was read"];
    rejected(run(RequeuesLater), "run_suite: counting a requeue: ", &told).await;
}

/// How a delayed redelivery goes wrong.
enum Delayed {
    AtOnce,
    Lost,
    HalfWay,
}

impl Twist for Delayed {
    fn nack_after(&self, delivery: Delivery, delay: Duration) -> Settled<'_> {
        match self {
            Self::AtOnce => delivery.put_back(),
            Self::HalfWay => delivery.put_back_after(delay / 2),
            Self::Lost => drop(delivery.consume()),
        }
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_delayed_redelivery_at_once() {
    let told = ["in_flight: 1"];
    rejected(
        run(Delayed::AtOnce),
        "run_suite: counting a delayed redelivery: ",
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_redelivery_before_its_time() {
    let told = ["in_flight: 1"];
    rejected(
        run(Delayed::HalfWay),
        "run_suite: counting a delayed redelivery: ",
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_redelivery_lost() {
    let told = ["the message was not counted before it was read"];
    rejected(
        run(Delayed::Lost),
        "run_suite: counting a delayed redelivery: ",
        &told,
    )
    .await;
}
