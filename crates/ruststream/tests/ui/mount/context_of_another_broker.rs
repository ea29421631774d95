// RUN-360, CORE-195: a body of a context that the subscription does not build
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[derive(Default)]
struct Courier;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64, _ctx: &mut Context<'_, Courier>) {}

#[subscriber("parcels")]
async fn on_parcels(_ids: &[u64], _ctx: &mut Context<'_, Courier>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel);
    b.include(on_parcels.batch(nonzero!(8)));
}

fn main() {}
