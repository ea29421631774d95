//! Answering a batch: one reply for each element, published in one transaction, all or none.

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
#[outgoing(name = "receipts")]
struct Receipt {
    parcel: u64,
    batch: usize,
}

static DONE: Notify = Notify::const_new();

#[subscriber("parcels.scanned", reply, start_at(MemoryPosition::start()))]
async fn confirm(scans: &[Scan]) -> Vec<Receipt> {
    let batch = scans.len();
    scans
        .iter()
        .map(|scan| Receipt {
            parcel: scan.parcel,
            batch,
        })
        .collect()
}

#[subscriber("receipts")]
async fn file(receipt: &Receipt) {
    println!(
        "receipt for parcel {}, of a batch of {}",
        receipt.parcel, receipt.batch
    );
    if receipt.parcel == 3 {
        DONE.notify_one();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::retaining(Retention::Messages(nonzero!(100)));
    let publisher = bus.publisher();
    for parcel in 1..=3 {
        publisher.message(&Scan { parcel }).publish().await?;
    }

    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(file);
        b.include(confirm.batch(nonzero!(2)))
            .out_reply(TransactionalPublish)
            .transactional();
    });
    let running = app.start().await?;
    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
