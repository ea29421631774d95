use std::error::Error;
use std::fmt::Debug;

use ruststream_core::{
    Broker, Carries, Connected, HeaderMap, IncomingMessage, Publisher, Subscriber,
    SubscriptionSource,
};

use super::{CALL, CopyPathCheck, DELIVERY, open};
use crate::helpers::unique_subject;
use crate::kit::{
    Check, Factories, Inbox, Lent, Step, UnderTest, send_with, settled, two_distinct,
};

/// Holds deliveries to lend the value they were published with, each its own.
///
/// `publish` publishes a value the broker's way, `publish_without_value` a message whose value is
/// gone: its delivery lends none. Where this process publishes the copies of a delivery, a copy made
/// of payload and headers and published through `make_publisher` has to lend the same value; where
/// the broker moves deliveries itself, no copy is made and `make_publisher` is not called.
///
/// The subjects begin with `conformance.carries.`.
///
/// # Panics
///
/// At the first rule broken; if `values` are not at least two different ones; outside a Tokio
/// runtime with time.
pub async fn carries<
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
    Src::Subscriber: Send,
    Src::Copies: CopyPathCheck,
    <Src::Subscriber as Subscriber>::Message: Carries<Value>,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
    Publish: AsyncFn(&Connected<B>, &str, &Value) -> Result<(), PublishError>,
    PublishError: Debug,
    Gone: AsyncFn(&Connected<B>, &str) -> Result<(), GoneError>,
    GoneError: Debug,
    Value: PartialEq + Debug,
{
    let check = Check::new("carries");
    two_distinct(&check, values);
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.carries");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);

    let step = check.step("publish", "a value is taken");
    for value in values {
        let publishing = publish(session.connected(), &subject, value);
        published(step, step.within(CALL, publishing).await);
    }
    let step = check.step(
        "lend",
        "every delivery of a published value lends one, and each value is lent once",
    );
    let copies = lent(step, &mut inbox, values).await;

    if let Some(copies) = Src::Copies::copy_check(copies) {
        let step = check.step(
            "copy",
            "a copy of payload and headers lends the value of the delivery it was made of",
        );
        let publisher = under_test.publisher(session.connected());
        for (payload, headers, value) in copies {
            let copying = send_with(&publisher, &subject, &payload, headers);
            step.done(CALL, copying).await;
            let copy = inbox.next(step, DELIVERY).await;
            step.require(
                copy.carried() == Some(value),
                format_args!("{:?} is lent where {value:?} was", copy.carried()),
            );
            settled(step, CALL, copy.ack()).await;
        }
    }

    let step = check.step("gone", "a delivery whose value is gone lends none");
    let publishing = publish_without_value(session.connected(), &subject);
    published(step, step.within(CALL, publishing).await);
    let gone = inbox.next(step, DELIVERY).await;
    step.require(
        gone.carried().is_none(),
        format_args!("{:?} is lent", gone.carried()),
    );
    settled(step, CALL, gone.nack(false)).await;
    drop(inbox);
    drop(subscriber);
    session.close().await;
}

/// Judges the answer of the caller's own way to publish.
pub(super) fn published<E: Debug>(step: Step<'_>, answer: Result<(), E>) {
    if let Err(error) = answer {
        step.fail(format_args!("the publish failed with: {error:?}"));
    }
}

/// Reads the delivery of each value. What a copy of each is made of, and the value it lent.
async fn lent<'v, M, E, Value>(
    step: Step<'_>,
    inbox: &mut Inbox<'_, M, E>,
    values: &'v [Value],
) -> Vec<(Vec<u8>, HeaderMap, &'v Value)>
where
    M: IncomingMessage + Carries<Value>,
    E: Error,
    Value: PartialEq + Debug,
{
    let mut lent = Lent::none_of(values);
    let mut copies = Vec::new();
    while !lent.is_complete() {
        let delivery = inbox.next(step, DELIVERY).await;
        let Some(carried) = delivery.carried() else {
            step.fail("a delivery lends none")
        };
        let value = lent.take(step, carried);
        copies.push((
            delivery.payload().to_vec(),
            delivery.headers().clone(),
            value,
        ));
        settled(step, CALL, delivery.ack()).await;
    }
    copies
}
