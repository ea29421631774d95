use futures_util::{FutureExt, StreamExt};
use ruststream_core::{
    Broker, ConnectedBroker, DescribeServer, OutgoingMessage, OwnedTransactions, Publisher,
    RequestReply, Seekable, Seeker, Subscribe, Subscriber, SubscriptionSource, Transaction,
    TransactionalPublisher, nonzero,
};
use ruststream_memory::{
    MemoryBroker, MemoryError, MemoryPattern, MemoryPosition, MemorySource, RequestError,
    Retention, Routing,
};
use std::time::Duration;

use crate::support::*;

// MEM-05, CORE-011
#[test]
fn construction_needs_no_runtime() {
    let broker = MemoryBroker::default();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "1");
    assert_eq!(bodies(&mut parcels), ["1"]);
}

// MEM-06
#[test]
fn a_clone_is_the_same_bus_and_a_second_broker_is_another() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.clone().publisher(), "parcels", "same");
    publish(&MemoryBroker::new().publisher(), "parcels", "other");
    publish(
        &connect(&broker).clone().publisher(),
        "parcels",
        "connected",
    );
    assert_eq!(bodies(&mut parcels), ["same", "connected"]);
}

// MEM-07, PUB-801, CORE-013
#[test]
fn handles_from_before_connect_work_before_and_after_it() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut parcels = broker.subscribe("parcels");
    publish(&publisher, "parcels", "before");
    let connected = connect(&broker);
    publish(&publisher, "parcels", "after");
    assert_eq!(bodies(&mut parcels), ["before", "after"]);
    let mut later = subscribe(&connected, "parcels");
    publish(&publisher, "parcels", "later");
    assert_eq!(bodies(&mut later), ["later"]);
}

// MEM-08
#[test]
fn connecting_a_live_bus_keeps_its_registrations() {
    let broker = MemoryBroker::new();
    let _parcels = broker.subscribe("parcels");
    let connected = connect(&broker);
    let closed = at_once(connected.shutdown()).expect("shuts down");
    assert_eq!(closed.subscribers_dropped(), 1);
}

// MEM-08
#[test]
fn a_revived_bus_has_no_registrations_but_its_routing_and_its_log() {
    let retention = Retention::Messages(nonzero!(4));
    let broker = MemoryBroker::retaining(retention).routing(Routing::MostSpecific);
    let first = connect(&broker);
    let mut old = subscribe(&first, "parcels");
    publish(&broker.publisher(), "parcels", "1");
    at_once(first.shutdown()).expect("shuts down");

    let second = connect(&broker);
    let mut parcels = subscribe(&second, "parcels");
    let mut all = subscribe_pattern(&second, ">");
    publish(&broker.publisher(), "parcels", "2");
    at_once(parcels.seeker().seek(MemoryPosition::start())).expect("seeks");

    assert_eq!(bodies(&mut parcels), ["1", "2"], "the log survives");
    assert!(bodies(&mut all).is_empty(), "the routing survives");
    assert_eq!(
        bodies(&mut old),
        ["1"],
        "an old subscriber stays detached (MEM-12)"
    );
}

// MEM-09
#[test]
fn connecting_outside_a_runtime_is_no_panic() {
    let connected = at_once(MemoryBroker::new().connect()).expect("connects");
    let mut parcels = subscribe(&connected, "parcels");
    publish(&connected.publisher(), "parcels", "1");
    assert_eq!(bodies(&mut parcels), ["1"]);
}

// MEM-10, CORE-017
#[test]
fn shutdown_reports_the_registrations_it_dropped() {
    let connected = connect(&MemoryBroker::new());
    let sibling = connected.clone();
    let _two = (subscribe(&connected, "a"), subscribe(&connected, "a"));
    let _other = subscribe(&connected, "b");
    assert_eq!(
        at_once(connected.shutdown())
            .expect("shuts down")
            .subscribers_dropped(),
        3
    );
    assert_eq!(
        at_once(sibling.shutdown())
            .expect("shuts down")
            .subscribers_dropped(),
        0
    );
}

// MEM-72
#[test]
fn a_dropped_subscriber_is_not_registered_any_more() {
    let connected = connect(&MemoryBroker::new());
    let _left = subscribe(&connected, "a");
    drop((
        subscribe(&connected, "a"),
        subscribe_pattern(&connected, "a.*"),
    ));
    assert_eq!(
        at_once(connected.shutdown())
            .expect("shuts down")
            .subscribers_dropped(),
        1
    );
}

// MEM-11, CORE-019, PUB-712, PUB-800
#[test]
fn every_handle_of_a_shut_down_bus_answers_with_an_error() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(4)));
    let connected = connect(&broker);
    let sibling = connected.clone();
    let mut parcels = subscribe(&connected, "parcels");
    let seeker = parcels.seeker();
    let (before, used) = (broker.publisher(), connected.publisher());
    publish(&used, "parcels", "kept");
    let open = connected.publisher();
    at_once(open.begin_transaction()).expect("begins");
    let mut owned = at_once(used.transaction()).expect("opens");
    at_once(connected.shutdown()).expect("shuts down");

    for publisher in [&before, &used, &sibling.publisher(), &broker.publisher()] {
        assert_eq!(
            try_publish(publisher, "parcels", "lost"),
            Err(MemoryError::ShutDown)
        );
    }
    publish(&open, "parcels", "buffered");
    assert_eq!(at_once(open.commit()), Err(MemoryError::ShutDown));
    assert_eq!(at_once(open.commit()), Err(MemoryError::NoTransaction));
    at_once(owned.publish(OutgoingMessage::new("parcels", b"buffered"), None)).expect("buffers");
    assert_eq!(at_once(owned.commit()), Err(MemoryError::ShutDown));
    let late = at_once(used.transaction()).expect("opens");
    assert_eq!(at_once(late.commit()), Err(MemoryError::ShutDown));
    at_once(used.begin_transaction()).expect("begins");
    at_once(used.abort()).expect("aborts");

    let requester = sibling.requester();
    let message = || OutgoingMessage::new("parcels", b"?");
    assert!(matches!(
        at_once(requester.publish(message(), None)),
        Err(RequestError::ShutDown)
    ));
    let asked = at_once(requester.request(message(), Duration::from_secs(30)));
    assert!(matches!(asked, Err(RequestError::ShutDown)));

    let opened = at_once(Subscribe::subscribe(&sibling, "parcels"));
    assert_eq!(opened.err(), Some(MemoryError::ShutDown));
    let opened = at_once(MemorySource::new("parcels").subscribe(&sibling));
    assert_eq!(opened.err(), Some(MemoryError::ShutDown));
    let opened = at_once(MemoryPattern::new("*").subscribe(&sibling));
    assert_eq!(opened.err(), Some(MemoryError::ShutDown));
    assert_eq!(
        at_once(seeker.seek(MemoryPosition::start())),
        Err(MemoryError::ShutDown)
    );
    assert_eq!(bodies(&mut parcels), ["kept"]);
    let log = connect(&broker);
    let mut replay = subscribe(&log, "parcels");
    at_once(replay.seeker().seek(MemoryPosition::start())).expect("seeks");
    assert_eq!(bodies(&mut replay), ["kept"], "nothing refused was logged");
}

// MEM-11
#[test]
fn a_malformed_name_is_reported_before_the_shutdown() {
    let connected = connect(&MemoryBroker::new());
    let sibling = connected.clone();
    at_once(connected.shutdown()).expect("shuts down");
    let by_name = at_once(Subscribe::subscribe(&sibling, "a.*"));
    assert!(matches!(
        by_name.err(),
        Some(MemoryError::WildcardName { .. })
    ));
    let by_pattern = at_once(MemoryPattern::new("a").subscribe(&sibling));
    assert!(matches!(
        by_pattern.err(),
        Some(MemoryError::InvalidPattern { .. })
    ));
}

// MEM-11
#[test]
fn a_subscription_without_connecting_never_yields_on_a_shut_down_bus() {
    let broker = MemoryBroker::new();
    at_once(connect(&broker).shutdown()).expect("shuts down");
    let mut parcels = broker.subscribe("parcels");
    assert!(
        parcels.stream().next().now_or_never().is_none(),
        "pending, not ended"
    );
    connect(&broker);
    publish(&broker.publisher(), "parcels", "1");
    assert!(next(&mut parcels).is_none());
}

// MEM-12, CORE-020
#[test]
fn an_open_stream_outlives_the_shutdown_with_what_it_had() {
    let connected = connect(&MemoryBroker::new());
    let publisher = connected.publisher();
    let mut parcels = subscribe(&connected, "parcels");
    for body in ["held", "queued"] {
        publish(&publisher, "parcels", body);
    }
    let held = take(&mut parcels);
    at_once(connected.shutdown()).expect("shuts down");
    requeue(held);
    assert_eq!(bodies(&mut parcels), ["queued", "held"]);
    assert!(
        parcels.stream().next().now_or_never().is_none(),
        "pending, not ended"
    );
}

// MEM-11, PUB-800
#[test]
fn a_publisher_that_went_straight_to_a_queue_notices_shutdown_and_revival() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let connected = connect(&broker);
    let mut old = subscribe(&connected, "parcels");
    publish(&publisher, "parcels", "1");
    publish(&publisher, "parcels", "2");
    at_once(connected.shutdown()).expect("shuts down");
    assert_eq!(
        try_publish(&publisher, "parcels", "3"),
        Err(MemoryError::ShutDown)
    );

    let revived = connect(&broker);
    publish(&publisher, "parcels", "unread");
    let mut new = subscribe(&revived, "parcels");
    publish(&publisher, "parcels", "4");
    assert_eq!(bodies(&mut old), ["1", "2"]);
    assert_eq!(bodies(&mut new), ["4"]);
}

// MEM-13, MEM-78
#[test]
fn the_server_description_is_a_protocol_and_nothing_else() {
    let server = MemoryBroker::new().describe_server();
    assert_eq!(server.protocol, "memory");
    assert_eq!((server.host, server.description), (None, None));
    assert!(server.security.is_empty());
}

// CORE-014
#[test]
fn a_subscription_opened_from_a_runtime_that_stopped_keeps_receiving() {
    let connected = connect(&MemoryBroker::new());
    let opener = connected.clone();
    let mut parcels =
        on_foreign_runtime(async move { Subscribe::subscribe(&opener, "parcels").await })
            .expect("subscribes");
    let publisher = connected.publisher();
    let publisher = on_foreign_runtime(async move {
        let message = OutgoingMessage::new("parcels", b"foreign");
        publisher.publish(message, None).await.expect("publishes");
        publisher
    });
    publish(&publisher, "parcels", "own");
    assert_eq!(bodies(&mut parcels), ["foreign", "own"]);
}
