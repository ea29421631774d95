//! What a commit publishes: all of the messages, each with all it has.

use std::error::Error;

use ruststream_core::{
    Broker, Connected, IncomingMessage, OutgoingMessage, OwnedTransactions, SubscriptionSource,
    Transaction, TransactionalPublisher,
};

use super::{CALL, DELIVERY, QUIET, open};
use crate::helpers::unique_subject;
use crate::kit::{Check, Factories, Inbox, Sample, Step, UnderTest, settled, taken};

const MESSAGES: usize = 10;

const ASKS: &str = "a commit publishes every message of its transaction, in publish order, each with its payload and \
     its headers";
const ADVICE: &str = "keep each message of the buffer whole, name, payload, headers and options, and publish them all";

/// Holds a commit to publish the whole of every message of its transaction.
///
/// Ten messages with headers, and payloads that are no text, are published inside a transaction;
/// none is visible before the commit, all ten are after it, in order and as they were published. A
/// transport may refuse headers when they are published. Then the same again on the same handle: a
/// second transaction is as whole as the first.
///
/// These are CORE-150 (the whole buffer, in publish order) and CORE-088 (every header, byte for
/// byte). The rest of the capability is [`transactions`](super::transactions).
///
/// The subjects begin with `conformance.transactions.`.
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
/// conformance::capabilities::transactions_are_whole(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn transactions_are_whole<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: TransactionalPublisher,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("transactions_are_whole");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.transactions");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = under_test.publisher(session.connected());
    let step = check.step("commit", ASKS).advising(ADVICE);
    for name in ["first", "second"] {
        step.done(CALL, publisher.begin_transaction()).await;
        let mut committed = Vec::new();
        for sample in Sample::numbered(name, MESSAGES) {
            committed.push(taken(step, CALL, &publisher, &subject, sample, None).await);
        }
        inbox.pending(step, QUIET).await;
        step.done(CALL, publisher.commit()).await;
        arrive(step, &mut inbox, &committed).await;
    }
    drop(inbox);
    drop(subscriber);
    drop(publisher);
    session.close().await;
}

/// Holds the commit of a transaction that is a value to publish the whole of every message in it.
///
/// Ten messages with headers, and payloads that are no text, are published into it; after its commit
/// all ten are there, in order and as they were published. A transport may refuse headers when they
/// are published.
///
/// These are CORE-150 (the whole buffer, in publish order) and CORE-088 (every header, byte for
/// byte). The rest of the capability is [`owned_transactions`](super::owned_transactions).
///
/// The subjects begin with `conformance.owned_transactions.`.
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
/// conformance::capabilities::owned_transactions_are_whole(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
/// )
/// .await;
/// # });
/// ```
pub async fn owned_transactions_are_whole<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: OwnedTransactions,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("owned_transactions_are_whole");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.owned_transactions");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = under_test.publisher(session.connected());
    let step = check.step("commit", ASKS).advising(ADVICE);
    let mut transaction = step.done(CALL, publisher.transaction()).await;
    let mut committed = Vec::new();
    for sample in Sample::numbered("message", MESSAGES) {
        committed.push(taken_into(step, &mut transaction, &subject, sample).await);
    }
    inbox.pending(step, QUIET).await;
    step.done(CALL, transaction.commit()).await;
    arrive(step, &mut inbox, &committed).await;
    drop(inbox);
    drop(subscriber);
    drop(publisher);
    session.close().await;
}

/// As [`taken`], by a transaction.
async fn taken_into<T: Transaction>(
    step: Step<'_>,
    transaction: &mut T,
    subject: &str,
    sample: Sample,
) -> Sample {
    let mut refusal = None;
    for offer in sample.offers() {
        let message = OutgoingMessage::new(subject, &offer.payload);
        let message = message.with_headers(offer.headers.clone());
        match step.within(CALL, transaction.publish(message, None)).await {
            Ok(()) => return offer,
            Err(error) => refusal = Some(error),
        }
    }
    step.accepted(Err(refusal.expect("refused at least once")))
}

async fn arrive<M, E>(step: Step<'_>, inbox: &mut Inbox<'_, M, E>, committed: &[Sample])
where
    M: IncomingMessage,
    E: Error,
{
    for (number, sample) in committed.iter().enumerate() {
        let delivery = inbox.next_of(step, DELIVERY, number, committed.len()).await;
        sample.is(step, &delivery);
        settled(step, CALL, delivery.ack()).await;
    }
    inbox.pending(step, QUIET).await;
}
