// PUB-606, PUB 17: nor does it request, on a router
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing};
use serde::Serialize;

struct Redirect;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Redirect {
    type Destination = Names;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

#[derive(Serialize, Outgoing)]
struct Label;

#[derive(OutSlot)]
#[publishes(Label)]
struct Audit;

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl RequestReply, Audit>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    let routes = Router::new()
        .include(forward)
        .out(Audit, Request)
        .transform(Redirect)
        .build();
    b.include_router(routes);
}

fn main() {}
