// RUN-475, MAC 5.2: a second concurrency clause, of the other kind
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels", workers(4))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel.threads(nonzero!(2)));
}

fn main() {}
