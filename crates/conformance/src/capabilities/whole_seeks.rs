use ruststream_core::{
    Broker, Connected, IncomingMessage, Positioned, Publisher, Seekable, Seeker, Subscriber,
    SubscriptionSource,
};

use super::{CALL, DELIVERY, REDELIVERY, open};
use crate::helpers::unique_subject;
use crate::kit::{Check, Factories, Inbox, Sample, UnderTest, settled, taken};

const MESSAGES: usize = 3;

/// Holds a seek to bring back the whole of each message.
///
/// Three messages with headers, and payloads that are no text, are read; a seek to the position of
/// the first brings all three again, in order, each as it was published and at its own position
/// still: a second seek, to the position that the replay of the second told, brings that one. A
/// transport may refuse headers when they are published.
///
/// These are CORE-172 (exactly that message, and then the ordered suffix) and CORE-088 (every
/// header, byte for byte). The rest of the capability is [`seeking`](super::seeking).
///
/// The subjects begin with `conformance.seeking.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
///
/// # Examples
///
/// ```
/// # use ruststream_conformance as conformance;
/// # use ruststream_memory::{MemoryBroker, MemorySource, Retention};
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
/// conformance::capabilities::seeks_are_whole(
///     || MemoryBroker::retaining(Retention::Messages(ruststream_core::nonzero!(64))),
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn seeks_are_whole<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Seekable + Send,
    <Src::Subscriber as Subscriber>::Message:
        Positioned<Position = <<Src::Subscriber as Seekable>::Seeker as Seeker>::Position>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("seeks_are_whole");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.seeking");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let seeker = subscriber.seeker();
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = under_test.publisher(session.connected());

    let step = check.step(
        "read",
        "messages come in publish order, as they were published",
    );
    let mut published = Vec::new();
    for sample in Sample::numbered("sought", MESSAGES) {
        published.push(taken(step, CALL, &publisher, &subject, sample, None).await);
    }
    let mut first = None;
    for sample in &published {
        let delivery = inbox.next(step, DELIVERY).await;
        sample.is(step, &delivery);
        first.get_or_insert(delivery.position());
        settled(step, CALL, delivery.ack()).await;
    }

    let step = check
        .step(
            "replay",
            "a seek brings back the messages as they were published, payload and headers, in order",
        )
        .advising("read a replayed message from the log whole, as the first delivery was");
    let first = first.expect("three were read");
    step.done(CALL, seeker.seek(first)).await;
    let mut second = None;
    for (number, sample) in published.iter().enumerate() {
        let delivery = inbox.next_of(step, REDELIVERY, number, MESSAGES).await;
        sample.is(step, &delivery);
        if number == 1 {
            second = Some(delivery.position());
        }
        settled(step, CALL, delivery.ack()).await;
    }

    let step = check
        .step("position", "a message has its position in a replay too")
        .advising("tell the position of the message in the log, not that in the replay");
    let second = second.expect("three were replayed");
    step.done(CALL, seeker.seek(second)).await;
    for (number, sample) in published[1..].iter().enumerate() {
        let delivery = inbox.next_of(step, REDELIVERY, number, MESSAGES - 1).await;
        sample.is(step, &delivery);
        settled(step, CALL, delivery.ack()).await;
    }
    drop(inbox);
    drop(subscriber);
    drop(publisher);
    session.close().await;
}
