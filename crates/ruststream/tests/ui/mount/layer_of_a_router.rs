// RUN-130, RUN-475, RUN-441: the layers of a router wrap any handler
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Handler, Layer};

#[derive(Clone)]
struct Timing;

struct Timed<H>(H);

impl<H: Handler<M>, M: Sync> Handler<M> for Timed<H> {
    async fn handle(&self, message: &M, ctx: &mut Context<'_>) -> HandlerOutcome {
        self.0.handle(message, ctx).await
    }
}

impl<H> Layer<H> for Timing {
    type Handler = Timed<H>;

    fn layer(&self, handler: H) -> Timed<H> {
        Timed(handler)
    }
}

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include_router(Router::new().layer(Timing).include(on_parcel));
}

fn merge() {
    let _ = Router::<MemoryBroker>::new().merge(Router::new().layer(Timing).include(on_parcel));
}

fn main() {}
