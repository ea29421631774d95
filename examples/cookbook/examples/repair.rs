//! Repairing dead letters: a handler reads them, mends what it can, and publishes it anew.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
    depot: String,
}

static DONE: Notify = Notify::const_new();

/// What cannot be read is a failed attempt too, and the first one is the last.
#[subscriber("parcels.scanned", on_failure(decode = retry))]
async fn register(scan: &Scan) {
    println!("parcel {} is at {}", scan.parcel, scan.depot);
    DONE.notify_one();
}

/// The scanners of the old kind, which know their depot by its number.
#[derive(Serialize, Deserialize, Outgoing)]
struct OldScan {
    parcel: u64,
    depot: u8,
}

/// Answers a dead letter with the message that it should have been.
#[subscriber("parcels.unreadable", reply)]
async fn repair(old: &OldScan) -> Scan {
    println!("parcel {} comes from an old scanner", old.parcel);
    let depot = if old.depot == 1 { "north" } else { "south" };
    Scan {
        parcel: old.parcel,
        depot: depot.to_owned(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(register)
            .max_attempts(nonzero!(1))
            .dead_letter("parcels.unreadable");
        b.include(repair);
    });
    let running = app.start().await?;

    let old = OldScan {
        parcel: 7,
        depot: 1,
    };
    publisher
        .message(&old)
        .to("parcels.scanned")
        .publish()
        .await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
