// RUN-134, RUN-180: a body of another state than the app's, in a scope and on a router
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

struct Depot;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64, _ctx: &mut Context<'_, (), Depot>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel);
}

fn route(b: &mut BrokerScope<MemoryBroker>) {
    b.include_router(Router::new().include(on_parcel));
}

fn main() {}
