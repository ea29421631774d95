// RUN-161, CORE-211: a codec that is none, on a registration, a scope and a router
use ruststream::memory::prelude::*;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn route() {
    let _ = Router::<MemoryBroker>::new()
        .with_codec("json")
        .include(on_parcel);
}

fn main() {
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker_codec(
        MemoryBroker::new(),
        "json",
        |b| {
            b.include(on_parcel);
        },
    );
}
