// PUB 17: a value that is no batch transform
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

struct Stamp;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(ids: &[u64]) -> Vec<Label> {
    ids.iter().map(|_| Label).collect()
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label.batch(nonzero!(8)))
        .out_reply(Publish)
        .batch_transform(Stamp);
}

fn main() {}
