use std::time::Duration;

use ruststream_core::{Broker, Connected, IncomingMessage, Publisher, SubscriptionSource};
use tokio::time::{Instant, sleep};

use super::{CALL, LIMITS, RETURN};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, Outbox, Session, Shown, payloads, settled};

const MESSAGES: usize = 6;
/// How often a stream is polled once and dropped for each message, and the time between.
const POLLS: usize = 4;
const BETWEEN_POLLS: Duration = Duration::from_millis(5);

/// Holds a subscription to lose nothing when its stream is dropped and taken again.
///
/// Six messages are published and read, each from a stream of its own. Then, for each of six more,
/// streams are taken, polled once and dropped, before and after the message can be there, and the
/// message is read from another one. Every message arrives; repeats are tolerated.
///
/// This is CORE-031.
///
/// The subjects begin with `conformance.streams.`.
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
/// conformance::lifecycle::stream_reopens(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn stream_reopens<B, MkBroker, Src, MkSrc, Pub, MkPub>(
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
    let check = Check::new("stream_reopens");
    let subject = unique_subject("conformance.streams");
    let session = Session::open(&check, LIMITS, make_broker()).await;
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    let outbox = Outbox {
        session: &session,
        publisher: make_publisher(session.connected()),
        subject: &subject,
    };
    let advice = "keep what is buffered, and what was taken and not yet yielded, in the subscriber, \
                  not in the stream";
    let step = check
        .step(
            "a stream for each",
            "a stream may be dropped after a delivery and taken again, and nothing is lost",
        )
        .advising(advice);
    let mut due = payloads("in a burst", MESSAGES);
    outbox.publish_all(&due).await;
    while !due.is_empty() {
        let mut inbox = Inbox::of(&mut subscriber);
        let delivery = match inbox.arrival(Instant::now() + RETURN).await {
            Arrival::Item(delivery) => delivery,
            other => step.fail(format_args!(
                "of {MESSAGES} messages {} did not come, the next being {}: {}",
                due.len(),
                Shown(&due[0]),
                other.described(RETURN)
            )),
        };
        due.retain(|due| due != delivery.payload());
        settled(step, CALL, delivery.ack()).await;
    }

    let step = check
        .step(
            "dropped between polls",
            "a stream may be dropped between two polls, and nothing that was not yielded is lost",
        )
        .advising(advice);
    for payload in payloads("polled for", MESSAGES) {
        let mut came = false;
        for poll in 0..POLLS {
            if poll == 1 {
                outbox.publish(&payload).await;
            }
            let polled = Inbox::of(&mut subscriber).ready();
            if let Arrival::Item(delivery) = polled {
                came |= delivery.payload() == payload;
                settled(step, CALL, delivery.ack()).await;
            }
            sleep(BETWEEN_POLLS).await;
        }
        if !came {
            let mut inbox = Inbox::of(&mut subscriber);
            let delivery = inbox.repeated_until(step, RETURN, &payload).await;
            settled(step, CALL, delivery.ack()).await;
        }
    }
    drop(subscriber);
    drop(outbox);
    session.close().await;
}
