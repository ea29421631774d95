//! `ruststream-seam MESSAGES`: a service that takes every path the harness can observe, so many
//! times: single deliveries and batches, a reply, a slot, a requeue, work after the settlement.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ruststream::memory::{MemoryBroker, MemoryPublish};
use ruststream::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Debug, Clone, Serialize, Deserialize, Outgoing)]
struct Parcel {
    id: usize,
}

#[derive(OutSlot)]
#[publishes(Parcel)]
struct Audit;

#[derive(Default)]
struct Progress {
    shelved: AtomicUsize,
    all: Notify,
}

#[derive(FromRef)]
struct Depot {
    progress: Arc<Progress>,
}

#[subscriber("scans", reply("shelves"))]
async fn scan(
    parcel: &Parcel,
    Out(audit): Out<impl Publisher, Audit>,
) -> Result<Parcel, HandlerOutcome> {
    if audit.message(parcel).to("audits").publish().await.is_err() {
        return Err(HandlerOutcome::retry());
    }
    Ok(parcel.clone())
}

#[subscriber("audits")]
async fn note(_parcel: &Parcel) -> HandlerOutcome {
    HandlerOutcome::ack().and_after(async {})
}

#[subscriber("shelves")]
async fn shelve(parcels: &[Parcel], State(progress): State<Arc<Progress>>) {
    let before = progress.shelved.fetch_add(parcels.len(), Ordering::Relaxed);
    if before + parcels.len() >= messages() {
        progress.all.notify_one();
    }
}

fn messages() -> usize {
    let given = std::env::args().nth(1);
    given.and_then(|given| given.parse().ok()).unwrap_or(1)
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (bus, progress) = (MemoryBroker::new(), Arc::<Progress>::default());
    let publisher = bus.publisher();
    let depot = Depot {
        progress: Arc::clone(&progress),
    };
    let running = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .on_startup(async move |()| Ok::<_, std::io::Error>(depot))
        .with_broker(bus, |b| {
            b.include(scan).out(Audit, MemoryPublish).build();
            b.include(note);
            b.include(shelve.batch(nonzero!(64)));
        })
        .start()
        .await?;
    for id in 0..messages() {
        publisher
            .message(&Parcel { id })
            .to("scans")
            .publish()
            .await?;
    }
    progress.all.notified().await;
    running.shutdown().await?;
    println!(
        "{} parcels shelved",
        progress.shelved.load(Ordering::Relaxed)
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(run())
}
