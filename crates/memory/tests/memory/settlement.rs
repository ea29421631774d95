use ruststream_core::{
    Bytes, HeaderMap, IncomingMessage, OutgoingMessage, Partitioned, Publisher, nonzero,
};
use ruststream_memory::{MemoryBroker, MemorySubscriber, PARTITION_KEY_HEADER, Retention};

use crate::support::*;

fn three_queued(broker: &MemoryBroker) -> MemorySubscriber {
    let parcels = broker.subscribe("parcels");
    for body in ["1", "2", "3"] {
        publish(&broker.publisher(), "parcels", body);
    }
    parcels
}

// MEM-32, CORE-062
#[test]
fn ack_and_a_nack_without_requeue_consume_the_copy() {
    let mut parcels = three_queued(&MemoryBroker::new());
    at_once(take(&mut parcels).ack()).expect("settles");
    at_once(take(&mut parcels).nack(false)).expect("settles");
    assert_eq!(bodies(&mut parcels), ["3"]);
    assert!(next(&mut parcels).is_none());
}

// MEM-32, CORE-065
#[test]
fn settling_one_copy_does_not_touch_others() {
    let broker = MemoryBroker::new();
    let mut other = broker.subscribe("parcels");
    let mut parcels = three_queued(&broker);
    let (first, second) = (take(&mut parcels), take(&mut parcels));
    ack(second);
    requeue(first);
    assert_eq!(bodies(&mut parcels), ["3", "1"]);
    assert_eq!(bodies(&mut other), ["1", "2", "3"]);
}

// MEM-33, MEM-38
#[test]
fn a_requeue_goes_to_the_back_and_counts_one_more() {
    let mut parcels = three_queued(&MemoryBroker::new());
    let first = take(&mut parcels);
    assert_eq!(count(&first), 1);
    requeue(first);
    for expected in ["2", "3"] {
        let parcel = take(&mut parcels);
        assert_eq!((body(&parcel).as_str(), count(&parcel)), (expected, 1));
        ack(parcel);
    }
    let again = take(&mut parcels);
    assert_eq!((body(&again).as_str(), count(&again)), ("1", 2));
    requeue(again);
    assert_eq!(count(&take(&mut parcels)), 3);
}

// MEM-33
#[test]
fn a_requeue_into_a_dropped_subscriber_is_lost_and_ok() {
    let broker = MemoryBroker::new();
    let mut parcels = three_queued(&broker);
    let held = [take(&mut parcels), take(&mut parcels)];
    drop(parcels);
    // The next subscription may get the place of the dropped one, but not its deliveries.
    let mut next_one = broker.subscribe("parcels");
    held.into_iter().for_each(requeue);
    assert!(next(&mut next_one).is_none());
}

// MEM-34, CORE-066, CORE-073
#[test]
fn an_unsettled_drop_is_a_requeue() {
    let mut parcels = three_queued(&MemoryBroker::new());
    drop(take(&mut parcels));
    // A settlement that was never polled has not settled either.
    drop(take(&mut parcels).ack());
    ack(take(&mut parcels));
    let back: Vec<_> = [take(&mut parcels), take(&mut parcels)]
        .into_iter()
        .map(|parcel| (body(&parcel), count(&parcel)))
        .collect();
    assert_eq!(back, [("1".to_owned(), 2), ("2".to_owned(), 2)]);
}

// MEM-35
#[test]
fn into_raw_takes_the_message_out_and_consumes_the_copy() {
    let broker = MemoryBroker::new();
    let headers = HeaderMap::from_iter([("tenant", "north")]);
    let mut parcels = broker.subscribe("parcels");
    let mut shared = broker.subscribe("parcels");
    let message = OutgoingMessage::new("parcels", b"1").with_headers(headers.clone());
    at_once(broker.publisher().publish(message, None)).expect("publishes");

    for subscriber in [&mut shared, &mut parcels] {
        let raw = take(subscriber).into_raw();
        assert_eq!((raw.name(), raw.payload()), ("parcels", &b"1"[..]));
        assert_eq!(raw.payload_bytes(), Bytes::from_static(b"1"));
        assert_eq!(raw.headers(), &headers);
        assert!(next(subscriber).is_none());
    }
}

// MEM-38
#[test]
fn counts_belong_to_the_copy() {
    let broker = MemoryBroker::new();
    let (mut one, mut two) = (broker.subscribe("parcels"), broker.subscribe("parcels"));
    publish(&broker.publisher(), "parcels", "1");
    requeue(take(&mut one));
    requeue(take(&mut one));
    assert_eq!(count(&take(&mut one)), 3);
    assert_eq!(count(&take(&mut two)), 1);
}

// MEM-39, CORE-170
#[test]
fn both_partition_keys_are_the_header() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    let mut parcels = broker.subscribe("parcels");
    let keyed = HeaderMap::from_iter([(PARTITION_KEY_HEADER, "north")]);
    let message = OutgoingMessage::new("parcels", b"1").with_headers(keyed);
    at_once(broker.publisher().publish(message, None)).expect("publishes");
    publish(&broker.publisher(), "parcels", "2");

    let (keyed, plain) = (take(&mut parcels), take(&mut parcels));
    assert_eq!(PARTITION_KEY_HEADER, "partition-key");
    assert_eq!(IncomingMessage::partition_key(&keyed), Some(&b"north"[..]));
    assert_eq!(Partitioned::partition_key(&keyed), Some(&b"north"[..]));
    assert_eq!(IncomingMessage::partition_key(&plain), None);
    assert_eq!(Partitioned::partition_key(&plain), None);
    // CORE-071
    assert!(keyed.decode_error().is_none());
}
