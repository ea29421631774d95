// RUN-475, PUB-401: `.to(..)` on the reply position and on a slot
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).out_reply(Publish).to("letters");
    b.include(forward)
        .out(DefaultSlot, Publish)
        .to("letters")
        .build();
}

fn main() {}
