// RUN-475, MAC 5.2: a second `dead_letter`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel)
        .dead_letter("parcels.dead")
        .dead_letter("parcels.lost");
}

fn main() {}
