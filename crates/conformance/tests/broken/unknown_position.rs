//! `capabilities::seeking_unknown_position` (CONF-36).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ruststream_conformance::capabilities;

use super::support::*;

/// Seeks as the function says.
struct Seeks(fn(&SeekHandle, usize) -> Result<(), ToyError>);

impl Twist for Seeks {
    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        now((self.0)(handle, to))
    }
}

async fn unknown(twist: impl Twist) {
    capabilities::seeking_unknown_position(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        |_| 1000,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_position_refused_passes() {
    unknown(Honest).await;
}

const SEEK: &str = "seeking_unknown_position: seek: ";
const STAY: &str = "seeking_unknown_position: stay: ";

#[tokio::test(start_paused = true)]
async fn an_unknown_position_taken_for_the_start() {
    rejected(
        unknown(Seeks(|handle, _| handle.seek(0))),
        SEEK,
        &["it succeeded"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_position_refused_and_moved_to() {
    let twist = Seeks(|handle, to| {
        handle.seek(0)?;
        handle.seek(to)
    });
    rejected(
        unknown(twist),
        STAY,
        &["\"before the seek, message 1\" came"],
    )
    .await;
}

/// What the stream does after the seek, and whether the subscription moves.
#[derive(Clone, Copy, PartialEq)]
enum After {
    OneError,
    OneErrorAndMoved,
    Ended,
    Stalled,
    ErrorsForEver,
    ErrorThenEnd,
    GoesOnThenErrorsForEver,
}

struct AfterTheSeek {
    after: After,
    sought: AtomicBool,
    read: AtomicUsize,
}

impl AfterTheSeek {
    fn comes(after: After) -> Self {
        Self {
            after,
            sought: AtomicBool::new(false),
            read: AtomicUsize::new(0),
        }
    }
}

impl Twist for AfterTheSeek {
    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        if self.after == After::OneErrorAndMoved {
            drop(handle.seek(0));
        }
        self.sought.store(true, Ordering::Relaxed);
        // The reader looks again.
        if let Some(queue) = handle.queue() {
            queue.wake();
        }
        Honest.seek(handle, to)
    }

    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        const FAILED: Option<Result<Delivery, ToyError>> =
            Some(Err(ToyError::Refused("the position")));
        if !self.sought.load(Ordering::Relaxed) {
            return Honest.next(reader);
        }
        let first = self.read.fetch_add(1, Ordering::Relaxed) == 0;
        match self.after {
            After::OneError | After::OneErrorAndMoved | After::ErrorThenEnd if first => now(FAILED),
            After::OneError | After::OneErrorAndMoved => Honest.next(reader),
            After::Ended | After::ErrorThenEnd => now(None),
            After::Stalled => hanging(),
            After::GoesOnThenErrorsForEver if first => Honest.next(reader),
            After::ErrorsForEver | After::GoesOnThenErrorsForEver => now(FAILED),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_position_refused_with_an_error_of_the_stream_and_moved_to() {
    let twist = AfterTheSeek::comes(After::OneErrorAndMoved);
    rejected(
        unknown(twist),
        STAY,
        &["\"before the seek, message 1\" came"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_stalls() {
    let told = ["it neither delivered nor ended within 2s"];
    rejected(unknown(AfterTheSeek::comes(After::Stalled)), STAY, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_errors_for_ever() {
    let told = ["it only reported, for 2s: the toy refuses: the position"];
    rejected(
        unknown(AfterTheSeek::comes(After::ErrorsForEver)),
        STAY,
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_error_before_the_subscription_goes_on_or_ends_passes() {
    unknown(AfterTheSeek::comes(After::OneError)).await;
    unknown(AfterTheSeek::comes(After::ErrorThenEnd)).await;
    unknown(AfterTheSeek::comes(After::Ended)).await;
    // Errors in place of a delivery are silence, also at every poll.
    unknown(AfterTheSeek::comes(After::GoesOnThenErrorsForEver)).await;
}

struct SeekHangs;

impl Twist for SeekHangs {
    fn seek<'a>(&'a self, _: &'a SeekHandle, _: usize) -> Done<'a> {
        hanging()
    }
}

#[tokio::test(start_paused = true)]
async fn an_unknown_position_that_hangs() {
    rejected(unknown(SeekHangs), SEEK, &["no answer within 5s"]).await;
}

/// Delivers the next publish twice.
struct Twice;

impl Twist for Twice {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if letter.payload == b"after the seek" {
            let letter = Arc::new(letter.clone());
            sender.link.world().route(&letter);
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn something_after_the_next_publish() {
    rejected(
        unknown(Twice),
        STAY,
        &["\"after the seek\" came within 100ms"],
    )
    .await;
}
