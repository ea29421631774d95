//! Short words for what every test does.

use std::thread;

use futures_util::{FutureExt, StreamExt};
use ruststream_core::{
    Broker, IncomingMessage, OutgoingMessage, Publisher, Subscribe, Subscriber, SubscriptionSource,
};
use ruststream_memory::{
    ConnectedMemoryBroker, LogMode, MemoryBroker, MemoryError, MemoryMessage, MemoryPattern,
    MemoryPublisher, MemorySubscriber,
};

/// The value of a future that resolves when it is first polled.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("resolves on the first poll")
}

pub(crate) fn connect<Log: LogMode>(broker: &MemoryBroker<Log>) -> ConnectedMemoryBroker<Log> {
    at_once(broker.clone().connect()).expect("connects")
}

pub(crate) fn subscribe<Log: LogMode>(
    broker: &ConnectedMemoryBroker<Log>,
    name: &str,
) -> MemorySubscriber<Log> {
    at_once(Subscribe::subscribe(broker, name)).expect("subscribes")
}

pub(crate) fn subscribe_pattern<Log: LogMode>(
    broker: &ConnectedMemoryBroker<Log>,
    pattern: &str,
) -> MemorySubscriber {
    at_once(MemoryPattern::new(pattern).subscribe(broker)).expect("subscribes")
}

pub(crate) fn try_publish(
    publisher: &MemoryPublisher,
    name: &str,
    body: &str,
) -> Result<(), MemoryError> {
    at_once(publisher.publish(OutgoingMessage::new(name, body.as_bytes()), None))
}

pub(crate) fn publish(publisher: &MemoryPublisher, name: &str, body: &str) {
    try_publish(publisher, name, body).expect("publishes");
}

/// The next delivery, if one is queued.
pub(crate) fn next<Log: LogMode>(
    subscriber: &mut MemorySubscriber<Log>,
) -> Option<MemoryMessage<Log>> {
    let item = subscriber.stream().next().now_or_never()?;
    item.map(|delivery| delivery.expect("infallible"))
}

/// The next delivery, which has to be queued.
pub(crate) fn take<Log: LogMode>(subscriber: &mut MemorySubscriber<Log>) -> MemoryMessage<Log> {
    next(subscriber).expect("a delivery is queued")
}

/// The bodies of everything queued, acknowledged.
pub(crate) fn bodies<Log: LogMode>(subscriber: &mut MemorySubscriber<Log>) -> Vec<String> {
    let mut bodies = Vec::new();
    while let Some(message) = next(subscriber) {
        bodies.push(body(&message));
        ack(message);
    }
    bodies
}

pub(crate) fn body<Log: LogMode>(message: &MemoryMessage<Log>) -> String {
    String::from_utf8(message.payload().to_vec()).expect("text")
}

pub(crate) fn ack<Log: LogMode>(message: MemoryMessage<Log>) {
    at_once(message.ack()).expect("settles");
}

pub(crate) fn requeue<Log: LogMode>(message: MemoryMessage<Log>) {
    at_once(message.nack(true)).expect("settles");
}

pub(crate) fn count<Log: LogMode>(message: &MemoryMessage<Log>) -> u64 {
    message.redelivery_count().expect("this broker counts")
}

/// Runs a future on a runtime of its own, which is gone when this returns.
pub(crate) fn on_foreign_runtime<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
) -> T {
    let run = move || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime")
            .block_on(future)
    };
    thread::spawn(run).join().expect("no panic")
}
