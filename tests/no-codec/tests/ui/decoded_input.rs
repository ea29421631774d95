// RUN-161, RUN-475, PUB-134, MAC 5.2: a decoded input and no codec, in a scope and on a router
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel);
}

fn route() {
    let _ = Router::<MemoryBroker>::new().include(on_parcel);
}

fn main() {}
