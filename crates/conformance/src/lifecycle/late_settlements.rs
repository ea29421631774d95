use std::time::Duration;

use ruststream_core::{
    AckError, Broker, Connected, IncomingMessage, Publisher, SubscriptionSource,
};
use tokio::time::Instant;

use super::due::Due;
use super::{CALL, DELIVERY, LIMITS, MARGIN, RETURN};
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, Session, Step};

const ACKED: &[u8] = b"acknowledged too late";
const REJECTED: &[u8] = b"rejected too late";
const REQUEUED: &[u8] = b"requeued too late";
const DELAYED: &[u8] = b"put off too late";
const DELAY: Duration = Duration::from_secs(1);

/// Holds settlements after the shutdown to take effect truly, or to fail.
///
/// Four deliveries are held across a shutdown and then settled, by `ack`, `nack(false)`,
/// `nack(true)` and, where the delivery offers it, `nack_after`. An error, `Unsupported` included,
/// is always honest. `Ok` is held to its meaning: a message acknowledged or rejected does not come
/// again on a new connection, one requeued or put off comes back, on its own subscription or on a
/// new connection, and the latter not before its delay.
///
/// This is CORE-020.
///
/// Where subscriptions outlive their connection every broker of the factory has to reach the same
/// world, and the source allows four deliveries in flight. `redelivery_timeout` is how long the
/// broker holds an unsettled delivery before it hands it out again; zero if it does so when the
/// connection closes. The subjects begin with `conformance.late.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
///
/// # Examples
///
/// ```
/// # use std::time::Duration;
/// # use ruststream_conformance as conformance;
/// # use ruststream_memory::{MemoryBroker, MemorySource};
/// # let mut paused = tokio::runtime::Builder::new_current_thread();
/// # paused.enable_all().start_paused(true).build().unwrap().block_on(async {
/// conformance::lifecycle::late_settlements(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
///     Duration::ZERO,
/// )
/// .await;
/// # });
/// ```
pub async fn late_settlements<B, MkBroker, Src, MkSrc, Pub, MkPub>(
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
    let check = Check::new("late_settlements");
    let subject = unique_subject("conformance.late");
    let session = Session::open(&check, LIMITS, make_broker()).await;
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = make_publisher(session.connected());
    let step = check.step("deliver", "a message published is delivered");
    let mut held = Vec::new();
    for payload in [ACKED, REJECTED, REQUEUED, DELAYED] {
        session.publish(&publisher, &subject, payload).await;
        held.push(inbox.expect(step, DELIVERY, payload).await);
    }
    session.close().await;

    let step = check
        .step(
            "settle",
            "a settlement after the shutdown answers, truly or with an error",
        )
        .advising("fail what cannot be settled any more, at once: `AckError::Broker`");
    let [acked, rejected, requeued, delayed] =
        <[_; 4]>::try_from(held).ok().expect("four were received");
    let mut due = Due::default();
    if claimed(step, acked.ack()).await {
        due.consumed.push(ACKED);
    }
    if claimed(step, rejected.nack(false)).await {
        due.consumed.push(REJECTED);
    }
    if claimed(step, requeued.nack(true)).await {
        due.awaited.push(REQUEUED);
    }
    let asked = Instant::now();
    let delays = delayed.supports_nack_after();
    if delays && claimed(step, delayed.nack_after(DELAY)).await {
        due.awaited.push(DELAYED);
    }

    let step = check
        .step(
            "effect",
            "a settlement that succeeds after the shutdown takes effect",
        )
        .advising(
            "answer `Ok` only for what was done: where the connection is gone `nack(false)`, like \
             every settlement, is an `AckError::Broker`",
        );
    let mut all_came = due.came(step, &mut inbox, RETURN).await;
    drop(inbox);
    drop(subscriber);
    if !all_came || !due.consumed.is_empty() {
        let session = Session::open(&check, LIMITS, make_broker()).await;
        let mut subscriber = session.subscribe(make_source(&subject)).await;
        let mut inbox = Inbox::of(&mut subscriber);
        all_came = due
            .came(step, &mut inbox, redelivery_timeout + RETURN)
            .await;
        if all_came {
            due.watch(step, &mut inbox, redelivery_timeout + MARGIN)
                .await;
        }
        drop(inbox);
        drop(subscriber);
        session.close().await;
    }
    step.require(
        all_came,
        format_args!(
            "{} came back neither on its subscription nor on a new connection",
            due.missing()
        ),
    );
    if let Some((_, came)) = due.arrived.iter().find(|(payload, _)| *payload == DELAYED) {
        let waited = came.duration_since(asked);
        step.require(
            waited >= DELAY,
            format_args!("a delay of {DELAY:?} was over after {waited:?}"),
        );
    }
}

/// Whether a settlement says that it took effect.
async fn claimed(step: Step<'_>, settling: impl Future<Output = Result<(), AckError>>) -> bool {
    step.within(CALL, settling).await.is_ok()
}
