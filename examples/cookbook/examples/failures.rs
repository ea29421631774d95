//! Failures that are not the message's fault or the handler's will: what cannot be read, and what panics.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

#[derive(Serialize, Outgoing)]
struct Noise(String);

static DONE: Notify = Notify::const_new();

/// Without this clause a message that cannot be read is dropped, and a panic stops the service.
#[subscriber("parcels.scanned", on_failure(decode = skip, panic = retry))]
async fn register(scan: &Scan) {
    println!("register parcel {}", scan.parcel);
    assert_ne!(scan.parcel, 13, "nobody wants this one");
}

#[subscriber("parcels.lost")]
async fn report(scan: &Scan) {
    println!("parcel {} was given up", scan.parcel);
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(register)
            .max_attempts(nonzero!(2))
            .dead_letter("parcels.lost");
        b.include(report);
    });
    let running = app.start().await?;

    // Does not decode: acknowledged, and the handler never sees it.
    let noise = Noise("krzz".to_owned());
    publisher
        .message(&noise)
        .to("parcels.scanned")
        .publish()
        .await?;
    // Panics twice, which is all it may.
    publisher.message(&Scan { parcel: 13 }).publish().await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
