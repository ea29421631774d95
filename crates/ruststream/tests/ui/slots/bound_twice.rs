// RUN-475, PUB-400, PUB 17, MAC 5.2: one slot bound twice
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[derive(OutSlot)]
struct Audit;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_audit): Out<impl Publisher, Audit>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(Audit, Publish)
        .out(Audit, Publish)
        .build();
}

fn main() {}
