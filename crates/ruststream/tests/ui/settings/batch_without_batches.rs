// RUN-360, RUN-475, CORE-290, CORE-143: a batch body on a source that yields single messages
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[path = "../support.rs"]
mod support;

#[subscriber(support::Singly::new("parcels"))]
async fn on_parcels(_ids: &[u64]) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcels.batch(nonzero!(8)));
}

fn main() {}
