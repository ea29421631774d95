use std::error::Error;
use std::sync::Arc;

use ruststream_core::{
    Broker, Connected, IncomingMessage, OutgoingMessage, OwnedTransactions, SubscriptionSource,
    Transaction,
};

use super::{AFTER_SHUTDOWN, CALL, DELIVERY, QUIET, open};
use crate::helpers::unique_subject;
use crate::kit::{
    Check, Factories, Inbox, Shown, Step, UnderTest, elsewhere, payloads, send, settled,
};

/// Holds transactions that are values to be independent of each other and of their publisher.
///
/// A commit shows the whole buffer in order, an abort nothing of it. Several are open at once, and
/// settling one touches no other; the publisher keeps publishing directly meanwhile. One committed on
/// a runtime that ends right after is published; on a connection that was shut down a commit fails,
/// and so does a transaction opened there, at the latest when it commits.
///
/// The subjects begin with `conformance.owned_transactions.`.
///
/// # Panics
///
/// At the first rule broken; outside a Tokio runtime with time.
pub async fn owned_transactions<B, MkBroker, Src, MkSrc, Pub, MkPub>(
    make_broker: MkBroker,
    make_source: MkSrc,
    make_publisher: MkPub,
) where
    B: Broker,
    MkBroker: Fn() -> B,
    Src: SubscriptionSource<Connected<B>> + Send,
    Src::Subscriber: Send,
    MkSrc: Fn(&str) -> Src,
    Pub: OwnedTransactions + 'static,
    MkPub: Fn(&Connected<B>) -> Pub,
{
    let check = Check::new("owned_transactions");
    let under_test = Factories {
        brokers: make_broker,
        sources: make_source,
        publishers: make_publisher,
    };
    let session = open(&check, &under_test).await;
    let subject = unique_subject("conformance.owned_transactions");
    let mut subscriber = session.subscribe(under_test.source(&subject)).await;
    let publisher = Arc::new(under_test.publisher(session.connected()));
    let mut exchange = Exchange {
        check: &check,
        publisher: &publisher,
        subject: &subject,
        inbox: Inbox::of(&mut subscriber),
    };
    exchange.committed().await;
    exchange.aborted().await;
    exchange.one_of_two().await;
    exchange.both().await;
    exchange.beside_a_direct_publish().await;
    exchange.committed_elsewhere().await;

    let step = check.step("open", "a transaction opens, and takes a message");
    let open_before = exchange.filled(step, &payloads("too late", 1)).await;
    drop(exchange);
    drop(subscriber);
    session.close().await;
    let step = check.step(
        "commit after shutdown",
        "a transaction opened before fails to commit once the connection is shut down",
    );
    step.refused(AFTER_SHUTDOWN, open_before.commit()).await;
    let step = check.step(
        "publish after shutdown",
        "a publish fails once the connection is shut down",
    );
    step.refused(AFTER_SHUTDOWN, send(&*publisher, &subject, b"too late"))
        .await;
    let step = check.step(
        "open after shutdown",
        "a transaction on a connection that was shut down fails to open or to commit",
    );
    if let Ok(late) = step.within(AFTER_SHUTDOWN, publisher.transaction()).await {
        step.refused(AFTER_SHUTDOWN, late.commit()).await;
    }
}

struct Exchange<'a, 's, P, M, E> {
    check: &'a Check,
    publisher: &'a Arc<P>,
    subject: &'a str,
    inbox: Inbox<'s, M, E>,
}

impl<P, M, E> Exchange<'_, '_, P, M, E>
where
    P: OwnedTransactions + 'static,
    M: IncomingMessage,
    E: Error,
{
    async fn committed(&mut self) {
        let step = self.check.step(
            "commit",
            "what is published in a transaction is visible after its commit, not before, in order",
        );
        let messages = payloads("committed", 2);
        let transaction = self.filled(step, &messages).await;
        self.inbox.pending(step, QUIET).await;
        step.done(CALL, transaction.commit()).await;
        self.read(step, &messages).await;
    }

    async fn aborted(&mut self) {
        let step = self.check.step(
            "abort",
            "what is published in a transaction that is aborted is never visible",
        );
        let transaction = self.filled(step, &payloads("aborted", 1)).await;
        step.done(CALL, transaction.abort()).await;
        self.inbox.pending(step, QUIET).await;
    }

    async fn one_of_two(&mut self) {
        let step = self.check.step(
            "one of two",
            "of two transactions open at once, aborting one leaves the other whole",
        );
        let messages = payloads("kept", 2);
        let kept = self.filled(step, &messages).await;
        let lost = self.filled(step, &payloads("lost", 2)).await;
        step.done(CALL, lost.abort()).await;
        step.done(CALL, kept.commit()).await;
        self.read(step, &messages).await;
        self.inbox.pending(step, QUIET).await;
    }

    async fn both(&mut self) {
        let step = self.check.step(
            "both of two",
            "of two transactions committed both are whole, each in its order",
        );
        let (one, other) = (payloads("one", 2), payloads("another", 2));
        let first = self.filled(step, &one).await;
        let second = self.filled(step, &other).await;
        step.done(CALL, second.commit()).await;
        step.done(CALL, first.commit()).await;
        let mut due = [one.iter().peekable(), other.iter().peekable()];
        while due.iter_mut().any(|due| due.peek().is_some()) {
            let delivery = self.inbox.next(step, DELIVERY).await;
            let in_order = due
                .iter_mut()
                .any(|due| due.next_if(|due| *due == delivery.payload()).is_some());
            step.require(
                in_order,
                format_args!("{} came out of turn", Shown(delivery.payload())),
            );
            settled(step, CALL, delivery.ack()).await;
        }
    }

    async fn beside_a_direct_publish(&mut self) {
        let step = self.check.step(
            "direct publish",
            "a direct publish is visible at once while a transaction is open, and is not part of it",
        );
        let transaction = self.filled(step, &payloads("in the transaction", 1)).await;
        let direct = payloads("direct", 1);
        step.done(CALL, send(&**self.publisher, self.subject, &direct[0]))
            .await;
        self.read(step, &direct).await;
        step.done(CALL, transaction.abort()).await;
        self.inbox.pending(step, QUIET).await;
    }

    async fn committed_elsewhere(&mut self) {
        let step = self.check.step(
            "commit elsewhere",
            "a transaction filled and committed on a runtime that ends right after is published",
        );
        let messages = payloads("committed elsewhere", 2);
        let publisher = Arc::clone(self.publisher);
        let (subject, filling) = (self.subject.to_owned(), messages.clone());
        let committing = elsewhere(step, CALL, move || async move {
            let opening = publisher.transaction().await;
            let mut transaction = opening.map_err(|error| error.to_string())?;
            for message in &filling {
                let message = OutgoingMessage::new(&subject, message);
                let answer = transaction.publish(message, None).await;
                answer.map_err(|error| error.to_string())?;
            }
            let committed = transaction.commit().await;
            committed.map_err(|error| error.to_string())
        });
        if let Err(error) = committing.await {
            step.fail(format_args!("it failed with: {error}"));
        }
        self.read(step, &messages).await;
    }

    async fn filled(&mut self, step: Step<'_>, messages: &[Vec<u8>]) -> P::Transaction {
        let mut transaction = step.done(CALL, self.publisher.transaction()).await;
        for message in messages {
            let message = OutgoingMessage::new(self.subject, message);
            step.done(CALL, transaction.publish(message, None)).await;
        }
        transaction
    }

    async fn read(&mut self, step: Step<'_>, messages: &[Vec<u8>]) {
        for message in messages {
            let delivery = self.inbox.expect(step, DELIVERY, message).await;
            settled(step, CALL, delivery.ack()).await;
        }
    }
}
