// "Must compile" of the catalogue 5.1; MAC-03, MAC-13, MAC-30
use ruststream::memory::MemoryBroker;
use ruststream::runtime::{AppInfo, RustStream};
use ruststream::{Outgoing, subscriber};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Parcel {
    id: u64,
}

#[derive(Serialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    id: u64,
}

#[subscriber("parcels", reply("other"))]
async fn fixed_destination(parcel: &Parcel) -> Label {
    Label { id: parcel.id }
}

#[subscriber("parcels",)]
fn not_async(_parcel: &Parcel) {}

mod without_imports {
    #![allow(dead_code)]
    struct Result;
    struct Option;
    struct Vec;

    #[ruststream::subscriber("parcels", workers(2), on_failure(panic = drop))]
    pub(super) async fn shadowed(_parcels: &[super::Parcel]) {}
}

fn main() {
    use ruststream::runtime::SubscriberSettings as _;

    #[subscriber]
    async fn inside_a_function(_parcel: &Parcel) {}

    let _ = without_imports::shadowed.batch(ruststream::nonzero!(8));
    let _ = RustStream::new(AppInfo::new("parcels", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(fixed_destination);
        b.include(not_async);
        b.include(not_async);
        b.include(inside_a_function.name("parcels"));
    });
}
