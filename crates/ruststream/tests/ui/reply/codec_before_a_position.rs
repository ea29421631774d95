// PUB-401, PUB 17: `.codec(..)` before any position
use ruststream::codec::JsonCodec;
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
    b.include(label).codec(JsonCodec);
}

fn main() {}
