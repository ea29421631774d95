use std::error::Error;

use std::time::Duration;

use ruststream_core::{
    Broker, Connected, HeaderMap, IncomingMessage, OutgoingMessage, Publisher, SubscriptionSource,
};
use tokio::time::{Instant, sleep};

use super::{CALL, DELIVERY};
use crate::kit::{Arrival, Check, Inbox, Limits, Session, Shown, settled};

const KEYS: [&[u8]; 3] = [b"north", b"south", b"west"];
const MESSAGES_A_KEY: usize = 8;
const AFTER_A_REPEAT: Duration = Duration::from_millis(1);

/// Holds keyed messages to arrive under their key, and in order within it.
///
/// `key_with` puts a key into the headers, into the options it returns, or both. A delivery's
/// `partition_key` must be the key it was published under: keyed worker lanes read it. Between keys
/// the order is free.
///
/// A transport without keys does not run this.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn keyed_order<B, MkBroker, Src, MkSrc, Pub, MkPub, KeyWith>(
    make_broker: MkBroker,
    subject: &str,
    make_source: MkSrc,
    make_publisher: MkPub,
    key_with: KeyWith,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
    KeyWith: Fn(&[u8], &mut HeaderMap) -> Option<Pub::Options>,
{
    let check = Check::new("keyed order");
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;
    let mut subscriber = session.subscribe(make_source(subject)).await;
    let publisher = make_publisher(session.connected());
    let step = check.step("publish", "a message is taken with a key");
    for number in 0..MESSAGES_A_KEY {
        for key in KEYS {
            let payload = payload_of(key, number);
            let mut headers = HeaderMap::new();
            let options = key_with(key, &mut headers);
            let message = OutgoingMessage::new(subject, &payload).with_headers(headers);
            step.done(CALL, publisher.publish(message, options.as_ref()))
                .await;
        }
    }
    in_order(&check, &mut Inbox::of(&mut subscriber)).await;
    drop(subscriber);
    drop(publisher);
    session.close().await;
}

async fn in_order<M, E>(check: &Check, inbox: &mut Inbox<'_, M, E>)
where
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "read",
        "every message arrives under its key, and the messages of one key in publish order",
    );
    // The number due next of each key.
    let mut due = [0; KEYS.len()];
    let mut until = Instant::now() + DELIVERY;
    while due.iter().any(|&number| number < MESSAGES_A_KEY) {
        let delivery = match inbox.arrival(until).await {
            Arrival::Item(delivery) => delivery,
            Arrival::Nothing => step.fail(format_args!(
                "of the {MESSAGES_A_KEY} messages of each key only {due:?} came, and no more \
                 within {DELIVERY:?}"
            )),
            other => step.fail(other.described(DELIVERY)),
        };
        let Some((key, number)) = published(delivery.payload()) else {
            step.fail(format_args!(
                "{} came, which was never published",
                Shown(delivery.payload())
            ))
        };
        let shown = Shown(KEYS[key]);
        let reported = delivery.partition_key();
        step.require(
            reported == Some(KEYS[key]),
            format_args!(
                "a message of the key {shown} reports {}",
                reported.map_or_else(|| "no key".to_owned(), |key| Shown(key).to_string())
            ),
        );
        step.require(
            number <= due[key],
            format_args!(
                "message {number} of the key {shown} came before {}",
                due[key]
            ),
        );
        settled(step, CALL, delivery.ack()).await;
        if number == due[key] {
            due[key] += 1;
            until = Instant::now() + DELIVERY;
        } else {
            step.require(
                Instant::now() < until,
                format_args!("only repeated messages came within {DELIVERY:?}"),
            );
            sleep(AFTER_A_REPEAT).await;
        }
    }
}

fn payload_of(key: &[u8], number: usize) -> Vec<u8> {
    [key, b" ", number.to_string().as_bytes()].concat()
}

fn published(payload: &[u8]) -> Option<(usize, usize)> {
    let numbers = 0..MESSAGES_A_KEY;
    (0..KEYS.len())
        .flat_map(|key| numbers.clone().map(move |number| (key, number)))
        .find(|&(key, number)| payload_of(KEYS[key], number) == payload)
}
