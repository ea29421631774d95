//! The same without macros: a message, a slot and a handler, as the derives and the attribute write them.

use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use ruststream::memory::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Label {
    parcel: u64,
}

impl MessageInfo for Label {
    const NAME: &'static str = "Label";
}

impl MessageHeaders for Label {
    type Contract = NoHeaders;
}

impl OutgoingDestination for Label {
    type Form = FixedName;
    const DESTINATION: &'static str = "labels";
}

struct Labels;

impl OutSlot for Labels {
    const NAME: &'static str = "Labels";
    type Destination = Reads;
}

impl PublishedThrough<Labels> for Label {}

/// Takes the numbers of parcels, and publishes a label for each.
struct Print;

impl<Entry: OutEntry<Labels, Wire: Publisher>> Handle<u64, (), Outs<(Entry,)>, (), Depot>
    for Print
{
    async fn handle(
        &self,
        parcel: &u64,
        slots: &Outs<(Entry,)>,
        _ctx: &mut Context<'_, (), Depot>,
    ) -> Result<(), HandlerOutcome> {
        let label = Label { parcel: *parcel };
        let sent = slots.get(Labels).message(&label).publish().await;
        // `Ok` acknowledges; `Err` says how the message ends.
        sent.map_err(|_| HandlerOutcome::retry())
    }
}

struct Show;

impl Handle<Label, (), (), (), Depot> for Show {
    async fn handle(
        &self,
        label: &Label,
        _slots: &(),
        ctx: &mut Context<'_, (), Depot>,
    ) -> Result<(), HandlerOutcome> {
        println!("label for parcel {}", label.parcel);
        ctx.state().done.notify_one();
        Ok(())
    }
}

struct Depot {
    done: Arc<Notify>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let bus = MemoryBroker::new();
    let publisher = bus.publisher();
    let done = Arc::new(Notify::new());
    let state = Depot { done: done.clone() };
    let app = RustStream::new(AppInfo::new("depot", "0.1.0"))
        .on_startup(async move |()| Ok::<_, Infallible>(state))
        .with_broker(bus, |b| {
            b.include(subscriber("parcels", Print).workers(nonzero!(2)).build())
                .max_attempts(nonzero!(3))
                .out(Labels, Publish)
                .build();
            b.include(subscriber("labels", Show).build());
        });
    let running = app.start().await?;

    publisher
        .message(&Number(7))
        .to("parcels")
        .publish()
        .await?;

    done.notified().await;
    running.shutdown().await?;
    Ok(())
}

#[derive(Serialize)]
struct Number(u64);

impl MessageHeaders for Number {
    type Contract = NoHeaders;
}

impl OutgoingDestination for Number {
    type Form = CallerName;
    const DESTINATION: &'static str = "";
}
