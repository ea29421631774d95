use ruststream_core::testing::TestableBroker;
use ruststream_core::{Broker, ConnectedBroker, SubscriptionSource};
use ruststream_memory::{MemoryBroker, MemoryPattern, Routing};

use crate::support::subscribe;

const SUBSCRIPTIONS: [&str; 6] = [
    "depot.>",
    "depot.north",
    "depot.*",
    "depot.north",
    "depot.south",
    "depot.>>",
];

// MEM-75, TEST-67
#[tokio::test]
async fn every_match_is_every_equal_name_and_every_matching_pattern() {
    let broker = MemoryBroker::new().connect().await.unwrap();
    assert_eq!(broker.routes("depot.north", &SUBSCRIPTIONS), [0, 1, 2, 3]);
    assert_eq!(broker.routes("depot.east", &SUBSCRIPTIONS), [0, 2]);
    assert_eq!(broker.routes("depot.east.7", &SUBSCRIPTIONS), [0]);
    assert_eq!(broker.routes("elsewhere", &SUBSCRIPTIONS), [0; 0]);
}

// MEM-75
#[tokio::test]
async fn the_most_specific_is_the_names_or_else_one_pattern() {
    let broker = MemoryBroker::new().routing(Routing::MostSpecific);
    let broker = broker.connect().await.unwrap();
    assert_eq!(broker.routes("depot.north", &SUBSCRIPTIONS), [1, 3]);
    assert_eq!(broker.routes("depot.east", &SUBSCRIPTIONS), [2]);
    assert_eq!(broker.routes("depot.east.7", &SUBSCRIPTIONS), [0]);
    let twice = ["depot.*", "depot.>", "depot.*"];
    assert_eq!(broker.routes("depot.east", &twice), [0, 2]);
}

// MEM-75: subscriptions that were not asked about take the message all the same.
#[tokio::test]
async fn a_reader_outside_the_list_wins_over_a_pattern_in_it() {
    let broker = MemoryBroker::new().routing(Routing::MostSpecific);
    let broker = broker.connect().await.unwrap();
    let by_name = subscribe(&broker, "depot.north").await;
    assert_eq!(broker.routes("depot.north", &["depot.*"]), [0; 0]);
    drop(by_name);
    let narrow = MemoryPattern::new("depot.*");
    let _narrow = narrow.subscribe(&broker).await.unwrap();
    assert_eq!(broker.routes("depot.north", &["depot.>"]), [0; 0]);
}

// TEST-67
#[tokio::test]
async fn a_publish_that_is_refused_reaches_nobody() {
    let broker = MemoryBroker::new().connect().await.unwrap();
    broker.clone().shutdown().await.unwrap();
    assert_eq!(broker.routes("a", &["a"]), [0; 0]);
}
