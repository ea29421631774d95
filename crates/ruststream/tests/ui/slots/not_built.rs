// PUB-406, PUB 17, MAC 5.2: a chain with slots that is never built
#![deny(unused_must_use)]
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

pub fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward).out(DefaultSlot, Publish);
}

pub fn route(router: Router<MemoryBroker>) {
    router.include(forward).out(DefaultSlot, Publish);
}

fn main() {}
