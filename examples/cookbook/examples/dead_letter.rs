//! Retries with an end: so many attempts, and then the dead letter.

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

/// Fails for parcel 13, however often it is tried.
#[subscriber("parcels.scanned")]
async fn register(scan: &Scan) -> HandlerOutcome {
    println!("register parcel {}", scan.parcel);
    if scan.parcel == 13 {
        HandlerOutcome::retry()
    } else {
        HandlerOutcome::ack()
    }
}

/// A dead letter is the message as it came.
#[subscriber("parcels.scanned.dead")]
async fn report(scan: &Scan) {
    println!("parcel {} was given up", scan.parcel);
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        // The first delivery counts as an attempt.
        b.include(register)
            .max_attempts(nonzero!(3))
            .dead_letter("parcels.scanned.dead");
        b.include(report);
    });
    let running = app.start().await?;

    publisher.message(&Scan { parcel: 12 }).publish().await?;
    publisher.message(&Scan { parcel: 13 }).publish().await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
