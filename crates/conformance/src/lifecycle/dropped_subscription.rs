use std::error::Error;
use std::time::Duration;

use ruststream_core::{Broker, Connected, IncomingMessage, Publisher, SubscriptionSource};
use tokio::time::{Instant, sleep};

use super::{CALL, DELIVERY, LIMITS, RETURN};
use crate::helpers::unique_subject;
use crate::kit::{Arrival, Check, Inbox, Outbox, Session, Shown, Step, payloads, settled};

/// Published while both subscriptions are open, and after one was dropped.
const BEFORE: usize = 4;
const AFTER: usize = 6;
/// How often messages are published until none goes to the dropped subscription any more.
const ROUNDS: usize = 5;
const A_ROUND: usize = 10;
const AFTER_A_REPEAT: Duration = Duration::from_millis(1);

/// Holds a subscription that was dropped to take nothing more, and to give back what it had queued.
///
/// Two subscriptions of one source are opened, messages published, the first one dropped unread, and
/// more messages published. Where the transport can requeue, the second subscription gets all of
/// them, whether the two were a group or each had every message; repeats are tolerated. Where it
/// cannot, messages on their way to the one that was dropped may be lost, but soon none is: of up to
/// five rounds of ten messages one arrives whole. A source that one subscription alone can open has
/// nothing to hold.
///
/// These are CORE-066 (what was not settled is not consumed) and CORE-284 (distribution in a group
/// is the transport's, among those who read).
///
/// `redelivery_timeout` is how long the broker keeps what a subscription that is gone had been
/// handed before it hands it out again; zero if it does so at once. The subjects begin with
/// `conformance.dropped.`.
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
/// # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
/// conformance::lifecycle::dropped_subscription(
///     MemoryBroker::new,
///     |name| MemorySource::new(name),
///     |connected| connected.publisher(),
///     Duration::ZERO,
/// )
/// .await;
/// # });
/// ```
pub async fn dropped_subscription<B, MkBroker, Src, MkSrc, Pub, MkPub>(
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
    let check = Check::new("dropped_subscription");
    let subject = unique_subject("conformance.dropped");
    let session = Session::open(&check, LIMITS, make_broker()).await;
    let first = session.subscribe(make_source(&subject)).await;
    let step = check.step("second", "a second subscription opens or is refused");
    let opening = make_source(&subject).subscribe(session.connected());
    let Ok(mut second) = step.within(CALL, opening).await else {
        drop(first);
        return session.close().await;
    };
    let outbox = Outbox {
        session: &session,
        publisher: make_publisher(session.connected()),
        subject: &subject,
    };
    let mut due = payloads("before the drop", BEFORE);
    outbox.publish_all(&due).await;
    drop(first);
    let after = payloads("after the drop", AFTER);
    outbox.publish_all(&after).await;
    due.extend(after);

    let mut inbox = Inbox::of(&mut second);
    let mut remaining = Remaining {
        due,
        requeues: None,
    };
    let step = check
        .step(
            "remaining",
            "a subscription that was dropped takes nothing more, and what it had queued goes to \
             the one that remains",
        )
        .advising(
            "leave the group, and hand back what is queued, when the subscriber is dropped; a drop \
             cannot wait, so do it on the broker's runtime",
        );
    let wait = redelivery_timeout + RETURN;
    if !remaining.came(step, &mut inbox, wait).await {
        // A transport that cannot hand anything back may have lost some of these, not of the next.
        let lost = remaining.missing();
        if remaining.requeues != Some(true) {
            takes_all(step, &outbox, &mut inbox, &mut remaining).await;
        }
        step.require(
            remaining.requeues == Some(false),
            format_args!("{lost} did not come within {wait:?}"),
        );
    }
    drop(inbox);
    drop(second);
    drop(outbox);
    session.close().await;
}

/// One round must arrive whole.
async fn takes_all<B, P, M, E>(
    step: Step<'_>,
    outbox: &Outbox<'_, '_, B, P>,
    inbox: &mut Inbox<'_, M, E>,
    remaining: &mut Remaining,
) where
    B: Broker,
    P: Publisher,
    M: IncomingMessage,
    E: Error,
{
    for round in 1..=ROUNDS {
        remaining.due = payloads(&format!("round {round}"), A_ROUND);
        outbox.publish_all(&remaining.due).await;
        if remaining.came(step, inbox, DELIVERY).await {
            return;
        }
    }
    step.fail(format_args!(
        "of {A_ROUND} messages published long after the drop {} did not come",
        remaining.missing()
    ));
}

/// What the subscription that remains has to get.
struct Remaining {
    due: Vec<Vec<u8>>,
    /// Whether the transport can requeue, once it was asked.
    requeues: Option<bool>,
}

impl Remaining {
    /// Reads until everything came; `false` if it did not within `wait` of the last that did.
    async fn came<M, E>(
        &mut self,
        step: Step<'_>,
        inbox: &mut Inbox<'_, M, E>,
        wait: Duration,
    ) -> bool
    where
        M: IncomingMessage,
        E: Error,
    {
        let mut until = Instant::now() + wait;
        while !self.due.is_empty() {
            let delivery = match inbox.arrival(until).await {
                Arrival::Item(delivery) => delivery,
                Arrival::Nothing => return false,
                other => step.fail(other.described(wait)),
            };
            let is_it = |due: &Vec<u8>| due == delivery.payload();
            let position = self.due.iter().position(is_it);
            if self.requeues.is_none() && position.is_some() {
                // It comes again, if it can.
                let requeues = settled(step, CALL, delivery.nack(true)).await;
                self.requeues = Some(requeues);
                if requeues {
                    continue;
                }
            } else {
                settled(step, CALL, delivery.ack()).await;
            }
            match position {
                Some(position) => {
                    self.due.remove(position);
                    until = Instant::now() + wait;
                }
                None if Instant::now() >= until => return false,
                None => sleep(AFTER_A_REPEAT).await,
            }
        }
        true
    }

    fn missing(&self) -> String {
        let missing = self.due.iter().map(|due| Shown(due).to_string());
        missing.collect::<Vec<_>>().join(" and ")
    }
}
