//! A library of handlers: a router collects them without a broker, and is mounted as a whole, often.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "depots.{depot}.scans")]
struct Scan {
    parcel: u64,
}

static DONE: Notify = Notify::const_new();

/// Says nothing of its name, which the mount does.
#[subscriber]
async fn announce(scan: &Scan, ctx: &mut Context<'_>) -> HandlerOutcome {
    println!("{}: parcel {}", ctx.name(), scan.parcel);
    if scan.parcel == 13 {
        HandlerOutcome::retry()
    } else {
        HandlerOutcome::ack()
    }
}

#[subscriber]
async fn give_up(scan: &Scan, ctx: &mut Context<'_>) {
    println!("{}: parcel {}", ctx.name(), scan.parcel);
    DONE.notify_one();
}

/// What every depot does.
fn routes(depot: &str) -> impl RouterDef<MemoryBroker> + use<> {
    let dead = format!("depots.{depot}.lost");
    Router::new()
        .include(announce.name(format!("depots.{depot}.scans")))
        .max_attempts(nonzero!(1))
        .dead_letter(dead.clone())
        .build()
        .include(give_up.name(dead))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depots", "0.1.0")).with_broker(bus, |b| {
        b.include_router(routes("north"));
        b.include_router(routes("south"));
    });
    let running = app.start().await?;

    for depot in ["north", "south"] {
        let scan = Scan { parcel: 13 };
        publisher.message(&scan).to().depot(depot).publish().await?;
        DONE.notified().await;
    }

    running.shutdown().await?;
    Ok(())
}
