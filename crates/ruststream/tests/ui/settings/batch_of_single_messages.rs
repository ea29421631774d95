// RUN-156, RUN-475, MAC 5.2: `batch` on a body of one message
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel.batch(nonzero!(8)));
}

fn main() {}
