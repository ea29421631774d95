use std::error::Error;
use std::time::Duration;

use ruststream_core::{Broker, Connected, IncomingMessage, Publisher, SubscriptionSource};
use tokio::time::{Instant, sleep};

use super::{CALL, DELIVERY, QUIET};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Difference, Inbox, Limits, Session, Shown, Step, send, settled};

const AFTER_A_REPEAT: Duration = Duration::from_millis(1);

/// Holds the bytes of a payload to arrive as they were published, whatever they are.
///
/// Published one after the other: text, bytes that are no UTF-8, all 256 of them, NUL at every
/// place, line breaks, blanks around, none at all, and one byte more than 4 KiB, 64 KiB and 256 KiB.
/// A transport that cannot carry one of them refuses its publish, and then it never arrives; ASCII
/// text has to be taken. What was taken arrives byte for byte. Repeats are tolerated.
///
/// This is CORE-114, where `Ok` from a publish means that the transport took the message, and
/// CORE-088, where what cannot be carried is an error and never a loss, for the payload.
///
/// The subjects begin with `conformance.payloads.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
///
/// # Examples
///
/// ```
/// # use ruststream_conformance as conformance;
/// # use ruststream_memory::{MemoryBroker, MemorySource};
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
/// conformance::message_shape::payloads(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn payloads<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("payloads");
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;
    let subject = unique_subject("conformance.payloads");
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    let publisher = make_publisher(session.connected());
    let mut reading = Reading {
        inbox: Inbox::of(&mut subscriber),
        taken: Vec::new(),
        refused: Vec::new(),
    };
    let step = check
        .step(
            "text",
            "a payload of ASCII text is taken, and arrives byte for byte",
        )
        .advising("hand the transport the bytes of the message as they are");
    step.done(CALL, send(&publisher, &subject, TEXT)).await;
    reading.arrives(step, TEXT.to_vec()).await;
    for (name, payload) in cases() {
        let step = check
            .step(
                name,
                "a payload that was taken arrives byte for byte, and one that was refused never \
                 does",
            )
            .advising(
                "carry the payload as bytes with their length; where the transport cannot, return \
                 an error from `publish`",
            );
        let sending = send(&publisher, &subject, &payload);
        match step.within(CALL, sending).await {
            Ok(()) => reading.arrives(step, payload).await,
            Err(_) => reading.refused.push(payload),
        }
    }
    let step = check.step("afterwards", "a payload that was refused never arrives");
    reading.settles(step).await;
    drop(reading);
    drop(subscriber);
    drop(publisher);
    session.close().await;
}

const TEXT: &[u8] = b"text";

/// Each is another one than all before it.
fn cases() -> [(&'static str, Vec<u8>); 13] {
    [
        ("UTF-8", "für 3 €, 日本".into()),
        ("no UTF-8", b"\xff\xfe\xc3\x28 and \x80".to_vec()),
        ("all bytes", (0..=u8::MAX).collect()),
        ("NUL in front", b"\0front".to_vec()),
        ("NUL inside", b"in\0side".to_vec()),
        ("NUL at the end", b"end\0".to_vec()),
        ("line breaks", b"one\ntwo\r\nthree\rfour\n".to_vec()),
        ("blanks around", b"  blanks\t ".to_vec()),
        ("empty", Vec::new()),
        ("after an empty one", b"not empty".to_vec()),
        ("over 4 KiB", patterned(4 * 1024 + 1)),
        ("over 64 KiB", patterned(64 * 1024 + 1)),
        ("over 256 KiB", patterned(256 * 1024 + 1)),
    ]
}

/// No part of it is another part, so that a block that is missing or moved shows.
fn patterned(len: usize) -> Vec<u8> {
    let words = (0..=len / 8).map(|number| format!("{number:07x} "));
    let mut bytes = words.collect::<String>().into_bytes();
    bytes.truncate(len);
    bytes
}

struct Reading<'s, M, E> {
    inbox: Inbox<'s, M, E>,
    /// What arrived, and may arrive again.
    taken: Vec<Vec<u8>>,
    /// What must never arrive.
    refused: Vec<Vec<u8>>,
}

impl<M: IncomingMessage, E: Error> Reading<'_, M, E> {
    async fn arrives(&mut self, step: Step<'_>, due: Vec<u8>) {
        let until = Instant::now() + DELIVERY;
        loop {
            let delivery = match self.inbox.arrival(until).await {
                Arrival::Item(delivery) => delivery,
                Arrival::Nothing => step.fail(format_args!(
                    "{} was taken and did not arrive within {DELIVERY:?}",
                    Shown(&due)
                )),
                other => step.fail(other.described(DELIVERY)),
            };
            if let Some(difference) = Difference::of(&due, delivery.payload()) {
                self.is_a_repeat(step, delivery.payload(), difference);
                step.require(
                    Instant::now() < until,
                    format_args!("only repeated messages came within {DELIVERY:?}"),
                );
                settled(step, CALL, delivery.ack()).await;
                sleep(AFTER_A_REPEAT).await;
                continue;
            }
            settled(step, CALL, delivery.ack()).await;
            return self.taken.push(due);
        }
    }

    async fn settles(&mut self, step: Step<'_>) {
        let until = Instant::now() + QUIET;
        while let Arrival::Item(delivery) = self.inbox.arrival(until).await {
            let came = Shown(delivery.payload());
            self.is_a_repeat(
                step,
                delivery.payload(),
                format_args!("{came} came, which was never published"),
            );
            settled(step, CALL, delivery.ack()).await;
            if Instant::now() >= until {
                break;
            }
        }
    }

    fn is_a_repeat(&self, step: Step<'_>, came: &[u8], otherwise: impl std::fmt::Display) {
        let is_it = |payload: &Vec<u8>| payload == came;
        step.require(
            !self.refused.iter().any(is_it),
            format_args!("{} arrived, whose publish was refused", Shown(came)),
        );
        step.require(self.taken.iter().any(is_it), otherwise);
    }
}
