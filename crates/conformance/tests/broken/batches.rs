//! `capabilities::batches` (CONF-33).

use std::sync::Arc;
use std::time::Duration;

use ruststream_conformance::capabilities;
use tokio::time::sleep;

use super::support::*;

async fn run(twist: impl Twist) {
    capabilities::batches(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

const SEVERAL: &str = "batches: one of several: ";
const ELSEWHERE: &str = "batches: settle elsewhere: ";

#[tokio::test(start_paused = true)]
async fn honest_batches_pass() {
    run(Honest).await;
}

/// Batches of another size than was asked for.
struct Sizes(fn(usize) -> usize);

impl Twist for Sizes {
    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        size: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        Honest.next_batch(reader, (self.0)(size))
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_longer_than_the_size() {
    let told = ["a batch of 4 came where 3 were asked for"];
    rejected(run(Sizes(|size| size + 1)), "batches: order: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn one_message_a_batch_passes() {
    run(Sizes(|_| 1)).await;
}

struct EmptyBatches;

impl Twist for EmptyBatches {
    fn next_batch<'a>(
        &'a self,
        _: &'a mut Reader,
        _: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        now(Some(Ok(Vec::new())))
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_batch() {
    let told = ["a batch of 0 came where 3 were asked for"];
    rejected(run(EmptyBatches), "batches: order: ", &told).await;
}

struct Reverses;

impl Twist for Reverses {
    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        size: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        Box::pin(async move {
            let mut batch = reader.next_batch(size).await?;
            batch.reverse();
            Some(Ok(batch))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_out_of_order() {
    let told = ["\"in order, message 3\" came where \"in order, message 1\" was due"];
    rejected(run(Reverses), "batches: order: ", &told).await;
}

/// Settles as the functions say.
struct Settles {
    ack: fn(Delivery) -> Settled<'static>,
    nack: fn(Delivery) -> Settled<'static>,
}

fn consume(delivery: Delivery) -> Settled<'static> {
    delivery.consume();
    now(Ok(()))
}

fn put_back(delivery: Delivery) -> Settled<'static> {
    delivery.put_back();
    now(Ok(()))
}

impl Twist for Settles {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        (self.ack)(delivery)
    }

    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        (self.nack)(delivery)
    }
}

#[tokio::test(start_paused = true)]
async fn a_nack_that_settles() {
    let twist = Settles {
        ack: consume,
        nack: consume,
    };
    rejected(run(twist), SEVERAL, &["nothing came within 10s"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_nack_that_fails() {
    let twist = Settles {
        ack: consume,
        nack: |_| failing(),
    };
    rejected(run(twist), SEVERAL, &["it failed with: "]).await;
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_fails() {
    let twist = Settles {
        ack: |_| failing(),
        nack: put_back,
    };
    rejected(run(twist), "batches: order: ", &["it failed with: "]).await;
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_hangs() {
    let twist = Settles {
        ack: |_| hanging(),
        nack: put_back,
    };
    rejected(run(twist), "batches: order: ", &["no answer within 10s"]).await;
}

/// Requeueing one brings back its whole batch.
#[tokio::test(start_paused = true)]
async fn a_requeue_of_the_whole_batch() {
    let twist = Settles {
        ack: |delivery| {
            if delivery.payload().starts_with(b"round") && delivery.item().count == 1 {
                return put_back(delivery);
            }
            consume(delivery)
        },
        nack: put_back,
    };
    rejected(run(twist), SEVERAL, &["came, which had been settled"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_transport_without_requeue_passes() {
    let nack = |delivery: Delivery| {
        delivery.consume();
        unsupported()
    };
    run(Settles { ack: consume, nack }).await;
}

/// Settlements wait for a task of the caller's runtime.
struct LeavesSettlementsToTheCaller;

impl Twist for LeavesSettlementsToTheCaller {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if !delivery.link.is_elsewhere() {
            return consume(delivery);
        }
        tokio::spawn(async move {
            sleep(Duration::from_hours(1)).await;
            delivery.consume();
        });
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_settlement_left_to_the_callers_runtime() {
    let told = ["\"settled elsewhere, message 2\" came"];
    rejected(run(LeavesSettlementsToTheCaller), ELSEWHERE, &told).await;
}

struct LosesRequeuesOfOthers;

impl Twist for LosesRequeuesOfOthers {
    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        if delivery.link.is_elsewhere() {
            return consume(delivery);
        }
        put_back(delivery)
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeue_lost_with_the_callers_runtime() {
    rejected(
        run(LosesRequeuesOfOthers),
        ELSEWHERE,
        &["nothing came within 10s"],
    )
    .await;
}

struct ConnectHangs;

impl Twist for ConnectHangs {
    fn connect<'a>(&'a self, _: &'a Arc<World>, _: Side) -> Task<'a, Result<Link, ToyError>> {
        hanging()
    }
}

#[tokio::test(start_paused = true)]
async fn a_connect_that_hangs() {
    rejected(
        run(ConnectHangs),
        "batches: connect: no answer within 10s",
        &[],
    )
    .await;
}
