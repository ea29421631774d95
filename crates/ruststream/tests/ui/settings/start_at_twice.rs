// RUN-475: a second `start_at`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels", start_at(MemoryPosition::start()))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker<Retaining>>) {
    b.include(on_parcel.start_at(MemoryPosition::start()));
}

fn main() {}
