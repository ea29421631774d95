//! Work after the settlement: what must wait for it, and not hold up the next message.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

static DONE: tokio::sync::Notify = tokio::sync::Notify::const_new();

#[subscriber("parcels.scanned")]
async fn register(scan: &Scan, ctx: &mut Context<'_>) -> HandlerOutcome {
    let parcel = scan.parcel;
    ctx.after_ack(async move { println!("parcel {parcel}: acknowledged") });
    ctx.after(HandlerOutcome::drop())
        .then(async move { println!("parcel {parcel}: dropped") });
    ctx.after_settle(async { DONE.notify_one() });
    println!("parcel {parcel}: at work");
    if parcel == 13 {
        HandlerOutcome::drop()
    } else {
        HandlerOutcome::ack()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(register);
    });
    let running = app.start().await?;

    for parcel in [12, 13] {
        publisher.message(&Scan { parcel }).publish().await?;
        DONE.notified().await;
    }

    // An orderly stop waits for such work.
    running.shutdown().await?;
    Ok(())
}
