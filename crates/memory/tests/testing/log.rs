use ruststream_core::testing::{Backlog, Coordinator, InProcess, TestableBroker};
use ruststream_core::{Broker, ConnectedBroker, HeaderMap, OutgoingMessage, Publisher, nonzero};
use ruststream_memory::{MemoryBroker, Retention};

use crate::support::{at_rest, harnessed, payloads, publish, subscribe};

// MEM-75, TEST-57
#[tokio::test]
async fn a_discarding_broker_keeps_everything_from_the_install_on() {
    let broker = MemoryBroker::new().connect().await.unwrap();
    publish(&broker, "a", b"before").await;
    assert!(broker.published("a").is_empty());

    broker.install_coordinator(Coordinator::new(usize::MAX));
    let reader = subscribe(&broker, "a").await;
    let headers = HeaderMap::from_iter([("tenant", "north")]);
    broker.inject(OutgoingMessage::new("a", b"1").with_headers(headers.clone()));
    publish(&broker, "a", b"2").await;
    publish(&broker, "b", b"3").await;
    drop(reader);

    let log = broker.published("a");
    assert_eq!(payloads(&log), [b"1", b"2"]);
    assert_eq!((log[0].name(), log[0].headers()), ("a", &headers));
    assert_eq!(broker.evicted("a"), 0);
}

// MEM-75: a publisher that knew its one reader passes the log all the same.
#[tokio::test]
async fn an_earlier_publisher_s_messages_are_in_the_log() {
    let broker = MemoryBroker::new().connect().await.unwrap();
    let _reader = subscribe(&broker, "a").await;
    let publisher = broker.publisher();
    for _ in 0..2 {
        let warm = OutgoingMessage::new("a", b"warm");
        publisher.publish(warm, None).await.unwrap();
    }
    broker.install_coordinator(Coordinator::new(usize::MAX));
    let message = OutgoingMessage::new("a", b"1");
    publisher.publish(message, None).await.unwrap();
    assert_eq!(payloads(&broker.published("a")), [b"1"]);
}

// MEM-75
#[tokio::test]
async fn a_retaining_broker_shows_its_window_and_tells_what_left_it() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(2)));
    let broker = broker.connect().await.unwrap();
    for payload in [b"1", b"2", b"3"] {
        publish(&broker, "a", payload).await;
    }
    assert_eq!(payloads(&broker.published("a")), [b"2", b"3"]);
    assert_eq!((broker.evicted("a"), broker.evicted("b")), (1, 0));
}

// MEM-74, MEM-75
#[tokio::test]
async fn in_process_is_the_production_transport() {
    let broker = MemoryBroker::new();
    let connected = broker.clone().connect_in_process().await.unwrap();
    let reader = broker.subscribe("a");
    connected.inject(OutgoingMessage::new("a", b"1"));
    assert_eq!(connected.backlog(), Backlog::Missed);
    drop(reader);
}

// MEM-75
#[tokio::test]
#[should_panic(
    expected = "a message for `a` was injected into an in-memory broker that is shut down"
)]
async fn injecting_into_a_shut_down_bus_panics() {
    let (broker, coordinator) = harnessed(MemoryBroker::new()).await;
    broker.clone().shutdown().await.unwrap();
    assert!(at_rest(&coordinator));
    broker.inject(OutgoingMessage::new("a", b"1"));
}
