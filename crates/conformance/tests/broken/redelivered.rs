//! `settlement::requeue_is_whole`, `settlement::delay_is_whole` and `retry::move_is_whole`: CORE-062,
//! CORE-068, CORE-069, CORE-070, CORE-306.

use std::sync::Arc;
use std::time::Duration;

use ruststream_conformance::retry;
use ruststream_conformance::settlement::{self, Delay};
use ruststream_core::{
    AddressedCopies, BrokerMoves, CopyPath, HeaderMap, NamedCopies, RETRY_COUNT_HEADER, nonzero,
};

use super::support::*;

fn keyed(key: &[u8], headers: &mut HeaderMap) -> Option<ToyOptions> {
    headers.insert("partition-key", key.to_vec());
    None
}

async fn requeues<Copies: CopyPath + 'static>(twist: impl Twist) {
    settlement::requeue_is_whole(
        toys(Kind::Shared, twist),
        |name| Slot::<Copies>::new(name),
        |connected| connected.publisher(),
        Duration::ZERO,
        keyed,
    )
    .await;
}

const REQUEUE: &str = "requeue_is_whole: requeue: ";

#[tokio::test(start_paused = true)]
async fn a_requeue_that_is_whole_passes_on_every_copy_path() {
    requeues::<AddressedCopies>(Honest).await;
    requeues::<NamedCopies>(Honest).await;
    requeues::<BrokerMoves>(Honest).await;
}

/// Changes a message when it goes back.
struct GoesBack(fn(&mut Letter));

impl Twist for GoesBack {
    fn nack(&self, mut delivery: Delivery, requeue: bool) -> Settled<'_> {
        delivery.change(self.0);
        Honest.nack(delivery, requeue)
    }

    fn nack_after(&self, mut delivery: Delivery, delay: Duration) -> Settled<'_> {
        delivery.change(self.0);
        Honest.nack_after(delivery, delay)
    }
}

fn without_headers() -> GoesBack {
    GoesBack(|letter| {
        let key = letter.headers.remove("partition-key");
        let key = key.map(|key| ("partition-key", key));
        letter.headers = HeaderMap::from_iter(key);
    })
}

const LOST_HEADER: &str = "the header `x-conformance-name` of \"";

#[tokio::test(start_paused = true)]
async fn a_requeue_without_headers_on_every_copy_path() {
    let told = [
        LOST_HEADER,
        "and came as nothing",
        "what to do: put the delivery itself back",
    ];
    rejected(
        requeues::<AddressedCopies>(without_headers()),
        REQUEUE,
        &told,
    )
    .await;
    rejected(requeues::<NamedCopies>(without_headers()), REQUEUE, &told).await;
    rejected(requeues::<BrokerMoves>(without_headers()), REQUEUE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_whose_headers_become_text() {
    let twist = GoesBack(|letter| {
        let lossy = letter
            .headers
            .iter()
            .map(|(name, value)| (name.to_owned(), String::from_utf8_lossy(value).into_owned()));
        letter.headers = lossy.collect();
    });
    let told = ["the header `x-conformance-bytes` of "];
    rejected(requeues::<NamedCopies>(twist), REQUEUE, &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_requeue_whose_payload_is_cut() {
    let twist = GoesBack(|letter| letter.payload.truncate(4));
    let told = [
        "\"requ\" came where \"requeued\\x00",
        ": cut at byte 4 of 15",
    ];
    rejected(requeues::<NamedCopies>(twist), REQUEUE, &told).await;
}

/// Reports no key for what comes again.
struct ForgetsKeys;

impl Twist for ForgetsKeys {
    fn key(&self, delivery: &Delivery) -> Option<Vec<u8>> {
        Honest.key(delivery).filter(|_| delivery.item().count == 1)
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeue_without_its_key() {
    let told = ["no key came where the key was \"north\""];
    rejected(requeues::<NamedCopies>(ForgetsKeys), REQUEUE, &told).await;
    rejected(requeues::<BrokerMoves>(ForgetsKeys), REQUEUE, &told).await;
}

/// Counts no further than this.
struct CountsTo(u64);

impl Twist for CountsTo {
    fn count(&self, delivery: &Delivery) -> Option<u64> {
        Some(delivery.item().count.min(self.0))
    }
}

#[tokio::test(start_paused = true)]
async fn a_requeue_whose_count_is_stuck() {
    let told = ["it is counted Some(1) where Some(2) was due"];
    rejected(requeues::<NamedCopies>(CountsTo(1)), REQUEUE, &told).await;
    let told = ["it is counted Some(2) where Some(3) was due"];
    rejected(requeues::<NamedCopies>(CountsTo(2)), REQUEUE, &told).await;
}

/// Counts from here.
struct CountsFrom(u64);

impl Twist for CountsFrom {
    fn count(&self, delivery: &Delivery) -> Option<u64> {
        Some(delivery.item().count - 1 + self.0)
    }
}

// CORE-069
#[tokio::test(start_paused = true)]
async fn a_first_delivery_that_is_not_the_first() {
    let start = "requeue_is_whole: deliver: it is counted Some(0)";
    rejected(requeues::<NamedCopies>(CountsFrom(0)), start, &[]).await;
    let start = "requeue_is_whole: deliver: it is counted Some(2)";
    rejected(requeues::<NamedCopies>(CountsFrom(2)), start, &[]).await;
}

/// Has neither keys nor counts.
struct Plain;

impl Twist for Plain {
    fn key(&self, _: &Delivery) -> Option<Vec<u8>> {
        None
    }

    fn count(&self, _: &Delivery) -> Option<u64> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_without_keys_and_counts_passes() {
    requeues::<NamedCopies>(Plain).await;
    delays(HOUR, Delay::Redelivered, Plain).await;
}

/// Refuses headers that are no text, or all of them.
struct RefusesHeaders {
    all: bool,
}

impl Twist for RefusesHeaders {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let own = |name: &str| name.starts_with("x-conformance");
        let refused = letter
            .headers
            .iter()
            .any(|(name, value)| own(name) && (self.all || std::str::from_utf8(value).is_err()));
        if refused {
            return now(Err(ToyError::Refused("such headers")));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_refuses_headers_passes() {
    for all in [false, true] {
        requeues::<NamedCopies>(RefusesHeaders { all }).await;
        delays(HOUR, Delay::Redelivered, RefusesHeaders { all }).await;
        moves(RefusesHeaders { all }).await;
    }
}

/// Adds a header to what it puts back.
#[tokio::test(start_paused = true)]
async fn a_requeue_with_a_header_of_the_transport_passes() {
    let twist = || GoesBack(|letter| drop(letter.headers.insert("x-toy-requeued", "yes")));
    requeues::<NamedCopies>(twist()).await;
    delays(HOUR, Delay::Redelivered, twist()).await;
}

// Delays.

const HOUR: Duration = Duration::from_hours(1);
const DELAYED: &str = "delay_is_whole: delay: ";

async fn delays(delay: Duration, by: Delay, twist: impl Twist) {
    settlement::delay_is_whole(
        toys(Kind::Shared, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
        delay,
        by,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_is_whole_passes() {
    delays(HOUR, Delay::Redelivered, Honest).await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_without_headers() {
    let told = [LOST_HEADER, "and came as nothing"];
    let suite = delays(HOUR, Delay::Redelivered, without_headers());
    rejected(suite, DELAYED, &told).await;
}

/// Waits no longer than its longest delay.
struct LongestDelay(Duration);

impl Twist for LongestDelay {
    fn nack_after(&self, delivery: Delivery, delay: Duration) -> Settled<'_> {
        Honest.nack_after(delivery, delay.min(self.0))
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_delay_cut_short() {
    let longest = Duration::from_mins(15);
    let told = ["a delay of 3600s was over after 900"];
    let suite = delays(HOUR, Delay::Redelivered, LongestDelay(longest));
    rejected(suite, DELAYED, &told).await;
    delays(longest, Delay::Redelivered, LongestDelay(longest)).await;
}

/// Publishes a copy of its own in place of a delayed message.
struct Copies {
    counts: bool,
    /// What it adds to the retry count, if it says one at all.
    adds: Option<u64>,
}

impl Twist for Copies {
    fn count(&self, delivery: &Delivery) -> Option<u64> {
        self.counts.then_some(delivery.item().count)
    }

    fn nack_after(&self, delivery: Delivery, delay: Duration) -> Settled<'_> {
        let link = delivery.link.clone();
        let mut letter = Letter::clone(&delivery.consume().letter);
        if let Some(adds) = self.adds {
            let retried = letter.headers.get_str(RETRY_COUNT_HEADER);
            let retried: u64 = retried.map_or(0, |count| count.parse().expect("a number"));
            let retried = (retried + adds).to_string();
            letter.headers.insert(RETRY_COUNT_HEADER, retried);
        }
        link.clone()
            .later(delay, move || link.world().publish(letter));
        now(Ok(()))
    }
}

// CORE-070
#[tokio::test(start_paused = true)]
async fn a_delay_by_a_copy_passes_where_it_is_told() {
    let counts = Copies {
        counts: true,
        adds: None,
    };
    delays(HOUR, Delay::Copied, counts).await;
    let raises = Copies {
        counts: false,
        adds: Some(1),
    };
    delays(HOUR, Delay::Copied, raises).await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_resets_the_count() {
    let counts = Copies {
        counts: true,
        adds: None,
    };
    let told = ["it is counted Some(1) where Some(2) was due"];
    rejected(delays(HOUR, Delay::Redelivered, counts), DELAYED, &told).await;
}

// CORE-070
#[tokio::test(start_paused = true)]
async fn a_copy_that_raises_no_count() {
    for adds in [None, Some(0)] {
        let copies = Copies {
            counts: false,
            adds,
        };
        let told = ["it was 0 and came as 0", "or no cap is ever reached"];
        rejected(delays(HOUR, Delay::Copied, copies), DELAYED, &told).await;
    }
    let twice = Copies {
        counts: false,
        adds: Some(2),
    };
    let told = ["it was 0 and came as 2"];
    rejected(delays(HOUR, Delay::Copied, twice), DELAYED, &told).await;
}

struct LosesDelayed;

impl Twist for LosesDelayed {
    fn nack_after(&self, delivery: Delivery, _: Duration) -> Settled<'_> {
        delivery.consume();
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_never_ends() {
    let told = ["nothing came within 3610s"];
    rejected(
        delays(HOUR, Delay::Redelivered, LosesDelayed),
        DELAYED,
        &told,
    )
    .await;
}

/// Offers no delays.
struct NoDelays;

impl Twist for NoDelays {
    fn delays(&self) -> bool {
        false
    }
}

#[tokio::test(start_paused = true)]
async fn a_transport_without_delays_passes() {
    delays(HOUR, Delay::Redelivered, NoDelays).await;
}

// Moves.

async fn moves(twist: impl Twist) {
    retry::move_is_whole(
        toys(Kind::Shared, twist),
        |name| Slot::<BrokerMoves>::new(name),
        |connected| connected.publisher(),
        nonzero!(3),
    )
    .await;
}

// CORE-306
#[tokio::test(start_paused = true)]
async fn a_move_that_is_whole_passes() {
    moves(Honest).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_without_headers_before_its_move() {
    let told = [LOST_HEADER, "and came as nothing"];
    rejected(moves(without_headers()), "move_is_whole: deliver: ", &told).await;
}

/// Changes a message when it is moved.
struct Moves(fn(&mut Letter));

impl Twist for Moves {
    fn nack(&self, mut delivery: Delivery, requeue: bool) -> Settled<'_> {
        let queue = Arc::clone(&delivery.queue);
        if let Some((cap, _)) = &queue.moves
            && delivery.item().count >= u64::from(*cap)
        {
            delivery.change(self.0);
        }
        Honest.nack(delivery, requeue)
    }
}

#[tokio::test(start_paused = true)]
async fn a_move_without_headers_or_with_another_payload() {
    let twist = Moves(|letter| letter.headers = HeaderMap::new());
    let told = [LOST_HEADER, "and came as nothing"];
    rejected(moves(twist), "move_is_whole: move: ", &told).await;
    let twist = Moves(|letter| {
        letter.payload = String::from_utf8_lossy(&letter.payload).into_owned().into();
    });
    let told = ["they differ from byte 6 on"];
    rejected(moves(twist), "move_is_whole: move: ", &told).await;
}
