use ruststream_core::{Positioned, Seekable, Seeker, nonzero};
use ruststream_memory::{MemoryBroker, MemoryError, MemoryPosition, Retaining, Retention};

use crate::support::*;

/// What the log of `name` holds, oldest first.
fn retained(broker: &MemoryBroker<Retaining>, name: &str) -> Vec<String> {
    let mut replay = broker.subscribe(name);
    at_once(replay.seeker().seek(MemoryPosition::start())).expect("seeks");
    bodies(&mut replay)
}

fn publish_all(broker: &MemoryBroker<Retaining>, name: &str, bodies: &[&str]) {
    let publisher = broker.publisher();
    for body in bodies {
        publish(&publisher, name, body);
    }
}

// MEM-43, MEM-44
#[test]
fn a_bound_in_messages_keeps_the_newest() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(2)));
    publish_all(&broker, "parcels", &["1", "2", "3"]);
    assert_eq!(retained(&broker, "parcels"), ["2", "3"]);
}

// MEM-43
#[test]
fn a_bound_in_bytes_counts_payloads_alone() {
    let broker = MemoryBroker::retaining(Retention::Bytes(nonzero!(6)));
    publish_all(&broker, "a.name.wider.than.the.bound", &["123", "456"]);
    assert_eq!(
        retained(&broker, "a.name.wider.than.the.bound"),
        ["123", "456"]
    );
    publish_all(&broker, "a.name.wider.than.the.bound", &["7"]);
    assert_eq!(
        retained(&broker, "a.name.wider.than.the.bound"),
        ["456", "7"]
    );
}

// MEM-44
#[test]
fn the_newest_message_stays_even_if_it_is_too_wide() {
    let broker = MemoryBroker::retaining(Retention::Bytes(nonzero!(4)));
    publish_all(&broker, "parcels", &["1", "22", "oversize"]);
    assert_eq!(retained(&broker, "parcels"), ["oversize"]);
    publish_all(&broker, "parcels", &["3"]);
    assert_eq!(retained(&broker, "parcels"), ["3"]);
}

// MEM-43
#[test]
fn of_two_bounds_the_first_reached_evicts() {
    let retention = Retention::MessagesAndBytes {
        messages: nonzero!(3),
        bytes: nonzero!(5),
    };
    let broker = MemoryBroker::retaining(retention);
    publish_all(&broker, "few", &["1", "2", "3", "4"]);
    assert_eq!(retained(&broker, "few"), ["2", "3", "4"]);
    publish_all(&broker, "wide", &["111", "222"]);
    assert_eq!(retained(&broker, "wide"), ["222"]);
}

// MEM-45, MEM-50
#[test]
fn positions_stay_absolute_whatever_was_evicted() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(2)));
    let mut parcels = broker.subscribe("parcels");
    publish_all(&broker, "parcels", &["0", "1", "2", "3", "4"]);
    for n in 0..5 {
        let parcel = take(&mut parcels);
        assert_eq!(parcel.position(), MemoryPosition::sequence(n));
        ack(parcel);
    }
    let seeker = parcels.seeker();
    let evicted = MemoryError::PositionEvicted {
        requested: 2,
        oldest: 3,
    };
    assert_eq!(
        at_once(seeker.seek(MemoryPosition::sequence(2))),
        Err(evicted)
    );
    at_once(seeker.seek(MemoryPosition::sequence(3))).expect("seeks");
    let third = take(&mut parcels);
    assert_eq!(
        (body(&third).as_str(), third.position()),
        ("3", MemoryPosition::sequence(3))
    );
    requeue(third);
    ack(take(&mut parcels));
    assert_eq!(
        take(&mut parcels).position(),
        MemoryPosition::sequence(3),
        "a requeue keeps it"
    );
}

// MEM-46
#[test]
fn bounds_and_positions_are_each_names_own() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(1)));
    publish_all(&broker, "a", &["a0", "a1"]);
    publish_all(&broker, "b", &["b0"]);
    assert_eq!(retained(&broker, "a"), ["a1"]);
    let mut b = broker.subscribe("b");
    at_once(b.seeker().seek(MemoryPosition::start())).expect("seeks");
    assert_eq!(take(&mut b).position(), MemoryPosition::sequence(0));
}

// MEM-46
#[test]
fn the_log_outlives_its_subscriptions() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(4)));
    let mut parcels = broker.subscribe("parcels");
    publish_all(&broker, "parcels", &["1"]);
    assert_eq!(bodies(&mut parcels), ["1"]);
    drop(parcels);
    publish_all(&broker, "parcels", &["2"]);
    assert_eq!(retained(&broker, "parcels"), ["1", "2"]);
}

// MEM-42, MEM-14
#[test]
fn a_discarding_broker_keeps_nothing_for_later_subscriptions() {
    let broker = MemoryBroker::new();
    for _ in 0..100 {
        publish(&broker.publisher(), "parcels", "1");
    }
    assert!(bodies(&mut broker.subscribe("parcels")).is_empty());
}

// MEM-48
#[test]
fn a_replay_shares_the_block_of_the_first_delivery() {
    use ruststream_core::IncomingMessage;
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(4)));
    let mut parcels = broker.subscribe("parcels");
    publish_all(&broker, "parcels", &["1"]);
    let first = take(&mut parcels);
    at_once(parcels.seeker().seek(MemoryPosition::start())).expect("seeks");
    let replayed = take(&mut parcels);
    assert_eq!(first.payload().as_ptr(), replayed.payload().as_ptr());
    assert_eq!(count(&replayed), 1, "MEM-38: a replay counts anew");
}
