// RUN-475, MAC 5.2, CORE-051: mounting a definition left unnamed
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel);
}

fn main() {}
