// CORE-302, CORE-290, MAC 5.2: `AddressedCopies` without `RedeliveryAddressed`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[path = "../support.rs"]
mod support;

#[subscriber(support::Unaddressed::new("parcels"))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel);
}

fn main() {}
