use ruststream_core::{
    Broker, Connected, IncomingMessage, Positioned, Publisher, Seekable, Seeker, Subscriber,
    SubscriptionSource,
};

use super::{AFTER_SHUTDOWN, CALL, DELIVERY, QUIET, REDELIVERY, open};
use crate::helpers::unique_subject;
use crate::kit::{Check, Factories, Inbox, Outbox, Step, UnderTest, elsewhere, payloads, settled};

/// Holds a seek to move its subscription, back and forward, also before the first delivery.
///
/// A position taken from a delivery brings back exactly that message and what follows it. The seek
/// holds when it is made on a runtime that ends right after, and fails once the connection is shut
/// down.
///
/// The subjects begin with `conformance.seeking.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn seeking<B, MkBroker, Src, MkSrc, Pub, MkPub>(
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
    let check = Check::new("seeking");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.seeking");
    let outbox = Outbox {
        session: &session,
        publisher: under_test.publisher(session.connected()),
        subject: &subject,
    };
    let messages = payloads("sought", 6);
    let [_, second, third, _, fifth, newest] = &messages[..] else {
        unreachable!("six payloads were made")
    };

    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let seeker = subscriber.seeker();
    let mut inbox = Inbox::of(&mut subscriber);
    outbox.publish_all(&messages[..5]).await;
    let step = check.step("read", "messages come in publish order");
    let mut positions = Vec::new();
    for message in &messages[..5] {
        positions.push(position_of(step, &mut inbox, message).await);
    }
    // A position is used up by a seek; the fifth is sought twice.
    let to_fifth = positions.pop();
    let (Some(to_fifth), Some(to_second)) = (to_fifth, positions.drain(1..2).next()) else {
        unreachable!("five positions were read")
    };

    let step = check.step(
        "seek back",
        "after a seek the next delivery is the message at its position, and its followers follow",
    );
    step.done(CALL, seeker.seek(to_second)).await;
    read(step, &mut inbox, second).await;
    read(step, &mut inbox, third).await;
    let step = check.step(
        "seek forward",
        "a seek forward skips what is queued before its position",
    );
    step.done(CALL, seeker.seek(to_fifth)).await;
    let to_fifth = position_of(step, &mut inbox, fifth).await;
    let step = check.step(
        "publish after a seek",
        "what is published after a seek still arrives",
    );
    outbox.publish(newest).await;
    read(step, &mut inbox, newest).await;
    drop(inbox);
    drop(subscriber);

    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let seeker = subscriber.seeker();
    let step = check.step(
        "seek before the first delivery",
        "a seek right after subscribing decides the first delivery, and what is newer follows",
    );
    step.done(CALL, seeker.seek(to_fifth)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let delivery = inbox.expect(step, REDELIVERY, fifth).await;
    settled(step, CALL, delivery.ack()).await;
    let to_newest = position_of(step, &mut inbox, newest).await;
    inbox.pending(step, QUIET).await;

    let step = check.step(
        "seek elsewhere",
        "a seek made on a runtime that ends right after moves the subscription",
    );
    let moving = seeker.clone();
    let sought = elsewhere(
        step,
        CALL,
        move || async move { moving.seek(to_newest).await },
    );
    step.accepted(sought.await);
    let to_newest = position_of(step, &mut inbox, newest).await;

    session.close().await;
    let step = check.step(
        "seek after shutdown",
        "a seek fails once the connection is shut down",
    );
    step.refused(AFTER_SHUTDOWN, seeker.seek(to_newest)).await;
}

/// Reads `message` and settles it.
async fn read<M, E>(step: Step<'_>, inbox: &mut Inbox<'_, M, E>, message: &[u8])
where
    M: IncomingMessage,
    E: std::error::Error,
{
    let delivery = inbox.expect(step, DELIVERY, message).await;
    settled(step, CALL, delivery.ack()).await;
}

/// Reads `message` and settles it; its position.
async fn position_of<M, E>(
    step: Step<'_>,
    inbox: &mut Inbox<'_, M, E>,
    message: &[u8],
) -> M::Position
where
    M: Positioned,
    E: std::error::Error,
{
    let delivery = inbox.expect(step, DELIVERY, message).await;
    let position = delivery.position();
    settled(step, CALL, delivery.ack()).await;
    position
}
