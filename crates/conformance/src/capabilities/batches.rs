use std::error::Error;
use std::future::ready;
use std::num::NonZeroUsize;
use std::time::Duration;

use ruststream_core::{
    BatchSubscriber, Broker, Connected, IncomingMessage, Publisher, Subscriber, SubscriptionSource,
    nonzero,
};

use super::{CALL, DELIVERY, QUIET, REDELIVERY, ROUNDS, open};
use crate::helpers::unique_subject;
use crate::kit::{
    Check, Factories, Inbox, Outbox, Shown, Step, UnderTest, elsewhere, payloads, settled,
};

const SIZE: NonZeroUsize = nonzero!(3);
const MESSAGES: usize = 10;

/// Holds batches to their size, their order, and each element to its own settlement.
///
/// No batch is empty or longer than asked; messages come in publish order, within batches and
/// across them; requeueing one element of a batch brings back that one alone; settlements hold when
/// they are made on a runtime that ends right after. A subscription that yields one message a batch
/// is a batch subscription too.
///
/// The subjects begin with `conformance.batches.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn batches<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: BatchSubscriber + Send,
    <Src::Subscriber as Subscriber>::Message: 'static,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("batches");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.batches");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let outbox = Outbox {
        session: &session,
        publisher: under_test.publisher(session.connected()),
        subject: &subject,
    };
    let published = payloads("in order", MESSAGES);
    outbox.publish_all(&published).await;
    let mut batches = Inbox::of_batches(&mut subscriber, SIZE);
    in_order(&check, &mut batches, &published).await;
    if one_of_several(&check, &outbox, &mut batches).await {
        settled_elsewhere(&check, &outbox, &mut batches).await;
    }
    drop(batches);
    drop(outbox);
    drop(subscriber);
    session.close().await;
}

/// The next batch, which must have one to [`SIZE`] messages.
async fn next_batch<Batch, M, E>(
    step: Step<'_>,
    batches: &mut Inbox<'_, Batch, E>,
    limit: Duration,
) -> Vec<M>
where
    Batch: IntoIterator<Item = M>,
    E: Error,
{
    let batch: Vec<_> = batches.next(step, limit).await.into_iter().collect();
    step.asking("a batch has at least one message and at most the size asked for")
        .require(
            (1..=SIZE.get()).contains(&batch.len()),
            format_args!(
                "a batch of {} came where {SIZE} were asked for",
                batch.len()
            ),
        );
    batch
}

async fn in_order<Batch, M, E>(
    check: &Check,
    batches: &mut Inbox<'_, Batch, E>,
    published: &[Vec<u8>],
) where
    Batch: IntoIterator<Item = M>,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "order",
        "messages come in publish order, within batches and across them",
    );
    let mut due = published.iter();
    while due.len() > 0 {
        for delivery in next_batch(step, batches, DELIVERY).await {
            let due = due.next().map_or(&b"nothing"[..], Vec::as_slice);
            step.require(
                delivery.payload() == due,
                format_args!(
                    "{} came where {} was due",
                    Shown(delivery.payload()),
                    Shown(due)
                ),
            );
            settled(step, CALL, delivery.ack()).await;
        }
    }
}

/// Requeues one element of a batch. Whether the transport requeues.
async fn one_of_several<B, P, Batch, M, E>(
    check: &Check,
    outbox: &Outbox<'_, '_, B, P>,
    batches: &mut Inbox<'_, Batch, E>,
) -> bool
where
    B: Broker,
    P: Publisher,
    Batch: IntoIterator<Item = M>,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "one of several",
        "each element of a batch is settled by itself: the one requeued comes back, alone",
    );
    for round in 1..=ROUNDS {
        let mut due = payloads(&format!("round {round}"), SIZE.get());
        outbox.publish_all(&due).await;
        let mut tried = false;
        let mut requeued = false;
        while !due.is_empty() {
            let wait = if requeued { REDELIVERY } else { DELIVERY };
            let batch = next_batch(step, batches, wait).await;
            // The first of two, the middle of three.
            let chosen = (!tried && batch.len() > 1).then_some((batch.len() - 1) / 2);
            for (position, delivery) in batch.into_iter().enumerate() {
                let known = due.iter().position(|due| due == delivery.payload());
                let Some(known) = known else {
                    step.fail(format_args!(
                        "{} came, which had been settled",
                        Shown(delivery.payload())
                    ))
                };
                if Some(position) == chosen {
                    tried = true;
                    requeued = settled(step, CALL, delivery.nack(true)).await;
                    if requeued {
                        continue;
                    }
                } else {
                    settled(step, CALL, delivery.ack()).await;
                }
                due.swap_remove(known);
            }
        }
        if tried {
            batches.pending(step, QUIET).await;
            return requeued;
        }
    }
    // One message a batch: there is no several.
    true
}

/// Settles two messages on a runtime that ends right after.
async fn settled_elsewhere<B, P, Batch, M, E>(
    check: &Check,
    outbox: &Outbox<'_, '_, B, P>,
    batches: &mut Inbox<'_, Batch, E>,
) where
    B: Broker,
    P: Publisher,
    Batch: IntoIterator<Item = M>,
    M: IncomingMessage + 'static,
    E: Error,
{
    let step = check.step(
        "settle elsewhere",
        "settlements made on a runtime that ends right after hold: of two messages the one \
         requeued comes back, alone",
    );
    let published = payloads("settled elsewhere", 2);
    outbox.publish_all(&published).await;
    let mut two = Vec::new();
    while two.len() < published.len() {
        two.extend(next_batch(step, batches, DELIVERY).await);
    }
    let (Some(acked), Some(requeued)) = (two.pop(), two.pop()) else {
        return;
    };
    let answer = elsewhere(step, CALL, move || requeued.nack(true)).await;
    let returns = settled(step, CALL, ready(answer)).await;
    let answer = elsewhere(step, CALL, move || acked.ack()).await;
    settled(step, CALL, ready(answer)).await;
    if returns {
        for delivery in next_batch(step, batches, REDELIVERY).await {
            step.require(
                delivery.payload() == published[0],
                format_args!("{} came", Shown(delivery.payload())),
            );
            settled(step, CALL, delivery.ack()).await;
        }
        batches.pending(step, QUIET).await;
    }
}
