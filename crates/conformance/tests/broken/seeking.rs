//! `capabilities::seeking` and `capabilities::batch_seeking` (CONF-34, CONF-35).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ruststream_conformance::capabilities;
use tokio::time::sleep;

use super::support::*;

async fn seeking(twist: impl Twist) {
    capabilities::seeking(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

async fn batch_seeking(twist: impl Twist) {
    capabilities::batch_seeking(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn honest_seeks_pass() {
    seeking(Honest).await;
    batch_seeking(Honest).await;
}

/// Seeks as the function says.
struct Seeks(fn(&SeekHandle, usize) -> Result<(), ToyError>);

impl Twist for Seeks {
    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        now((self.0)(handle, to))
    }
}

#[tokio::test(start_paused = true)]
async fn a_seek_ignored() {
    let told = ["nothing came within 2s"];
    rejected(seeking(Seeks(|_, _| Ok(()))), "seeking: seek back: ", &told).await;
    rejected(
        batch_seeking(Seeks(|_, _| Ok(()))),
        "batch_seeking: seek back: ",
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_seek_refused() {
    let refuses = || Seeks(|_, _| Err(ToyError::Refused("seeks")));
    let told = ["it failed with: the toy refuses: seeks"];
    rejected(seeking(refuses()), "seeking: seek back: ", &told).await;
    rejected(
        batch_seeking(refuses()),
        "batch_seeking: seek back: ",
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_seek_that_goes_too_far_back() {
    let twist = || Seeks(|handle, to| handle.seek(to.saturating_sub(1)));
    let told = ["\"sought, message 1\" came where \"sought, message 2\" was due"];
    rejected(seeking(twist()), "seeking: seek back: ", &told).await;
    rejected(batch_seeking(twist()), "batch_seeking: seek back: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_seek_that_keeps_what_is_queued() {
    let twist = Seeks(|handle, to| {
        let queued = handle
            .queue()
            .map(|queue| queue.take_all())
            .unwrap_or_default();
        handle.seek(to)?;
        if let Some(queue) = handle.queue() {
            queued
                .into_iter()
                .rev()
                .for_each(|item| queue.push_front(item));
        }
        Ok(())
    });
    let told = ["\"sought, message 4\" came where \"sought, message 5\" was due"];
    rejected(seeking(twist), "seeking: seek forward: ", &told).await;
}

/// Seeks are wrong until the subscription delivered something.
struct BeforeTheFirstDelivery {
    refuses: bool,
    read: AtomicBool,
    opened: AtomicUsize,
}

impl BeforeTheFirstDelivery {
    fn new(refuses: bool) -> Self {
        Self {
            refuses,
            read: AtomicBool::new(false),
            opened: AtomicUsize::new(0),
        }
    }
}

impl Twist for BeforeTheFirstDelivery {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        self.read.store(false, Ordering::Relaxed);
        self.opened.fetch_add(1, Ordering::Relaxed);
        Honest.subscribe(link, slot)
    }

    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async {
            let next = reader.next().await;
            self.read.store(true, Ordering::Relaxed);
            next.map(Ok)
        })
    }

    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        match (self.read.load(Ordering::Relaxed), self.refuses) {
            (true, _) => Honest.seek(handle, to),
            (false, true) => now(Err(ToyError::Refused("a seek so early"))),
            (false, false) => now(Ok(())),
        }
    }
}

const FIRST: &str = "seeking: seek before the first delivery: ";

#[tokio::test(start_paused = true)]
async fn a_seek_ignored_before_the_first_delivery() {
    let twist = BeforeTheFirstDelivery::new(false);
    rejected(seeking(twist), FIRST, &["nothing came within 10s"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_seek_refused_before_the_first_delivery() {
    let twist = BeforeTheFirstDelivery::new(true);
    rejected(
        seeking(twist),
        FIRST,
        &["it failed with: the toy refuses: a seek so early"],
    )
    .await;
}

const ELSEWHERE: &str = "seeking: seek elsewhere: ";

struct LeavesSeeksToTheCaller;

impl Twist for LeavesSeeksToTheCaller {
    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        if !handle.link.is_elsewhere() {
            return Honest.seek(handle, to);
        }
        let handle = handle.clone();
        tokio::spawn(async move {
            sleep(Duration::from_hours(1)).await;
            drop(handle.seek(to));
        });
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_seek_left_to_the_callers_runtime() {
    rejected(
        seeking(LeavesSeeksToTheCaller),
        ELSEWHERE,
        &["nothing came within 2s"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_seek_refused_on_the_callers_runtime() {
    let twist = Seeks(|handle, to| {
        if handle.link.is_elsewhere() {
            return Err(ToyError::Refused("strangers"));
        }
        handle.seek(to)
    });
    rejected(
        seeking(twist),
        ELSEWHERE,
        &["it failed with: the toy refuses: strangers"],
    )
    .await;
}

const LATE: &str = "seeking: seek after shutdown: ";

#[tokio::test(start_paused = true)]
async fn a_seek_that_succeeds_after_shutdown() {
    let twist = Seeks(|handle, to| {
        if handle.link.is_closed() {
            return Ok(());
        }
        handle.seek(to)
    });
    rejected(seeking(twist), LATE, &["it succeeded"]).await;
}

struct HangsAfterShutdown;

impl Twist for HangsAfterShutdown {
    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        if handle.link.is_closed() {
            return hanging();
        }
        Honest.seek(handle, to)
    }
}

#[tokio::test(start_paused = true)]
async fn a_seek_that_hangs_after_shutdown() {
    rejected(seeking(HangsAfterShutdown), LATE, &["no answer within 5s"]).await;
}

struct NothingNewAfterASeek;

impl Twist for NothingNewAfterASeek {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if letter.payload.ends_with(b"message 6") {
            sender.link.world().log(letter);
            return now(Ok(()));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_a_seek_cuts_off() {
    let start = "seeking: publish after a seek: nothing came within 2s";
    rejected(seeking(NothingNewAfterASeek), start, &[]).await;
}

struct EmptyBatches(AtomicBool);

impl Twist for EmptyBatches {
    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        size: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        if self.0.load(Ordering::Relaxed) {
            return now(Some(Ok(Vec::new())));
        }
        Honest.next_batch(reader, size)
    }

    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        self.0.store(true, Ordering::Relaxed);
        Honest.seek(handle, to)
    }
}

#[tokio::test(start_paused = true)]
async fn empty_batches_after_a_seek() {
    let twist = EmptyBatches(AtomicBool::new(false));
    rejected(
        batch_seeking(twist),
        "batch_seeking: seek back: an empty batch came",
        &[],
    )
    .await;
}
