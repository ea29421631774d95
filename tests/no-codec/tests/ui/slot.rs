// PUB-412: a slot resolves its codec at the mount, and here there is none
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[derive(Deserialized)]
struct Raw<'a>(&'a [u8]);

#[subscriber("parcels")]
async fn forward(_raw: &Raw<'_>, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward).out(DefaultSlot, Publish).build();
}

fn main() {}
