//! Settlements from a runtime that ends right after.

use std::sync::Arc;
use std::time::Duration;

use super::super::support::*;
use super::{climbing, left_to_the_caller, run};

struct Delays(fn(Delivery, Duration) -> Settled<'static>);

impl Twist for Delays {
    fn nack_after(&self, delivery: Delivery, delay: Duration) -> Settled<'_> {
        (self.0)(delivery, delay)
    }
}

const DELAYED: &str = "lifecycle: ladder, delayed nack: ";

#[tokio::test(start_paused = true)]
async fn a_delayed_nack_that_fails() {
    let twist = Delays(|_, _| failing());
    rejected(run(twist), DELAYED, &["it failed with: "]).await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_nack_that_claims_and_answers_unsupported() {
    let twist = Delays(|_, _| unsupported());
    rejected(
        run(twist),
        DELAYED,
        &["it failed with: the transport does not support"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_nack_that_hangs() {
    let twist = Delays(|_, _| hanging());
    rejected(run(twist), DELAYED, &["no answer within 2s"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_nack_that_drops() {
    let twist = Delays(|delivery, _| {
        delivery.consume();
        now(Ok(()))
    });
    rejected(run(twist), DELAYED, &["nothing came within 11.5s"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_nack_that_rounds_down() {
    let twist = Delays(|delivery, delay| {
        delivery.put_back_after(Duration::from_secs(delay.as_secs()));
        now(Ok(()))
    });
    rejected(run(twist), DELAYED, &["a delay of 1.5s was over after 1"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_nack_that_comes_back_at_once() {
    let twist = Delays(|delivery, _| {
        delivery.put_back();
        now(Ok(()))
    });
    rejected(run(twist), DELAYED, &["a delay of 1.5s was over after"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_delayed_nack_left_to_the_callers_runtime() {
    let twist = Delays(|delivery, _| {
        let queue = Arc::clone(&delivery.queue);
        let item = delivery.consume();
        left_to_the_caller(move || queue.push(item));
        now(Ok(()))
    });
    rejected(run(twist), DELAYED, &["nothing came within 11.5s"]).await;
}

struct Requeues(fn(Delivery) -> Settled<'static>);

impl Twist for Requeues {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if requeue && climbing(&delivery.link) && !delivery.link.is_closed() {
            return (self.0)(delivery);
        }
        Honest.nack(delivery, requeue)
    }
}

const REQUEUE: &str = "lifecycle: ladder, requeue: ";

#[tokio::test(start_paused = true)]
async fn a_settlement_that_hangs() {
    let twist = Requeues(|_| hanging());
    rejected(run(twist), REQUEUE, &["no answer within 2s"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_fails() {
    rejected(run(Requeues(|_| failing())), REQUEUE, &["it failed with: "]).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_ends_the_stream() {
    let twist = Requeues(|delivery| {
        let link = delivery.link.clone();
        delivery.consume();
        link.close();
        now(Ok(()))
    });
    rejected(run(twist), REQUEUE, &["the subscription ended"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_lost_with_the_callers_runtime() {
    let twist = Requeues(|delivery| {
        let queue = Arc::clone(&delivery.queue);
        let item = delivery.consume();
        left_to_the_caller(move || queue.push(item));
        now(Ok(()))
    });
    rejected(run(twist), REQUEUE, &["nothing came within 10s"]).await;
}

struct Acks(fn(Delivery) -> Settled<'static>);

impl Twist for Acks {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if climbing(&delivery.link) {
            return (self.0)(delivery);
        }
        delivery.consume();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_fails() {
    let told = ["it failed with: "];
    rejected(run(Acks(|_| failing())), "lifecycle: ladder, ack: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_hands_the_delivery_back() {
    let twist = Acks(|delivery| {
        delivery.put_back();
        now(Ok(()))
    });
    let told = ["the subscription received \"first\" and "];
    rejected(run(twist), "lifecycle: ladder, second publish: ", &told).await;
}

struct DropLeftToTheCaller;

impl Twist for DropLeftToTheCaller {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if !requeue && climbing(&delivery.link) {
            left_to_the_caller(move || drop(delivery.consume()));
        } else {
            delivery.nack(requeue);
        }
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_drop_lost_with_the_callers_runtime() {
    let told = ["came within 100ms"];
    rejected(
        run(DropLeftToTheCaller),
        "lifecycle: ladder, settle: ",
        &told,
    )
    .await;
}
