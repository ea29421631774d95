use ruststream_core::{BuildBatchContext, BuildContext, ContextField, Field, Seeker, nonzero};
use ruststream_memory::{
    MemoryBatchContext, MemoryBroker, MemoryContext, MemoryPosition, Position, Retention,
    SeekHandle,
};

use crate::support::*;

// MEM-56, MEM-57, CORE-175, CORE-279
#[test]
fn the_delivery_context_carries_the_position_and_the_seeker() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(4)));
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "0");
    publish(&broker.publisher(), "parcels", "1");
    ack(take(&mut parcels));
    let parcel = take(&mut parcels);
    let context = MemoryContext::build(&parcel);
    ack(parcel);

    assert_eq!(
        ContextField::read(Position, &context),
        MemoryPosition::sequence(1)
    );
    assert_eq!(Field::get(Position, &context), MemoryPosition::sequence(1));
    let owned = ContextField::read(SeekHandle, &context);
    at_once(owned.seek(MemoryPosition::sequence(1))).expect("seeks");
    assert_eq!(bodies(&mut parcels), ["1"]);
    at_once(Field::get(SeekHandle, &context).seek(MemoryPosition::start())).expect("seeks");
    assert_eq!(bodies(&mut parcels), ["0", "1"]);
}

// MEM-56, CORE-195, CORE-175, CORE-279
#[test]
fn the_batch_context_carries_the_seeker_of_its_first_delivery() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(4)));
    let mut parcels = broker.subscribe("parcels");
    let mut sibling = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "0");
    let parcel = take(&mut parcels);
    let context = MemoryBatchContext::build(&parcel);
    ack(parcel);
    at_once(Field::get(SeekHandle, &context).seek(MemoryPosition::start())).expect("seeks");
    assert_eq!(bodies(&mut parcels), ["0"]);
    assert_eq!(bodies(&mut sibling), ["0"], "a sibling does not move");
}

// MEM-56: a handler may still run when its subscription has ended.
#[test]
fn the_context_of_an_orphaned_delivery_seeks_nothing() {
    let broker = MemoryBroker::retaining(Retention::Messages(nonzero!(4)));
    let mut parcels = broker.subscribe("parcels");
    publish(&broker.publisher(), "parcels", "0");
    let parcel = take(&mut parcels);
    let before = MemoryContext::build(&parcel);
    drop(parcels);
    let mut successor = broker.subscribe("parcels");
    let after = MemoryContext::build(&parcel);
    for context in [before, after] {
        let seeker = ContextField::read(SeekHandle, &context);
        assert_eq!(
            format!("{seeker:?}"),
            "MemorySeeker { name: \"parcels\", .. }"
        );
        at_once(seeker.seek(MemoryPosition::start())).expect("moves nothing");
    }
    assert!(next(&mut successor).is_none());
}
