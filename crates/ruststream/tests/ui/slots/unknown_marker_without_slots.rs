// RUN-475, PUB-400: a slot of a handler that has none, in a scope and on a router
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel).out(DefaultSlot, Publish);
}

fn route() {
    let _ = Router::<MemoryBroker>::new()
        .include(on_parcel)
        .out(DefaultSlot, Publish)
        .build();
}

fn main() {}
