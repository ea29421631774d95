// PUB-403: `batch_transform` on the reply of one message
use ruststream::memory::prelude::*;
use ruststream::runtime::{BatchPublishTransform, BrokerScope, Outgoing, PublishContext};
use serde::Serialize;

struct Stamp;

impl<C, Options> BatchPublishTransform<C, Options> for Stamp {
    fn apply(&self, _: &mut Outgoing<'_>, _: &mut Option<Options>, _: &PublishContext<'_, C>) {}
}

#[derive(Serialize, Outgoing)]
struct Label;

#[subscriber("parcels", reply("labels"))]
async fn label(_id: &u64) -> Label {
    Label
}

fn mount(b: &mut BrokerScope<MemoryBroker>) {
    b.include(label).out_reply(Publish).batch_transform(Stamp);
}

fn main() {}
