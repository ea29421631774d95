//! Shutdown, and what is left after it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::super::support::*;
use super::{Publishing, Wrong, climbing, run, run_with};

struct ShutsDown(Wrong);

impl Twist for ShutsDown {
    fn shutdown(&self, link: Link) -> Done<'_> {
        if climbing(&link) {
            self.0.answer()
        } else {
            Honest.shutdown(link)
        }
    }
}

// CORE-015
#[tokio::test(start_paused = true)]
async fn a_shutdown_that_hangs() {
    let told = ["no answer within 10s"];
    rejected(
        run(ShutsDown(Wrong::Hangs)),
        "lifecycle: ladder, shutdown: ",
        &told,
    )
    .await;
}

// CORE-015
#[tokio::test(start_paused = true)]
async fn a_shutdown_that_fails() {
    let told = ["it failed with: the toy refuses: everything"];
    rejected(
        run(ShutsDown(Wrong::Fails)),
        "lifecycle: ladder, shutdown: ",
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_publisher_that_reconnects_after_shutdown() {
    let twist = Publishing(|sender, letter| {
        sender.link.world().publish(letter);
        now(Ok(()))
    });
    rejected(
        run(twist),
        "lifecycle: ladder, unused publisher: it succeeded",
        &[],
    )
    .await;
}

/// Publishers that were used before keep working after the shutdown.
#[derive(Default)]
struct UsedOnesStayOpen(Arc<Mutex<Vec<usize>>>);

impl UsedOnesStayOpen {
    fn publish(&self, sender: &Sender, letter: Letter) -> Result<(), ToyError> {
        let this = std::ptr::from_ref(sender).addr();
        let mut used = self.0.lock().expect("not poisoned");
        if !sender.link.is_closed() {
            used.push(this);
        } else if used.contains(&this) {
            sender.link.world().publish(letter);
            return Ok(());
        }
        sender.publish(letter)
    }
}

impl Twist for UsedOnesStayOpen {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if climbing(&sender.link) {
            return now(self.publish(sender, letter));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_used_publisher_that_stays_open_after_shutdown() {
    let suite = run(UsedOnesStayOpen::default());
    rejected(
        suite,
        "lifecycle: ladder, travelled publisher: it succeeded",
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_publisher_that_hangs_after_shutdown() {
    let twist = Publishing(|sender, letter| {
        if sender.link.is_closed() {
            return hanging();
        }
        now(sender.publish(letter))
    });
    let told = ["no answer within 2s"];
    rejected(run(twist), "lifecycle: ladder, unused publisher: ", &told).await;
}

struct AfterShutdown(fn(Delivery) -> Settled<'static>);

impl Twist for AfterShutdown {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if delivery.link.is_closed() {
            return (self.0)(delivery);
        }
        Honest.nack(delivery, requeue)
    }
}

const SETTLE_LATE: &str = "lifecycle: ladder, settle after shutdown: ";

#[tokio::test(start_paused = true)]
async fn a_settlement_claimed_after_shutdown() {
    let twist = AfterShutdown(|delivery| {
        delivery.consume();
        now(Ok(()))
    });
    let told = ["`nack(true)` succeeded and \"held\" came back neither"];
    rejected(run(twist), SETTLE_LATE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_hangs_after_shutdown() {
    let twist = AfterShutdown(|_| hanging());
    rejected(run(twist), SETTLE_LATE, &["no answer within 2s"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_refused_after_shutdown_passes() {
    run(AfterShutdown(|_| failing())).await;
}

/// It takes a while for what is requeued after the shutdown to come back.
struct ComesBackSlowly;

impl Twist for ComesBackSlowly {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        if delivery.link.is_closed() {
            delivery.put_back_after(Duration::from_secs(8));
        } else {
            delivery.nack(requeue);
        }
        now(Ok(()))
    }

    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async { Some(Ok(reader.next_for_ever().await)) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_but_real_requeue_passes_on_the_old_and_on_a_new_connection() {
    run(ComesBackSlowly).await;
    run_with(toys(Kind::Shared, ComesBackSlowly)).await;
}

struct NoRequeue;

impl Twist for NoRequeue {
    fn nack(&self, delivery: Delivery, requeue: bool) -> Settled<'_> {
        delivery.consume();
        if requeue { unsupported() } else { now(Ok(())) }
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_without_requeue_passes() {
    run(NoRequeue).await;
}
