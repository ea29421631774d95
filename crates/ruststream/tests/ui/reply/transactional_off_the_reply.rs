// RUN-475, PUB-401, PUB 17, MAC 5.2: `transactional()` on the retry position
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(ids: &[u64]) -> Vec<Label> {
    ids.iter().map(|_| Label).collect()
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label.batch(nonzero!(8)))
        .out_retry(Publish)
        .transactional();
}

fn main() {}
