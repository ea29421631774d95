// RUN-153: a count is a `NonZeroUsize`, so that a count of nothing cannot be written
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

#[subscriber("parcels")]
async fn on_parcels(_ids: &[u64]) {}

fn mount(b: &mut BrokerScope<MemoryBroker>, threads: usize) {
    b.include(on_parcel.workers(2));
    b.include(on_parcel.threads_by_key(threads));
    b.include(on_parcels.batch(64));
}

fn main() {}
