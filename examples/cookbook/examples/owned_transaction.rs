//! Transactions that are values: several at once on one publisher, each with an end of its own.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    parcel: u64,
}

static HANDLED: Notify = Notify::const_new();

#[subscriber("labels")]
async fn print(label: &Label) {
    println!("label for parcel {}", label.parcel);
    HANDLED.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(print);
    });
    let running = app.start().await?;

    let mut morning = publisher.owned_transaction().await?;
    let mut evening = publisher.owned_transaction().await?;
    let mut never = publisher.owned_transaction().await?;
    morning.message(&Label { parcel: 1 }).publish().await?;
    evening.message(&Label { parcel: 2 }).publish().await?;
    never.message(&Label { parcel: 3 }).publish().await?;

    evening.commit().await?;
    HANDLED.notified().await;
    never.abort().await?;
    morning.commit().await?;
    HANDLED.notified().await;

    running.shutdown().await?;
    Ok(())
}
