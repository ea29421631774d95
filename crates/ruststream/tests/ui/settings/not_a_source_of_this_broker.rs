// RUN-475, CORE-290: a descriptor of another broker
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[path = "../support.rs"]
mod support;

#[subscriber(MemorySource::new("parcels"))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<support::Elsewhere>) {
    b.include(on_parcel);
}

fn main() {}
