// PUB-402, PUB 17: the codec of a slot is named once
use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(DefaultSlot, Publish)
        .codec(JsonCodec)
        .codec(JsonCodec)
        .build();
}

fn main() {}
