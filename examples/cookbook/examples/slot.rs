//! Publishing from a handler, as often as it likes: a slot, which the mount gives a publisher.

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
    of: usize,
}

/// Where the handler publishes, and what. Anything else does not compile.
#[derive(OutSlot)]
#[publishes(Label)]
struct Labels;

static DONE: Notify = Notify::const_new();

/// Asks for a publisher of any broker; which one it is says the mount.
#[subscriber("orders")]
async fn split(order: &Order, Out(labels): Out<impl Publisher, Labels>) -> HandlerOutcome {
    for &parcel in &order.parcels {
        let label = Label {
            parcel,
            of: order.parcels.len(),
        };
        if labels.message(&label).publish().await.is_err() {
            return HandlerOutcome::retry();
        }
    }
    HandlerOutcome::ack()
}

#[subscriber("labels")]
async fn print(label: &Label) {
    println!("label for parcel {}, one of {}", label.parcel, label.of);
    if label.parcel == 9 {
        DONE.notify_one();
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(split).out(Labels, Publish).build();
        b.include(print);
    });
    let running = app.start().await?;

    let order = Order {
        parcels: vec![7, 8, 9],
    };
    publisher.message(&order).publish().await?;

    DONE.notified().await;
    running.shutdown().await?;
    Ok(())
}
