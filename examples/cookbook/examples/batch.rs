//! Batches: a handler over a slice takes several messages at once, and may settle each by itself.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

static DONE: Notify = Notify::const_new();

/// One outcome for each element, in their order. `HandlerOutcome` alone would be one for all.
#[subscriber("parcels.scanned", start_at(MemoryPosition::start()))]
async fn store(scans: &[Scan]) -> Vec<HandlerOutcome> {
    let parcels: Vec<_> = scans.iter().map(|scan| scan.parcel).collect();
    println!("stored at once: {parcels:?}");
    if parcels.contains(&7) {
        DONE.notify_one();
    }
    scans
        .iter()
        .map(|scan| {
            if scan.parcel == 0 {
                HandlerOutcome::drop()
            } else {
                HandlerOutcome::ack()
            }
        })
        .collect()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Keeps what comes before the service is up, so that there is a queue to take batches from.
    let bus = MemoryBroker::retaining(Retention::Messages(nonzero!(100)));
    let publisher = bus.publisher();
    for parcel in 1..=7 {
        publisher.message(&Scan { parcel }).publish().await?;
    }

    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        // Three at most; the in-process broker never waits to fill a batch.
        b.include(store.batch(nonzero!(3)));
    });
    let running = app.start().await?;
    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
