// RUN-475, CORE-301, PUB 17, MAC 5.2: `out_retry` where the broker moves spent deliveries itself
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[path = "../support.rs"]
mod support;

#[subscriber(support::Queue::new("parcels"))]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel).out_retry(Publish);
}

fn route() {
    let _ = Router::<MemoryBroker>::new()
        .include(on_parcel)
        .out_retry(Publish)
        .build();
}

fn main() {}
