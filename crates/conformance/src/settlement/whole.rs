//! The same message again: what a redelivery has to keep.

use std::time::Duration;

use ruststream_core::{
    Broker, Connected, HeaderMap, IncomingMessage, Publisher, RETRY_COUNT_HEADER,
    SubscriptionSource,
};
use tokio::time::Instant;

use super::{ARRIVAL, CALL, Delay};
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, Limits, Sample, Session, Shown, Step, settled, taken};

const KEY: &[u8] = b"north";
/// How often the message is requeued: a copy of a copy may lose what a copy kept.
const REQUEUES: usize = 2;

/// Holds `nack(true)` to bring back the whole message: payload, headers, key, and a count one higher.
///
/// The message has a payload that is no text, and headers. `key_with` puts a key into the headers,
/// into the options it returns, or both, as for
/// [`keyed_order`](crate::message_shape::keyed_order); where the transport has no keys it does
/// nothing. It is requeued twice. The transport may add headers of its own. A requeue that is
/// `Unsupported` ends the check, and a transport that cannot carry the headers refuses them when
/// they are published.
///
/// Run it for every kind of descriptor, whatever its copy path. These are CORE-062 (same payload,
/// same headers), CORE-068 (the key it was published under) and CORE-069 (the count).
///
/// `redelivery_timeout` is that of [`suite`](super::suite). The subjects begin with
/// `conformance.settlement.whole.`.
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
/// # use ruststream_memory::{MemoryBroker, MemorySource, PARTITION_KEY_HEADER};
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
/// conformance::settlement::requeue_is_whole(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
///     Duration::ZERO,
///     |key, headers| {
///         headers.insert(PARTITION_KEY_HEADER, key.to_vec());
///         None
///     },
/// )
/// .await;
/// # });
/// ```
pub async fn requeue_is_whole<B, MkBroker, Src, MkSrc, Pub, MkPub, KeyWith>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    redelivery_timeout: Duration,
    key_with: KeyWith,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
    KeyWith: Fn(&[u8], &mut HeaderMap) -> Option<Pub::Options>,
{
    let check = Check::new("requeue_is_whole");
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;
    let subject = unique_subject("conformance.settlement.whole");
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = make_publisher(session.connected());

    let step = check
        .step("deliver", "a message that was taken arrives as it is")
        .advising("hand on the payload as bytes, and each header with it, or refuse the publish");
    let mut sample = Sample::named("requeued");
    let options = key_with(KEY, &mut sample.headers);
    let sample = taken(step, CALL, &publisher, &subject, sample, options.as_ref()).await;
    let mut delivery = inbox.next(step, ARRIVAL).await;
    sample.is(step, &delivery);
    let first = Known::of(&delivery);
    step.asking("a transport that counts counts the first delivery as one")
        .advising("count deliveries, this one included, and not redeliveries")
        .require(
            first.count.is_none_or(|count| count == 1),
            format_args!("it is counted {:?}", first.count),
        );

    let step = check
        .step(
            "requeue",
            "`nack(true)` brings back the same message: its payload, its headers, its key, and a \
             count that is one higher",
        )
        .advising(
            "put the delivery itself back, with all it came with; if only a part can go back, \
             answer `AckError::Unsupported`",
        );
    for requeued in 1..=REQUEUES {
        if !settled(step, CALL, delivery.nack(true)).await {
            drop(inbox);
            drop(subscriber);
            return session.close().await;
        }
        delivery = inbox.next(step, redelivery_timeout + ARRIVAL).await;
        sample.is(step, &delivery);
        first.has_its_key(step, &delivery);
        first.counts(step, &delivery, requeued);
    }
    settled(step, CALL, delivery.ack()).await;
    drop(inbox);
    drop(subscriber);
    session.close().await;
}

/// Holds `nack_after` to wait the whole delay, and to bring back the whole message.
///
/// `delay` is how long the message is put off: name one that is longer than the broker's redelivery
/// timeout, and than any step that its delay mechanism has. On a paused clock it costs nothing.
/// `by` says how the broker does it, and so what becomes of the count. Where a delivery offers no
/// delay there is nothing to hold.
///
/// These are CORE-062 (no sooner than the delay, and the same message), CORE-069 and CORE-070 (the
/// count, or the header that stands for it).
///
/// The subjects begin with `conformance.settlement.delay.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
///
/// # Examples
///
/// ```
/// # use std::time::Duration;
/// # use ruststream_conformance::settlement::{self, Delay};
/// # use ruststream_memory::{MemoryBroker, MemorySource};
/// # let mut paused = tokio::runtime::Builder::new_current_thread();
/// # paused.enable_all().start_paused(true).build().unwrap().block_on(async {
/// settlement::delay_is_whole(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
///     Duration::from_hours(1),
///     Delay::Redelivered,
/// )
/// .await;
/// # });
/// ```
pub async fn delay_is_whole<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
    delay: Duration,
    by: Delay,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: Publisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("delay_is_whole");
    let session = Session::open(&check, Limits::of(CALL), make_broker()).await;
    let subject = unique_subject("conformance.settlement.delay");
    let mut subscriber = session.subscribe(make_source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = make_publisher(session.connected());

    let step = check.step("deliver", "a message that was taken arrives as it is");
    let sample = Sample::named("put off");
    let sample = taken(step, CALL, &publisher, &subject, sample, None).await;
    let mut delivery = inbox.next(step, ARRIVAL).await;
    sample.is(step, &delivery);

    let step = check
        .step(
            "delay",
            "`nack_after` brings back the same message, with its headers, no sooner than the delay",
        )
        .advising(
            "wait the delay that was asked for, in steps if the transport has a longest one, and \
             put back all of the delivery; or do not offer delays",
        );
    // Twice: the second time there is a count to keep.
    for _ in 0..2 {
        if !delivery.supports_nack_after() {
            break;
        }
        let before = Known::of(&delivery);
        let retried = retries(delivery.headers());
        let asked = Instant::now();
        if !settled(step, CALL, delivery.nack_after(delay)).await {
            drop(inbox);
            drop(subscriber);
            return session.close().await;
        }
        delivery = inbox.next(step, delay + ARRIVAL).await;
        let waited = asked.elapsed();
        step.require(
            waited >= delay,
            format_args!("a delay of {delay:?} was over after {waited:?}"),
        );
        sample.is(step, &delivery);
        before.has_its_key(step, &delivery);
        match by {
            Delay::Redelivered => before.counts(step, &delivery, 1),
            Delay::Copied => copied(step, &before, &delivery, retried),
        }
    }
    settled(step, CALL, delivery.ack()).await;
    drop(inbox);
    drop(subscriber);
    session.close().await;
}

/// What a delivery tells of itself that its redelivery has to tell too.
struct Known {
    key: Option<Vec<u8>>,
    count: Option<u64>,
}

impl Known {
    fn of(delivery: &impl IncomingMessage) -> Self {
        Self {
            key: delivery.partition_key().map(<[u8]>::to_vec),
            count: delivery.redelivery_count(),
        }
    }

    fn has_its_key(&self, step: Step<'_>, delivery: &impl IncomingMessage) {
        let (due, came) = (self.key.as_deref(), delivery.partition_key());
        let told = |key: Option<&[u8]>| {
            key.map_or_else(|| "no key".to_owned(), |key| Shown(key).to_string())
        };
        step.require(
            came == due,
            format_args!("{} came where the key was {}", told(came), told(due)),
        );
    }

    /// The count of a delivery that came back `more` times since; a transport may count nothing.
    fn counts(&self, step: Step<'_>, delivery: &impl IncomingMessage, more: usize) {
        let due = self.count.map(|count| count + more as u64);
        let came = delivery.redelivery_count();
        step.require(
            came == due,
            format_args!("it is counted {came:?} where {due:?} was due"),
        );
    }
}

/// A copy begins its count anew where the transport counts; where not, its header goes on.
fn copied(step: Step<'_>, before: &Known, delivery: &impl IncomingMessage, retried: u64) {
    if before.count.is_some() {
        let came = delivery.redelivery_count();
        return step.require(
            came == Some(1),
            format_args!("the copy is counted {came:?} where a copy is counted from 1"),
        );
    }
    let came = retries(delivery.headers());
    step.asking(
        "the copy of a transport that counts nothing has its `x-ruststream-retry-count` raised by \
         one, or no cap is ever reached",
    )
    .require(
        came == retried + 1,
        format_args!("it was {retried} and came as {came}"),
    );
}

fn retries(headers: &HeaderMap) -> u64 {
    let count = headers.get_str(RETRY_COUNT_HEADER);
    count.and_then(|count| count.parse().ok()).unwrap_or(0)
}
