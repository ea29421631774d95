use std::sync::Arc;
use std::time::Duration;

use ruststream_core::{
    Broker, Connected, HeaderMap, IncomingMessage, Publisher, RETRY_COUNT_HEADER,
    SubscriptionSource,
};
use tokio::time::{Instant, sleep};

use super::construction::constructed;
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, Limits, Session, Shown, Step, send_with, settled};

const CALL: Duration = Duration::from_secs(10);
/// How long a missing message is waited for, from the last that arrived for the first time.
const DELIVERY: Duration = Duration::from_secs(10);
const QUIET: Duration = Duration::from_millis(500);
const AFTER_A_REPEAT: Duration = Duration::from_millis(1);
const PLAIN_MESSAGES: usize = 32;

/// Every accepted message arrives, with every header; a refused one never does.
pub(super) async fn shape<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    check: &Check,
    make_broker: &Arc<MkBroker>,
    make_source: &MkSrc,
    make_publisher: &MkPub,
) where
    B: Broker + Send + 'static,
    MkBroker: Fn() -> B + Send + Sync + 'static,
    Src: SubscriptionSource<Connected<B>>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let broker = constructed(check, make_broker).await;
    let session = Session::open(check, Limits::of(CALL), broker).await;
    let subject = unique_subject("conformance.lifecycle");
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    let publisher = make_publisher(session.connected());

    let sent = publish_all(check, &publisher, &subject).await;
    let mut inbox = Inbox::of(&mut subscriber);
    Reading {
        step: check.step(
            "message shape",
            "every message taken arrives with its payload and each of its headers byte for byte, \
             and a message refused never does",
        ),
        sent,
    }
    .read(&mut inbox)
    .await;
    drop(inbox);
    drop(subscriber);
    drop(publisher);
    session.close().await;
}

/// A message the publisher was given.
struct Sent {
    payload: Vec<u8>,
    headers: HeaderMap,
    accepted: bool,
    arrived: bool,
}

async fn publish_all<P: Publisher>(check: &Check, publisher: &P, subject: &str) -> Vec<Sent> {
    let step = check.step(
        "message shape, publish",
        "a publish answers, and takes at least a message without headers",
    );
    let plain = (0..PLAIN_MESSAGES).map(|number| (format!("plain {number}"), HeaderMap::new()));
    let mut all = Vec::new();
    for (payload, headers) in header_cases().into_iter().chain(plain) {
        let sending = send_with(publisher, subject, payload.as_bytes(), headers.clone());
        let answer = step.within(CALL, sending).await;
        let accepted = answer.is_ok();
        if headers.is_empty() {
            step.accepted(answer);
        }
        all.push(Sent {
            payload: payload.into_bytes(),
            headers,
            accepted,
            arrived: false,
        });
    }
    all
}

fn header_cases() -> [(String, HeaderMap); 4] {
    let many = (0..24).map(|number| (format!("x-entry-{number}"), format!("value {number}")));
    [
        ("many headers".to_owned(), many.collect()),
        (
            "an empty header".to_owned(),
            HeaderMap::from_iter([("x-empty", ""), ("x-full", "value")]),
        ),
        (
            "a binary header".to_owned(),
            HeaderMap::from_iter([("x-binary", &b"\x00 line\r\nend \xc3\x28\xff"[..])]),
        ),
        (
            "the framework's headers".to_owned(),
            HeaderMap::from_iter([
                (RETRY_COUNT_HEADER, "2"),
                (
                    "traceparent",
                    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                ),
            ]),
        ),
    ]
}

struct Reading<'c> {
    step: Step<'c>,
    sent: Vec<Sent>,
}

impl Reading<'_> {
    async fn read<M, E>(mut self, inbox: &mut Inbox<'_, M, E>)
    where
        M: IncomingMessage,
        E: std::error::Error,
    {
        let mut until = Instant::now() + DELIVERY;
        while let Some(missing) = self.missing() {
            match inbox.arrival(until).await {
                Arrival::Item(delivery) => {
                    if self.arrived(delivery).await {
                        until = Instant::now() + DELIVERY;
                    } else if Instant::now() >= until {
                        self.lost(&missing);
                    }
                }
                Arrival::Nothing => self.lost(&missing),
                other => self.step.fail(other.described(DELIVERY)),
            }
        }
        let until = Instant::now() + QUIET;
        while let Arrival::Item(delivery) = inbox.arrival(until).await {
            self.arrived(delivery).await;
            if Instant::now() >= until {
                break;
            }
        }
    }

    fn lost(&self, payload: &[u8]) -> ! {
        self.step.fail(format_args!(
            "{} was taken and did not arrive within {DELIVERY:?} of the one before",
            Shown(payload)
        ))
    }

    fn missing(&self) -> Option<Vec<u8>> {
        let is_missing = |message: &&Sent| message.accepted && !message.arrived;
        let missing = self.sent.iter().find(is_missing)?;
        Some(missing.payload.clone())
    }

    /// Judges a delivery and settles it. Whether its message arrived for the first time.
    async fn arrived<M: IncomingMessage>(&mut self, delivery: M) -> bool {
        let is_it = |message: &&mut Sent| message.payload == delivery.payload();
        let Some(message) = self.sent.iter_mut().find(is_it) else {
            self.step.fail(format_args!(
                "{} arrived, which was never published",
                Shown(delivery.payload())
            ))
        };
        let shown = Shown(&message.payload);
        self.step.require(
            message.accepted,
            format_args!("{shown} arrived, whose publish was refused"),
        );
        for (name, value) in message.headers.iter() {
            let came = delivery.headers().get(name);
            self.step.require(
                came == Some(value),
                format_args!(
                    "the header `{name}` of {shown} was published as {} and came as {}",
                    Shown(value),
                    came.map_or_else(|| "nothing".to_owned(), |value| Shown(value).to_string()),
                ),
            );
        }
        let first = !std::mem::replace(&mut message.arrived, true);
        let step = self.step.asking("a delivery can be acknowledged");
        settled(step, CALL, delivery.ack()).await;
        if !first {
            // It may repeat at every poll: rest, so that the deadline comes nearer.
            sleep(AFTER_A_REPEAT).await;
        }
        first
    }
}
