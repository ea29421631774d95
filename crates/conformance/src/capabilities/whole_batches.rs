use std::num::NonZeroUsize;
use std::time::Duration;

use ruststream_core::{
    BatchSubscriber, Broker, Connected, IncomingMessage, Publisher, Subscriber, SubscriptionSource,
    nonzero,
};
use tokio::time::Instant;

use super::{CALL, REDELIVERY, open};
use crate::helpers::unique_subject;
use crate::kit::{
    Arrival, Check, Factories, Inbox, Sample, Shown, Step, UnderTest, settled, taken,
};

const SIZE: NonZeroUsize = nonzero!(3);
const MESSAGES: usize = 10;
/// For how long a poll goes on that is then cancelled.
const CANCELLED: Duration = Duration::from_millis(1);

/// Holds what is read in batches to be whole, and a cancelled poll to lose nothing of it.
///
/// Ten messages with headers, and payloads that are no text, are read in batches of three, from one
/// stream, by polls that are cancelled again and again; then ten more, each batch from a stream of
/// its own. Every message arrives as it was published. A transport may refuse headers when they are
/// published; repeats are tolerated.
///
/// These are CORE-140 (a batch has the cancel safety of a stream) and CORE-088 (every header, byte
/// for byte). The rest of the capability is [`batches`](super::batches).
///
/// The subjects begin with `conformance.batches.`.
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
/// conformance::capabilities::batches_are_whole(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn batches_are_whole<B, MkBroker, Src, MkSrc, Pub, MkPub>(
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
    let check = Check::new("batches_are_whole");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.batches");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let publisher = under_test.publisher(session.connected());

    let advice = "build the deliveries of a batch as those of the stream are built, and keep what \
                  is taken and not yet yielded where a cancelled poll does not drop it";
    let step = check
        .step(
            "cancelled polls",
            "a poll for a batch may be cancelled and made again, and each message comes as it was \
             published",
        )
        .advising(advice);
    let mut due = Due::published(step, &publisher, &subject, "cancelled").await;
    let mut inbox = Inbox::of_batches(&mut subscriber, SIZE);
    let mut until = Instant::now() + REDELIVERY;
    while !due.0.is_empty() {
        match inbox.arrival(Instant::now() + CANCELLED).await {
            Arrival::Item(batch) => {
                due.came(step, batch).await;
                until = Instant::now() + REDELIVERY;
            }
            Arrival::Nothing if Instant::now() < until => {}
            other => due.lost(step, &other.described(REDELIVERY)),
        }
    }
    drop(inbox);

    let step = check
        .step(
            "a stream for each",
            "a stream of batches may be dropped after a batch and taken again, and each message \
             comes as it was published",
        )
        .advising(advice);
    let mut due = Due::published(step, &publisher, &subject, "reopened").await;
    while !due.0.is_empty() {
        let mut inbox = Inbox::of_batches(&mut subscriber, SIZE);
        match inbox.arrival(Instant::now() + REDELIVERY).await {
            Arrival::Item(batch) => due.came(step, batch).await,
            other => due.lost(step, &other.described(REDELIVERY)),
        }
    }
    drop(subscriber);
    drop(publisher);
    session.close().await;
}

/// What was published and has not come.
struct Due(Vec<Sample>);

impl Due {
    async fn published<P>(step: Step<'_>, publisher: &P, subject: &str, name: &str) -> Self
    where
        P: Publisher,
    {
        let mut due = Vec::new();
        for sample in Sample::numbered(name, MESSAGES) {
            due.push(taken(step, CALL, publisher, subject, sample, None).await);
        }
        Self(due)
    }

    async fn came<Batch>(&mut self, step: Step<'_>, batch: Batch)
    where
        Batch: IntoIterator<Item: IncomingMessage>,
    {
        // Taken out before any await: an iterator of the batch need not be `Send`.
        let deliveries: Vec<_> = batch.into_iter().collect();
        for delivery in deliveries {
            let is_it = |due: &Sample| due.payload == delivery.payload();
            match self.0.iter().position(is_it) {
                Some(position) => self.0.remove(position).is(step, &delivery),
                None => is_a_repeat(step, delivery.payload()),
            }
            settled(step, CALL, delivery.ack()).await;
        }
    }

    fn lost(&self, step: Step<'_>, instead: &str) -> ! {
        step.fail(format_args!(
            "of {MESSAGES} messages {} did not come, the next being {}: {instead}",
            self.0.len(),
            Shown(&self.0[0].payload)
        ))
    }
}

/// What comes and is not due must have been published all the same.
fn is_a_repeat(step: Step<'_>, came: &[u8]) {
    let all = ["cancelled", "reopened"].map(|name| Sample::numbered(name, MESSAGES));
    step.require(
        all.iter().flatten().any(|sample| sample.payload == came),
        format_args!("{} came, which was never published", Shown(came)),
    );
}
