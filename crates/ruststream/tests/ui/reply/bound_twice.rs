// PUB-400, PUB 17, MAC 5.2: a second `out_reply`, also under its other spelling
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).out_reply(Publish).out_reply(Publish);
    b.include(label).out_reply(Publish).out(Reply, Publish);
}

fn main() {}
