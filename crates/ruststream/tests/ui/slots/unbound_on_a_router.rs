// RUN-475, PUB-404, PUB 17, MAC 5.2: the same on a router, beside a reply
use ruststream::memory::prelude::*;
use serde::Serialize;

#[derive(OutSlot)]
struct Audit;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64, Out(_audit): Out<impl Publisher, Audit>) -> Label {
    Label
}

fn main() {
    let _ = Router::<MemoryBroker>::new()
        .include(label)
        .out_reply(Publish)
        .build();
}
