//! A set of messages that a handler may publish, named once and shared by several handlers.

use std::error::Error;

use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "orders")]
struct Order {
    parcel: u64,
    express: bool,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "labels")]
struct Label {
    parcel: u64,
}

#[derive(Serialize, Deserialize, Outgoing)]
#[outgoing(name = "couriers")]
struct Courier {
    parcel: u64,
}

/// Never made: a list of types, for the compiler and for the document.
#[derive(OutMessages)]
enum Dispatched {
    Label(Label),
    Courier(Courier),
}

/// The slot without a name of its own is open to every message; the set says which of them may leave.
#[subscriber("orders")]
async fn dispatch(
    order: &Order,
    Out(door): Out<impl Publisher, DefaultSlot, Dispatched>,
) -> HandlerOutcome {
    let parcel = order.parcel;
    let sent = if order.express {
        door.message(&Courier { parcel }).publish().await
    } else {
        door.message(&Label { parcel }).publish().await
    };
    if sent.is_ok() {
        HandlerOutcome::ack()
    } else {
        HandlerOutcome::retry()
    }
}

static HANDLED: Notify = Notify::const_new();

#[subscriber("labels")]
async fn print(label: &Label) {
    println!("label for parcel {}", label.parcel);
    HANDLED.notify_one();
}

#[subscriber("couriers")]
async fn ride(courier: &Courier) {
    println!("courier for parcel {}", courier.parcel);
    HANDLED.notify_one();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let app = RustStream::new(AppInfo::new("depot", "0.1.0")).with_broker(bus, |b| {
        b.include(dispatch).out(DefaultSlot, Publish).build();
        b.include(print);
        b.include(ride);
    });
    let running = app.start().await?;

    for (parcel, express) in [(7, false), (8, true)] {
        publisher
            .message(&Order { parcel, express })
            .publish()
            .await?;
        HANDLED.notified().await;
    }

    running.shutdown().await?;
    Ok(())
}
