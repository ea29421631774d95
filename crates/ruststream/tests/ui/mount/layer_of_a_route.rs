// RUN-475, MAC 5.2: what cannot wrap one handler
use ruststream::memory::prelude::*;
use ruststream::runtime::{BlanketLayer, BrokerScope, Handler};

#[derive(Clone)]
struct Everywhere;

impl BlanketLayer for Everywhere {
    fn apply<M, C, S, H>(&self, handler: H) -> impl Handler<M, C, S> + 'static
    where
        M: Send + Sync + 'static,
        C: Send + 'static,
        S: Send + Sync + 'static,
        H: Handler<M, C, S> + 'static,
    {
        handler
    }
}

#[subscriber("parcels")]
async fn on_parcel(_id: &u64) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include_router(Router::new().include(on_parcel).layer(Everywhere));
}

fn main() {}
