// CORE-302, PUB-213, MAC 5.2: copies on a broker whose publisher nobody names
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[path = "../support.rs"]
mod support;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<support::Elsewhere>) {
    b.include(on_parcel);
}

fn main() {}
