use std::num::NonZeroU32;

use ruststream_core::{
    Broker, BrokerMoves, Connected, IncomingMessage, Publisher, RetryDeclaration,
    SubscriptionSource,
};

use super::declared::{declared, name_of};
use super::{ARRIVAL, CALL, MOVE};
use crate::kit::{Check, Inbox, Limits, Sample, Session, settled, taken};

/// Holds a broker that moves spent messages itself to move the whole message.
///
/// A message with headers, and a payload that is no text, is requeued on each of `attempts`
/// deliveries, each of which is the message as it was published, and so is what arrives on the
/// dead-letter name. The broker may add headers of its own. A requeue that is `Unsupported` ends the
/// check. How often it is delivered and where is [`broker_moves`](super::broker_moves).
///
/// These are CORE-062 (same payload, same headers) and CORE-306 (the message appears in its
/// dead-letter destination).
///
/// The names begin with `conformance-moves-` and `conformance-dead-` and hold no dot.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
///
/// # Examples
///
/// ```ignore
/// retry::move_is_whole(
///     || QueueBroker::new("amqp://localhost"),
///     |name| WorkQueue::new(name),
///     |connected| connected.publisher(),
///     nonzero!(3),
/// )
/// .await;
/// ```
pub async fn move_is_whole<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    attempts: NonZeroU32,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>, Copies = BrokerMoves> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("move_is_whole");
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;
    let dead_letter = name_of("dead");
    let subject = name_of("moves");
    let mut dead = session.subscribe(make_source(&dead_letter)).await;
    let declaration = RetryDeclaration::new()
        .with_max_attempts(attempts)
        .with_dead_letter(dead_letter);
    let step = check.step("declare", "a whole declaration is accepted");
    let opening = declared(&session, make_source(&subject), &declaration);
    let mut subscriber = step
        .within(CALL, opening)
        .await
        .unwrap_or_else(|refusal| step.fail(format_args!("it was refused: {refusal}")));
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = make_publisher(session.connected());

    let step = check
        .step(
            "deliver",
            "each delivery of a message is that message, with its payload and its headers",
        )
        .advising("requeue the delivery itself, with all it came with");
    let sample = Sample::named("spent");
    let sample = taken(step, CALL, &publisher, &subject, sample, None).await;
    for _ in 0..attempts.get() {
        let delivery = inbox.next(step, ARRIVAL).await;
        sample.is(step, &delivery);
        if !settled(step, CALL, delivery.nack(true)).await {
            drop(inbox);
            drop(subscriber);
            drop(dead);
            return session.close().await;
        }
    }
    let step = check
        .step(
            "move",
            "what arrives on the dead-letter name is the message, with its payload and its headers",
        )
        .advising("move the message as it is; headers of the broker's own may be added");
    let mut dead_letters = Inbox::of(&mut dead);
    let delivery = dead_letters.next(step, MOVE).await;
    sample.is(step, &delivery);
    settled(step, CALL, delivery.ack()).await;
    drop(dead_letters);
    drop(dead);
    drop(inbox);
    drop(subscriber);
    session.close().await;
}
