// RUN-475, PUB-335: replies of their own bytes do not answer a batch
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[derive(Serialized, Outgoing)]
struct Label(Vec<u8>);

#[subscriber("parcels", reply("labels"))]
async fn label(ids: &[u64]) -> Vec<Label> {
    ids.iter().map(|_| Label(Vec::new())).collect()
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label.batch(nonzero!(8)));
}

fn main() {}
