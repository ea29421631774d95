// RUN-385: a parameter that nothing extracts
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

struct Tenant;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64, _tenant: Tenant) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel);
}

fn main() {}
