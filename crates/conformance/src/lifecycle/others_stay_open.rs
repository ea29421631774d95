use std::error::Error;

use ruststream_core::{Broker, Connected, IncomingMessage, Publisher, SubscriptionSource};

use super::{CALL, DELIVERY, LIMITS, RETURN};
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, Session, Step, send, settled};

/// Holds a shutdown to end its own connection, and no other.
///
/// Two brokers of the factory are connected and both are in use when the first is shut down. The
/// second goes on as before: the delivery it holds is settled, its subscription and its publisher
/// work, it opens another subscription, and it is shut down in its turn. A third connects after
/// that.
///
/// This is CORE-010, by which a shutdown consumes one connected form, and CORE-019, which closes
/// what shares its connection. Each broker of the factory is a connection of its own; brokers whose
/// clones are by design one connection are made anew.
///
/// The subjects begin with `conformance.others.`.
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
/// conformance::lifecycle::others_stay_open(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn others_stay_open<B, MkBroker, Src, MkSrc, Pub, MkPub>(
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
    let check = Check::new("others_stay_open");
    let subject = unique_subject("conformance.others");
    let step = check.step("deliver", "a message published is delivered");
    let other = Session::open(&check, LIMITS, make_broker()).await;
    let mut other_subscriber = other.subscribe(make_source(&subject)).await;
    let mut other_inbox = Inbox::of(&mut other_subscriber);
    let other_publisher = make_publisher(other.connected());
    other.publish(&other_publisher, &subject, b"held").await;
    let held = other_inbox.expect(step, DELIVERY, b"held").await;

    let ending = Session::open(&check, LIMITS, make_broker()).await;
    let own = unique_subject("conformance.others");
    let mut subscriber = ending.subscribe(make_source(&own)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = make_publisher(ending.connected());
    ending
        .publish(&publisher, &own, b"on the one that ends")
        .await;
    let delivery = inbox.expect(step, DELIVERY, b"on the one that ends").await;
    settled(step, CALL, delivery.ack()).await;
    ending.close().await;
    drop(inbox);
    drop(subscriber);

    let step = check
        .step(
            "go on",
            "a shutdown ends its own connection, and no other: what is open on another one works on",
        )
        .advising(
            "keep what `shutdown` closes in the connected form: no client, registry or task that \
             two connections share",
        );
    if settled(step, CALL, held.nack(true)).await {
        let again = other_inbox.expect(step, RETURN, b"held").await;
        settled(step, CALL, again.ack()).await;
    }
    let sending = send(&other_publisher, &subject, b"after");
    step.done(CALL, sending).await;
    arrives(step, &mut other_inbox, b"after").await;

    let another = unique_subject("conformance.others");
    let opening = make_source(&another).subscribe(other.connected());
    let mut subscriber = step.done(CALL, opening).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let sending = send(&other_publisher, &another, b"to a new one");
    step.done(CALL, sending).await;
    arrives(step, &mut inbox, b"to a new one").await;
    drop(inbox);
    drop(subscriber);
    drop(other_inbox);
    drop(other_subscriber);
    other.close().await;
    Session::open(&check, LIMITS, make_broker())
        .await
        .close()
        .await;
}

async fn arrives<M, E>(step: Step<'_>, inbox: &mut Inbox<'_, M, E>, payload: &[u8])
where
    M: IncomingMessage,
    E: Error,
{
    let delivery = inbox.expect(step, DELIVERY, payload).await;
    settled(step, CALL, delivery.ack()).await;
}
