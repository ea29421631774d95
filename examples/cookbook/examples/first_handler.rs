//! A first handler: an async function that takes the messages of one name, one after another.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

/// A message. The derive says where it is published.
#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
    depot: String,
}

/// Tells `main` that the last message was here. A service of yours needs none of this.
static DONE: Notify = Notify::const_new();

/// Returns nothing, so every message is acknowledged.
#[subscriber("parcels.scanned")]
async fn announce(scan: &Scan) {
    println!("parcel {} is at {}", scan.parcel, scan.depot);
    if scan.parcel == 3 {
        DONE.notify_one();
    }
}

fn depot(bus: MemoryBroker) -> impl App {
    RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(announce);
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    // `run()` instead would serve until Ctrl-C or SIGTERM.
    let running = depot(bus).start().await?;

    for (parcel, depot) in [(1, "north"), (2, "north"), (3, "south")] {
        let depot = depot.to_owned();
        publisher.message(&Scan { parcel, depot }).publish().await?;
    }

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
