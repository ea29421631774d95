//! `lifecycle::stream_reopens`, `capabilities::batches_are_whole`, `capabilities::seeks_are_whole` and
//! `message_shape::concurrent_publishes`: CORE-031, CORE-088, CORE-114, CORE-140, CORE-172.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ruststream_conformance::{capabilities, lifecycle, message_shape};
use ruststream_core::HeaderMap;
use tokio::task::yield_now;

use super::support::*;

fn slot(name: &str) -> Slot {
    <Slot>::new(name)
}

fn publisher(connected: &ConnectedToy) -> ToyPublisher {
    connected.publisher()
}

/// Taken from the queue; lost where it is dropped before it is handed on.
struct Taken(Option<Vec<Delivery>>);

impl Taken {
    fn handed_on(mut self) -> Vec<Delivery> {
        self.0.take().expect("handed on once")
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        for delivery in self.0.take().into_iter().flatten() {
            delivery.consume();
        }
    }
}

/// Takes a message and hands it on one poll later.
struct TakesFirst;

impl Twist for TakesFirst {
    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async {
            let taken = Taken(Some(vec![reader.next().await?]));
            yield_now().await;
            taken.handed_on().pop().map(Ok)
        })
    }
}

async fn reopens(kind: Kind, twist: impl Twist) {
    lifecycle::stream_reopens(toys(kind, twist), slot, publisher).await;
}

// CORE-031
#[tokio::test(start_paused = true)]
async fn a_stream_that_loses_nothing_passes() {
    reopens(Kind::Each, Honest).await;
    reopens(Kind::Shared, Honest).await;
}

// CORE-031
#[tokio::test(start_paused = true)]
async fn a_stream_dropped_between_polls_with_its_message() {
    let start = "stream_reopens: dropped between polls: \"polled for, message 1\" did not come: ";
    let told = [
        "nothing came within 10s",
        "what to do: keep what is buffered",
    ];
    rejected(reopens(Kind::Each, TakesFirst), start, &told).await;
}

/// Takes all there is with the first message; the rest is the stream's, and goes with it.
struct TakesAll;

impl Twist for TakesAll {
    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async {
            let mut taken = reader.next_batch(2).await?;
            // The reader of each message drops the stream after it.
            taken
                .drain(1..)
                .for_each(|delivery| drop(delivery.consume()));
            taken.pop().map(Ok)
        })
    }
}

// CORE-031
#[tokio::test(start_paused = true)]
async fn a_stream_dropped_with_what_it_prefetched() {
    let start = "stream_reopens: a stream for each: of 6 messages 3 did not come, the next being ";
    let told = ["\"in a burst, message 2\": nothing came within 10s"];
    rejected(reopens(Kind::Each, TakesAll), start, &told).await;
}

/// Hands each message out twice.
struct Repeats;

impl Twist for Repeats {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        now(sender
            .publish(letter.clone())
            .and_then(|()| sender.publish(letter)))
    }
}

#[tokio::test(start_paused = true)]
async fn messages_that_repeat_pass() {
    reopens(Kind::Each, Repeats).await;
    batches(Repeats).await;
    concurrent(Repeats).await;
}

// Batches.

async fn batches(twist: impl Twist) {
    capabilities::batches_are_whole(toys(Kind::Each, twist), slot, publisher).await;
}

#[tokio::test(start_paused = true)]
async fn batches_that_are_whole_pass() {
    batches(Honest).await;
}

/// Changes what it hands out in batches.
struct Batches(fn(&mut Letter));

impl Twist for Batches {
    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        size: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        Box::pin(async move {
            let mut batch = reader.next_batch(size).await?;
            for delivery in &mut batch {
                delivery.change(self.0);
            }
            Some(Ok(batch))
        })
    }
}

const CANCELLED: &str = "batches_are_whole: cancelled polls: ";

// CORE-088
#[tokio::test(start_paused = true)]
async fn batches_without_headers_or_as_text() {
    let told = [
        "the header `x-conformance-name` of \"cancelled 1\\x00",
        "and came as nothing",
    ];
    let twist = Batches(|letter| letter.headers = HeaderMap::new());
    rejected(batches(twist), CANCELLED, &told).await;
    let told = [
        "\"cancelled 1\\x00\\xef\\xbf\\xbd",
        " came, which was never published",
    ];
    let twist = Batches(|letter| {
        letter.payload = String::from_utf8_lossy(&letter.payload).into_owned().into();
    });
    rejected(batches(twist), CANCELLED, &told).await;
}

/// Holds a batch back until it has two messages at least.
struct FillsFirst;

impl Twist for FillsFirst {
    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        size: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        Box::pin(async move {
            let mut filling = reader.next_batch(1).await?;
            filling.extend(reader.next_batch(size - 1).await?);
            Some(Ok(filling))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_held_back_for_ever() {
    let start = "batches_are_whole: cancelled polls: of 10 messages 1 did not come";
    rejected(batches(FillsFirst), start, &["nothing came within 10s"]).await;
}

/// Loses the last message of a batch, from the sixth batch on.
#[derive(Default)]
struct LosesLast(AtomicUsize);

impl Twist for LosesLast {
    fn next_batch<'a>(
        &'a self,
        reader: &'a mut Reader,
        size: usize,
    ) -> Task<'a, Option<Result<Vec<Delivery>, ToyError>>> {
        Box::pin(async move {
            let mut batch = reader.next_batch(size).await?;
            if batch.len() > 1 && self.0.fetch_add(1, Ordering::Relaxed) > 4 {
                batch.pop().map(Delivery::consume);
            }
            Some(Ok(batch))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn batches_of_a_new_stream_that_lose_a_message() {
    let start = "batches_are_whole: a stream for each: of 10 messages ";
    let told = [
        " did not come, the next being \"reopened ",
        "nothing came within 10s",
    ];
    rejected(batches(LosesLast::default()), start, &told).await;
}

// Seeks.

async fn seeks(twist: impl Twist) {
    capabilities::seeks_are_whole(toys(Kind::Each, twist), slot, publisher).await;
}

#[tokio::test(start_paused = true)]
async fn seeks_that_are_whole_pass() {
    seeks(Honest).await;
}

/// Replays the log, changed.
struct Replays(fn(&mut Letter));

impl Twist for Replays {
    fn seek<'a>(&'a self, handle: &'a SeekHandle, to: usize) -> Done<'a> {
        let queue = handle.queue().expect("open");
        drop(queue.take_all());
        for mut letter in handle.link.world().logged(&queue.name).into_iter().skip(to) {
            (self.0)(Arc::make_mut(&mut letter));
            queue.push(Item::of(&letter));
        }
        now(Ok(()))
    }
}

const REPLAY: &str = "seeks_are_whole: replay: ";

// CORE-172
#[tokio::test(start_paused = true)]
async fn a_replay_without_headers_or_as_text() {
    let told = [
        "the header `x-conformance-name` of \"sought 1\\x00",
        "and came as nothing",
    ];
    let twist = Replays(|letter| letter.headers = HeaderMap::new());
    rejected(seeks(twist), REPLAY, &told).await;
    let told = ["they differ from byte 9 on"];
    let twist = Replays(|letter| {
        letter.payload = String::from_utf8_lossy(&letter.payload).into_owned().into();
    });
    rejected(seeks(twist), REPLAY, &told).await;
}

// CORE-172
#[tokio::test(start_paused = true)]
async fn a_replay_with_positions_of_its_own() {
    let told = ["\"sought 1\\x00", " came where \"sought 2\\x00"];
    let twist = Replays(|letter| letter.position = 0);
    rejected(seeks(twist), "seeks_are_whole: position: ", &told).await;
}

// Publishes at once.

async fn concurrent(twist: impl Twist) {
    message_shape::concurrent_publishes(toys(Kind::Each, twist), slot, publisher).await;
}

#[tokio::test(start_paused = true)]
async fn publishes_that_are_independent_pass() {
    concurrent(Honest).await;
}

/// Builds each message in one buffer, and sends what is in it a little later.
#[derive(Default)]
struct OneBuffer(Mutex<Vec<u8>>);

impl Twist for OneBuffer {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        Box::pin(async move {
            self.0
                .lock()
                .expect("not poisoned")
                .clone_from(&letter.payload);
            yield_now().await;
            let payload = self.0.lock().expect("not poisoned").clone();
            sender.publish(Letter { payload, ..letter })
        })
    }
}

const AT_ONCE: &str = "concurrent_publishes: at once: ";

// CORE-114
#[tokio::test(start_paused = true)]
async fn publishes_that_share_a_buffer() {
    let told = [
        "of 128 messages ",
        " did not come, and no more within 10s",
        "what to do: let no",
    ];
    rejected(concurrent(OneBuffer::default()), AT_ONCE, &told).await;
}

/// Writes the frames of publishes that are under way at once into each other.
#[derive(Default)]
struct Interleaves(Mutex<Vec<u8>>);

impl Twist for Interleaves {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        Box::pin(async move {
            self.0.lock().expect("not poisoned").extend(&letter.payload);
            yield_now().await;
            let payload = std::mem::take(&mut *self.0.lock().expect("not poisoned"));
            sender.publish(Letter { payload, ..letter })
        })
    }
}

#[tokio::test(start_paused = true)]
async fn publishes_that_interleave() {
    let told = [" came, which was never published"];
    rejected(concurrent(Interleaves::default()), AT_ONCE, &told).await;
}

/// Has one publish under way at once, and says `Ok` to the others.
#[derive(Default)]
struct OneAtOnce(AtomicUsize);

impl Twist for OneAtOnce {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        Box::pin(async move {
            if self.0.fetch_add(1, Ordering::Relaxed) > 0 {
                self.0.fetch_sub(1, Ordering::Relaxed);
                return Ok(());
            }
            yield_now().await;
            self.0.fetch_sub(1, Ordering::Relaxed);
            sender.publish(letter)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn publishes_of_which_one_is_made() {
    let told = ["of 128 messages ", " did not come, and no more within 10s"];
    rejected(concurrent(OneAtOnce::default()), AT_ONCE, &told).await;
}
