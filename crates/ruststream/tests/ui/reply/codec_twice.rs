// PUB-402, PUB 17, MAC 5.2: the codec of a reply is named once
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
    b.include(label)
        .out_reply(Publish)
        .codec(JsonCodec)
        .codec(JsonCodec);
}

fn main() {}
