//! What the live tests share.

mod certificates;
mod logs;
mod proxy;
mod tap;
mod tokens;

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use async_nats::jetstream;
use futures_util::StreamExt;
use ruststream::{
    Broker, BytesMut, HeaderMap, IncomingMessage, OutgoingMessage, Publisher, Subscriber,
};
use ruststream_nats::{ConnectedNatsBroker, NatsBroker, NatsMessage, NatsPublish, NatsSubscriber};

pub(crate) use self::certificates::{Authority, verifying};
pub(crate) use self::logs::Logs;
pub(crate) use self::proxy::Proxy;
pub(crate) use self::tap::Tap;
pub(crate) use self::tokens::{Operator, User, creds};
pub(crate) use ruststream_nats_servers::{Server, on_every_server, on_every_server_with};

/// How long anything that must happen may take.
pub(crate) const SOON: Duration = Duration::from_secs(10);
/// How long what must not happen is waited for.
pub(crate) const QUIET: Duration = Duration::from_millis(300);

pub(crate) async fn connect(server: &Server) -> ConnectedNatsBroker {
    NatsBroker::new(server.url())
        .connect()
        .await
        .expect("connects")
}

/// A client of its own, which knows nothing of the crate.
pub(crate) async fn raw(server: &Server) -> async_nats::Client {
    Box::pin(async_nats::connect(server.url()))
        .await
        .expect("connects")
}

/// Creates a stream that stores `subjects`.
pub(crate) async fn stream(
    server: &Server,
    name: &str,
    subjects: &[&str],
) -> jetstream::stream::Stream {
    let context = jetstream::new(raw(server).await);
    let config = jetstream::stream::Config {
        name: name.to_owned(),
        subjects: subjects.iter().map(ToString::to_string).collect(),
        ..Default::default()
    };
    context.create_stream(config).await.expect("created")
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

pub(crate) async fn publish_with(
    broker: &ConnectedNatsBroker,
    subject: &str,
    payload: &str,
    headers: HeaderMap,
) {
    let publisher = broker.publisher(NatsPublish);
    let message = message(subject, payload).with_headers(headers);
    publisher.publish(message, None).await.expect("published");
}

/// The next delivery.
pub(crate) async fn next(subscriber: &mut NatsSubscriber) -> NatsMessage {
    within(SOON, "a delivery", async {
        let mut stream = pin!(subscriber.stream());
        loop {
            match stream.next().await.expect("the stream goes on") {
                Ok(message) => return message,
                Err(error) => eprintln!("on the way: {error}"),
            }
        }
    })
    .await
}

/// Nothing is delivered for a while.
pub(crate) async fn assert_quiet(subscriber: &mut NatsSubscriber) {
    let mut stream = pin!(subscriber.stream());
    if let Ok(Some(Ok(message))) = tokio::time::timeout(QUIET, stream.next()).await {
        panic!("delivered: {:?}", text(&message));
    }
}

pub(crate) fn text(message: &NatsMessage) -> String {
    String::from_utf8_lossy(message.payload()).into_owned()
}

pub(crate) async fn within<T>(limit: Duration, what: &str, future: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(limit, future).await;
    done.unwrap_or_else(|_elapsed| panic!("{what} did not come within {limit:?}"))
}

/// Waits until the server has noted that all up to `sequence` is settled.
///
/// A settlement is fire-and-forget (NATS-75): what ends a server right after it may end it first.
pub(crate) async fn settled_up_to(server: &Server, stream: &str, consumer: &str, sequence: u64) {
    let context = jetstream::new(raw(server).await);
    let stream = context.get_stream(stream).await.expect("the stream");
    until("the settlement", async || {
        let info = stream.consumer_info(consumer).await.expect("the consumer");
        info.ack_floor.stream_sequence >= sequence
    })
    .await;
}

/// Waits until `condition` holds.
pub(crate) async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    within(SOON, what, async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}
