//! `retry::redelivery_address` (CONF-20, CONF-21).

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ruststream_conformance::retry;
use ruststream_core::{HeaderMap, Name};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use super::support::*;

async fn run(twist: impl Twist) {
    run_on(Kind::Each, twist).await;
}

async fn run_on(kind: Kind, twist: impl Twist) {
    retry::redelivery_address(
        toys(kind, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

const COMPARE: &str = "redelivery_address: compare: ";
const REQUEUE: &str = "redelivery_address: requeue: ";

#[tokio::test(start_paused = true)]
async fn an_honest_broker_passes_by_descriptor_and_by_name() {
    run(Honest).await;
    retry::redelivery_address(
        toys(Kind::Each, Honest),
        |name| Name::new(name.to_owned()),
        |connected| connected.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_group_that_shares_passes() {
    run_on(Kind::Shared, Honest).await;
}

struct AddressOfNobody;

impl Twist for AddressOfNobody {
    fn address(&self, name: &str) -> String {
        format!("{name}.nobody")
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_nobody_reads() {
    rejected(
        run(AddressOfNobody),
        COMPARE,
        &["\"copy\" did not come within 10s"],
    )
    .await;
}

struct Publishes(fn(&Sender, Letter) -> Result<(), ToyError>);

impl Twist for Publishes {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        now((self.0)(sender, letter))
    }
}

fn is_copy(letter: &Letter) -> bool {
    letter.payload == b"copy"
}

#[tokio::test(start_paused = true)]
async fn a_copy_to_every_member_of_a_group() {
    let twist = Publishes(|sender, letter| {
        if !is_copy(&letter) {
            return sender.publish(letter);
        }
        let letter = Arc::new(letter);
        let readers = sender.link.world().readers(&letter.name);
        for reader in readers {
            reader.push(Item::of(&letter));
        }
        Ok(())
    });
    let told = ["the copy reached 2 subscriptions and the control 1"];
    rejected(run_on(Kind::Shared, twist), COMPARE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn the_headers_of_a_copy_dropped() {
    let twist = Publishes(|sender, letter| {
        let headers = HeaderMap::new();
        sender.publish(Letter { headers, ..letter })
    });
    let told = ["the header `x-ruststream-retry-count` was published as \"1\" and came as None"];
    rejected(run(twist), COMPARE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn only_the_retry_count_of_a_copy_dropped() {
    let twist = Publishes(|sender, mut letter| {
        letter.headers.remove("x-ruststream-retry-count");
        sender.publish(letter)
    });
    let told = ["the header `x-ruststream-retry-count` was published as \"1\" and came as None"];
    rejected(run(twist), COMPARE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn only_the_other_header_of_a_copy_dropped() {
    let twist = Publishes(|sender, mut letter| {
        letter.headers.remove("x-conformance-copy");
        sender.publish(letter)
    });
    rejected(
        run(twist),
        COMPARE,
        &["the header `x-conformance-copy`", "came as None"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_message_sent_twice() {
    let twist = Publishes(|sender, letter| {
        sender.publish(letter.clone())?;
        sender.publish(letter)
    });
    let told = ["received the copy [2, 2] times and the control [2, 2] times"];
    rejected(run(twist), COMPARE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_copy_refused() {
    let twist = Publishes(|sender, letter| {
        if is_copy(&letter) {
            return Err(ToyError::Refused("copies"));
        }
        sender.publish(letter)
    });
    let start = "redelivery_address: publish a copy: it failed with: the toy refuses: copies";
    rejected(run(twist), start, &[]).await;
}

struct LeavesPublishesToTheCaller;

impl Twist for LeavesPublishesToTheCaller {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let link = sender.link.clone();
        tokio::spawn(async move {
            sleep(Duration::from_millis(1)).await;
            drop(link.publish(letter));
        });
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_publish_left_to_the_callers_runtime() {
    let told = ["\"copy\" did not come within 10s"];
    rejected(run(LeavesPublishesToTheCaller), COMPARE, &told).await;
}

/// Publishes through a task of whoever publishes first.
#[derive(Default)]
struct BoundToItsFirstCaller(OnceLock<mpsc::UnboundedSender<(Letter, oneshot::Sender<()>)>>);

impl Twist for BoundToItsFirstCaller {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let lane = self.0.get_or_init(|| {
            let (lane, mut letters) = mpsc::unbounded_channel::<(Letter, oneshot::Sender<()>)>();
            let link = sender.link.clone();
            tokio::spawn(async move {
                while let Some((letter, done)) = letters.recv().await {
                    drop(link.publish(letter));
                    let _ = done.send(());
                }
            });
            lane
        });
        Box::pin(async move {
            let (done, sent) = oneshot::channel();
            lane.send((letter, done)).map_err(|_| ToyError::Closed)?;
            sent.await.map_err(|_| ToyError::Closed)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_publisher_bound_to_its_first_callers_runtime() {
    let start = "redelivery_address: publish the control: it failed with: ";
    rejected(run(BoundToItsFirstCaller::default()), start, &[]).await;
}

struct Counts(fn(u64) -> Option<u64>);

impl Twist for Counts {
    fn count(&self, delivery: &Delivery) -> Option<u64> {
        (self.0)(delivery.item().count)
    }
}

#[tokio::test(start_paused = true)]
async fn a_count_from_zero() {
    let start = "redelivery_address: count: delivery number 1 of the copy is counted Some(0)";
    rejected(run(Counts(|count| Some(count - 1))), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_count_that_is_stuck() {
    let start = "redelivery_address: count: delivery number 2 of the copy is counted Some(1)";
    rejected(run(Counts(|_| Some(1))), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_counts_nothing_passes() {
    run(Counts(|_| None)).await;
}

struct ReadsNothing;

impl Twist for ReadsNothing {
    fn next<'a>(&'a self, _: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        hanging()
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_reads_nothing() {
    rejected(
        run(ReadsNothing),
        COMPARE,
        &["\"copy\" did not come within 10s"],
    )
    .await;
}

struct Requeues(fn(Delivery) -> Settled<'static>);

impl Twist for Requeues {
    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        (self.0)(delivery)
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_fails() {
    rejected(run(Requeues(|_| failing())), REQUEUE, &["it failed with: "]).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_loses() {
    let twist = Requeues(|delivery| {
        delivery.consume();
        now(Ok(()))
    });
    rejected(
        run(twist),
        REQUEUE,
        &["the copy did not come back within 10s"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_drops_the_headers() {
    let twist = Requeues(|delivery| {
        let queue = Arc::clone(&delivery.queue);
        let mut item = delivery.consume();
        item.letter = Arc::new(Letter {
            headers: HeaderMap::new(),
            ..Letter::clone(&item.letter)
        });
        item.count += 1;
        queue.push(item);
        now(Ok(()))
    });
    rejected(
        run(twist),
        REQUEUE,
        &["the header `x-ruststream-retry-count`", "None"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_drops_only_the_retry_count() {
    let twist = Requeues(|delivery| {
        let queue = Arc::clone(&delivery.queue);
        let mut item = delivery.consume();
        let mut letter = Letter::clone(&item.letter);
        letter.headers.remove("x-ruststream-retry-count");
        item.letter = Arc::new(letter);
        item.count += 1;
        queue.push(item);
        now(Ok(()))
    });
    rejected(
        run(twist),
        REQUEUE,
        &["the header `x-ruststream-retry-count`", "None"],
    )
    .await;
}

fn control(delivery: &Delivery) -> Item {
    Item::of(&Arc::new(Letter {
        name: delivery.letter().name.clone(),
        payload: b"control".to_vec(),
        ..Letter::default()
    }))
}

struct RepeatsTheControl;

impl Twist for RepeatsTheControl {
    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        let (queue, control) = (Arc::clone(&delivery.queue), control(&delivery));
        (0..20).for_each(|_| queue.push(control.clone()));
        delivery.consume();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeue_that_repeats_only_the_control() {
    let told = ["the copy did not come back within 10s and 8 deliveries"];
    rejected(run(RepeatsTheControl), REQUEUE, &told).await;
}

struct AckFails;

impl Twist for AckFails {
    fn ack(&self, _: Delivery) -> Settled<'_> {
        failing()
    }
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_fails() {
    rejected(run(AckFails), COMPARE, &["it failed with: "]).await;
}

struct Exclusive;

impl Twist for Exclusive {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if link.world().readers(slot.name()).is_empty() {
            return Honest.subscribe(link, slot);
        }
        now(Err(ToyError::Refused("a second reader")))
    }
}

#[tokio::test(start_paused = true)]
async fn an_exclusive_reader_passes() {
    run(Exclusive).await;
}

#[tokio::test(start_paused = true)]
async fn a_transport_without_requeue_passes() {
    run(Requeues(|delivery| {
        delivery.consume();
        unsupported()
    }))
    .await;
}

/// A log that is wound back repeats what was published around the copy.
struct Rewinds;

impl Twist for Rewinds {
    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        delivery.queue.push(control(&delivery));
        delivery.put_back();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_rewinds_passes() {
    run(Rewinds).await;
}
