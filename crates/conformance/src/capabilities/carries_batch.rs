use std::error::Error;
use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::time::Duration;

use ruststream_core::{
    BatchSubscriber, Broker, CarriesBatch, Connected, HeaderMap, IncomingMessage, Publisher,
    SubscriptionSource, nonzero,
};

use super::carries::published;
use super::{CALL, CopyPathCheck, DELIVERY, REDELIVERY, ROUNDS, open};
use crate::helpers::unique_subject;
use crate::kit::{
    Check, Factories, Inbox, Lent, Step, UnderTest, send_with, settled, two_distinct,
};

const SIZE: NonZeroUsize = nonzero!(16);

/// Holds batches to lend the values of their deliveries, in their order, those without one last.
///
/// Value `i` of a batch belongs to its `i`-th delivery; deliveries whose value is gone come after
/// those that have one. The parameters are those of [`carries`](super::carries). Order is checked
/// where a batch holds two deliveries and one of them can be requeued; a subscription that yields one
/// message a batch is never asked.
///
/// The subjects begin with `conformance.carries_batch.`.
///
/// # Panics
///
/// At the first rule broken; if `values` are not at least two different ones; outside a Tokio
/// runtime with time.
pub async fn carries_batch<
    B,
    Value,
    MkBroker,
    Src,
    MkSrc,
    Pub,
    MkPub,
    Publish,
    PublishError,
    Gone,
    GoneError,
>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    publish: Publish,
    publish_without_value: Gone,
    values: &[Value],
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: BatchSubscriber + Send,
    Src::Copies: CopyPathCheck,
    <Src::Subscriber as BatchSubscriber>::Batch: CarriesBatch<Value>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
    Publish: AsyncFn(&Connected<B>, &str, &Value) -> Result<(), PublishError>,
    PublishError: Debug,
    Gone: AsyncFn(&Connected<B>, &str) -> Result<(), GoneError>,
    GoneError: Debug,
    Value: PartialEq + Clone + Debug,
{
    let check = Check::new("carries_batch");
    let distinct = two_distinct(&check, values);
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.carries_batch");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let mut batches = Inbox::of_batches(&mut subscriber, SIZE);
    let publishing = check.step("publish", "a value, and a message without one, are taken");
    let publish = async |value: &Value| {
        let answer = publish(session.connected(), &subject, value);
        published(publishing, publishing.within(CALL, answer).await);
    };
    let publish_gone = async || {
        let answer = publish_without_value(session.connected(), &subject);
        published(publishing, publishing.within(CALL, answer).await);
    };

    let step = check.step(
        "lend",
        "every delivery of a published value lends one, and each value is lent once",
    );
    for value in values {
        publish(value).await;
    }
    let copies = lent(step, &mut batches, values).await;

    let step = check.step(
        "order",
        "value `i` of a batch belongs to its `i`-th delivery",
    );
    for _ in 0..ROUNDS {
        for value in distinct {
            publish(value).await;
        }
        if in_order(step, &mut batches, distinct).await {
            break;
        }
    }

    if let Some(copies) = Src::Copies::copy_check(copies) {
        let step = check.step(
            "copy",
            "a copy of payload and headers lends the value of the delivery it was made of",
        );
        let publisher = under_test.publisher(session.connected());
        for (payload, headers, value) in copies {
            let copying = send_with(&publisher, &subject, &payload, headers);
            step.done(CALL, copying).await;
            alone(step, &mut batches, DELIVERY, &value).await;
        }
    }

    let step = check.step(
        "gone last",
        "a delivery whose value is gone lends none, and comes after those that lend one",
    );
    let [value, _] = distinct;
    for _ in 0..ROUNDS {
        publish_gone().await;
        publish(value).await;
        if gone_last(step, &mut batches, value).await {
            break;
        }
    }
    drop(batches);
    drop(subscriber);
    session.close().await;
}

/// A batch taken apart: the values it lent, and its deliveries.
type Parts<Value, M> = (Vec<Value>, Vec<M>);

/// The next batch. It has a delivery at least, and no more values than deliveries.
async fn next_batch<Batch, M, E, Value>(
    step: Step<'_>,
    batches: &mut Inbox<'_, Batch, E>,
    limit: Duration,
) -> Parts<Value, M>
where
    Batch: IntoIterator<Item = M> + CarriesBatch<Value>,
    E: Error,
    Value: Clone,
{
    let batch = batches.next(step, limit).await;
    let values = batch.carried().to_vec();
    let deliveries: Vec<_> = batch.into_iter().collect();
    step.asking("a batch has at least one delivery")
        .require(!deliveries.is_empty(), "an empty batch came");
    step.asking("a batch lends no more values than it has deliveries")
        .require(
            values.len() <= deliveries.len(),
            format_args!(
                "a batch of {} deliveries lends {} values",
                deliveries.len(),
                values.len()
            ),
        );
    (values, deliveries)
}

/// Reads the delivery of each value. What a copy of each is made of, and the value it lent.
async fn lent<Batch, M, E, Value>(
    step: Step<'_>,
    batches: &mut Inbox<'_, Batch, E>,
    values: &[Value],
) -> Vec<(Vec<u8>, HeaderMap, Value)>
where
    Batch: IntoIterator<Item = M> + CarriesBatch<Value>,
    M: IncomingMessage,
    E: Error,
    Value: PartialEq + Clone + Debug,
{
    let mut lent = Lent::none_of(values);
    let mut copies = Vec::new();
    while !lent.is_complete() {
        let (values, deliveries) = next_batch(step, batches, DELIVERY).await;
        step.require(
            values.len() == deliveries.len(),
            format_args!(
                "a batch of {} deliveries lends {} values",
                deliveries.len(),
                values.len()
            ),
        );
        for (value, delivery) in values.into_iter().zip(deliveries) {
            lent.take(step, &value);
            copies.push((
                delivery.payload().to_vec(),
                delivery.headers().clone(),
                value,
            ));
            settled(step, CALL, delivery.ack()).await;
        }
    }
    copies
}

/// Reads two values; if one batch holds both, requeues its first. Whether it did, or could not.
async fn in_order<Batch, M, E, Value>(
    step: Step<'_>,
    batches: &mut Inbox<'_, Batch, E>,
    published: [&Value; 2],
) -> bool
where
    Batch: IntoIterator<Item = M> + CarriesBatch<Value>,
    M: IncomingMessage,
    E: Error,
    Value: PartialEq + Clone + Debug,
{
    let mut read = 0;
    while read < published.len() {
        let (values, deliveries) = next_batch::<_, M, _, Value>(step, batches, DELIVERY).await;
        read += deliveries.len();
        let shared = deliveries.len() > 1;
        let mut returns = false;
        for (position, delivery) in deliveries.into_iter().enumerate() {
            if shared && position == 0 {
                returns = settled(step, CALL, delivery.nack(true)).await;
            } else {
                settled(step, CALL, delivery.ack()).await;
            }
        }
        if let (true, Some(first)) = (returns, values.first()) {
            alone(step, batches, REDELIVERY, first).await;
        }
        if shared {
            return true;
        }
    }
    false
}

/// Reads a gone one and a value; if one batch holds both, requeues its first. Whether it did.
async fn gone_last<Batch, M, E, Value>(
    step: Step<'_>,
    batches: &mut Inbox<'_, Batch, E>,
    published: &Value,
) -> bool
where
    Batch: IntoIterator<Item = M> + CarriesBatch<Value>,
    M: IncomingMessage,
    E: Error,
    Value: PartialEq + Clone + Debug,
{
    let mut lent = Vec::new();
    let mut read = 0;
    let mut returns = false;
    let mut shared = false;
    while read < 2 {
        let (values, deliveries) = next_batch::<_, M, _, Value>(step, batches, DELIVERY).await;
        read += deliveries.len();
        shared |= deliveries.len() > 1;
        let with_value = values.len();
        lent.extend(values);
        for (position, delivery) in deliveries.into_iter().enumerate() {
            if shared && position == 0 {
                returns = settled(step, CALL, delivery.nack(true)).await;
            } else if position < with_value {
                settled(step, CALL, delivery.ack()).await;
            } else {
                settled(step, CALL, delivery.nack(false)).await;
            }
        }
    }
    step.require(
        lent.as_slice() == std::slice::from_ref(published),
        format_args!("{lent:?} was lent where {published:?} and a gone one were published"),
    );
    if returns {
        alone(step, batches, REDELIVERY, published).await;
    }
    shared
}

/// The next batch is one delivery, and lends `value`.
async fn alone<Batch, M, E, Value>(
    step: Step<'_>,
    batches: &mut Inbox<'_, Batch, E>,
    limit: Duration,
    value: &Value,
) where
    Batch: IntoIterator<Item = M> + CarriesBatch<Value>,
    M: IncomingMessage,
    E: Error,
    Value: PartialEq + Clone + Debug,
{
    let (values, deliveries) = next_batch::<_, M, _, Value>(step, batches, limit).await;
    step.require(
        deliveries.len() == 1 && values.first() == Some(value),
        format_args!(
            "a batch of {} came that lends {values:?} where {value:?} was due",
            deliveries.len()
        ),
    );
    for delivery in deliveries {
        settled(step, CALL, delivery.ack()).await;
    }
}
