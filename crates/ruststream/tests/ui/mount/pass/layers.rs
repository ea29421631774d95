// RUN-012, RUN-130, RUN-133, PUB-650, PUB-652: layers of app, router and route, beside publish layers
use ruststream::memory::prelude::*;
use ruststream::runtime::layers::TracingLayer;
use ruststream::runtime::{
    Handler, Layer, Outgoing as Sent, PublishDynStack, PublishLayer, PublishNext, PublishPipeline,
};
use serde::Serialize;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Clone)]
struct Envelope;

impl PublishLayer for Envelope {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Sent<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Failure> {
        next.run(out).await
    }
}

/// Wraps handlers of the state it reads.
struct Watch;

struct Watched<H>(H);

impl<M: Sync, H: Handler<M, (), u64>> Handler<M, (), u64> for Watched<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_, (), u64>) -> HandlerOutcome {
        if *ctx.state() == 0 {
            HandlerOutcome::drop()
        } else {
            self.0.handle(message, ctx).await
        }
    }
}

impl<H> Layer<H> for Watch {
    type Handler = Watched<H>;

    fn layer(&self, handler: H) -> Watched<H> {
        Watched(handler)
    }
}

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels")]
async fn plain(_id: &u64) {}

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64, Out(_out): Out<impl Publisher>) -> Label {
    Label
}

#[subscriber("parcels", reply("labels"))]
async fn labels(_ids: &[u64]) -> Vec<Label> {
    Vec::new()
}

fn main() {
    let routes = Router::new()
        .layer(TracingLayer::default())
        .include(plain)
        .layer(Watch)
        .include(label)
        .out(DefaultSlot, Publish)
        .out_retry(Publish)
        .build();
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(TracingLayer::default())
        .publish_layer(Envelope)
        .publish_layer(PublishDynStack::new([]))
        .on_startup(async |()| Ok::<_, std::io::Error>(7_u64))
        .with_broker(MemoryBroker::new(), |b| {
            b.include(plain).out_retry(Publish);
            b.include(label)
                .out(DefaultSlot, TransactionalPublish)
                .build();
            b.include(labels.batch(nonzero!(8)))
                .out_reply(Publish)
                .transactional();
            b.include_router(routes);
        });
}
