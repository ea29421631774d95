//! `lifecycle::unsettled_returns`, `lifecycle::late_settlements` and `lifecycle::others_stay_open`:
//! CORE-010, CORE-020, CORE-062, CORE-066.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ruststream_conformance::lifecycle;

use super::support::*;

async fn returns(redelivery_timeout: Duration, twist: impl Twist) {
    lifecycle::unsettled_returns(
        toys(Kind::Shared, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        redelivery_timeout,
    )
    .await;
}

const RETURN: &str = "unsettled_returns: return: ";

// CORE-066
#[tokio::test(start_paused = true)]
async fn a_group_that_gets_back_what_was_not_settled_passes() {
    returns(Duration::ZERO, Honest).await;
}

/// Takes a delivery dropped unsettled for settled.
struct DropSettles {
    /// Only once its connection is shut down.
    after_shutdown: bool,
}

impl Twist for DropSettles {
    fn dropped(&self, delivery: Delivery) {
        if !self.after_shutdown || delivery.link.is_closed() {
            delivery.consume();
        }
    }
}

// CORE-066
#[tokio::test(start_paused = true)]
async fn a_delivery_held_and_lost_at_the_shutdown() {
    let told = [
        "\"held across the shutdown\" did not come back within 10s",
        "what to do: let `shutdown` and the drop of a delivery settle nothing",
    ];
    let twist = DropSettles {
        after_shutdown: true,
    };
    rejected(returns(Duration::ZERO, twist), RETURN, &told).await;
}

// CORE-066
#[tokio::test(start_paused = true)]
async fn a_delivery_dropped_and_lost() {
    let told = [
        "\"dropped before the shutdown\"",
        " did not come back within 10s",
    ];
    let twist = DropSettles {
        after_shutdown: false,
    };
    rejected(returns(Duration::ZERO, twist), RETURN, &told).await;
}

/// Loses at a shutdown what its subscriptions have queued.
#[derive(Default)]
struct LosesUnread(Mutex<Vec<Arc<Queue>>>);

impl Twist for LosesUnread {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        let opened = link.subscribe(slot.name(), None);
        let queue = opened.as_ref().ok().map(|reader| Arc::clone(&reader.queue));
        self.0.lock().expect("not poisoned").extend(queue);
        now(opened)
    }

    fn shutdown(&self, link: Link) -> Done<'_> {
        for queue in self.0.lock().expect("not poisoned").drain(..) {
            drop(queue.take_all());
        }
        link.close();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_queued_lost_at_the_shutdown() {
    let told = [
        "\"unread at the shutdown\"",
        "\"and another one\"",
        " did not come back",
    ];
    let suite = returns(Duration::ZERO, LosesUnread::default());
    rejected(suite, RETURN, &told).await;
}

/// Requeues in memory of its own, which is gone with the connection.
struct LosesRequeues;

impl Twist for LosesRequeues {
    fn nack(&self, delivery: Delivery, _: bool) -> Settled<'_> {
        delivery.consume();
        now(Ok(()))
    }
}

// CORE-062
#[tokio::test(start_paused = true)]
async fn a_requeue_lost_at_the_shutdown() {
    let told = ["\"requeued before the shutdown\" did not come back"];
    rejected(returns(Duration::ZERO, LosesRequeues), RETURN, &told).await;
}

/// Buffers rejections, and what is buffered at the shutdown goes back.
#[derive(Default)]
struct BuffersRejections(Mutex<Vec<Delivery>>);

impl Twist for BuffersRejections {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if requeue || delivery.link.number() > 1 {
            return Honest.nack(delivery, requeue);
        }
        self.0.lock().expect("not poisoned").push(delivery);
        now(Ok(()))
    }

    fn shutdown(&self, link: Link) -> Done<'_> {
        link.close();
        for delivery in self.0.lock().expect("not poisoned").drain(..) {
            delivery.put_back();
        }
        now(Ok(()))
    }
}

// CORE-062
#[tokio::test(start_paused = true)]
async fn a_rejection_lost_at_the_shutdown() {
    let suite = returns(Duration::ZERO, BuffersRejections::default());
    let told = ["\"rejected before the shutdown\" came again"];
    rejected(suite, RETURN, &told).await;
}

/// Hands out again what was not settled, after its lease.
struct Leases(Duration);

impl Twist for Leases {
    fn dropped(&self, delivery: Delivery) {
        delivery.put_back_after(self.0);
    }
}

#[tokio::test(start_paused = true)]
async fn deliveries_that_return_after_their_lease_pass() {
    let lease = Duration::from_secs(30);
    returns(lease, Leases(lease)).await;
    let told = [
        "\"held across the shutdown\"",
        " did not come back within 10s",
    ];
    rejected(returns(Duration::ZERO, Leases(lease)), RETURN, &told).await;
}

// Settlements after the shutdown.

async fn late(kind: Kind, twist: impl Twist) {
    lifecycle::late_settlements(
        toys(kind, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        Duration::ZERO,
    )
    .await;
}

const EFFECT: &str = "late_settlements: effect: ";

// CORE-020
#[tokio::test(start_paused = true)]
async fn late_settlements_that_take_effect_pass() {
    late(Kind::Shared, Honest).await;
    late(Kind::Each, Honest).await;
}

/// Answers so to what is settled after the shutdown.
struct Late {
    ack: fn(Delivery) -> Settled<'static>,
    reject: fn(Delivery) -> Settled<'static>,
    requeue: fn(Delivery) -> Settled<'static>,
    delay: fn(Delivery, Duration) -> Settled<'static>,
}

fn fails(_: Delivery) -> Settled<'static> {
    failing()
}

impl Late {
    const FAILS: Self = Self {
        ack: fails,
        reject: fails,
        requeue: fails,
        delay: |_, _| failing(),
    };
}

impl Twist for Late {
    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if delivery.link.is_closed() {
            return (self.ack)(delivery);
        }
        Honest.ack(delivery)
    }

    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        match (delivery.link.is_closed(), requeue) {
            (true, true) => (self.requeue)(delivery),
            (true, false) => (self.reject)(delivery),
            (false, _) => Honest.nack(delivery, requeue),
        }
    }

    fn nack_after(&self, delivery: Delivery, delay: Duration) -> Settled<'_> {
        if delivery.link.is_closed() {
            return (self.delay)(delivery, delay);
        }
        Honest.nack_after(delivery, delay)
    }
}

#[tokio::test(start_paused = true)]
async fn late_settlements_that_fail_or_are_unsupported_pass() {
    late(Kind::Shared, Late::FAILS).await;
    let unsupported = Late {
        ack: |_| unsupported(),
        reject: |_| unsupported(),
        requeue: |_| unsupported(),
        delay: |_, _| unsupported(),
    };
    late(Kind::Shared, unsupported).await;
}

/// Says that it did, and the message goes back.
fn claimed(delivery: Delivery) -> Settled<'static> {
    delivery.put_back();
    now(Ok(()))
}

#[tokio::test(start_paused = true)]
async fn a_late_reject_claimed() {
    let told = ["what to do: answer `Ok` only for what was done"];
    let twist = Late {
        reject: claimed,
        ..Late::FAILS
    };
    let start = "late_settlements: effect: \"rejected too late\" came again";
    rejected(late(Kind::Shared, twist), start, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_late_ack_claimed() {
    let twist = Late {
        ack: claimed,
        ..Late::FAILS
    };
    let start = "late_settlements: effect: \"acknowledged too late\" came again";
    rejected(late(Kind::Shared, twist), start, &[]).await;
}

/// Says that it did, and the message is lost.
fn lost(delivery: Delivery) -> Settled<'static> {
    delivery.consume();
    now(Ok(()))
}

#[tokio::test(start_paused = true)]
async fn a_late_requeue_or_delay_lost() {
    for kind in [Kind::Each, Kind::Shared] {
        let told = ["\"requeued too late\" came back neither on its subscription nor on"];
        let twist = Late {
            requeue: lost,
            ..Late::FAILS
        };
        rejected(late(kind, twist), EFFECT, &told).await;
        let told = ["\"put off too late\" came back neither on its subscription nor on"];
        let twist = Late {
            delay: |delivery, _| lost(delivery),
            ..Late::FAILS
        };
        rejected(late(kind, twist), EFFECT, &told).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_delay_that_is_over_at_once() {
    let told = ["a delay of 1s was over after "];
    let twist = Late {
        delay: |delivery, _| claimed(delivery),
        ..Late::FAILS
    };
    rejected(late(Kind::Shared, twist), EFFECT, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_late_delay_that_is_kept_passes() {
    let twist = Late {
        delay: |delivery, delay| {
            delivery.put_back_after(delay);
            now(Ok(()))
        },
        ..Late::FAILS
    };
    late(Kind::Shared, twist).await;
}

#[tokio::test(start_paused = true)]
async fn a_late_settlement_that_hangs() {
    for twist in [
        Late {
            ack: |_| hanging(),
            ..Late::FAILS
        },
        Late {
            reject: |_| hanging(),
            ..Late::FAILS
        },
        Late {
            requeue: |_| hanging(),
            ..Late::FAILS
        },
        Late {
            delay: |_, _| hanging(),
            ..Late::FAILS
        },
    ] {
        let start = "late_settlements: settle: no answer within 2s";
        rejected(late(Kind::Shared, twist), start, &[]).await;
    }
}

// Other connections.

async fn others(kind: Kind, twist: impl Twist) {
    lifecycle::others_stay_open(
        toys(kind, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

const GO_ON: &str = "others_stay_open: go on: ";

// CORE-010
#[tokio::test(start_paused = true)]
async fn a_shutdown_that_ends_its_own_connection_passes() {
    others(Kind::Each, Honest).await;
    others(Kind::Shared, Honest).await;
}

/// A shutdown ends all connections that there are.
#[derive(Default)]
struct EndsAll(Mutex<Vec<Link>>);

impl Twist for EndsAll {
    fn connect<'a>(
        &'a self,
        world: &'a Arc<World>,
        side: Side,
    ) -> Task<'a, Result<Link, ToyError>> {
        let link = Link::connect(world, side);
        self.0.lock().expect("not poisoned").push(link.clone());
        now(Ok(link))
    }

    fn shutdown(&self, _: Link) -> Done<'_> {
        for link in self.0.lock().expect("not poisoned").drain(..) {
            link.close();
        }
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_that_ends_every_connection() {
    let told = ["what to do: keep what `shutdown` closes in the connected form"];
    rejected(others(Kind::Each, EndsAll::default()), GO_ON, &told).await;
    rejected(others(Kind::Shared, EndsAll::default()), GO_ON, &told).await;
}

/// A shutdown takes every subscription out of the routing.
#[derive(Default)]
struct EndsSubscriptions(Mutex<Vec<Arc<Queue>>>);

impl Twist for EndsSubscriptions {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        let opened = link.subscribe(slot.name(), None);
        let queue = opened.as_ref().ok().map(|reader| Arc::clone(&reader.queue));
        self.0.lock().expect("not poisoned").extend(queue);
        now(opened)
    }

    fn shutdown(&self, link: Link) -> Done<'_> {
        for queue in self.0.lock().expect("not poisoned").drain(..) {
            link.world().detach(&queue);
        }
        link.close();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_that_ends_the_subscriptions_of_others() {
    let told = ["nothing came within 2s"];
    rejected(
        others(Kind::Each, EndsSubscriptions::default()),
        GO_ON,
        &told,
    )
    .await;
}

/// After a shutdown, whatever connection it ended, one kind of call is refused.
struct RefusesAfterwards {
    over: AtomicBool,
    what: Call,
}

#[derive(Clone, Copy, PartialEq)]
enum Call {
    Connect,
    Subscribe,
    Publish,
    Settle,
}

impl RefusesAfterwards {
    const fn of(what: Call) -> Self {
        Self {
            over: AtomicBool::new(false),
            what,
        }
    }

    fn refuses(&self, call: Call) -> bool {
        self.what == call && self.over.load(Ordering::Relaxed)
    }
}

const OVER: ToyError = ToyError::Refused("anything after a shutdown");

impl Twist for RefusesAfterwards {
    fn connect<'a>(
        &'a self,
        world: &'a Arc<World>,
        side: Side,
    ) -> Task<'a, Result<Link, ToyError>> {
        if self.refuses(Call::Connect) {
            return now(Err(OVER));
        }
        Honest.connect(world, side)
    }

    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if self.refuses(Call::Subscribe) {
            return now(Err(OVER));
        }
        Honest.subscribe(link, slot)
    }

    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if self.refuses(Call::Publish) {
            return now(Err(OVER));
        }
        Honest.publish(sender, letter)
    }

    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if self.refuses(Call::Settle) {
            return failing();
        }
        Honest.nack(delivery, requeue)
    }

    fn shutdown(&self, link: Link) -> Done<'_> {
        self.over.store(true, Ordering::Relaxed);
        Honest.shutdown(link)
    }
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_after_which_others_are_refused() {
    let told = ["it failed with: the toy refuses: "];
    for call in [Call::Subscribe, Call::Publish] {
        let suite = others(Kind::Each, RefusesAfterwards::of(call));
        rejected(suite, GO_ON, &told).await;
    }
    let suite = others(Kind::Each, RefusesAfterwards::of(Call::Settle));
    rejected(suite, GO_ON, &["it failed with: "]).await;
    let suite = others(Kind::Each, RefusesAfterwards::of(Call::Connect));
    rejected(suite, "others_stay_open: connect: ", &told).await;
}
