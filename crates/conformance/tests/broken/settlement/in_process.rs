//! Answers that differ between the server and the in-process transport.

use ruststream_conformance::settlement;

use super::super::support::*;
use super::{AT_ONCE, consume, honest, put_back};

/// The server answers as the functions say, the in-process transport as the toy does.
struct OnServer(fn(Delivery, bool) -> Settled<'static>);

impl Twist for OnServer {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        match delivery.link.side() {
            Side::Server => (self.0)(delivery, requeue),
            Side::InProcess => honest(delivery, requeue),
        }
    }
}

async fn matches(twist: impl Twist) {
    settlement::matches_in_process(
        toys(Kind::Shared, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        AT_ONCE,
    )
    .await;
}

// CORE-063, CORE-289
#[tokio::test(start_paused = true)]
async fn a_settlement_that_is_claimed_in_process_and_refused_by_the_server() {
    let twist = OnServer(|delivery, _| {
        delivery.consume();
        unsupported()
    });
    let told = [
        "requeue: Unsupported",
        "live and ",
        "requeue: Settled",
        "in process",
    ];
    rejected(matches(twist), "settlement: matches in process: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_failure_tells_on_which_side_it_came() {
    let live = OnServer(|delivery, _| put_back(delivery));
    rejected(
        matches(live),
        "live settlement nack(false) drops: stay silent: ",
        &[],
    )
    .await;
    rejected(
        matches(InProcessAckFails),
        "in process settlement ack consumes: settle: ",
        &[],
    )
    .await;
}

struct InProcessAckFails;

impl Twist for InProcessAckFails {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        match delivery.link.side() {
            Side::InProcess => failing(),
            Side::Server => consume(delivery),
        }
    }
}
