//! What the in-process tests share.

use std::pin::pin;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use ruststream::testing::InProcess;
use ruststream::{BytesMut, IncomingMessage, OutgoingMessage, Publisher, Subscriber};
use ruststream_nats::{ConnectedNatsBroker, NatsBroker, NatsMessage, NatsPublish, NatsSubscriber};
use tokio::task::coop::unconstrained;

pub(crate) fn production() -> NatsBroker {
    NatsBroker::new("nats://nobody:4222")
}

pub(crate) async fn connect() -> ConnectedNatsBroker {
    connect_as(production()).await
}

pub(crate) async fn connect_as(broker: NatsBroker) -> ConnectedNatsBroker {
    broker.connect_in_process().await.expect("connects")
}

pub(crate) fn message<'a>(subject: &'a str, payload: &str) -> OutgoingMessage<'a, BytesMut> {
    OutgoingMessage::produced(subject, BytesMut::from(payload.as_bytes()))
}

pub(crate) async fn publish(broker: &ConnectedNatsBroker, subject: &str, payload: &str) {
    let publisher = broker.publisher(NatsPublish);
    publisher
        .publish(message(subject, payload), None)
        .await
        .expect("published");
}

/// The next delivery, which is there already or comes with the clock.
pub(crate) async fn next(subscriber: &mut NatsSubscriber) -> NatsMessage {
    let mut stream = pin!(subscriber.stream());
    let next = tokio::time::timeout(Duration::from_mins(1), stream.next()).await;
    next.expect("in time").expect("goes on").expect("delivered")
}

/// What is there already.
pub(crate) fn waiting(subscriber: &mut NatsSubscriber) -> Option<NatsMessage> {
    let mut stream = pin!(subscriber.stream());
    // The runtime would make every hundredth look come back empty, to let other tasks run.
    let next = unconstrained(stream.next()).now_or_never()?;
    Some(next.expect("goes on").expect("delivered"))
}

/// Everything that is there already.
pub(crate) fn drain(subscriber: &mut NatsSubscriber) -> Vec<String> {
    let mut seen = Vec::new();
    while let Some(message) = waiting(subscriber) {
        seen.push(text(&message));
    }
    seen
}

pub(crate) fn text(message: &NatsMessage) -> String {
    String::from_utf8_lossy(message.payload()).into_owned()
}
