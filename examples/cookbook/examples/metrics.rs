//! Metrics for Prometheus: what was handled and published, counted by two layers.

use std::error::Error;

use prometheus::Registry;
use ruststream::memory::prelude::*;
use ruststream::metrics::Metrics;
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
async fn locate(scan: &Scan) -> Result<Located, HandlerOutcome> {
    if scan.parcel == 13 {
        return Err(HandlerOutcome::drop());
    }
    Ok(Located {
        parcel: scan.parcel,
    })
}

#[subscriber("parcels.located")]
async fn announce(located: &Located) {
    if located.parcel == 3 {
        DONE.notify_one();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    // `Metrics::new()` counts in the registry of the process, beside your own metrics.
    let metrics = Metrics::with_registry(Registry::new())?;
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        .layer(metrics.consume_layer())
        .publish_layer(metrics.publish_layer())
        .with_broker(bus, |b| {
            b.include(locate);
            b.include(announce);
        });
    let running = app.start().await?;

    for parcel in [1, 13, 3] {
        publisher.message(&Scan { parcel }).publish().await?;
    }
    DONE.notified().await;
    running.shutdown().await?;

    // The page that Prometheus asks for. Durations differ from run to run.
    for line in metrics.export()?.lines() {
        if line.starts_with("ruststream") && line.contains("total{") {
            println!("{line}");
        }
    }
    Ok(())
}
