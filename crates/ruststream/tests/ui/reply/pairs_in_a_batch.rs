// PUB-335: replies with headers of their own do not answer a batch
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(ids: &[u64]) -> Vec<Message<u8, Label>> {
    ids.iter().map(|_| Message::new(1, Label)).collect()
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label.batch(nonzero!(8)));
}

fn main() {}
