// RUN-156, RUN-360, RUN-475, MAC 5.2: a batch body whose mount names no size
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcels(_ids: &[u64]) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcels);
}

fn main() {}
