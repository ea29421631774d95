//! `lifecycle::shutdown_flushes` and `lifecycle::shared_handle_closes` (CONF-18, CONF-19).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ruststream_conformance::lifecycle;
use ruststream_core::testing::Backlog;

use super::support::*;

async fn flushes(backlog: Backlog, twist: impl Twist) {
    // A world that keeps messages is one of shared queues.
    let kind = match backlog {
        Backlog::Delivered => Kind::Shared,
        _ => Kind::Each,
    };
    lifecycle::shutdown_flushes(
        toys(kind, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        backlog,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_broker_that_flushes_passes_with_either_backlog() {
    flushes(Backlog::Missed, Honest).await;
    flushes(Backlog::Delivered, Honest).await;
}

const FLUSHED: &str = "shutdown_flushes: flushed publish: ";

/// Publishes are buffered for a while, and what is buffered at the shutdown is discarded.
struct BuffersPublishes;

impl Twist for BuffersPublishes {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let link = sender.link.clone();
        link.clone().later(Duration::from_millis(50), move || {
            drop(link.publish(letter));
        });
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_publish_buffered_and_discarded_where_an_observer_watches() {
    let told = ["it did not within 10s"];
    rejected(flushes(Backlog::Missed, BuffersPublishes), FLUSHED, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_publish_buffered_and_discarded_where_messages_are_kept() {
    let told = ["it did not within 10s"];
    rejected(
        flushes(Backlog::Delivered, BuffersPublishes),
        FLUSHED,
        &told,
    )
    .await;
}

/// When an acknowledgement that was lost shows.
#[derive(Clone, Copy)]
enum Returns {
    Ahead,
    Behind,
    AfterALease,
}

/// Acknowledgements are buffered, and what is buffered at the shutdown is discarded.
struct BuffersAcks {
    returns: Returns,
    buffer: Mutex<Vec<Delivery>>,
}

impl BuffersAcks {
    const fn returning(returns: Returns) -> Self {
        Self {
            returns,
            buffer: Mutex::new(Vec::new()),
        }
    }

    fn discarded(&self) -> Vec<Delivery> {
        std::mem::take(&mut *self.buffer.lock().expect("not poisoned"))
    }
}

impl Twist for BuffersAcks {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.link.number() == 1 && !delivery.link.is_closed() {
            self.buffer.lock().expect("not poisoned").push(delivery);
        } else {
            delivery.consume();
        }
        now(Ok(()))
    }

    fn shutdown(&self, link: Link) -> Done<'_> {
        let mut discarded = self.discarded();
        if let Returns::Ahead = self.returns {
            for delivery in discarded.drain(..) {
                let queue = Arc::clone(&delivery.queue);
                queue.push_front(delivery.consume());
            }
        }
        link.close();
        for delivery in discarded {
            match self.returns {
                Returns::AfterALease => delivery.put_back_after(Duration::from_secs(8)),
                Returns::Ahead | Returns::Behind => delivery.put_back(),
            }
        }
        now(Ok(()))
    }
}

const LOST_ACK: &str =
    "shutdown_flushes: flushed ack: \"acknowledged before the shutdown\" came back";

#[tokio::test(start_paused = true)]
async fn an_ack_buffered_and_discarded_that_returns_ahead_of_the_flushed_message() {
    let twist = BuffersAcks::returning(Returns::Ahead);
    rejected(flushes(Backlog::Delivered, twist), LOST_ACK, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn an_ack_buffered_and_discarded_that_returns_behind_the_flushed_message() {
    let twist = BuffersAcks::returning(Returns::Behind);
    rejected(flushes(Backlog::Delivered, twist), LOST_ACK, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn an_ack_buffered_and_discarded_that_returns_after_a_lease() {
    let twist = BuffersAcks::returning(Returns::AfterALease);
    rejected(flushes(Backlog::Delivered, twist), LOST_ACK, &[]).await;
}

struct ClaimsLateAcks;

impl Twist for ClaimsLateAcks {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.link.is_closed() {
            delivery.put_back();
        } else {
            delivery.consume();
        }
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_ack_claimed() {
    let start = "shutdown_flushes: claimed ack: \"held across the shutdown\" came back";
    rejected(flushes(Backlog::Delivered, ClaimsLateAcks), start, &[]).await;
}

struct LateAckHangs;

impl Twist for LateAckHangs {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.link.is_closed() {
            return hanging();
        }
        delivery.consume();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_ack_that_hangs() {
    let start = "shutdown_flushes: late ack: no answer within 2s";
    rejected(flushes(Backlog::Missed, LateAckHangs), start, &[]).await;
}

struct LateAckFails;

impl Twist for LateAckFails {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.link.is_closed() {
            return failing();
        }
        delivery.consume();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_ack_that_fails_passes() {
    flushes(Backlog::Delivered, LateAckFails).await;
}

struct ShutdownHangs;

impl Twist for ShutdownHangs {
    fn shutdown(&self, _: Link) -> Done<'_> {
        hanging()
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_that_hangs() {
    let start = "shutdown_flushes: shutdown: no answer within 10s";
    rejected(flushes(Backlog::Delivered, ShutdownHangs), start, &[]).await;
}

struct RefusesSubscriptions;

impl Twist for RefusesSubscriptions {
    fn subscribe<'a>(
        &'a self,
        _: &'a Link,
        _: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        now(Err(ToyError::Refused("subscriptions")))
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_refused() {
    let start = "shutdown_flushes: subscribe: it failed with: the toy refuses: subscriptions";
    rejected(flushes(Backlog::Missed, RefusesSubscriptions), start, &[]).await;
}

struct AckFails;

impl Twist for AckFails {
    fn ack(&self, _: Delivery) -> Settled<'_> {
        failing()
    }
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_fails() {
    let start = "shutdown_flushes: ack: it failed with: ";
    rejected(flushes(Backlog::Delivered, AckFails), start, &[]).await;
}

struct NewConnectionErrors;

impl Twist for NewConnectionErrors {
    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async {
            if reader.link.number() == 2 {
                return Some(Err(ToyError::Refused("to deliver")));
            }
            reader.next().await.map(Ok)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_connection_whose_stream_errors() {
    let told = ["the subscription reported: the toy refuses: to deliver"];
    rejected(
        flushes(Backlog::Delivered, NewConnectionErrors),
        FLUSHED,
        &told,
    )
    .await;
}

// Clones of the connected form.

async fn closes(twist: impl Twist) {
    lifecycle::shared_handle_closes(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn clones_that_close_pass() {
    closes(Honest).await;
}

struct CloneReconnects;

impl Twist for CloneReconnects {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        sender.link.world().publish(letter);
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_clone_that_reconnects() {
    let start = "shared_handle_closes: publisher of before: it succeeded";
    rejected(closes(CloneReconnects), start, &[]).await;
}

/// A publisher paired after the shutdown opens a connection of its own.
#[derive(Default)]
struct NewPublishersReconnect(Mutex<usize>);

impl Twist for NewPublishersReconnect {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let mut publishes = self.0.lock().expect("not poisoned");
        *publishes += 1;
        if *publishes == 1 {
            return Honest.publish(sender, letter);
        }
        sender.link.world().publish(letter);
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_clone_whose_new_publishers_reconnect() {
    let start = "shared_handle_closes: publisher of after: it succeeded";
    rejected(closes(NewPublishersReconnect::default()), start, &[]).await;
}

struct ClonePublishHangs;

impl Twist for ClonePublishHangs {
    fn publish<'a>(&'a self, _: &'a Sender, _: Letter) -> Done<'a> {
        hanging()
    }
}

#[tokio::test(start_paused = true)]
async fn a_clone_whose_publish_hangs() {
    let start = "shared_handle_closes: publisher of before: no answer within 2s";
    rejected(closes(ClonePublishHangs), start, &[]).await;
}

/// What a subscription through a clone does.
enum CloneSubscribes {
    Hangs,
    Silently,
    Delivering,
}

impl Twist for CloneSubscribes {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if let Self::Hangs = self {
            return hanging();
        }
        let open = Link::connect(link.world(), Side::Server);
        let reader = open.subscribe(slot.name(), None);
        if let Self::Delivering = self {
            let name = slot.name().to_owned();
            link.world().publish(Letter {
                name,
                ..Letter::default()
            });
        }
        now(reader)
    }
}

#[tokio::test(start_paused = true)]
async fn a_clone_whose_subscribe_hangs() {
    let start = "shared_handle_closes: subscribe: no answer within 2s";
    rejected(closes(CloneSubscribes::Hangs), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_clone_whose_subscription_is_silent() {
    let start = "shared_handle_closes: subscribe: it opened, and was neither ended nor failed";
    rejected(closes(CloneSubscribes::Silently), start, &[]).await;
}

#[tokio::test(start_paused = true)]
async fn a_clone_whose_subscription_delivers() {
    let start = "shared_handle_closes: subscribe: it opened, and delivered a message";
    rejected(closes(CloneSubscribes::Delivering), start, &[]).await;
}
