// PUB-605, PUB 17, MAC 5.2: two naming transforms on one slot
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
async fn forward(_id: &u64, Out(_out): Out<impl Publisher, Audit>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(Audit, Publish)
        .transform(Redirect)
        .transform(Redirect)
        .build();
}

fn main() {}
