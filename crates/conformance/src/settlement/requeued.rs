use ruststream_core::IncomingMessage;

use super::timed::Timed;
use super::{Answer, CALL};
use crate::helpers::unique_subject;
use crate::kit::{Check, Inbox, UnderTest, settled};

/// `nack(true)` brings the same message back.
pub(super) async fn requeue<U: UnderTest>(check: &Check, timed: Timed<'_, U>) -> Answer {
    let subject = unique_subject("conformance.settlement.requeue");
    let session = timed.open(check).await;
    let mut subscriber = session.subscribe(timed.under_test.source(&subject)).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let delivery = timed
        .exchanged(check, &session, &mut inbox, &subject, b"requeued")
        .await;
    let step = check.step("settle", "the settlement succeeds or answers `Unsupported`");
    let answer = Answer::of(settled(step, CALL, delivery.nack(true)).await);
    if answer == Answer::Settled {
        let step = check.step("return", "a requeued message comes back, with its payload");
        let again = inbox.expect(step, timed.redelivery(), b"requeued").await;
        settled(step, CALL, again.ack()).await;
    }
    drop(inbox);
    drop(subscriber);
    session.close().await;
    answer
}
