use ruststream_core::testing::{InProcess, TestableBroker};
use ruststream_core::{Broker, OutgoingMessage, Publisher, Subscribe, SubscriptionSource, nonzero};
use ruststream_memory::{
    MemoryBroker, MemoryError, MemoryPattern, MemorySource, Retention, Routing,
};

use crate::support::{is_empty, next, payloads, subscribe};

// TEST-74: routing and retention are those of the production value.
#[tokio::test]
async fn in_process_the_settings_are_those_of_the_broker() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(2)));
    let broker = broker.routing(Routing::MostSpecific);
    let connected = broker.connect_in_process().await.unwrap();
    let mut by_name = subscribe(&connected, "depot.north").await;
    let pattern = MemoryPattern::new("depot.*");
    let mut by_pattern = pattern.subscribe(&connected).await.unwrap();
    for payload in [b"1", b"2", b"3"] {
        connected.inject(OutgoingMessage::new("depot.north", payload));
    }
    assert_eq!(next(&mut by_name).into_raw().payload(), b"1");
    assert!(is_empty(&mut by_pattern));
    assert_eq!(payloads(&connected.published("depot.north")), [b"2", b"3"]);
    assert_eq!(connected.evicted("depot.north"), 1);
}

// TEST-75
#[tokio::test]
async fn in_process_what_connect_refuses_is_refused_with_the_same_error() {
    let live = MemoryBroker::new().connect().await.unwrap();
    let in_process = MemoryBroker::new().connect_in_process().await.unwrap();
    let refused = MemoryError::WildcardName {
        name: "depot.*".to_owned(),
    };
    for connected in [live, in_process] {
        let by_name = connected.subscribe("depot.*").await.unwrap_err();
        let by_source = MemorySource::new("depot.*").subscribe(&connected).await;
        assert_eq!(by_name, refused);
        assert_eq!(by_source.unwrap_err(), refused);
    }
}

// TEST-79: the descriptors and publishers of production, as they are.
#[tokio::test]
async fn in_process_the_descriptors_open_unchanged() {
    let connected = MemoryBroker::new().connect_in_process().await.unwrap();
    let source = MemorySource::new("depot.north");
    let mut subscriber = source.subscribe(&connected).await.unwrap();
    let message = OutgoingMessage::new("depot.north", b"parcel");
    connected.publisher().publish(message, None).await.unwrap();
    assert_eq!(next(&mut subscriber).into_raw().payload(), b"parcel");
}
