// RUN-131: routes of one broker in the scope of another
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[path = "../support.rs"]
mod support;

#[subscriber(MemorySource::new("parcels"))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<support::Elsewhere>) {
    b.include_router(Router::<MemoryBroker>::new().include(on_parcel));
}

fn main() {}
