//! Publishing outside of handlers: in a hook once everything is up, and from the code beside the service.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
    by: String,
}

static HANDLED: Notify = Notify::const_new();

#[subscriber("parcels.scanned")]
async fn announce(scan: &Scan) {
    println!("parcel {}, scanned by {}", scan.parcel, scan.by);
    HANDLED.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A token: how to publish on this broker, to be paired with it once it is connected.
    let bus = MemoryBroker::new().bindable();
    let token = bus.bind(Publish);
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(announce);
        // Runs when every subscription is open, so the message finds its handler.
        b.after_startup(Publish, async |publisher| {
            let by = "the hook".to_owned();
            publisher.message(&Scan { parcel: 1, by }).publish().await
        });
    });
    let running = app.start().await?;
    HANDLED.notified().await;

    let publisher = running.publisher(token).await?;
    let by = "main".to_owned();
    publisher.message(&Scan { parcel: 2, by }).publish().await?;
    HANDLED.notified().await;

    running.shutdown().await?;
    Ok(())
}
