//! The life of a service: which hook runs when, from the start to the end.

use std::convert::Infallible;
use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "parcels.scanned")]
struct Scan {
    parcel: u64,
}

static HANDLED: Notify = Notify::const_new();

#[subscriber("parcels.scanned")]
async fn announce(scan: &Scan) {
    println!("a message: parcel {}", scan.parcel);
    HANDLED.notify_one();
}

struct Depot;

fn depot() -> impl App {
    RustStream::new(AppInfo::new("depot", "0.1.0"))
        .on_startup(async |()| {
            println!("on_startup: makes the state, before any broker connects");
            Ok::<_, Infallible>(Depot)
        })
        .after_startup(async |_depot| {
            println!("after_startup: every broker is connected, every subscription open");
            Ok::<_, Infallible>(())
        })
        .on_shutdown(async |_depot| {
            println!("on_shutdown: everything still works");
            Ok::<_, Infallible>(())
        })
        .after_shutdown(async |_depot| {
            println!("after_shutdown: handlers are finished, brokers closed");
            Ok::<_, Infallible>(())
        })
        .with_broker(MemoryBroker::new(), |b| {
            b.include(announce);
            b.after_startup(Publish, async |publisher| {
                println!("after_startup of a broker: has a publisher");
                publisher.message(&Scan { parcel: 7 }).publish().await
            });
        })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Serves until the future is done; `run()` serves until a signal.
    depot().run_until(HANDLED.notified()).await?;
    println!("the end");
    Ok(())
}
