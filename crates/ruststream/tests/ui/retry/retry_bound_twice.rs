// RUN-113, RUN-475, MAC 5.2: a second `out_retry`, under its other spelling
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel).out_retry(Publish).out(Retry, Publish);
}

fn main() {}
