// RUN-475, RUN-441: a layer around a whole app or router wraps any handler
use ruststream::memory::prelude::*;
use ruststream::runtime::{Handler, Layer};

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

fn main() {
    let _ = RustStream::new(AppInfo::new("depot", "1.0.0"))
        .layer(Timing)
        .with_broker(MemoryBroker::new(), |b| {
            b.include(on_parcel);
        });
}
