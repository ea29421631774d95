use ruststream_core::{
    BytesMut, ConnectedBroker, HeaderMap, IncomingMessage, OutgoingMessage, Publisher, nonzero,
};
use ruststream_memory::{MemoryBroker, MemoryError, Retention};

use crate::support::*;

// MEM-14, MEM-15
#[test]
fn every_subscription_of_the_name_gets_a_copy_of_its_own() {
    let broker = MemoryBroker::new();
    let (mut one, mut two) = (broker.subscribe("parcels"), broker.subscribe("parcels"));
    let mut other = broker.subscribe("letters");
    publish(&broker.publisher(), "parcels", "1");
    assert_eq!(bodies(&mut one), ["1"]);
    assert_eq!(bodies(&mut two), ["1"]);
    assert!(bodies(&mut other).is_empty());
}

// MEM-14
#[test]
fn what_was_published_before_a_subscription_opened_does_not_reach_it() {
    for publisher_used_before in [false, true] {
        let broker = MemoryBroker::new();
        let publisher = broker.publisher();
        let mut early = publisher_used_before.then(|| broker.subscribe("parcels"));
        publish(&publisher, "parcels", "before");
        let mut late = broker.subscribe("parcels");
        publish(&publisher, "parcels", "after");
        assert_eq!(bodies(&mut late), ["after"]);
        if let Some(early) = &mut early {
            assert_eq!(bodies(early), ["before", "after"]);
        }
    }
}

// MEM-14
#[test]
fn one_handle_follows_subscriptions_that_come_and_go() {
    let broker = MemoryBroker::new();
    let publisher = broker.publisher();
    let mut one = broker.subscribe("parcels");
    publish(&publisher, "parcels", "1");
    let mut two = broker.subscribe("parcels");
    publish(&publisher, "parcels", "2");
    assert_eq!(bodies(&mut one), ["1", "2"]);
    drop(one);
    publish(&publisher, "parcels", "3");
    assert_eq!(bodies(&mut two), ["2", "3"]);
    drop(two);
    publish(&publisher, "parcels", "nobody");
    let mut letters = broker.subscribe("letters");
    publish(&publisher, "parcels", "still nobody");
    publish(&publisher, "letters", "4");
    assert_eq!(bodies(&mut letters), ["4"]);
}

// MEM-14, MEM-16, MEM-04: that nobody read a name is remembered no longer than it is so.
#[test]
fn a_handle_that_found_nobody_finds_who_came_since() {
    let broker = MemoryBroker::new();
    let connected = connect(&broker);
    let publisher = broker.publisher();
    for body in ["nobody", "still nobody"] {
        publish(&publisher, "parcels.north", body);
    }
    let mut by_pattern = subscribe_pattern(&connected, "parcels.*");
    publish(&publisher, "parcels.north", "1");
    assert_eq!(bodies(&mut by_pattern), ["1"]);
    drop(by_pattern);
    publish(&publisher, "parcels.north", "nobody again");
    let heir = publisher.clone();
    let mut by_name = broker.subscribe("parcels.north");
    publish(&publisher, "parcels.north", "2");
    publish(&heir, "parcels.north", "3");
    assert_eq!(bodies(&mut by_name), ["2", "3"]);
    drop(by_name);
    publish(&publisher, "parcels.north", "nobody at last");
    at_once(connected.shutdown()).expect("shuts down");
    let refused = try_publish(&publisher, "parcels.north", "4");
    assert_eq!(refused, Err(MemoryError::ShutDown));
}

// MEM-16, PUB-800
#[test]
fn a_publish_nobody_reads_succeeds() {
    publish(&MemoryBroker::new().publisher(), "nowhere", "1");
    let retaining = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    publish(&retaining.publisher(), "nowhere", "1");
}

// MEM-17, PUB-800, CORE-114
#[test]
fn a_publish_is_queued_everywhere_when_it_resolves_and_not_before_it_is_polled() {
    let broker = MemoryBroker::new();
    let mut subscribers = [broker.subscribe("parcels"), broker.subscribe("parcels")];
    let publisher = broker.publisher();
    let publishing = publisher.publish(OutgoingMessage::new("parcels", b"1"), None);
    assert!(
        subscribers
            .iter_mut()
            .all(|subscriber| next(subscriber).is_none())
    );
    at_once(publishing).expect("publishes");
    assert!(
        subscribers
            .iter_mut()
            .all(|subscriber| bodies(subscriber) == ["1"])
    );
}

// MEM-18, CORE-088
#[test]
fn payload_and_headers_arrive_byte_for_byte() {
    let payload: Vec<u8> = (0..=255).collect();
    let headers: HeaderMap = HeaderMap::from_iter([
        ("content-type", &b"application/octet-stream"[..]),
        ("raw", b"\0\r\n\xff"),
        ("empty", b""),
    ]);
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    let message = OutgoingMessage::new("parcels", &payload).with_headers(headers.clone());
    at_once(broker.publisher().publish(message, None)).expect("publishes");
    let parcel = take(&mut parcels);
    assert_eq!(parcel.payload(), payload);
    assert_eq!(parcel.headers(), &headers);
    ack(parcel);
}

// MEM-18, CORE-265, PUB-800
#[test]
fn copies_redeliveries_and_the_publisher_share_one_payload_buffer() {
    let broker = MemoryBroker::new();
    let (mut one, mut two) = (broker.subscribe("parcels"), broker.subscribe("parcels"));
    let mut payload = BytesMut::with_capacity(512);
    payload.extend_from_slice(b"body");
    let buffer = payload.as_ptr();
    let message = OutgoingMessage::produced("parcels", payload);
    at_once(broker.publisher().publish(message, None)).expect("publishes");

    let (first, second) = (take(&mut one), take(&mut two));
    assert_eq!(
        [first.payload().as_ptr(), second.payload().as_ptr()],
        [buffer; 2]
    );
    requeue(first);
    let again = take(&mut one);
    assert_eq!(again.payload().as_ptr(), buffer);
    ack(second);
    assert_eq!(
        again.into_raw().payload().as_ptr(),
        buffer,
        "the last holder moves it out"
    );
}

// MEM-18
#[test]
fn a_delivery_names_what_was_published_to_whatever_read_it() {
    let broker = MemoryBroker::new();
    let long = "readings.".to_owned() + &"x".repeat(200);
    let mut readings = subscribe_pattern(&connect(&broker), "readings.*");
    for name in ["readings.eu", &long] {
        publish(&broker.publisher(), name, "21");
        let reading = take(&mut readings);
        assert_eq!(reading.name(), name);
        ack(reading);
    }
}

// MEM-20
#[test]
fn a_name_with_wildcard_tokens_is_published_to_like_any_other() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    let mut readings = subscribe_pattern(&connect(&broker), "readings.*");
    publish(&broker.publisher(), "readings.*", "1");
    publish(&broker.publisher(), "readings.>", "2");
    assert_eq!(bodies(&mut readings), ["1", "2"]);
}

// CORE-310
#[test]
fn a_publish_to_a_subscriptions_own_name_is_taken_while_its_delivery_is_out() {
    let broker = MemoryBroker::new();
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "1");
    let held = take(&mut parcels);
    publish(&broker.publisher(), "parcels", "copy");
    assert_eq!(bodies(&mut parcels), ["copy"]);
    ack(held);
}
