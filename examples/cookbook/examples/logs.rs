//! Logs: what the framework says of each message, and of what goes wrong, through `tracing`.

use std::error::Error;

use ruststream::memory::prelude::*;
use ruststream::runtime::layers::TracingLayer;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tracing_subscriber::EnvFilter;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

static HANDLED: Notify = Notify::const_new();

#[subscriber("parcels.scanned")]
async fn register(scan: &Scan, ctx: &mut Context<'_>) -> Result<(), std::num::TryFromIntError> {
    ctx.after_settle(async { HANDLED.notify_one() });
    // The message of an `Err` is dropped, and nobody prints the error, unless the handler does.
    let number = u8::try_from(scan.parcel)
        .inspect_err(|error| tracing::warn!(parcel = scan.parcel, %error, "no such parcel"))?;
    tracing::info!(number, "registered");
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The feature `logging` sets one up, on standard error. Here it is one's own.
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new("info,ruststream::lifecycle=warn"))
        .without_time()
        .with_ansi(false)
        .init();

    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        // A line for the end of each message; without it, for failures alone.
        .layer(TracingLayer::default())
        .with_broker(bus, |b| {
            b.include(register);
        });
    let running = app.start().await?;

    for parcel in [7, 700] {
        publisher.message(&Scan { parcel }).publish().await?;
        HANDLED.notified().await;
    }

    running.shutdown().await?;
    Ok(())
}
