// PUB-509, PUB-510: a capability of a broker's own that the policy's live value lacks
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

trait Lanes {}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Lanes>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward).out(DefaultSlot, Publish).build();
}

fn main() {}
