// PUB-504, PUB-605, PUB 17: a naming transform on the default slot
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing};

struct Redirect;

impl<K: ContextKind, Options> PublishTransform<K, Options> for Redirect {
    type Destination = Names;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &K::View<'_>) {}
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(DefaultSlot, Publish)
        .transform(Redirect)
        .build();
}

fn main() {}
