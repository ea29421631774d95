// PUB-407, RUN-102: a mount is a statement, not the value of the closure
use ruststream::memory::prelude::*;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn main() {
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .with_broker(MemoryBroker::new(), |b| b.include(on_parcel));
}
