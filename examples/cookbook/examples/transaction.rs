//! Transactions: several messages become visible together, or none of them does.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "orders")]
struct Order {
    parcels: Vec<u64>,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    parcel: u64,
}

#[derive(OutSlot)]
#[publishes(Label)]
struct Labels;

static DONE: Notify = Notify::const_new();

/// Asks for a publisher with transactions. A broker without them does not mount.
#[subscriber("orders")]
async fn split(
    order: &Order,
    Out(labels): Out<impl TransactionalPublisher, Labels>,
) -> HandlerOutcome {
    let Ok(scope) = labels.begin().await else {
        return HandlerOutcome::retry();
    };
    for &parcel in &order.parcels {
        let sent = scope.message(&Label { parcel }).publish().await;
        if parcel == 13 || sent.is_err() {
            println!("not that one: no label of {:?} is printed", order.parcels);
            // Without an end, the transaction would stay open.
            let _ = scope.abort().await;
            return HandlerOutcome::drop();
        }
    }
    if scope.commit().await.is_ok() {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::retry()
    }
}

#[subscriber("labels")]
async fn print(label: &Label) {
    println!("label for parcel {}", label.parcel);
    if label.parcel == 9 {
        DONE.notify_one();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(split).out(Labels, TransactionalPublish).build();
        b.include(print);
    });
    let running = app.start().await?;

    for parcels in [vec![12, 13], vec![8, 9]] {
        publisher.message(&Order { parcels }).publish().await?;
    }

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
