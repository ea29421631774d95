// PUB-402: a slot whose codec is none
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(DefaultSlot, Publish)
        .codec("json")
        .build();
}

fn main() {}
