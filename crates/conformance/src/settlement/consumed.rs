use ruststream_core::IncomingMessage;

use super::timed::Timed;
use super::{Answer, CALL};
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, MessageOf, UnderTest, settled};

const SETTLED: &[u8] = b"settled";
const SENTINEL: &[u8] = b"sentinel";

/// `ack`: its answer, and whether the delivery offered a delay.
pub(super) async fn ack<U>(check: &Check, timed: Timed<'_, U>) -> (Answer, bool)
where
    U: UnderTest,
    U::Source: Clone,
{
    let mut delay = false;
    let answer = consumed(check, timed, async |delivery: MessageOf<U>| {
        delay = delivery.supports_nack_after();
        delivery.ack().await
    });
    (answer.await, delay)
}

/// `nack(false)`.
pub(super) async fn reject<U>(check: &Check, timed: Timed<'_, U>) -> Answer
where
    U: UnderTest,
    U::Source: Clone,
{
    consumed(check, timed, async |delivery: MessageOf<U>| {
        delivery.nack(false).await
    })
    .await
}

/// What was settled comes again neither here nor on a new connection.
async fn consumed<U>(
    check: &Check,
    timed: Timed<'_, U>,
    settle: impl AsyncFnOnce(MessageOf<U>) -> Result<(), ruststream_core::AckError>,
) -> Answer
where
    U: UnderTest,
    U::Source: Clone,
{
    let subject = unique_subject("conformance.settlement.consume");
    let source = timed.under_test.source(&subject);
    let session = timed.open(check).await;
    let mut subscriber = session.subscribe(source.clone()).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let delivery = timed
        .exchanged(check, &session, &mut inbox, &subject, SETTLED)
        .await;
    let step = check.step("settle", "the settlement succeeds or answers `Unsupported`");
    let answer = Answer::of(settled(step, CALL, settle(delivery)).await);
    if answer == Answer::Settled {
        let step = check.step(
            "stay silent",
            "a message that was consumed is not delivered again to its subscription",
        );
        inbox.silent(step, timed.quiet()).await;
    }
    drop(inbox);
    drop(subscriber);
    session.close().await;
    if answer == Answer::Settled {
        let session = timed.open(check).await;
        let mut subscriber = session.subscribe(source).await;
        let mut inbox = Inbox::of(&mut subscriber);
        let publisher = timed.under_test.publisher(session.connected());
        session.publish(&publisher, &subject, SENTINEL).await;
        let step = check.step(
            "new connection",
            "a message that was consumed is not delivered again to a new connection",
        );
        let delivery = inbox.expect(step, super::ARRIVAL, SENTINEL).await;
        settled(step, CALL, delivery.ack()).await;
        inbox.silent(step, timed.quiet()).await;
        drop(inbox);
        drop(subscriber);
        session.close().await;
    }
    answer
}
