// RUN-475, PUB-401, PUB 17, MAC 5.2: the steps of batch replies on a slot
use ruststream::memory::prelude::*;
use ruststream::runtime::{BatchPublishTransform, BrokerScope, Outgoing, PublishContext};

struct Stamp;

impl<C, Options> BatchPublishTransform<C, Options> for Stamp {
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &PublishContext<'_, C>) {}
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(DefaultSlot, Publish)
        .batch_transform(Stamp)
        .build();
    b.include(forward)
        .out(DefaultSlot, Publish)
        .transactional()
        .build();
}

fn main() {}
