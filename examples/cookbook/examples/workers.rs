//! Several messages at once: workers, for handlers that wait for something.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::{Barrier, Notify};

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

static DONE: Notify = Notify::const_new();

/// Lets nobody pass before three are here. One handler at a time would wait for ever.
static THREE: std::sync::LazyLock<Barrier> = std::sync::LazyLock::new(|| Barrier::new(3));

/// Up to three at once, in any order.
#[subscriber("parcels.scanned", workers(3))]
async fn weigh(_scan: &Scan) {
    if THREE.wait().await.is_leader() {
        println!("three parcels were on the scales at once");
        DONE.notify_one();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        // The same, said at the mount of a handler without the clause: `weigh.workers(nonzero!(3))`.
        b.include(weigh);
    });
    let running = app.start().await?;

    for parcel in 1..=3 {
        publisher.message(&Scan { parcel }).publish().await?;
    }

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
