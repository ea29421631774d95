// RUN-475, MAC 5.2: a second `batch`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcels(_ids: &[u64]) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcels.batch(nonzero!(8)).batch(nonzero!(16)));
}

fn main() {}
