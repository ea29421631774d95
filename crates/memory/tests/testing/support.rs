use futures_util::{FutureExt, StreamExt};
use ruststream_core::testing::{Coordinator, TestableBroker};
use ruststream_core::{Broker, OutgoingMessage, Publisher, RawMessage, Subscribe, Subscriber};
use ruststream_memory::{
    ConnectedMemoryBroker, LogMode, MemoryBroker, MemoryMessage, MemorySubscriber,
};

/// A connected broker with a coordinator.
pub(crate) async fn harnessed<Log: LogMode>(
    broker: MemoryBroker<Log>,
) -> (ConnectedMemoryBroker<Log>, Coordinator) {
    let connected = broker.connect().await.unwrap();
    let coordinator = Coordinator::new(usize::MAX);
    connected.install_coordinator(coordinator.clone());
    (connected, coordinator)
}

pub(crate) fn at_rest(coordinator: &Coordinator) -> bool {
    coordinator.drive().now_or_never().is_some()
}

pub(crate) async fn subscribe<Log: LogMode>(
    broker: &ConnectedMemoryBroker<Log>,
    name: &str,
) -> MemorySubscriber<Log> {
    Subscribe::subscribe(broker, name).await.unwrap()
}

pub(crate) async fn publish<Log: LogMode>(
    broker: &ConnectedMemoryBroker<Log>,
    name: &str,
    payload: &[u8],
) {
    let publisher = broker.publisher();
    publisher
        .publish(OutgoingMessage::new(name, payload), None)
        .await
        .unwrap();
}

/// The delivery that waits.
pub(crate) fn next<Log: LogMode>(subscriber: &mut MemorySubscriber<Log>) -> MemoryMessage<Log> {
    let next = std::pin::pin!(subscriber.stream()).next().now_or_never();
    next.expect("a delivery waits").expect("open").unwrap()
}

pub(crate) fn is_empty<Log: LogMode>(subscriber: &mut MemorySubscriber<Log>) -> bool {
    std::pin::pin!(subscriber.stream())
        .next()
        .now_or_never()
        .is_none()
}

pub(crate) fn payloads(log: &[RawMessage]) -> Vec<&[u8]> {
    log.iter().map(RawMessage::payload).collect()
}
