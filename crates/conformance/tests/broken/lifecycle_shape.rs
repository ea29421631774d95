//! The first part of `harness::lifecycle`: what a message carries (CONF-15).
//!
//! A twist is in force on the first connection alone, which is the one of this part.

use std::sync::Arc;
use std::time::Duration;

use ruststream_conformance::harness;
use ruststream_core::{AckError, HeaderMap};
use tokio::time::sleep;

use super::support::*;

const READ: &str = "lifecycle: message shape: ";
const PUBLISH: &str = "lifecycle: message shape, publish: ";

async fn run(twist: impl Twist) {
    harness::lifecycle(
        toys(Kind::Each, twist),
        |name| <Slot>::new(name),
        |connected| connected.publisher(),
    )
    .await;
}

fn shape(link: &Link) -> bool {
    link.number() == 1
}

/// Publishes what the function makes of each message.
struct Publishes(fn(Letter) -> Letter);

impl Twist for Publishes {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let letter = if shape(&sender.link) {
            (self.0)(letter)
        } else {
            letter
        };
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn headers_dropped() {
    let twist = Publishes(|letter| Letter {
        headers: HeaderMap::new(),
        ..letter
    });
    let told = [
        "the header `x-entry-0` of \"many headers\"",
        "came as nothing",
    ];
    rejected(run(twist), READ, &told).await;
}

#[tokio::test(start_paused = true)]
async fn an_empty_header_dropped() {
    let twist = Publishes(|mut letter| {
        letter.headers.remove("x-empty");
        letter
    });
    rejected(
        run(twist),
        READ,
        &["the header `x-empty`", "came as nothing"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn header_values_turned_into_text() {
    let twist = Publishes(|letter| {
        let text = |(name, value): (&str, &[u8])| {
            (name.to_owned(), String::from_utf8_lossy(value).into_owned())
        };
        let headers = letter.headers.iter().map(text).collect();
        Letter { headers, ..letter }
    });
    rejected(run(twist), READ, &["the header `x-binary`", r"\xff"]).await;
}

#[tokio::test(start_paused = true)]
async fn the_retry_count_dropped() {
    let twist = Publishes(|mut letter| {
        letter.headers.remove("x-ruststream-retry-count");
        letter
    });
    rejected(
        run(twist),
        READ,
        &["`x-ruststream-retry-count`", "came as nothing"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_payload_altered() {
    let twist = Publishes(|mut letter| {
        letter.payload.push(b'!');
        letter
    });
    rejected(
        run(twist),
        READ,
        &["\"many headers!\" arrived, which was never published"],
    )
    .await;
}

/// What is done instead of publishing.
struct Instead(fn(&Sender, Letter) -> Result<(), ToyError>);

impl Twist for Instead {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if shape(&sender.link) {
            return now((self.0)(sender, letter));
        }
        Honest.publish(sender, letter)
    }
}

const NO_HEADERS: Result<(), ToyError> = Err(ToyError::Refused("headers"));

// CORE-114
#[tokio::test(start_paused = true)]
async fn a_message_refused_but_delivered_at_once() {
    let twist = Instead(|sender, letter| {
        let headers = !letter.headers.is_empty();
        sender.publish(letter)?;
        if headers { NO_HEADERS } else { Ok(()) }
    });
    rejected(
        run(twist),
        READ,
        &["\"many headers\" arrived, whose publish was refused"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_message_refused_but_delivered_after_everything() {
    let twist = Instead(|sender, letter| {
        if letter.headers.is_empty() {
            return sender.publish(letter);
        }
        let link = sender.link.clone();
        link.clone().later(Duration::from_millis(300), move || {
            link.world().publish(letter);
        });
        NO_HEADERS
    });
    rejected(
        run(twist),
        READ,
        &["\"many headers\" arrived, whose publish was refused"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_plain_publish_refused() {
    let twist = Instead(|sender, letter| {
        if letter.headers.is_empty() {
            return Err(ToyError::Refused("plain messages"));
        }
        sender.publish(letter)
    });
    let told = ["it failed with: the toy refuses: plain messages"];
    rejected(run(twist), PUBLISH, &told).await;
}

// CORE-114
#[tokio::test(start_paused = true)]
async fn a_message_lost() {
    let twist = Instead(|sender, letter| {
        if letter.payload == b"plain 7" {
            return Ok(());
        }
        sender.publish(letter)
    });
    let told = ["\"plain 7\" was taken and did not arrive within 10s"];
    rejected(run(twist), READ, &told).await;
}

struct HoldsThirtyTwo;

impl Twist for HoldsThirtyTwo {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        let world = sender.link.world();
        let queued = world.logged(&letter.name).len();
        if shape(&sender.link) && queued == 32 {
            return now(Ok(()));
        }
        Honest.publish(sender, letter)
    }
}

#[tokio::test(start_paused = true)]
async fn a_burst_longer_than_the_buffer_lost() {
    rejected(
        run(HoldsThirtyTwo),
        READ,
        &["\"plain 28\" was taken and did not arrive"],
    )
    .await;
}

struct OneLostAnotherRepeats;

impl Twist for OneLostAnotherRepeats {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if shape(&sender.link) && letter.payload == b"plain 7" {
            return now(Ok(()));
        }
        Honest.publish(sender, letter)
    }

    fn ack(&self, delivery: Delivery) -> Settled<'_> {
        if shape(&delivery.link) && delivery.is("plain 8") {
            delivery.put_back();
        } else {
            delivery.consume();
        }
        now(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_lost_while_another_repeats() {
    rejected(
        run(OneLostAnotherRepeats),
        READ,
        &["\"plain 7\" was taken and did not"],
    )
    .await;
}

struct PublishHangs;

impl Twist for PublishHangs {
    fn publish<'a>(&'a self, _: &'a Sender, _: Letter) -> Done<'a> {
        hanging()
    }
}

#[tokio::test(start_paused = true)]
async fn a_publish_that_hangs() {
    rejected(run(PublishHangs), PUBLISH, &["no answer within 10s"]).await;
}

/// What the stream yields once the burst has begun.
struct Stream(fn() -> Option<Result<Delivery, ToyError>>);

impl Twist for Stream {
    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async move {
            let delivery = reader.next().await?;
            if shape(&reader.link) && delivery.is("plain 3") {
                return (self.0)();
            }
            Some(Ok(delivery))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends() {
    rejected(run(Stream(|| None)), READ, &["the subscription ended"]).await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_errors() {
    let twist = Stream(|| Some(Err(ToyError::Refused("to go on"))));
    rejected(
        run(twist),
        READ,
        &["the subscription reported: the toy refuses: to go on"],
    )
    .await;
}

struct AckTimesOut;

impl Twist for AckTimesOut {
    fn ack(&self, _: Delivery) -> Settled<'_> {
        now(Err(AckError::Timeout))
    }
}

#[tokio::test(start_paused = true)]
async fn an_ack_that_times_out() {
    rejected(
        run(AckTimesOut),
        READ,
        &["did not confirm the settlement in time"],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn headers_refused_honestly_pass() {
    run(Instead(|sender, letter| {
        if !letter.headers.is_empty() {
            return NO_HEADERS;
        }
        sender.publish(letter)
    }))
    .await;
}

#[tokio::test(start_paused = true)]
async fn unkeyed_messages_out_of_order_pass() {
    run(Instead(|sender, letter| {
        let letter = Arc::new(letter);
        let readers = sender.link.world().readers(&letter.name);
        for reader in readers {
            reader.push_front(Item::of(&letter));
        }
        Ok(())
    }))
    .await;
}

#[tokio::test(start_paused = true)]
async fn duplicates_pass() {
    run(Instead(|sender, letter| {
        sender.publish(letter.clone())?;
        sender.publish(letter)
    }))
    .await;
}

struct Trickles;

impl Twist for Trickles {
    fn next<'a>(&'a self, reader: &'a mut Reader) -> Task<'a, Option<Result<Delivery, ToyError>>> {
        Box::pin(async move {
            if shape(&reader.link) {
                sleep(Duration::from_secs(6)).await;
            }
            reader.next().await.map(Ok)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn messages_that_trickle_in_for_longer_than_one_wait_pass() {
    run(Trickles).await;
}
