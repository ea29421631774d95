use std::error::Error;
use std::sync::Arc;

use ruststream_core::{
    Broker, Connected, IncomingMessage, SubscriptionSource, TransactionalPublisher,
};

use super::{AFTER_SHUTDOWN, CALL, DELIVERY, QUIET, open};
use crate::helpers::unique_subject;
use crate::kit::{Check, Factories, Inbox, Step, UnderTest, elsewhere, payloads, send, settled};

/// Holds a publisher that carries one transaction to its commits, its aborts and its misuse.
///
/// Nothing published inside is visible before the commit, all of it in order afterwards, and none
/// after an abort. To commit or abort with none open fails, as does a second begin, which leaves the
/// open transaction usable. A transaction committed on a runtime that ends right after is published;
/// a commit on a connection that was shut down fails.
///
/// The subjects begin with `conformance.transactions.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn transactions<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: TransactionalPublisher + 'static,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("transactions");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.transactions");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = Arc::new(under_test.publisher(session.connected()));
    let plain = under_test.publisher(session.connected());

    committed(&check, &*publisher, &subject, &mut inbox).await;
    aborted(&check, &*publisher, &subject, &mut inbox).await;
    misused(&check, &*publisher, &subject, &mut inbox).await;
    committed_elsewhere(&check, &publisher, &subject, &mut inbox).await;

    let step = check.step("begin", "a transaction opens, and takes a message");
    step.done(CALL, publisher.begin_transaction()).await;
    step.done(CALL, send(&*publisher, &subject, b"too late"))
        .await;
    drop(inbox);
    drop(subscriber);
    session.close().await;
    let step = check.step(
        "commit after shutdown",
        "a commit fails once the connection is shut down",
    );
    step.refused(AFTER_SHUTDOWN, publisher.commit()).await;
    let step = check.step(
        "publish after shutdown",
        "a publish fails once the connection is shut down",
    );
    step.refused(AFTER_SHUTDOWN, send(&plain, &subject, b"too late"))
        .await;
}

async fn committed<P, M, E>(
    check: &Check,
    publisher: &P,
    subject: &str,
    inbox: &mut Inbox<'_, M, E>,
) where
    P: TransactionalPublisher,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "commit",
        "what is published in a transaction is visible after its commit, not before, in order",
    );
    let messages = payloads("committed", 2);
    step.done(CALL, publisher.begin_transaction()).await;
    publish(step, publisher, subject, &messages).await;
    inbox.pending(step, QUIET).await;
    step.done(CALL, publisher.commit()).await;
    read(step, inbox, &messages).await;
}

async fn aborted<P, M, E>(check: &Check, publisher: &P, subject: &str, inbox: &mut Inbox<'_, M, E>)
where
    P: TransactionalPublisher,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "abort",
        "what is published in a transaction that is aborted is never visible",
    );
    step.done(CALL, publisher.begin_transaction()).await;
    publish(step, publisher, subject, &payloads("aborted", 1)).await;
    step.done(CALL, publisher.abort()).await;
    inbox.pending(step, QUIET).await;
}

async fn misused<P, M, E>(check: &Check, publisher: &P, subject: &str, inbox: &mut Inbox<'_, M, E>)
where
    P: TransactionalPublisher,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "none open",
        "a commit and an abort fail with no transaction open",
    );
    step.refused(CALL, publisher.commit()).await;
    step.refused(CALL, publisher.abort()).await;
    let step = check.step(
        "second begin",
        "a begin fails while a transaction is open, and leaves that one usable",
    );
    let messages = payloads("around a second begin", 2);
    step.done(CALL, publisher.begin_transaction()).await;
    publish(step, publisher, subject, &messages[..1]).await;
    step.refused(CALL, publisher.begin_transaction()).await;
    publish(step, publisher, subject, &messages[1..]).await;
    inbox.pending(step, QUIET).await;
    step.done(CALL, publisher.commit()).await;
    read(step, inbox, &messages).await;
}

async fn committed_elsewhere<P, M, E>(
    check: &Check,
    publisher: &Arc<P>,
    subject: &str,
    inbox: &mut Inbox<'_, M, E>,
) where
    P: TransactionalPublisher + 'static,
    M: IncomingMessage,
    E: Error,
{
    let step = check.step(
        "commit elsewhere",
        "a transaction filled and committed on a runtime that ends right after is published",
    );
    let messages = payloads("committed elsewhere", 2);
    let publisher = Arc::clone(publisher);
    let (subject, filling) = (subject.to_owned(), messages.clone());
    let committing = elsewhere(step, CALL, move || async move {
        publisher.begin_transaction().await?;
        for message in &filling {
            send(&*publisher, &subject, message).await?;
        }
        publisher.commit().await
    });
    step.accepted(committing.await);
    read(step, inbox, &messages).await;
}

async fn publish<P>(step: Step<'_>, publisher: &P, subject: &str, messages: &[Vec<u8>])
where
    P: TransactionalPublisher,
{
    for message in messages {
        step.done(CALL, send(publisher, subject, message)).await;
    }
}

async fn read<M, E>(step: Step<'_>, inbox: &mut Inbox<'_, M, E>, messages: &[Vec<u8>])
where
    M: IncomingMessage,
    E: Error,
{
    for message in messages {
        let delivery = inbox.expect(step, DELIVERY, message).await;
        settled(step, CALL, delivery.ack()).await;
    }
}
