// RUN-113, RUN-475: `max_attempts` after `out_retry`
use ruststream::memory::prelude::*;
use ruststream::runtime::BrokerScope;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(on_parcel)
        .out_retry(Publish)
        .max_attempts(nonzero!(3u32));
}

fn main() {}
