//! Health: a probe tells whether the service runs, and whether every subscription is served.

use std::convert::Infallible;
use std::error::Error;

use ruststream::memory::prelude::*;
use ruststream::runtime::HealthProbe;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

#[subscriber("parcels.scanned")]
async fn register(_scan: &Scan) {}

#[subscriber("parcels.scanned")]
async fn count(_scan: &Scan) {}

fn report(when: &str, health: &HealthProbe) {
    let subscriptions = health.subscriptions();
    println!(
        "{when}: {:?}, {} of {} subscriptions",
        health.state(),
        subscriptions.active,
        subscriptions.started,
    );
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (stopping, at_the_stop) = tokio::sync::oneshot::channel::<HealthProbe>();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        .on_shutdown(async |_| {
            if let Ok(health) = at_the_stop.await {
                report("at the stop", &health);
            }
            Ok::<_, Infallible>(())
        })
        .with_broker(MemoryBroker::new(), |b| {
            b.include(register);
            b.include(count);
        });
    let running = app.start().await?;

    // Cheap to clone, and outlives the service: hand it to the HTTP server of your own.
    let health = running.health();
    report("running", &health);

    let _ = stopping.send(health.clone());
    running.shutdown().await?;
    report("stopped", &health);
    Ok(())
}
