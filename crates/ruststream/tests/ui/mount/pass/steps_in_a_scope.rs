// RUN-113, RUN-114, PUB-400 to PUB-405, PUB-408: every step, in a scope
use ruststream::codec::JsonCodec;
use ruststream::memory::prelude::*;
use ruststream::runtime::{BatchPublishTransform, Outgoing as Sent, PublishContext, for_batch};
use serde::Serialize;
use support::{Filter, Queue};

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

fn main() {
    let (cap, size) = (nonzero!(4u32), nonzero!(8));
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0")).with_broker(MemoryBroker::new(), |b| {
        b.include(plain)
            .max_attempts(cap)
            .dead_letter("parcels.dead")
            .out_retry(Publish);
        b.include(plain)
            .dead_letter("parcels.dead")
            .max_attempts(cap);
        b.include(plain)
            .out(Retry, Publish)
            .to("parcels.again")
            .codec(JsonCodec)
            .transform(Stamp)
            .transform(Stamp);
        b.include(plain)
            .out_retry(Request)
            .transform(Stamp)
            .to(String::from("parcels.again"))
            .map_publisher(|same| same);
        b.include(queued)
            .max_attempts(cap)
            .dead_letter("parcels.dead");
        b.include(filtered)
            .max_attempts(cap)
            .out_retry(Publish)
            .to("parcels.again")
            .transform(Stamp);
        b.include(filtered)
            .out_retry(Publish)
            .transform(Stamp)
            .transform(Redirect);
        b.include(batch.batch(size))
            .max_attempts(cap)
            .out_retry(Publish);
        b.include(label)
            .out_reply(Publish)
            .codec(JsonCodec)
            .transform(Stamp)
            .transform(Redirect)
            .transform(Stamp);
        b.include(label)
            .out(Reply, Request)
            .map_publisher(|same| same)
            .map_publisher(|same| same);
        b.include(label)
            .max_attempts(cap)
            .out_retry(Publish)
            .to("parcels.again")
            .out_reply(Publish)
            .codec(JsonCodec);
        b.include(frame)
            .out_reply(Publish)
            .map_publisher(|same| same)
            .out_retry(Publish);
        b.include(labels.batch(size))
            .out_reply(Publish)
            .codec(JsonCodec)
            .transactional()
            .batch_transform(Stamp)
            .batch_transform(for_batch(Stamp))
            .transform(Stamp);
        b.include(labels.batch(size))
            .out_retry(Publish)
            .out_reply(TransactionalPublish)
            .batch_transform(for_batch(Redirect))
            .transactional();
        b.include(slots)
            .out(DefaultSlot, TransactionalPublish)
            .transform(Stamp)
            .out(Audit, Publish)
            .codec(JsonCodec)
            .transform(Stamp)
            .transform(Redirect)
            .build();
        b.include(slots)
            .out(Audit, Request)
            .map_publisher(|same| same)
            .out_reply(Publish)
            .transform(Redirect)
            .max_attempts(cap)
            .out(DefaultSlot, Publish)
            .codec(JsonCodec)
            .out_retry(Publish)
            .to("parcels.again")
            .build();
        // RUN-135, CORE-302: it compiles here, and is refused at startup.
        b.include(filtered);
        b.include(filtered).out_retry(Publish);
        b.include(filtered).out_retry(Publish).transform(Stamp);
    });
}
