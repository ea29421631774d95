// RUN-104, RUN-181: what `handle` mounts is a handler of raw deliveries
use ruststream::memory::MemorySubscriber;
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, HandlerMetadata};

struct OnParcel;

fn mount(b: &mut BrokerScope<MemoryBroker>, open: MemorySubscriber) {
    b.handle::<_, _, ()>(open, OnParcel, HandlerMetadata::raw("parcels"));
}

fn main() {}
