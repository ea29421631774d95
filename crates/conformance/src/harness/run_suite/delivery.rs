use ruststream_core::testing::{InProcess, TestableBroker};
use ruststream_core::{HeaderMap, IncomingMessage, OutgoingMessage, Subscribe};

use super::{CALL, DELIVERY, QUIET, inject, open, subscribe};
use crate::kit::{Check, Inbox, settled};

/// Messages arrive in the order they were published in.
pub(super) async fn order<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    const NAME: &str = "conformance.ordering";
    let step = check.step(
        "order",
        "one subscription receives the messages of one name in publish order",
    );
    let session = open(check, broker).await;
    let mut subscriber = subscribe(&session, NAME).await;
    let mut inbox = Inbox::of(&mut subscriber);
    for number in 0..10 {
        inject(session.connected(), NAME, &numbered(number));
    }
    for number in 0..10 {
        let delivery = inbox.expect(step, DELIVERY, &numbered(number)).await;
        settled(step, CALL, delivery.ack()).await;
    }
}

fn numbered(number: u8) -> Vec<u8> {
    format!("ordering {number}").into_bytes()
}

/// An acknowledged message does not come again.
pub(super) async fn ack<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    const NAME: &str = "conformance.ack";
    let step = check.step("ack consumes", "an acknowledged message never comes again");
    let session = open(check, broker).await;
    let mut subscriber = subscribe(&session, NAME).await;
    let mut inbox = Inbox::of(&mut subscriber);
    inject(session.connected(), NAME, b"acknowledged");
    let delivery = inbox.expect(step, DELIVERY, b"acknowledged").await;
    if settled(step, CALL, delivery.ack()).await {
        inbox.pending(step, QUIET).await;
    }
}

/// A requeued message comes again.
pub(super) async fn requeue<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    const NAME: &str = "conformance.requeue";
    let step = check.step(
        "requeue",
        "`nack(true)` brings the same message back, or answers `Unsupported`",
    );
    let session = open(check, broker).await;
    let mut subscriber = subscribe(&session, NAME).await;
    let mut inbox = Inbox::of(&mut subscriber);
    inject(session.connected(), NAME, b"requeued");
    let delivery = inbox.expect(step, DELIVERY, b"requeued").await;
    if settled(step, CALL, delivery.nack(true)).await {
        let again = inbox.expect(step, DELIVERY, b"requeued").await;
        settled(step, CALL, again.ack()).await;
    }
}

/// A dropped message does not come again.
pub(super) async fn drop_for_good<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    const NAME: &str = "conformance.drop";
    let step = check.step(
        "drop",
        "a message settled by `nack(false)` never comes again",
    );
    let session = open(check, broker).await;
    let mut subscriber = subscribe(&session, NAME).await;
    let mut inbox = Inbox::of(&mut subscriber);
    inject(session.connected(), NAME, b"dropped");
    let delivery = inbox.expect(step, DELIVERY, b"dropped").await;
    if settled(step, CALL, delivery.nack(false)).await {
        inbox.pending(step, QUIET).await;
    }
}

/// Headers arrive, whatever the case of their names.
pub(super) async fn headers<B>(check: &Check, broker: B)
where
    B: InProcess,
    B::Connected: Subscribe,
{
    const NAME: &str = "conformance.headers";
    const CONTENT_TYPE: &str = "application/x-conformance";
    let step = check.step(
        "headers",
        "every header arrives unchanged, and names compare without regard to case",
    );
    let session = open(check, broker).await;
    let mut subscriber = subscribe(&session, NAME).await;
    let mut inbox = Inbox::of(&mut subscriber);
    let sent = HeaderMap::from_iter([
        ("Content-Type", CONTENT_TYPE),
        ("X-Conformance-Case", "kept as it is"),
    ]);
    let message = OutgoingMessage::new(NAME, b"with headers").with_headers(sent);
    session.connected().inject(message);
    let delivery = inbox.expect(step, DELIVERY, b"with headers").await;
    let received = delivery.headers();
    step.require(
        received.content_type() == Some(CONTENT_TYPE),
        format_args!("the content type came as {:?}", received.content_type()),
    );
    let custom = received.get_str("x-conformance-case");
    step.require(
        custom == Some("kept as it is"),
        format_args!("the header `x-conformance-case` came as {custom:?}"),
    );
    settled(step, CALL, delivery.ack()).await;
}
