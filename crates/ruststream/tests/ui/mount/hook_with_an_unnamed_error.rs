// RUN-103: a hook that asks with `?` and ends with `Ok(())` has to say what its error is
use ruststream::memory::prelude::*;

#[derive(serde::Serialize, Outgoing)]
#[outgoing(name = "parcels")]
struct Parcel(u64);

fn service() -> impl App {
    RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.after_startup(Publish, async |publisher| {
            publisher.message(&Parcel(1)).publish().await?;
            publisher.message(&Parcel(2)).publish().await?;
            Ok(())
        });
    })
}

fn main() {}
