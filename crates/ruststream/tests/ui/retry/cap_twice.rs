// RUN-475, MAC 5.2: a second `max_attempts`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel)
        .max_attempts(nonzero!(3u32))
        .max_attempts(nonzero!(4u32));
}

fn main() {}
