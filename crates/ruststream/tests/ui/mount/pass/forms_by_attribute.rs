// RUN-110, RUN-111, RUN-112, RUN-202: each form by attribute, in a scope and on a router
#![allow(dead_code)]
use ruststream::memory::prelude::*;
use serde::{Deserialize, Serialize};
use support::{Camera, Frame};

#[path = "../../support.rs"]
mod support;

#[derive(Deserialize)]
struct Parcel;

#[derive(Deserialize)]
struct Meta;

#[derive(Deserialized)]
struct Raw<'a>(&'a [u8]);

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Bytes(Vec<u8>);

#[subscriber("parcels")]
async fn subscribing(_parcel: &Parcel) {}

#[subscriber("parcels")]
async fn pair(_parcel: &Message<Meta, Parcel>) -> Result<(), std::io::Error> {
    Ok(())
}

#[subscriber("parcels")]
async fn raw_subscribing(raw: &Raw<'_>) -> Result<HandlerOutcome, std::io::Error> {
    Ok(if raw.0.is_empty() {
        HandlerOutcome::drop()
    } else {
        HandlerOutcome::ack()
    })
}

#[subscriber("parcels", reply("labels"))]
async fn publishing(_parcel: &Parcel) -> Label {
    Label
}

#[subscriber("parcels", publish("labels"))]
async fn publishing_or_not(_parcel: &Parcel) -> Result<Message<Label, Label>, HandlerOutcome> {
    Err(HandlerOutcome::retry())
}

#[subscriber("parcels", reply)]
async fn raw_reply(_raw: &Raw<'_>) -> Bytes {
    Bytes(Vec::new())
}

#[subscriber("parcels")]
async fn batch(parcels: &[Parcel]) -> Vec<HandlerOutcome> {
    parcels.iter().map(|_| HandlerOutcome::ack()).collect()
}

#[subscriber("parcels")]
async fn batch_of_pairs(_parcels: &[Message<Meta, Parcel>]) {}

#[subscriber("parcels")]
async fn raw_batch(_raws: &[Raw<'_>]) {}

#[subscriber(Camera::new("frames"))]
async fn carried_batch(_frames: &[Frame]) {}

#[subscriber("parcels", reply("labels"))]
async fn batch_publishing(parcels: &[Parcel]) -> Result<Vec<Label>, HandlerOutcome> {
    Ok(parcels.iter().map(|_| Label).collect())
}

#[subscriber("parcels")]
async fn out(_raw: &Raw<'_>, Out(_out): Out<impl Publisher>) {}

#[subscriber("parcels", reply("labels"))]
async fn publishing_out(_parcel: &Parcel, Out(_out): Out<impl RequestReply>) -> Label {
    Label
}

#[subscriber("parcels", reply)]
async fn raw_reply_out(_raw: &Raw<'_>, Out(_out): Out<impl Publisher>) -> Bytes {
    Bytes(Vec::new())
}

#[subscriber("parcels")]
async fn batch_out(_raws: &[Raw<'_>], Out(_out): Out<impl Publisher>) {}

#[subscriber("parcels", reply("labels"))]
async fn batch_publishing_out(
    _parcels: &[Parcel],
    Out(_out): Out<impl OwnedTransactions>,
) -> Vec<Label> {
    Vec::new()
}

// Not run: the types are what is tested, and none of this need be compiled to code.
fn mount() {
    let size = nonzero!(8);
    let routes = Router::new()
        .include(subscribing)
        .include(pair)
        .include(raw_subscribing)
        .include(publishing)
        .build()
        .include(publishing_or_not)
        .build()
        .include(raw_reply)
        .build()
        .include(batch.batch(size))
        .include(batch_of_pairs.batch(size))
        .include(raw_batch.batch(size))
        .include(carried_batch.batch(size))
        .include(batch_publishing.batch(size))
        .build()
        .include(out)
        .out(DefaultSlot, Publish)
        .build()
        .include(publishing_out)
        .out(DefaultSlot, Request)
        .build()
        .include(raw_reply_out)
        .out(DefaultSlot, Publish)
        .build()
        .include(batch_out.batch(size))
        .out(DefaultSlot, Publish)
        .build()
        .include(batch_publishing_out.batch(size))
        .out(DefaultSlot, Publish)
        .build();
    assert_eq!(routes.handlers().len(), 16);
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include_router(routes);
        b.include(subscribing);
        b.include(pair);
        b.include(raw_subscribing);
        b.include(publishing);
        b.include(publishing_or_not);
        b.include(raw_reply);
        b.include(batch.batch(size));
        b.include(batch_of_pairs.batch(size));
        b.include(raw_batch.batch(size));
        b.include(carried_batch.batch(size));
        b.include(batch_publishing.batch(size));
        b.include(out).out(DefaultSlot, Publish).build();
        b.include(publishing_out).out(DefaultSlot, Request).build();
        b.include(raw_reply_out).out(DefaultSlot, Publish).build();
        b.include(batch_out.batch(size))
            .out(DefaultSlot, Publish)
            .build();
        b.include(batch_publishing_out.batch(size))
            .out(DefaultSlot, Publish)
            .build();
    });
}

fn main() {}
