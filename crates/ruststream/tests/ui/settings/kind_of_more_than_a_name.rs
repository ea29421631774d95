// CORE-052: a kind that a name alone does not make, where a name is all there is
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[path = "../support.rs"]
mod support;

#[subscriber(support::Queue)]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel.name("parcels"));
}

fn main() {}
