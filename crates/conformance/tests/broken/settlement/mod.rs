//! `settlement::suite` and `settlement::matches_in_process` (CONF-24, CONF-25, CONF-26).

mod connections;
mod in_process;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ruststream_conformance::settlement::{self, Answer, Answers};
use tokio::time::sleep;

use super::support::*;

/// How long the toy holds what was not settled: not at all.
const AT_ONCE: Duration = Duration::ZERO;

async fn run(twist: impl Twist) -> Answers {
    run_with(toys(Kind::Shared, twist), AT_ONCE).await
}

async fn run_with(make_broker: impl Fn() -> ToyBroker, redelivery_timeout: Duration) -> Answers {
    settlement::suite(
        make_broker,
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        redelivery_timeout,
    )
    .await
}

async fn judge(twist: impl Twist) {
    run(twist).await;
}

fn answered(answers: Answers) -> (Answer, Answer, Answer, bool) {
    (answers.ack, answers.reject, answers.requeue, answers.delay)
}

use Answer::{Settled as Yes, Unsupported as No};

#[tokio::test(start_paused = true)]
async fn an_honest_broker_passes_and_its_answers_are_told() {
    assert_eq!(answered(run(Honest).await), (Yes, Yes, Yes, true));
    // Each subscription alone, in a world of its own for each connection.
    let fresh = || ToyBroker::honest(Kind::Each);
    let answers = run_with(fresh, Duration::from_secs(5)).await;
    assert_eq!(answered(answers), (Yes, Yes, Yes, true));
}

#[tokio::test(start_paused = true)]
async fn an_honest_broker_matches_in_process() {
    settlement::matches_in_process(
        toys(Kind::Shared, Honest),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        AT_ONCE,
    )
    .await;
}

/// Settles as the functions say.
struct Settles {
    ack: fn(Delivery) -> Settled<'static>,
    nack: fn(Delivery, bool) -> Settled<'static>,
}

fn consume(delivery: Delivery) -> Settled<'static> {
    delivery.consume();
    now(Ok(()))
}

fn put_back(delivery: Delivery) -> Settled<'static> {
    delivery.put_back();
    now(Ok(()))
}

fn honest(delivery: Delivery, requeue: bool) -> Settled<'static> {
    delivery.nack(requeue);
    now(Ok(()))
}

impl Twist for Settles {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        (self.ack)(delivery)
    }

    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        (self.nack)(delivery, requeue)
    }
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_requeues() {
    let twist = Settles {
        ack: put_back,
        nack: honest,
    };
    let start = "settlement ack consumes: stay silent: \"settled\" came within 1s";
    rejected(judge(twist), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_fails() {
    let twist = Settles {
        ack: |_| failing(),
        nack: honest,
    };
    rejected(
        judge(twist),
        "settlement ack consumes: settle: it failed with: ",
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_reject_that_requeues() {
    let twist = Settles {
        ack: consume,
        nack: |delivery, _| put_back(delivery),
    };
    let start = "settlement nack(false) drops: stay silent: \"settled\" came within 1s";
    rejected(judge(twist), start, &[]).await;
}

// CORE-063
#[tokio::test(start_paused = true)]
async fn a_requeue_that_drops() {
    let twist = Settles {
        ack: consume,
        nack: |delivery, _| consume(delivery),
    };
    let start = "settlement nack(true) returns: return: nothing came within 10s";
    rejected(judge(twist), start, &[]).await;
}

// CORE-063
#[tokio::test(start_paused = true)]
async fn a_transport_that_settles_nothing_passes() {
    fn answers(delivery: Delivery) -> Settled<'static> {
        delivery.consume();
        unsupported()
    }
    let twist = Settles {
        ack: answers,
        nack: |delivery, _| answers(delivery),
    };
    assert_eq!(answered(run(twist).await), (No, No, No, true));
}

// CORE-063
#[tokio::test(start_paused = true)]
async fn a_reject_that_is_unsupported_and_comes_back_passes() {
    let twist = Settles {
        ack: consume,
        nack: |delivery, requeue| {
            delivery.put_back();
            if requeue { now(Ok(())) } else { unsupported() }
        },
    };
    assert_eq!(answered(run(twist).await), (Yes, No, Yes, true));
}

/// Acknowledging a message acknowledges all that was delivered before it.
#[derive(Default)]
struct AcksCumulatively(AtomicBool);

impl Twist for AcksCumulatively {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.is("three") {
            self.0.store(true, Ordering::Relaxed);
        }
        consume(delivery)
    }

    fn dropped(&self, delivery: Delivery) {
        if self.0.load(Ordering::Relaxed) {
            delivery.consume();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cumulative_ack() {
    let start = "settlement out of order: return: \"one\" and \"two\" never came back";
    rejected(judge(AcksCumulatively::default()), start, &[]).await;
}

/// Hands out the newest message first.
struct NewestFirst;

impl Twist for NewestFirst {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let letter = Arc::new(letter);
        for reader in sender.link.world().readers(&letter.name) {
            reader.push_front(Item::of(&letter));
        }
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_queue_without_order_passes() {
    assert_eq!(answered(run(NewestFirst).await), (Yes, Yes, Yes, true));
}

/// What a delivery dropped unsettled does.
struct Drops(fn(Delivery));

impl Twist for Drops {
    fn dropped(&self, delivery: Delivery) {
        (self.0)(delivery);
    }
}

#[tokio::test(start_paused = true)]
async fn a_drop_that_consumes() {
    let twist = Drops(|delivery| {
        if delivery.is("dropped") {
            delivery.consume();
        }
    });
    let start = "settlement unsettled drop: return: \"dropped\" never came back";
    rejected(judge(twist), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_drop_handed_back_by_a_task_of_the_callers_runtime() {
    let twist = Drops(|delivery| {
        let link = delivery.link.clone();
        let queue = Arc::clone(&delivery.queue);
        let item = delivery.consume();
        tokio::spawn(async move {
            sleep(Duration::from_millis(1)).await;
            link.world().put_back(&queue, item);
        });
    });
    let start = "settlement unsettled drop: return: \"dropped\" never came back";
    rejected(judge(twist), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_drop_that_duplicates() {
    let twist = Drops(|delivery| {
        delivery.queue.push(delivery.item().clone());
        delivery.put_back();
    });
    let start = "settlement out of order: return: \"one\" came, or came twice";
    rejected(judge(twist), start, &[]).await;
}

/// Where a dropped delivery comes back.
#[derive(Clone, Copy, PartialEq)]
enum Back {
    WhenOpenedAgain,
    OnANewConnection,
}

/// Keeps what was dropped until a subscription opens, again or on a new connection.
struct ComesBack {
    back: Back,
    kept: Mutex<Vec<(usize, Delivery)>>,
}

impl ComesBack {
    const fn when(back: Back) -> Self {
        Self {
            back,
            kept: Mutex::new(Vec::new()),
        }
    }
}

impl Twist for ComesBack {
    fn dropped(&self, delivery: Delivery) {
        let number = delivery.link.number();
        self.kept
            .lock()
            .expect("not poisoned")
            .push((number, delivery));
    }

    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        let reader = Honest.subscribe(link, slot);
        let due = |(number, _): &mut (usize, Delivery)| {
            self.back == Back::WhenOpenedAgain || *number != link.number()
        };
        let back: Vec<_> = self
            .kept
            .lock()
            .expect("not poisoned")
            .extract_if(.., due)
            .collect();
        for (_, delivery) in back {
            delivery.put_back();
        }
        reader
    }
}

#[tokio::test(start_paused = true)]
async fn a_drop_that_returns_when_the_source_opens_again_passes() {
    let answers = run(ComesBack::when(Back::WhenOpenedAgain)).await;
    assert_eq!(answered(answers), (Yes, Yes, Yes, true));
}

#[tokio::test(start_paused = true)]
async fn a_drop_that_returns_on_a_new_connection_passes() {
    let answers = run(ComesBack::when(Back::OnANewConnection)).await;
    assert_eq!(answered(answers), (Yes, Yes, Yes, true));
}
