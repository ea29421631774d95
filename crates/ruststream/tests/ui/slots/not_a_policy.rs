// PUB-411: a slot bound to what is no policy of this broker
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward).out(DefaultSlot, "labels").build();
}

fn main() {}
