//! A log to go back in: where a subscription starts, where it is, and how it moves.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

static AGAIN: AtomicBool = AtomicBool::new(true);
static DONE: Notify = Notify::const_new();

/// Starts with what was published before it was there, and goes back once.
#[subscriber("parcels.scanned", start_at(MemoryPosition::start()))]
async fn read(
    scan: &Scan,
    Ctx(position): Ctx<Position>,
    Ctx(seeker): Ctx<SeekHandle>,
) -> HandlerOutcome {
    println!("{position:?}: parcel {}", scan.parcel);
    if scan.parcel < 3 {
        return HandlerOutcome::ack();
    }
    if AGAIN.swap(false, Ordering::Relaxed) {
        println!("back to the second");
        if seeker.seek(MemoryPosition::sequence(1)).await.is_err() {
            return HandlerOutcome::drop();
        }
    } else {
        DONE.notify_one();
    }
    HandlerOutcome::ack()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Keeps the newest hundred messages of each name.
    let bus = MemoryBroker::retaining(Retention::Messages(nonzero!(100)));
    let publisher = bus.publisher();
    for parcel in 1..=3 {
        publisher.message(&Scan { parcel }).publish().await?;
    }
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(read);
    });
    let running = app.start().await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
