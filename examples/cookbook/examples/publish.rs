//! Typed publishing: the type of a message says where it goes, in one of three ways.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

/// To one place.
#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

/// To a place with parts, which each call fills in.
#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "depots.{depot}.arrivals")]
struct Arrival {
    parcel: u64,
}

/// To a place that each call names.
#[derive(Serialize, Deserialize, Outgoing)]
struct Note(String);

static HANDLED: Notify = Notify::const_new();

#[subscriber("parcels.scanned")]
async fn scanned(scan: &Scan) {
    println!("scanned: {}", scan.parcel);
    HANDLED.notify_one();
}

#[subscriber("depots.north.arrivals")]
async fn arrived(arrival: &Arrival) {
    println!("arrived in the north: {}", arrival.parcel);
    HANDLED.notify_one();
}

#[subscriber("notes")]
async fn noted(note: &Note) {
    println!("note: {}", note.0);
    HANDLED.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(scanned);
        b.include(arrived);
        b.include(noted);
    });
    let running = app.start().await?;

    publisher.message(&Scan { parcel: 7 }).publish().await?;
    HANDLED.notified().await;

    // Without `.depot(..)` it does not compile.
    let arrival = Arrival { parcel: 7 };
    publisher
        .message(&arrival)
        .to()
        .depot("north")
        .publish()
        .await?;
    HANDLED.notified().await;

    let note = Note("fragile".to_owned());
    publisher.message(&note).to("notes").publish().await?;
    HANDLED.notified().await;

    running.shutdown().await?;
    Ok(())
}
