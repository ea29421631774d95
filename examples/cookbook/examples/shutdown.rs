//! An orderly stop: what is at work is finished and settled, within a time limit.

use std::error::Error;
use std::time::Duration;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

static BEGUN: Notify = Notify::const_new();
static GO_ON: Notify = Notify::const_new();

#[subscriber("parcels.scanned")]
async fn register(scan: &Scan, ctx: &mut Context<'_>) {
    println!("parcel {} begins", scan.parcel);
    BEGUN.notify_one();
    if scan.parcel == 2 {
        // Never ends by itself.
        std::future::pending::<()>().await;
    }
    GO_ON.notified().await;
    println!("parcel {} is done", scan.parcel);
    ctx.after_ack(async { println!("and acknowledged") });
}

fn depot(bus: MemoryBroker) -> impl App {
    RustStream::new(AppInfo::new("depot", "0.1.0"))
        // Without this a stop waits as long as handlers take.
        .shutdown_timeout(Duration::from_millis(50))
        .with_broker(bus, |b| {
            b.include(register);
        })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for parcel in [1, 2] {
        let bus = MemoryBroker::new();
        let publisher = bus.publisher();
        let running = depot(bus).start().await?;
        publisher.message(&Scan { parcel }).publish().await?;
        BEGUN.notified().await;

        println!("stop");
        GO_ON.notify_one();
        running.shutdown().await?;
        println!("stopped");
    }
    Ok(())
}
