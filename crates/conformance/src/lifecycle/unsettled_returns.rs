use std::time::Duration;

use ruststream_core::{Broker, Connected, IncomingMessage, Publisher, SubscriptionSource};

use super::due::Due;
use super::{CALL, DELIVERY, LIMITS, MARGIN, RETURN};
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, Session, settled};

const REJECTED: &[u8] = b"rejected before the shutdown";
const HELD: &[u8] = b"held across the shutdown";
const DROPPED: &[u8] = b"dropped before the shutdown";
const REQUEUED: &[u8] = b"requeued before the shutdown";
const UNREAD: [&[u8]; 2] = [b"unread at the shutdown", b"and another one"];

/// Holds a shutdown to lose nothing that was not settled.
///
/// For a subscription that outlives its connection: durable, a queue, a group, a log. Five messages
/// are there at the shutdown: one held, and dropped only after it; one dropped unsettled; one
/// requeued; two that the subscription has not handed out yet. All five have to reach a new
/// connection with the same source, and a sixth, which was rejected before them by `nack(false)`, must
/// not. Messages may come more than once. Where the requeue is `Unsupported` the transport cannot
/// bring anything back, and nothing is held.
///
/// These are CORE-066 (a delivery dropped unsettled comes back, at the latest after the ack wait or
/// on a new connection) and CORE-062 (`Ok` from a settlement is a promise).
///
/// Every broker of the factory has to reach the same world, as for
/// [`shutdown_flushes`](super::shutdown_flushes); the source allows five deliveries in flight.
/// `redelivery_timeout` is how long the broker holds an unsettled delivery before it hands it out
/// again; zero if it does so when the connection closes. The subjects begin with
/// `conformance.unsettled.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
///
/// # Examples
///
/// ```ignore
/// lifecycle::unsettled_returns(
///     || NatsBroker::new("nats://localhost:4222"),
///     |subject| JetStreamSubject::new(subject, "CONFORMANCE").durable("suite"),
///     |connected| connected.publisher(NatsPublish),
///     ACK_WAIT,
/// )
/// .await;
/// ```
pub async fn unsettled_returns<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    redelivery_timeout: Duration,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("unsettled_returns");
    let subject = unique_subject("conformance.unsettled");
    let session = Session::open(&check, LIMITS, make_broker()).await;
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = make_publisher(session.connected());

    let step = check.step("deliver", "a message published is delivered");
    session.publish(&publisher, &subject, REJECTED).await;
    let rejected = inbox.expect(step, DELIVERY, REJECTED).await;
    let mut held = Vec::new();
    for payload in [REQUEUED, DROPPED, HELD] {
        session.publish(&publisher, &subject, payload).await;
        held.push(inbox.expect(step, DELIVERY, payload).await);
    }
    let [requeued, dropped, held] = <[_; 3]>::try_from(held).ok().expect("three were received");
    for payload in UNREAD {
        session.publish(&publisher, &subject, payload).await;
    }
    let step = check.step("settle", "a settlement succeeds or answers `Unsupported`");
    let mut due = Due::default();
    if settled(step, CALL, rejected.nack(false)).await {
        due.consumed.push(REJECTED);
    }
    if !settled(step, CALL, requeued.nack(true)).await {
        drop(inbox);
        drop(subscriber);
        return session.close().await;
    }
    drop(dropped);
    session.close().await;
    drop(inbox);
    drop(subscriber);
    drop(held);

    let step = check
        .step(
            "return",
            "what was not settled when its connection was shut down reaches a new connection",
        )
        .advising(
            "let `shutdown` and the drop of a delivery settle nothing: leave what is held, \
             prefetched or requeued to the server, or hand it back before the connection closes",
        );
    let session = Session::open(&check, LIMITS, make_broker()).await;
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    due.awaited.extend([REQUEUED, DROPPED, HELD]);
    due.awaited.extend(UNREAD);
    let mut inbox = Inbox::of(&mut subscriber);
    let wait = redelivery_timeout + RETURN;
    if !due.came(step, &mut inbox, wait).await {
        step.fail(format_args!(
            "{} did not come back within {wait:?}",
            due.missing()
        ));
    }
    if !due.consumed.is_empty() {
        let step = step
            .asking("a message rejected before the shutdown does not come on a new connection")
            .advising("let `shutdown` wait until the settlements before it have taken effect");
        due.watch(step, &mut inbox, redelivery_timeout + MARGIN)
            .await;
    }
    drop(inbox);
    drop(subscriber);
    session.close().await;
}
