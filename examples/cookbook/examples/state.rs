//! State: made once before any broker connects, and handed to handlers in parts.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

#[derive(Clone, Default)]
struct Tally(Arc<AtomicU64>);

#[derive(Clone)]
struct Greeting(&'static str);

/// The state. Each field can be asked for by its type.
#[derive(FromRef)]
struct Depot {
    tally: Tally,
    greeting: Greeting,
    done: Arc<Notify>,
}

#[subscriber("parcels.scanned")]
async fn count(
    scan: &Scan,
    State(tally): State<Tally>,
    State(Greeting(greeting)): State<Greeting>,
    State(done): State<Arc<Notify>>,
) {
    let total = tally.0.fetch_add(1, Ordering::Relaxed) + 1;
    println!("{greeting}, parcel {}: you are number {total}", scan.parcel);
    if total == 2 {
        done.notify_one();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let done = Arc::new(Notify::new());
    let finished = done.clone();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        .on_startup(async |()| {
            // Here a service opens its database, and fails to start if it cannot.
            let (tally, greeting) = (Tally::default(), Greeting("welcome"));
            Ok::<_, Infallible>(Depot {
                tally,
                greeting,
                done,
            })
        })
        .with_broker(bus, |b| {
            b.include(count);
        });
    let running = app.start().await?;

    for parcel in [41, 42] {
        publisher.message(&Scan { parcel }).publish().await?;
    }

    finished.notified().await;
    running.shutdown().await?;
    Ok(())
}
