// RUN-112, RUN-475, PUB-404, PUB 17, MAC 5.2: `.build()` with a slot nobody bound, in a scope
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[derive(OutSlot)]
struct Audit;

#[subscriber("parcels")]
async fn forward(
    _id: &u64,
    Out(_out): Out<impl Publisher>,
    Out(_audit): Out<impl Publisher, Audit>,
) {
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward).out(DefaultSlot, Publish).build();
}

fn main() {}
