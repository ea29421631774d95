// RUN-161, PUB-204: a codec named on the registration, the surface, the position or the call
use ruststream::codec::{Codec, CodecError};
use ruststream::memory::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[derive(Clone, Copy)]
struct Plain;

impl Codec for Plain {
    fn encode<T: Serialize>(&self, _value: &T) -> Result<BytesMut, CodecError> {
        Ok(BytesMut::new())
    }

    fn decode<T: DeserializeOwned>(&self, _bytes: &[u8]) -> Result<T, CodecError> {
        Err(CodecError::Decode("compiled, never run".into()))
    }
}

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

#[subscriber]
async fn unnamed(_ids: &[u64]) {}

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64, Out(out): Out<impl Publisher>) -> Label {
    let _ = out.message(&Label).to("audit").publish().await;
    Label
}

#[derive(Deserialized)]
struct Raw<'a>(&'a [u8]);

#[subscriber("parcels")]
async fn forward(raw: &Raw<'_>, Out(_out): Out<impl Publisher>) -> HandlerOutcome {
    if raw.0.is_empty() {
        HandlerOutcome::drop()
    } else {
        HandlerOutcome::ack()
    }
}

#[subscriber("parcels", reply("labels"))]
async fn answer(_id: &u64) -> Label {
    Label
}

pub async fn publish(publisher: &impl Publisher) {
    let _ = publisher
        .message(&Label)
        .with_codec(Plain)
        .to("labels")
        .publish()
        .await;
}

fn main() {
    let routes = Router::new()
        .with_codec(Plain)
        .include(on_parcel)
        .include(answer)
        .out_reply(Publish)
        .codec(Plain)
        .build();
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(unnamed.name("parcels").codec(Plain).batch(nonzero!(8)));
            b.include_router(routes);
            b.include(forward)
                .out(DefaultSlot, Publish)
                .codec(Plain)
                .build();
        })
        .with_broker_codec(MemoryBroker::new(), Plain, |b| {
            b.include(on_parcel);
            b.include(label)
                .out(DefaultSlot, Publish)
                .out_reply(Publish)
                .codec(Plain)
                .build();
        });
}
