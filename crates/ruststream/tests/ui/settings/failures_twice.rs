// RUN-475: a second `on_failure`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels", on_failure(decode = skip))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel.on_failure(FailurePolicies::default()));
}

fn main() {}
