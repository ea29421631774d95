use std::error::Error;
use std::time::Duration;

use ruststream_core::{IncomingMessage, SubscriptionSource};
use tokio::time::{Instant, sleep};

use super::timed::Timed;
use super::{ARRIVAL, CALL};
use crate::helpers::unique_subject;
use crate::kit::{
    Arrival, Check, Inbox, MessageOf, Session, Shown, Step, SubscriberOf, UnderTest, elsewhere,
    settled,
};

/// After an error of a stream, which may be there at every poll.
const BETWEEN_READS: Duration = Duration::from_millis(1);

/// Acknowledging a later delivery consumes no earlier one.
pub(super) async fn out_of_order<U>(check: &Check, timed: Timed<'_, U>)
where
    U: UnderTest,
    U::Source: Clone,
{
    let subject = unique_subject("conformance.settlement.order");
    let source = timed.under_test.source(&subject);
    let session = timed.open(check).await;
    let mut subscriber = session.subscribe(source.clone()).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let publisher = timed.under_test.publisher(session.connected());
    // In the order they are delivered, which a queue may choose.
    let mut due = Returns {
        check,
        due: Vec::new(),
        tolerated: vec![b"one", b"two", b"three"],
    };
    for payload in &due.tolerated {
        session.publish(&publisher, &subject, payload).await;
    }
    let first = due.delivered(&mut inbox).await;
    let second = due.delivered(&mut inbox).await;
    let third = due.delivered(&mut inbox).await;
    let step = check.step("ack the third", "a delivery can be acknowledged");
    settled(step, CALL, third.ack()).await;
    drop(first);
    drop(second);

    // A log that commits a prefix hands out again what was acknowledged beyond it.
    due.tolerated.extend(due.due.pop());
    drop(inbox);
    returned(timed, due, session, subscriber, source).await;
}

/// A delivery dropped unsettled, on a runtime that ends, is not lost.
pub(super) async fn dropped<U>(check: &Check, timed: Timed<'_, U>)
where
    U: UnderTest,
    U::Source: Clone,
    MessageOf<U>: 'static,
{
    let subject = unique_subject("conformance.settlement.unsettled");
    let source = timed.under_test.source(&subject);
    let session = timed.open(check).await;
    let mut subscriber = session.subscribe(source.clone()).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let delivery = timed
        .exchanged(check, &session, &mut inbox, &subject, b"dropped")
        .await;
    let step = check.step("drop", "dropping a delivery returns");
    elsewhere(step, CALL, move || async move { drop(delivery) }).await;

    let due = Returns {
        check,
        due: vec![b"dropped"],
        tolerated: Vec::new(),
    };
    drop(inbox);
    returned(timed, due, session, subscriber, source).await;
}

/// What was dropped comes back: on its subscription, on the same source opened again, or on a new
/// connection. Each once, and nothing else.
async fn returned<U>(
    timed: Timed<'_, U>,
    mut due: Returns<'_>,
    session: Session<'_, U::Broker>,
    mut subscriber: SubscriberOf<U>,
    source: U::Source,
) where
    U: UnderTest,
    U::Source: Clone,
{
    let mut inbox = Inbox::of(&mut subscriber);
    if due.read(&mut inbox, timed.quiet()).await {
        due.silent(&mut inbox, timed.quiet()).await;
        drop(inbox);
        drop(subscriber);
        return session.close().await;
    }
    drop(inbox);
    drop(subscriber);

    let step = due
        .check
        .step("open again", "a subscription opens again or is refused");
    let opening = source.clone().subscribe(session.connected());
    // A source may be taken until its connection closes.
    if let Ok(mut subscriber) = step.within(CALL, opening).await {
        let mut inbox = Inbox::of(&mut subscriber);
        if due.read(&mut inbox, timed.redelivery()).await {
            due.silent(&mut inbox, timed.quiet()).await;
            drop(inbox);
            drop(subscriber);
            return session.close().await;
        }
    }
    session.close().await;

    let session = timed.open(due.check).await;
    let mut subscriber = session.subscribe(source).await;
    let mut inbox = Inbox::of(&mut subscriber);
    if !due.read(&mut inbox, timed.redelivery()).await {
        due.lost();
    }
    due.silent(&mut inbox, timed.quiet()).await;
    drop(inbox);
    drop(subscriber);
    session.close().await;
}

/// The messages that have to come back, and those that may.
struct Returns<'c> {
    check: &'c Check,
    due: Vec<&'static [u8]>,
    tolerated: Vec<&'static [u8]>,
}

impl<'c> Returns<'c> {
    /// The next of the messages in flight, which is due from then on.
    async fn delivered<M, E>(&mut self, inbox: &mut Inbox<'_, M, E>) -> M
    where
        M: IncomingMessage,
        E: Error,
    {
        let step = self
            .check
            .step("deliver", "three messages are in flight at once");
        let delivery = inbox.next(step, ARRIVAL).await;
        let of_its_payload = |payload: &&[u8]| *payload == delivery.payload();
        match self.tolerated.iter().position(of_its_payload) {
            Some(position) => self.due.push(self.tolerated.swap_remove(position)),
            None => step.fail(format_args!("{} came", Shown(delivery.payload()))),
        }
        delivery
    }

    /// Reads until everything due came back; `false` if it did not within `wait`.
    async fn read<M, E>(&mut self, inbox: &mut Inbox<'_, M, E>, wait: Duration) -> bool
    where
        M: IncomingMessage,
        E: Error,
    {
        let until = Instant::now() + wait;
        while !self.due.is_empty() {
            match inbox.arrival(until).await {
                Arrival::Item(delivery) => self.take(delivery).await,
                Arrival::Error(_) if Instant::now() < until => sleep(BETWEEN_READS).await,
                Arrival::Error(_) | Arrival::Ended | Arrival::Nothing => return false,
            }
        }
        true
    }

    /// Watches that nothing comes back twice.
    async fn silent<M, E>(&mut self, inbox: &mut Inbox<'_, M, E>, quiet: Duration)
    where
        M: IncomingMessage,
        E: Error,
    {
        let until = Instant::now() + quiet;
        while let Arrival::Item(delivery) = inbox.arrival(until).await {
            self.take(delivery).await;
        }
    }

    async fn take<M: IncomingMessage>(&mut self, delivery: M) {
        let payload = delivery.payload();
        let step = self.step();
        let known = [&mut self.due, &mut self.tolerated]
            .into_iter()
            .any(|messages| {
                let position = messages.iter().position(|due| *due == payload);
                position
                    .map(|position| messages.swap_remove(position))
                    .is_some()
            });
        step.require(
            known,
            format_args!("{} came, or came twice", Shown(payload)),
        );
        settled(step, CALL, delivery.ack()).await;
    }

    fn lost(&self) -> ! {
        let missing: Vec<_> = self.due.iter().map(|due| Shown(due).to_string()).collect();
        self.step()
            .fail(format_args!("{} never came back", missing.join(" and ")))
    }

    fn step<'s>(&self) -> Step<'s>
    where
        'c: 's,
    {
        self.check.step(
            "return",
            "a delivery dropped unsettled comes back, once, at the latest on a new connection",
        )
    }
}
