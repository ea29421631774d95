// RUN-475, PUB-401, MAC 5.2: a second `.to(..)`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel)
        .out_retry(Publish)
        .to("parcels.again")
        .to("parcels.later");
}

fn main() {}
