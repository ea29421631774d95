//! Names with wildcards, and what a subscription by name takes from them.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "depots.{depot}.scans")]
struct Scan {
    parcel: u64,
}

static HANDLED: Notify = Notify::const_new();

/// `*` is one token, `>` the rest.
#[subscriber(MemoryPattern::new("depots.*.scans"))]
async fn anywhere(scan: &Scan) {
    println!("anywhere: parcel {}", scan.parcel);
    HANDLED.notify_one();
}

#[subscriber("depots.north.scans")]
async fn north(scan: &Scan) {
    println!("in the north: parcel {}", scan.parcel);
    HANDLED.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // By default everyone who listens gets a copy; so only the best match does.
    let bus = MemoryBroker::new().routing(Routing::MostSpecific);
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depots", "0.1.0")).with_broker(bus, |b| {
        b.include(anywhere);
        b.include(north);
    });
    let running = app.start().await?;

    for (parcel, depot) in [(1, "north"), (2, "south")] {
        publisher
            .message(&Scan { parcel })
            .to()
            .depot(depot)
            .publish()
            .await?;
        HANDLED.notified().await;
    }

    running.shutdown().await?;
    Ok(())
}
