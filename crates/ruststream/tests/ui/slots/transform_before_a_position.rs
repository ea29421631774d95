// PUB-401, PUB 17, MAC 5.2: a transform before any slot is bound
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing};

struct Stamp;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Stamp {
    type Destination = Reads;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .transform(Stamp)
        .out(DefaultSlot, Publish)
        .build();
}

fn main() {}
