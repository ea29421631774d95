//! Answering: what a handler returns is published, and the message is acknowledged only then.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
    grams: u32,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.priced")]
struct Price {
    parcel: u64,
    cents: u32,
}

static DONE: Notify = Notify::const_new();

/// `Ok` is published; `Err` publishes nothing and says how the message ends.
#[subscriber("parcels.scanned", reply)]
async fn price(scan: &Scan) -> Result<Price, HandlerOutcome> {
    if scan.grams == 0 {
        println!("parcel {} weighs nothing: no answer", scan.parcel);
        return Err(HandlerOutcome::drop());
    }
    let cents = 300 + scan.grams / 10;
    Ok(Price {
        parcel: scan.parcel,
        cents,
    })
}

#[subscriber("parcels.priced")]
async fn charge(priced: &Price) {
    println!("parcel {} costs {} cents", priced.parcel, priced.cents);
    DONE.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(price);
        b.include(charge);
    });
    let running = app.start().await?;

    publisher
        .message(&Scan {
            parcel: 1,
            grams: 0,
        })
        .publish()
        .await?;
    publisher
        .message(&Scan {
            parcel: 2,
            grams: 1200,
        })
        .publish()
        .await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
