// PUB-510, PUB 17, CORE-290, MAC 5.2: a slot that requests, over a publisher that does not
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl RequestReply>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward).out(DefaultSlot, Publish).build();
}

fn main() {}
