// RUN-113, RUN-130, RUN-135, PUB-406: every step, on a router
#![allow(dead_code)]
use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;
use ruststream::runtime::layers::TracingLayer;
use ruststream::runtime::{BatchPublishTransform, Outgoing as Sent, PublishContext, for_batch};
use serde::Serialize;
use support::{Elsewhere, ElsewherePublish, Filter, Queue};

#[path = "../../support.rs"]
mod support;

/// Anywhere, and leaves names alone.
#[derive(Clone, Copy)]
struct Stamp;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Stamp {
    type Destination = Reads;
    fn apply(&self, _: &mut Sent<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

impl<C, Options> BatchPublishTransform<C, Options> for Stamp {
    fn apply(&self, _: &mut Sent<'_>, _: &mut Option<Options>, _: &PublishContext<'_, C>) {}
}

/// Anywhere, and names.
#[derive(Clone, Copy)]
struct Redirect;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Redirect {
    type Destination = Names;
    fn apply(&self, _: &mut Sent<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(Serialized, Outgoing)]
#[outgoing(name = "frames")]
struct Frame(Vec<u8>);

#[derive(OutSlot)]
#[publishes(Label)]
struct Audit;

#[subscriber("parcels")]
async fn plain(_id: &u64) {}

#[subscriber(Queue::new("parcels"))]
async fn queued(_id: &u64) {}

#[subscriber(Filter::new("parcels.*"))]
async fn filtered(_id: &u64) {}

#[subscriber("parcels")]
async fn batch(_ids: &[u64]) {}

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

#[subscriber("parcels", reply)]
async fn frame(_id: &u64) -> Frame {
    Frame(Vec::new())
}

#[subscriber("parcels", reply("labels"))]
async fn labels(ids: &[u64]) -> Vec<Label> {
    ids.iter().map(|_| Label).collect()
}

#[subscriber("parcels", reply("labels"))]
async fn slots(
    _id: &u64,
    Out(_audit): Out<impl Publisher, Audit>,
    Out(_out): Out<impl TransactionalPublisher>,
) -> Label {
    Label
}

// Not run: the types are what is tested, and none of this need be compiled to code.
fn mount() {
    let (cap, size) = (nonzero!(4u32), nonzero!(8));
    let routes = Router::new()
        .layer(TracingLayer::default())
        .layer(TracingLayer::default())
        .include(plain)
        .max_attempts(cap)
        .dead_letter("parcels.dead")
        .out_retry(Publish)
        .build()
        .include(plain)
        .dead_letter("parcels.dead")
        .max_attempts(cap)
        .build()
        .include(plain)
        .out(Retry, Publish)
        .to("parcels.again")
        .codec(JsonCodec)
        .transform(Stamp)
        .transform(Stamp)
        .build()
        .include(plain)
        .out_retry(Request)
        .transform(Stamp)
        .to(String::from("parcels.again"))
        .map_publisher(|same| same)
        .build()
        .include(queued)
        .max_attempts(cap)
        .dead_letter("parcels.dead")
        .build()
        .include(filtered)
        .max_attempts(cap)
        .out_retry(Publish)
        .to("parcels.again")
        .transform(Stamp)
        .build()
        .include(filtered)
        .out_retry(Publish)
        .transform(Stamp)
        .transform(Redirect)
        .build()
        .include(batch.batch(size))
        .max_attempts(cap)
        .out_retry(Publish)
        .build()
        .include(label)
        .out_reply(Publish)
        .codec(JsonCodec)
        .transform(Stamp)
        .transform(Redirect)
        .transform(Stamp)
        .build()
        .include(label)
        .out(Reply, Request)
        .map_publisher(|same| same)
        .map_publisher(|same| same)
        .build()
        .include(label)
        .max_attempts(cap)
        .out_retry(Publish)
        .to("parcels.again")
        .out_reply(Publish)
        .codec(JsonCodec)
        .build()
        .include(frame)
        .out_reply(Publish)
        .map_publisher(|same| same)
        .out_retry(Publish)
        .build()
        .include(labels.batch(size))
        .out_reply(Publish)
        .codec(JsonCodec)
        .transactional()
        .batch_transform(Stamp)
        .batch_transform(for_batch(Stamp))
        .transform(Stamp)
        .build()
        .include(labels.batch(size))
        .out_retry(Publish)
        .out_reply(TransactionalPublish)
        .batch_transform(for_batch(Redirect))
        .transactional()
        .build()
        .include(slots)
        .out(DefaultSlot, TransactionalPublish)
        .transform(Stamp)
        .out(Audit, Publish)
        .codec(JsonCodec)
        .transform(Stamp)
        .transform(Redirect)
        .build()
        .include(slots)
        .out(Audit, Request)
        .map_publisher(|same| same)
        .out_reply(Publish)
        .transform(Redirect)
        .max_attempts(cap)
        .out(DefaultSlot, Publish)
        .codec(JsonCodec)
        .out_retry(Publish)
        .to("parcels.again")
        .build()
        .with_codec(JsonCodec)
        .include(plain)
        .workers(Workers::pool(size))
        .layer(TracingLayer::default())
        .layer(TracingLayer::default())
        .workers(Workers::sequential())
        .max_attempts(cap)
        .out_retry(Publish)
        .build()
        .include(batch.batch(size))
        .workers(Workers::threads(size))
        // RUN-135: without `.out_retry(..)` it is refused at startup only.
        .include(filtered)
        .merge(Router::new().include(plain));
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .with_broker(MemoryBroker::new(), |b| b.include_router(routes));

    // PUB-213: a broker without a default policy; each position names its own.
    let routes = Router::<Elsewhere>::new()
        .include(label)
        .out_reply(ElsewherePublish)
        .out_retry(ElsewherePublish)
        .build();
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .with_broker(Elsewhere, |b| b.include_router(routes));
}

fn main() {}
