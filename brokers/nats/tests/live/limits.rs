//! Whole services that publish more than the server takes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_nats::jetstream;
use ruststream::runtime::{ForReply, Outgoing, PublishContext, PublishTransform, Reads};
use ruststream_nats::prelude::*;
use serde::{Deserialize, Serialize};

use crate::outages::{Entry, last_of, started, store};
use crate::support::{SOON, Tap, on_every_server, raw, stream, until, within};

/// A reply of any length.
#[derive(Debug, Serialize, Deserialize, ruststream::Outgoing)]
#[outgoing(name = "replies")]
struct Large {
    filler: String,
}

const OVER: usize = 1024 * 1024;

static REPLIED: AtomicU32 = AtomicU32::new(0);
static SLOTTED: AtomicU32 = AtomicU32::new(0);

fn large() -> Large {
    Large {
        filler: "x".repeat(OVER),
    }
}

/// The first reply is too large; the delivery comes again and gets another.
#[subscriber(
    JetStreamSubject::new("ledger.*", "LEDGER").durable("replies"),
    reply
)]
async fn replies(_entry: &Entry) -> Large {
    if REPLIED.fetch_add(1, Ordering::Relaxed) == 0 {
        large()
    } else {
        Large {
            filler: "small".to_owned(),
        }
    }
}

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("slots"))]
async fn slots(_entry: &Entry, Out(out): Out<impl Publisher>) -> HandlerOutcome {
    let body = if SLOTTED.fetch_add(1, Ordering::Relaxed) == 0 {
        large()
    } else {
        Large {
            filler: "small".to_owned(),
        }
    };
    let Err(error) = out.message(&body).publish().await else {
        return HandlerOutcome::ack();
    };
    let text = format!("{error:?}");
    assert!(
        text.contains("MaxPayloadExceeded") && text.contains("1048576"),
        "{text}"
    );
    HandlerOutcome::retry_after(Duration::from_millis(100))
}

// Issue 6: max_payload exceeded by a reply and by a slot
#[tokio::test]
async fn a_reply_and_a_slot_above_the_limit_are_errors_and_the_connection_is_kept() {
    on_every_server(async |server| {
        REPLIED.store(0, Ordering::Relaxed);
        SLOTTED.store(0, Ordering::Relaxed);
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let beside = raw(&server).await;
        let mut heard = beside.subscribe("replies").await.expect("subscribed");
        beside.flush().await.expect("flushed");
        let app = started(&server, |b| {
            b.include(replies);
            b.include(slots).out(DefaultSlot, Publish).build();
        })
        .await;

        store(&server, 1).await;

        for _ in 0..2 {
            let small = within(
                SOON,
                "a small one",
                futures_util::StreamExt::next(&mut heard),
            );
            assert_eq!(
                &small.await.expect("heard").payload[..],
                br#"{"filler":"small"}"#
            );
        }
        until("the acknowledgements", async || {
            last_of(&server, "replies").await == (1, 0) && last_of(&server, "slots").await == (1, 0)
        })
        .await;
        assert_eq!(
            (
                REPLIED.load(Ordering::Relaxed),
                SLOTTED.load(Ordering::Relaxed)
            ),
            (2, 2)
        );
        app.shutdown().await.expect("stops");
    })
    .await;
}

/// Makes a copy longer than it came.
#[derive(Clone, Copy)]
struct Stamp;

impl<C, Options> PublishTransform<ForReply<C>, Options> for Stamp {
    type Destination = Reads;

    fn apply(
        &self,
        out: &mut Outgoing<'_>,
        _options: &mut Option<Options>,
        _context: &PublishContext<'_, C>,
    ) {
        out.headers_mut().insert("via", "the desk");
    }
}

static GIVEN_UP: AtomicU32 = AtomicU32::new(0);

#[subscriber(JetStreamSubject::new("ledger.*", "LEDGER").durable("letters"))]
async fn gives_up(_large: &Large) -> HandlerOutcome {
    GIVEN_UP.fetch_add(1, Ordering::Relaxed);
    HandlerOutcome::retry()
}

// Issue 6: max_payload exceeded by a dead letter
#[tokio::test]
async fn a_dead_letter_above_the_limit_keeps_the_delivery() {
    on_every_server(async |server| {
        GIVEN_UP.store(0, Ordering::Relaxed);
        stream(&server, "LEDGER", &["ledger.*"]).await;
        let beside = raw(&server).await;
        let mut letters = beside.subscribe("spent.ledger").await.expect("subscribed");
        beside.flush().await.expect("flushed");
        let mut tap = Tap::on(&server, "LEDGER", "letters").await;
        let app = started(&server, |b| {
            b.include(gives_up)
                .max_attempts(nonzero!(1u32))
                .dead_letter("spent.ledger")
                .out_retry(Publish)
                .transform(Stamp);
        })
        .await;
        let filler = "x".repeat(OVER - r#"{"filler":""}"#.len());
        let payload = format!(r#"{{"filler":"{filler}"}}"#);

        let context = jetstream::new(beside.clone());
        let sent = context
            .publish("ledger.a", payload.into())
            .await
            .expect("exactly the limit");
        sent.await.expect("stored");

        for attempt in 1..=2 {
            let said = tap.next().await;
            assert!(said.bytes.starts_with("-NAK"), "{said:?}");
            assert_eq!(said.delivered, attempt);
        }
        assert_eq!(GIVEN_UP.load(Ordering::Relaxed), 1);
        let letter = tokio::time::timeout(
            Duration::from_millis(200),
            futures_util::StreamExt::next(&mut letters),
        );
        assert!(letter.await.is_err(), "nothing was sent");
        app.shutdown().await.expect("stops");
    })
    .await;
}
