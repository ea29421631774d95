//! `retry::broker_moves` (CONF-22).

use std::sync::Arc;

use ruststream_conformance::retry;
use ruststream_core::{BrokerMoves, DeclareRetryError, RetryDeclaration, nonzero};

use super::support::*;

async fn run(twist: impl Twist) {
    retry::broker_moves(
        toys(Kind::Shared, twist),
        |name| Slot::<BrokerMoves>::new(name),
        |connected| connected.publisher(),
        nonzero!(3),
    )
    .await;
}

const DELIVER: &str = "broker_moves: deliver: ";
const MOVE: &str = "broker_moves: move: ";

// CORE-306
#[tokio::test(start_paused = true)]
async fn a_broker_that_moves_at_the_cap_passes() {
    run(Honest).await;
}

/// Decides on a requeue of a delivery with this count, for the cap and dead-letter name declared.
struct Requeues(fn(Delivery, u64, u64, &str) -> Settled<'static>);

impl Twist for Requeues {
    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        let queue = Arc::clone(&delivery.queue);
        let Some((cap, dead)) = &queue.moves else {
            delivery.put_back();
            return now(Ok(()));
        };
        let count = delivery.item().count;
        (self.0)(delivery, count, u64::from(*cap), dead)
    }
}

// CORE-306
#[tokio::test(start_paused = true)]
async fn a_cap_ignored() {
    let twist = Requeues(|delivery, _, _, _| {
        delivery.put_back();
        now(Ok(()))
    });
    rejected(
        run(twist),
        MOVE,
        &["it was delivered more often than 3 times"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_move_one_delivery_late() {
    let twist = Requeues(|delivery, count, cap, dead| {
        if count > cap {
            delivery.move_to(dead);
        } else {
            delivery.put_back();
        }
        now(Ok(()))
    });
    rejected(
        run(twist),
        MOVE,
        &["it was delivered more often than 3 times"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_move_one_delivery_early() {
    let twist = Requeues(|delivery, count, cap, dead| {
        if count + 1 >= cap {
            delivery.move_to(dead);
        } else {
            delivery.put_back();
        }
        now(Ok(()))
    });
    rejected(
        run(twist),
        DELIVER,
        &["it was moved after 2 of 3 deliveries"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_message_dropped_at_its_cap() {
    let twist = Requeues(|delivery, count, cap, _| {
        if count >= cap {
            delivery.consume();
        } else {
            delivery.put_back();
        }
        now(Ok(()))
    });
    rejected(run(twist), MOVE, &["nothing came within 30s"]).await;
}

// CORE-306
#[tokio::test(start_paused = true)]
async fn a_message_moved_twice() {
    let twist = Requeues(|delivery, count, cap, dead| {
        if count < cap {
            delivery.put_back();
            return now(Ok(()));
        }
        let mut letter = delivery.letter().clone();
        dead.clone_into(&mut letter.name);
        delivery.link.world().publish(letter);
        delivery.move_to(dead);
        now(Ok(()))
    });
    rejected(run(twist), MOVE, &["it was moved twice"]).await;
}

// CORE-306
#[tokio::test(start_paused = true)]
async fn a_message_redelivered_after_its_move() {
    let twist = Requeues(|delivery, count, cap, dead| {
        if count >= cap {
            let link = delivery.link.clone();
            let queue = Arc::clone(&delivery.queue);
            let item = delivery.item().clone();
            delivery.move_to(dead);
            link.later(std::time::Duration::from_millis(200), move || {
                queue.push(item);
            });
        } else {
            delivery.put_back();
        }
        now(Ok(()))
    });
    rejected(run(twist), MOVE, &["it was delivered again after the move"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_fails() {
    let twist = Requeues(|_, _, _, _| failing());
    rejected(run(twist), DELIVER, &["it failed with: "]).await;
}

#[tokio::test(start_paused = true)]
async fn a_transport_without_requeue_passes() {
    run(Requeues(|delivery, _, _, _| {
        delivery.consume();
        unsupported()
    }))
    .await;
}

/// Which halves of a declaration are accepted.
struct Accepts {
    cap: bool,
    destination: bool,
}

impl Twist for Accepts {
    fn declare(&self, declaration: &RetryDeclaration) -> Result<(), DeclareRetryError> {
        let halves = (
            declaration.max_attempts().is_some(),
            declaration.dead_letter().is_some(),
        );
        match halves {
            (true, false) if self.cap => Ok(()),
            (false, true) if self.destination => Ok(()),
            _ => Honest.declare(declaration),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cap_accepted_alone() {
    let twist = Accepts {
        cap: true,
        destination: false,
    };
    rejected(
        run(twist),
        "broker_moves: a cap alone: the subscription opened",
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_destination_accepted_alone() {
    let twist = Accepts {
        cap: false,
        destination: true,
    };
    rejected(
        run(twist),
        "broker_moves: a destination alone: the subscription opened",
        &[],
    )
    .await;
}

struct RefusesDeclarations;

impl Twist for RefusesDeclarations {
    fn declare(&self, _: &RetryDeclaration) -> Result<(), DeclareRetryError> {
        Err(DeclareRetryError::Broker(Box::new(ToyError::Refused(
            "declarations",
        ))))
    }
}

#[tokio::test(start_paused = true)]
async fn a_whole_declaration_refused_when_it_is_declared() {
    let told = ["it was refused: ", "the toy refuses: declarations"];
    rejected(run(RefusesDeclarations), "broker_moves: declare: ", &told).await;
}

struct RefusesToOpen;

impl Twist for RefusesToOpen {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if slot.moves().is_some() {
            return now(Err(ToyError::Refused("dead letters")));
        }
        Honest.subscribe(link, slot)
    }
}

#[tokio::test(start_paused = true)]
async fn a_whole_declaration_refused_when_it_is_opened() {
    let told = ["it was refused: the toy refuses: dead letters"];
    rejected(run(RefusesToOpen), "broker_moves: declare: ", &told).await;
}

/// Refuses half a declaration only when the subscription opens.
struct RefusesHalvesLate;

impl Twist for RefusesHalvesLate {
    fn declare(&self, _: &RetryDeclaration) -> Result<(), DeclareRetryError> {
        Ok(())
    }

    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if slot.name().starts_with("conformance-half-") {
            return now(Err(ToyError::Refused("half a declaration")));
        }
        Honest.subscribe(link, slot)
    }
}

#[tokio::test(start_paused = true)]
async fn half_a_declaration_refused_when_it_is_opened_passes() {
    run(RefusesHalvesLate).await;
}

struct CountsFromZero;

impl Twist for CountsFromZero {
    fn count(&self, delivery: &Delivery) -> Option<u64> {
        Some(delivery.item().count - 1)
    }
}

#[tokio::test(start_paused = true)]
async fn a_count_from_zero() {
    rejected(
        run(CountsFromZero),
        DELIVER,
        &["delivery 1 is counted Some(0)"],
    )
    .await;
}

struct CountsNothing;

impl Twist for CountsNothing {
    fn count(&self, _: &Delivery) -> Option<u64> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_counts_nothing_passes() {
    run(CountsNothing).await;
}
