//! The four outcomes of a message: acknowledged, dropped, again at once, again after a while.

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    depot: String,
}

static HANDLED: Notify = Notify::const_new();
static TRIES: AtomicU32 = AtomicU32::new(0);

#[subscriber("parcels.scanned")]
async fn register(scan: &Scan) -> HandlerOutcome {
    let tries = TRIES.fetch_add(1, Ordering::Relaxed) + 1;
    println!("{}, try {tries}", scan.depot);
    let (again, end) = match scan.depot.as_str() {
        "" => (None, HandlerOutcome::drop()),
        "busy" => (Some(HandlerOutcome::retry()), HandlerOutcome::ack()),
        "closed" => {
            let later = HandlerOutcome::retry_after(Duration::from_millis(20));
            (Some(later), HandlerOutcome::ack())
        }
        _ => (None, HandlerOutcome::ack()),
    };
    if let (1, Some(again)) = (tries, again) {
        return again;
    }
    HANDLED.notify_one();
    end
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(register);
    });
    let running = app.start().await?;

    for depot in ["north", "", "busy", "closed"] {
        TRIES.store(0, Ordering::Relaxed);
        let depot = depot.to_owned();
        publisher.message(&Scan { depot }).publish().await?;
        HANDLED.notified().await;
    }

    running.shutdown().await?;
    Ok(())
}
