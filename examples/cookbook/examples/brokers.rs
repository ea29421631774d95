//! Several brokers in one service: a message comes in from one, and its answer leaves on the other.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.located")]
struct Located {
    parcel: u64,
}

static DONE: Notify = Notify::const_new();

#[subscriber("parcels.scanned", reply)]
async fn locate(scan: &Scan) -> Located {
    println!("inside: parcel {}", scan.parcel);
    Located {
        parcel: scan.parcel,
    }
}

#[subscriber("parcels.located")]
async fn show(located: &Located) {
    println!("outside: parcel {}", located.parcel);
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Two buses that know nothing of each other. One could as well be NATS.
    let inside = MemoryBroker::new();
    let publisher = inside.publisher();
    let outside = MemoryBroker::new().bindable();
    // How to publish outside, for any position of any scope.
    let token = outside.bind(Publish);

    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        // The label is the name of its server in the document.
        .with_broker_labeled("inside", inside, |b| {
            b.include(locate).out_reply(token);
        })
        .with_broker_labeled("outside", outside, |b| {
            b.include(show);
        });
    let running = app.start().await?;

    publisher.message(&Scan { parcel: 7 }).publish().await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
