// RUN-151: what is mounted is a definition, not a plain function
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel);
}

fn main() {}
