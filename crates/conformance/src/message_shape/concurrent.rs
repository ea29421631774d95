use std::error::Error;

use futures_util::future::{join, join4};
use ruststream_core::{Broker, Connected, IncomingMessage, Publisher, SubscriptionSource};
use tokio::time::Instant;

use super::{CALL, DELIVERY};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, Limits, Session, Shown, Step, send, settled};

/// How many messages each of four lanes publishes, one after the other.
const A_LANE: usize = 32;

/// Holds publishes under way at once to be independent of each other.
///
/// Four lanes of 32 messages of different lengths are published at once, two lanes on each of two
/// publishers of one connection, while the subscription is read. Each publish succeeds, and each
/// message arrives with its own bytes. The order is free; repeats are tolerated.
///
/// This is CORE-114: `Ok` says of each message that it was taken.
///
/// The subjects begin with `conformance.concurrent.`.
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
/// conformance::message_shape::concurrent_publishes(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn concurrent_publishes<B, MkBroker, Src, MkSrc, Pub, MkPub>(
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
    let check = Check::new("concurrent_publishes");
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;
    let subject = unique_subject("conformance.concurrent");
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    let one = make_publisher(session.connected());
    let other = make_publisher(session.connected());
    let step = check
        .step(
            "at once",
            "publishes under way at once each succeed, and each message arrives with its own bytes",
        )
        .advising(
            "let no publish touch the buffer, the frame or the answer of another: build the frame \
             first, and hand it over under one lock",
        );
    let lanes = join4(
        lane(step, &one, &subject, 0),
        lane(step, &one, &subject, 1),
        lane(step, &other, &subject, 2),
        lane(step, &other, &subject, 3),
    );
    let mut inbox = Inbox::of(&mut subscriber);
    join(lanes, all_arrive(step, &mut inbox)).await;
    drop(inbox);
    drop(subscriber);
    drop(one);
    drop(other);
    session.close().await;
}

async fn lane<P: Publisher>(step: Step<'_>, publisher: &P, subject: &str, lane: usize) {
    for number in 0..A_LANE {
        let payload = payload_of(lane, number);
        step.done(CALL, send(publisher, subject, &payload)).await;
    }
}

async fn all_arrive<M, E>(step: Step<'_>, inbox: &mut Inbox<'_, M, E>)
where
    M: IncomingMessage,
    E: Error,
{
    let all = (0..4).flat_map(|lane| (0..A_LANE).map(move |number| payload_of(lane, number)));
    let all: Vec<_> = all.collect();
    let mut came = vec![false; all.len()];
    let mut until = Instant::now() + DELIVERY;
    while came.contains(&false) {
        let delivery = match inbox.arrival(until).await {
            Arrival::Item(delivery) => delivery,
            Arrival::Nothing => {
                let missing = came.iter().filter(|came| !**came).count();
                step.fail(format_args!(
                    "of {} messages {missing} did not come, and no more within {DELIVERY:?}",
                    all.len()
                ))
            }
            other => step.fail(other.described(DELIVERY)),
        };
        let is_it = |payload: &Vec<u8>| payload == delivery.payload();
        let Some(position) = all.iter().position(is_it) else {
            step.fail(format_args!(
                "{} came, which was never published",
                Shown(delivery.payload())
            ))
        };
        settled(step, CALL, delivery.ack()).await;
        if !std::mem::replace(&mut came[position], true) {
            until = Instant::now() + DELIVERY;
        }
    }
}

/// Of a length of its own in its lane, so that bytes of another show.
fn payload_of(lane: usize, number: usize) -> Vec<u8> {
    let word = format!("lane {lane}, message {number}; ");
    word.repeat(1 + (number * 7 + lane) % 40).into_bytes()
}
