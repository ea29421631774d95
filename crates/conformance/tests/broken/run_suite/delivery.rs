//! Order, settlement, backlog and headers of what is injected.

use ruststream_conformance::harness;
use ruststream_core::HeaderMap;
use ruststream_core::testing::Backlog;

use super::super::support::*;
use super::run;

struct AckFails;

impl Twist for AckFails {
    fn ack(&self, _: Delivery) -> Settled<'_> {
        failing()
    }
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_fails() {
    rejected(
        run(AckFails),
        "run_suite: order: it failed with: ",
        &["refuses: a settlement"],
    )
    .await;
}

struct AckHandsBack;

impl Twist for AckHandsBack {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        delivery.put_back();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_hands_the_delivery_back() {
    rejected(
        run(AckHandsBack),
        "run_suite: ack consumes: \"acknowledged\" came within 100ms",
        &[],
    )
    .await;
}

struct RequeueFails;

impl Twist for RequeueFails {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if requeue {
            return failing();
        }
        delivery.consume();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_fails() {
    rejected(
        run(RequeueFails),
        "run_suite: requeue: it failed with: ",
        &[],
    )
    .await;
}

struct RequeueLoses;

impl Twist for RequeueLoses {
    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        delivery.consume();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeue_without_a_redelivery() {
    rejected(
        run(RequeueLoses),
        "run_suite: requeue: nothing came within 2s",
        &[],
    )
    .await;
}

struct DropFails;

impl Twist for DropFails {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if !requeue {
            return failing();
        }
        delivery.put_back();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_drop_that_fails() {
    rejected(run(DropFails), "run_suite: drop: it failed with: ", &[]).await;
}

struct DropHandsBack;

impl Twist for DropHandsBack {
    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        delivery.put_back();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_drop_that_hands_the_delivery_back() {
    rejected(
        run(DropHandsBack),
        "run_suite: drop: \"dropped\" came within 100ms",
        &[],
    )
    .await;
}

struct Reorders;

impl Twist for Reorders {
    fn inject(&self, link: &Link, letter: Letter) {
        let letter = link.world().log(letter);
        for reader in link.world().readers(&letter.name) {
            reader.push_front(Item::of(&letter));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn messages_out_of_order() {
    let told = ["\"ordering 9\" came where \"ordering 0\" was due"];
    rejected(run(Reorders), "run_suite: order: ", &told).await;
}

struct Declares(Backlog);

impl Twist for Declares {
    fn backlog(&self, _: &Link) -> Backlog {
        self.0
    }
}

#[tokio::test(start_paused = true)]
async fn a_backlog_declared_and_dropped() {
    let told = [
        "\"on time\" came where \"early\" was due",
        "`Backlog::Delivered`",
    ];
    let suite = run(Declares(Backlog::Delivered));
    rejected(suite, "run_suite: publish before subscribe: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_backlog_denied_and_kept() {
    let told = [
        "\"early\" came where \"on time\" was due",
        "`Backlog::Missed`",
    ];
    let suite = harness::run_suite(toys(Kind::Shared, Declares(Backlog::Missed)));
    rejected(suite, "run_suite: publish before subscribe: ", &told).await;
}

struct LosesHeaders;

impl Twist for LosesHeaders {
    fn inject(&self, link: &Link, letter: Letter) {
        let headers = HeaderMap::new();
        Honest.inject(link, Letter { headers, ..letter });
    }
}

#[tokio::test(start_paused = true)]
async fn headers_lost() {
    rejected(
        run(LosesHeaders),
        "run_suite: headers: the content type came as None",
        &[],
    )
    .await;
}
