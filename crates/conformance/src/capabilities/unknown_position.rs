use std::error::Error;
use std::time::Duration;

use ruststream_core::{
    Broker, Connected, IncomingMessage, Publisher, Seekable, Seeker, SubscriptionSource,
};
use tokio::time::{Instant, sleep};

use super::{AFTER_SHUTDOWN, CALL, DELIVERY, QUIET, open};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Factories, Inbox, Outbox, Shown, UnderTest, payloads, settled};

/// After an error of a stream, which may be there at every poll.
const BETWEEN_READS: Duration = Duration::from_millis(1);

/// Holds a seek to a position that the log does not hold to fail and to move nothing.
///
/// `make_unknown` makes such a position of a subject: one evicted, of a partition that is not
/// there. The subscription may end with the refusal; otherwise its next delivery is the next
/// publish.
///
/// The subjects begin with `conformance.seeking_unknown_position.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn seeking_unknown_position<B, MkBroker, Src, MkSrc, Pub, MkPub, MkUnknown>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    make_unknown: MkUnknown,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Seekable + Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
    MkUnknown: Fn(&str) -> <<Src::Subscriber as Seekable>::Seeker as Seeker>::Position,
{
    let check = Check::new("seeking_unknown_position");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.seeking_unknown_position");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let seeker = subscriber.seeker();
    let mut inbox = Inbox::of(&mut subscriber);
    let outbox = Outbox {
        session: &session,
        publisher: under_test.publisher(session.connected()),
        subject: &subject,
    };
    let published = payloads("before the seek", 3);
    outbox.publish_all(&published).await;
    let step = check.step("read", "messages come in publish order");
    for message in &published {
        let delivery = inbox.expect(step, DELIVERY, message).await;
        settled(step, CALL, delivery.ack()).await;
    }

    let step = check.step(
        "seek",
        "a seek to a position that the log does not hold fails",
    );
    step.refused(AFTER_SHUTDOWN, seeker.seek(make_unknown(&subject)))
        .await;
    unmoved(&check, &outbox, &mut inbox).await;
    drop(inbox);
    drop(outbox);
    drop(subscriber);
    session.close().await;
}

/// The next delivery is the next publish, unless the subscription ends.
async fn unmoved<B, P, M, E>(
    check: &Check,
    outbox: &Outbox<'_, '_, B, P>,
    inbox: &mut Inbox<'_, M, E>,
) where
    B: Broker,
    P: Publisher,
    M: IncomingMessage,
    E: Error,
{
    const NEXT: &[u8] = b"after the seek";
    let step = check.step(
        "stay",
        "a seek that failed moves nothing: the next delivery is the next publish, or the \
         subscription ends",
    );
    outbox.publish(NEXT).await;
    let until = Instant::now() + DELIVERY;
    loop {
        match inbox.arrival(until).await {
            Arrival::Item(delivery) => {
                step.require(
                    delivery.payload() == NEXT,
                    format_args!("{} came", Shown(delivery.payload())),
                );
                settled(step, CALL, delivery.ack()).await;
                break;
            }
            Arrival::Ended => return,
            Arrival::Nothing => step.fail(format_args!(
                "it neither delivered nor ended within {DELIVERY:?}"
            )),
            Arrival::Error(error) => {
                step.require(
                    Instant::now() < until,
                    format_args!("it only reported, for {DELIVERY:?}: {error}"),
                );
                sleep(BETWEEN_READS).await;
            }
        }
    }
    inbox.silent(step, QUIET).await;
}
