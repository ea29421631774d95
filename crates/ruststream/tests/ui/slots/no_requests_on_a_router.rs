// PUB-510, PUB 17, CORE-290, MAC 5.2: a router finds it out where it mounts; for a slot with a declared set
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;
use serde::Serialize;

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl RequestReply, DefaultSlot, Label>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include_router(
        Router::new()
            .include(forward)
            .out(DefaultSlot, Publish)
            .build(),
    );
}

fn main() {}
