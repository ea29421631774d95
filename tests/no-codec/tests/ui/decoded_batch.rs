// RUN-161, RUN-475, PUB-134: a decoded batch and no codec
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcels(_ids: &[u64]) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcels.batch(nonzero!(8)));
}

fn main() {}
