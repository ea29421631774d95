// PUB-600, PUB 17, MAC 5.2: a transform of replies on a slot
use ruststream::memory::prelude::*;
use ruststream::runtime::{BrokerScope, Outgoing, PublishContext};

struct ToInbox;

impl<C, Options> PublishTransform<ForReply<C>, Options> for ToInbox {
    type Destination = Reads;
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &PublishContext<'_, C>) {}
}

#[subscriber("parcels")]
async fn forward(_id: &u64, Out(_out): Out<impl Publisher>) {}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(forward)
        .out(DefaultSlot, Publish)
        .transform(ToInbox)
        .build();
}

fn main() {}
