// RUN-475, MAC 5.2: a kind without a name, on a router
use ruststream::memory::prelude::*;

#[subscriber(MemorySource)]
async fn on_parcel(_id: &u64) {}

fn main() {
    let _ = Router::<MemoryBroker>::new().include(on_parcel);
}
