// CORE-053, RUN-155: a position of a kind that the subscription does not take
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker<Retaining>>) {
    b.include(on_parcel.start_at(7_u64));
}

fn main() {}
