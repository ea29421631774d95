// PUB-403, PUB 17, MAC 5.2: `transactional()` over a publisher without transactions
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
        .out_reply(Request)
        .transactional();
}

fn main() {}
