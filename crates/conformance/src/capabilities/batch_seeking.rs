use std::error::Error;
use std::num::NonZeroUsize;

use ruststream_core::{
    BatchSubscriber, Broker, Connected, IncomingMessage, Positioned, Publisher, Seekable, Seeker,
    Subscriber, SubscriptionSource, nonzero,
};

use super::{CALL, DELIVERY, QUIET, open};
use crate::helpers::unique_subject;
use crate::kit::{Check, Factories, Inbox, Outbox, Shown, Step, UnderTest, payloads, settled};

const SIZE: NonZeroUsize = nonzero!(2);

/// Holds a seek to move a subscription that is read in batches.
///
/// After a seek to the position of an earlier message the batches carry exactly the messages from
/// that one on, in order.
///
/// The subjects begin with `conformance.batch_seeking.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn batch_seeking<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: BatchSubscriber + Seekable + Send,
    <Src::Subscriber as Subscriber>::Message:
        Positioned<Position = <<Src::Subscriber as Seekable>::Seeker as Seeker>::Position>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("batch_seeking");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.batch_seeking");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let seeker = subscriber.seeker();
    let outbox = Outbox {
        session: &session,
        publisher: under_test.publisher(session.connected()),
        subject: &subject,
    };
    let published = payloads("sought", 5);
    outbox.publish_all(&published).await;

    let mut batches = Inbox::of_batches(&mut subscriber, SIZE);
    let step = check.step("read", "messages come in publish order");
    let mut second = None;
    read(step, &mut batches, &published, |number, delivery| {
        if number == 1 {
            second = Some(delivery.position());
        }
    })
    .await;
    let step = check.step(
        "seek back",
        "after a seek the next batches carry the messages from its position on, and no other",
    );
    let Some(second) = second else {
        step.fail("the second message was not read")
    };
    step.done(CALL, seeker.seek(second)).await;
    read(step, &mut batches, &published[1..], |_, _| {}).await;
    batches.pending(step, QUIET).await;
    drop(batches);
    drop(outbox);
    drop(subscriber);
    session.close().await;
}

/// Reads exactly `due`, in order, and shows each delivery with its number before it is settled.
async fn read<Batch, M, E>(
    step: Step<'_>,
    batches: &mut Inbox<'_, Batch, E>,
    due: &[Vec<u8>],
    mut seen: impl FnMut(usize, &M),
) where
    Batch: IntoIterator<Item = M>,
    M: IncomingMessage,
    E: Error,
{
    let mut number = 0;
    while number < due.len() {
        let before = number;
        for delivery in batches.next(step, DELIVERY).await {
            let due = due.get(number).map_or(&b"nothing"[..], Vec::as_slice);
            step.require(
                delivery.payload() == due,
                format_args!(
                    "{} came where {} was due",
                    Shown(delivery.payload()),
                    Shown(due)
                ),
            );
            seen(number, &delivery);
            settled(step, CALL, delivery.ack()).await;
            number += 1;
        }
        step.require(number > before, "an empty batch came");
    }
}
