// RUN-135, RUN-475, CORE-302, PUB 17, MAC 5.2: copies that no one names a destination for
use ruststream::memory::prelude::*;

#[path = "../support.rs"]
mod support;

#[subscriber(support::Filter::new("parcels.*"))]
async fn on_parcel(_id: &u64) {}

fn main() {
    let _ = Router::<MemoryBroker>::new()
        .include(on_parcel)
        .out_retry(Publish)
        .build();
}
