// RUN-475, CORE-301: nor does a destination make one
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[path = "../support.rs"]
mod support;

#[subscriber(support::Queue::new("parcels"))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel).out_retry(Publish).to("parcels.again");
}

fn main() {}
